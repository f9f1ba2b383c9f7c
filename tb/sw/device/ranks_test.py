#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A grid that several processes simulate (split=K) does what it does in one, and ends as a whole.

  ranks_test.py OW MPIRUN PROGRAM SOURCE DIRECTORY everyday|nightly

Compared with a run in one process, which a report, a recording (the words at the edges with their cycles)
and the last save (the state of all tiles) are made of: the same in 2, 3 and 4 ranks; a run that was
saved in one number of ranks and goes on in another; PROGRAM, which uses ow::open. Then come the death of a
rank, and what must be refused. At night: the engines, the digits job, a training step, threads; a training
on two wafers in two ranks.
"""
import glob
import gzip
import os
import signal
import subprocess
import sys
import time

from engine_jobs import remove, report, write_layer

OW, MPIRUN, PROGRAM, SOURCE, DIRECTORY, SET = sys.argv[1:7]
EVERY = 2000
LARGE = ",every=50000"  # of grids whose saves take long
WAIT = 600  # seconds for a run, or for a save
# A rank writes errors and its number as a process into files of its own.
RANK = f"""echo $$ >pid.$OMPI_COMM_WORLD_RANK
exec "{OW}" run "$@" 2>err.$OMPI_COMM_WORLD_RANK
"""


def path(name):
    return os.path.join(DIRECTORY, name)


def read(name):
    with open(path(name), "rb") as f:
        return f.read()


def start(ranks, job, machine, arguments):
    """A run in so many ranks; 0: without mpirun."""
    remove(*glob.glob(path("err.*")), *glob.glob(path("pid.*")))
    line = [job, "--machine", machine, *arguments]
    launch = [MPIRUN, "-n", str(ranks), "sh", "rank.sh"] if ranks > 0 else [OW, "run"]
    return subprocess.Popen(launch + line, cwd=DIRECTORY, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def errors():
    return {name[-1]: read(name).decode() for name in sorted(glob.glob(path("err.*")))}


def run(ranks, job, options, name, arguments):
    """Recording, report and the state at the last save."""
    split = f",split={ranks}" if ranks > 0 else ""
    every = "" if "every=" in options else f",every={EVERY}"
    remove(*(path(name + end) for end in (".ows", ".owr", ".json")))
    done = start(ranks, job, f"sim,{options}{split},save={path(name)}.ows{every}",
                 ["--record", path(name + ".owr"), "--json", path(name + ".json"), *arguments])
    said = done.communicate(timeout=3 * WAIT)[0]
    if done.returncode != 0:
        sys.exit(f"{job}, {options}, {ranks} ranks: status {done.returncode}\n{said}\n{errors()}")
    if ranks > 1 and f"in {ranks} ranks" not in said:
        sys.exit(f"{job}, {options}: the {ranks} ranks are not named:\n{said}")
    with gzip.open(path(name + ".ows"), "rb") as f:
        return read(name + ".owr"), report(path(name + ".json")), f.read()


def differences(what, expected, got):
    different = [part for part, a, b in zip(("words", "report", "state"), expected, got) if a != b]
    for part in different:
        print(f"{what}: another {part} than in one process")
    print(f"{what}: compared", flush=True)
    return len(different)


def same(job, options, counts, arguments=()):
    expected = run(0, job, options, "whole", arguments)
    return sum(differences(f"{os.path.basename(job)}, {options}, {count} ranks", expected,
                           run(count, job, options, "split", arguments)) for count in counts)


def goes_on(job, options, counts, arguments=()):
    """A run that two ranks have saved goes on in others, and is saved when the whole run is."""
    expected = run(0, job, options, "whole", ())
    cycle = int(expected[2].split(b"\n", 1)[0].split()[5])
    run(2, job, f"{options.replace(LARGE, '')},every={cycle - 1}", "saved", ())
    bad = 0
    for ranks in counts:
        got = run(ranks, job, f"{options},restore={path('saved')}.ows", "on", arguments)
        what = " ".join(["saved by 2 ranks, on in", str(ranks or 1), *arguments])
        bad += differences(what, expected, got)
    return bad


def two_wafers(text):
    """A training step on two wafers, one in each rank: the wide engine's report is the replicated one's."""
    job = path("two-wafers.yaml")
    with open(job, "w", encoding="utf-8") as f:
        f.write(text.replace("train:", "train:\n  micro_batches: 2", 1).replace("tile: 32", "tile: 8"))
    reports = []
    for engine in ("replicated", "wide-64"):
        step = ["--mode", "train", "--num-steps", "1", "--num-wafers", "2", "--json", path("two-wafers.json")]
        process = start(2, job, f"sim,engine={engine}", step)
        said = process.communicate(timeout=WAIT)[0]
        if process.returncode != 0 or "in 2 ranks" not in said:
            sys.exit(f"two wafers, {engine}: status {process.returncode}\n{said}\n{errors()}")
        reports.append(report(path("two-wafers.json")))
    if reports[0] == reports[1]:
        return 0
    print("two wafers in two ranks: another report than with engine=replicated")
    return 1


def program():
    """A program of users, which runs in rank 0 alone: its output, with results and cycles."""
    lines = [[PROGRAM, "sim:4x4"], [MPIRUN, "-n", "2", PROGRAM, "sim:4x4,split=2"]]
    one, two = (subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               timeout=WAIT, check=False) for line in lines)
    if one.returncode == 0 and two.returncode == 0 and one.stdout == two.stdout != "":
        return 0
    print(f"{PROGRAM}: status {two.returncode}\n{two.stdout}\nin one process: {one.stdout}")
    return 1


def end_by(number, rank, count, job):
    """A rank gets a signal in mid-run: all end within 15 s, rank 0 (rank 1 if it was rank 0) with one line,
    the others with none. A rank that is killed may be named by mpirun instead."""
    remove(path("gone.ows"))
    process = start(count, job, f"sim,split={count},save={path('gone')}.ows,every={EVERY}", [])
    end = time.monotonic() + WAIT
    while not os.path.exists(path("gone.ows")) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    begin = time.monotonic()
    os.kill(int(read(f"pid.{rank}")), number)
    said = process.communicate(timeout=WAIT)[0]
    took, lines = time.monotonic() - begin, errors()
    who = f"signal {number} to rank {rank} of {count}"
    speaker = "1" if rank == 0 else "0"
    line = lines.pop(speaker)
    named = f"rank {rank} " in said and "signal" in said  # by mpirun
    silent = number == signal.SIGKILL and not line and named  # mpirun's SIGKILL may come before the line
    one = line.startswith("ow: device fault: ") and line.count("\n") == 1
    good = process.returncode != 0 and took < 15 and (one or silent)
    if not good or any(lines.values()):
        print(f"{who}: status {process.returncode}, {took:.1f} s, line '{line}', others {lines}:\n{said}")
        return 1
    print(f"{who}: {line.strip() or 'named by mpirun'}", flush=True)
    return 0


def refused(ranks, job, machine, words, arguments=()):
    """Status 2 and one line, which rank 0 writes."""
    process = start(ranks, job, machine, arguments)
    said = process.communicate(timeout=WAIT)[0]
    lines = "".join(errors().values()) if ranks > 0 else said
    if process.returncode == 2 and words in lines and lines.count("\n") == 1:
        return 0
    print(f"{machine} in {ranks} ranks: status {process.returncode}, not '{words}': {lines}\n{said}")
    return 1


def refusals(job):
    wafers = os.path.join(SOURCE, "configs/digits-train.yaml")
    wafer = os.path.join(SOURCE, "configs/wafer-2x2.yaml")
    train = ["--mode", "train", "--num-wafers", "2"]
    return (refused(0, job, "sim,split=2", "split=2 needs 2 processes, here is one (mpirun -n 2 ...)") +
            refused(2, job, "sim,split=3", "split=3 needs 3 processes, here are 2 (mpirun -n 3 ...)") +
            refused(4, job, "sim,split=4", "split=4: a grid of 3 x 3 tiles has 3 rows") +
            refused(2, "none.yaml", "sim,split=2", "none.yaml") +
            refused(2, job, "sim:4x4,split=2", "wants 3 x 3 tiles") +
            refused(2, wafers, "sim,split=2", "only a training on one wafer is split", train) +
            refused(0, job, "sim,split=0", "split '0': must be processes, 1 to 999") +
            refused(0, job, f"wafer:{wafer},split=2", "split=2") +
            refused(0, job, "sim-mini,split=2", "only for sim") +
            refused(0, job, "mono,split=2", "split=2"))


def has(width):
    """Whether this processor has the instructions."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        flags = f.read().split()
    return {"wide-512": "avx512f" in flags, "wide-256": "avx2" in flags, "wide-64": True}[width]


