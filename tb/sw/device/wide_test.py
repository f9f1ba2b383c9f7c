#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs in the wide engine do what they do in the replicated one.

  wide_test.py OW SOURCE DIRECTORY [NAME]

A recording holds the words that came in at the edges of the grid, and a digest of all that went out,
each with its cycle. So equal recordings are equal runs, cycle by cycle. The reports must be equal, too:
results, cycles, counters. Grids are smaller than a block, end within one, and span several in both
directions. With NAME only that job runs.
"""
import os
import subprocess
import sys

from engine_jobs import report, write_layer

OW, SOURCE, DIRECTORY = sys.argv[1:4]
ENGINES = ["wide-512", "wide-256", "wide-64"]

# Name, rows, columns, inputs, outputs, density.
LAYERS = [("small", 2, 2, 64, 16, 1), ("sparse", 4, 4, 96, 24, 0.3), ("tall", 20, 3, 60, 20, 0.5),
          ("broad", 2, 60, 16, 6, 1)]


def run(job, engine, name, arguments):
    """The recording and the report of a run."""
    base = os.path.join(DIRECTORY, f"{name}-{engine}")
    done = subprocess.run(
        [OW, "run", job, "--machine", f"sim,engine={engine}", "--record", base + ".owr", "--json",
         base + ".json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{name}, {engine}: status {done.returncode}\n{done.stdout}")
    with open(base + ".owr", "rb") as f:
        recording = f.read()
    return recording, report(base + ".json")


def all_jobs():
    """Name, file and arguments of each."""
    jobs = []
    for name, rows, columns, inputs, outputs, density in LAYERS:
        job = write_layer(os.path.join(DIRECTORY, name + ".yaml"), SOURCE, rows, columns, inputs,
                          outputs, density)
        jobs.append((name, job, []))
    jobs.append(("training", os.path.join(SOURCE, "configs/digits-train.yaml"),
                 ["--mode", "train", "--num-steps", "1"]))
    return jobs


def main():
    os.makedirs(DIRECTORY, exist_ok=True)
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        flags = f.read().split()
    have = {"wide-512": "avx512f" in flags, "wide-256": "avx2" in flags, "wide-64": True}
    failed = False
    for name, job, arguments in all_jobs():
        if len(sys.argv) > 4 and sys.argv[4] != name:
            continue
        expected = run(job, "replicated", name, arguments)
        for engine in ENGINES:
            if not have[engine]:
                print(f"{name}, {engine}: this processor lacks the instructions, skipped")
                continue
            got = run(job, engine, name, arguments)
            for what, a, b in zip(("words", "report"), expected, got):
                if a != b:
                    print(f"{name}, {engine}: another {what} than engine=replicated")
                    failed = True
            print(f"{name}, {engine}: compared", flush=True)
    return 1 if failed else 0


sys.exit(main())
