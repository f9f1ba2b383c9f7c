#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs in the wide engine do what they do in the replicated one.

  wide_test.py OW SOURCE DIRECTORY LIBRARIES [NAME]

A recording holds the words that came in at the edges of the grid, and a digest of all that went out,
each with its cycle. So equal recordings are equal runs, cycle by cycle. The reports must be equal, too:
results, cycles, counters. Grids are smaller than a block, end within one, and span several in both
directions. With NAME only that job runs.

LIBRARIES is where the wide engine's code lies. Code of another RTL is refused, and a width that is not built.
"""
import os
import re
import shutil
import subprocess
import sys

from engine_jobs import report, write_layer

OW, SOURCE, DIRECTORY, LIBRARIES = sys.argv[1:5]
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


def refuses(what, ow, job, engine, libraries, words):
    """Whether a run ends with status 2 and one line with these words."""
    done = subprocess.run([ow, "run", job, "--machine", f"sim,engine={engine}"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env={**os.environ, "OW_WIDE_DIR": libraries})
    if done.returncode == 2 and words in done.stdout and done.stdout.count("\n") == 1:
        return True
    print(f"{what}: status {done.returncode}\n{done.stdout}")
    return False


def refuses_other_code(job):
    """The narrowest code, with another hash of what it was made of."""
    name = "libow_wide_tile_64.so"
    with open(os.path.join(LIBRARIES, name), "rb") as f:
        code = f.read()
    with open(os.path.join(DIRECTORY, name), "wb") as f:
        f.write(re.sub(rb"\0[0-9a-f]{64}\0", b"\0" + b"0" * 64 + b"\0", code))
    refused = refuses("code of another RTL", OW, job, "wide-64", DIRECTORY, "made of another RTL")
    os.remove(os.path.join(DIRECTORY, name))
    return refused


def refuses_what_is_not_built(job):
    """A copy of the program, beside which there is no code."""
    alone = os.path.join(DIRECTORY, "alone")
    os.makedirs(alone, exist_ok=True)
    ow = shutil.copy2(OW, alone)
    refused = [refuses(f"{engine} that is not built", ow, job, engine, alone, f"engine={engine}: not built")
               for engine in ("wide", "wide-64")]
    shutil.rmtree(alone)
    return all(refused)


def main():
    os.makedirs(DIRECTORY, exist_ok=True)
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        flags = f.read().split()
    have = {"wide-512": "avx512f" in flags, "wide-256": "avx2" in flags, "wide-64": True}
    refused = write_layer(os.path.join(DIRECTORY, "refused.yaml"), SOURCE, 2, 2, 8, 2, 1)
    failed = not all([refuses_other_code(refused), refuses_what_is_not_built(refused)])
    jobs = [job for job in all_jobs() if len(sys.argv) <= 5 or sys.argv[5] == job[0]]
    if not jobs:
        sys.exit(f"no job is named {sys.argv[5]}")
    for name, job, arguments in jobs:
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