def everyday():
    job = write_layer(path("job.yaml"), SOURCE, 3, 3, 48, 12, 0.5)
    long = write_layer(path("long.yaml"), SOURCE, 3, 3, 2048, 512, 0.5)
    bad = same(job, "engine=replicated", [1, 2, 3]) + program() + refusals(job)
    bad += goes_on(job, "engine=replicated", [2], ["--check-idle"])
    return bad + end_by(signal.SIGKILL, 1, 3, long)


def nightly():
    job = write_layer(path("job.yaml"), SOURCE, 4, 3, 48, 12, 0.5)
    long = write_layer(path("long.yaml"), SOURCE, 4, 4, 2048, 512, 0.5)
    # On grids with rows of blocks for two ranks in each width, and for four in the narrowest.
    blocks = {"wide-512": write_layer(path("b512.yaml"), SOURCE, 16, 33, 33, 16, 1),
              "wide-256": write_layer(path("b256.yaml"), SOURCE, 8, 33, 33, 16, 1),
              "wide-64": write_layer(path("b64.yaml"), SOURCE, 4, 33, 33, 16, 1)}
    jobs = []
    for name in ("digits", "digits-train"):
        with open(os.path.join(SOURCE, f"configs/{name}.yaml"), encoding="utf-8") as f:
            text = f.read().replace("../data", os.path.join(SOURCE, "data"))
        text = text.replace("training: ", f"training: {SOURCE}/configs/").replace("columns: 4", "columns: 40")
        with open(path(name + ".yaml"), "w", encoding="utf-8") as f:
            f.write(text)
        jobs.append(path(name + ".yaml"))
    with open(os.path.join(SOURCE, "configs/digits-train.yaml"), encoding="utf-8") as f:
        bad = two_wafers(f.read().replace("../data", os.path.join(SOURCE, "data")))
    short, step = ["--limit", "64"], ["--mode", "train", "--num-steps", "1"]
    for options in ("engine=replicated,threads=2", "engine=wide-64", "engine=wide-64,threads=2"):
        options += LARGE
        bad += same(jobs[0], options, [2, 4], short) + same(jobs[1], options, [2, 4], step)
    for width, layer in blocks.items():
        if has(width):
            bad += same(layer, f"engine={width}{LARGE}", [2])
    bad += same(blocks["wide-64"], "engine=wide-64,lockstep" + LARGE, [4])
    bad += goes_on(job, "engine=replicated", [0, 3])
    bad += goes_on(blocks["wide-64"], "engine=wide-64" + LARGE, [0, 3])
    for rank in range(3):
        for number in (signal.SIGKILL, signal.SIGSTOP):
            bad += end_by(number, rank, 3, long)
    return bad


def main():
    os.makedirs(DIRECTORY, exist_ok=True)
    with open(path("rank.sh"), "w", encoding="utf-8") as f:
        f.write(RANK)
    return 1 if (everyday() if SET == "everyday" else nightly()) != 0 else 0


sys.exit(main())
