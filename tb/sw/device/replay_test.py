#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A failure in a large grid that the wide engine runs over is found and shown.

  replay_test.py OW OW_WAVE SOURCE DIRECTORY

A run of 64x64 tiles in the wide engine is saved. In the save, a register of tile (37, 11) gets a value
that it never has. The wide engine goes on; the replicated one must name the assertion, with tile, cycle
and line. Then waves of that tile around the cycle are written and read.
"""
import gzip
import os
import re
import struct
import subprocess
import sys

from engine_jobs import save_and_kill, write_layer

OW, OW_WAVE, SOURCE, DIRECTORY = sys.argv[1:5]
ROWS = COLUMNS = 64
ROW, COLUMN = 37, 11
EVERY = 20000
# Credits are coded so that no bit of the second register is set without that of the first.
SET, CLEARED = b"u_router.u_switch.u_credits.cr2_q", b"u_router.u_switch.u_credits.cr1_q"
FAILURE = re.compile(r"tile \(37, 11\): internal assertion [\w.\[\]]+\.credit_in_range: .*"
                     r"\(rtl/fabric/ow_router_credits\.sv:(\d+)\), cycle (\d+)")
TILE_HEAD = 5  # words before a tile's signals


def path(name):
    return os.path.join(DIRECTORY, name)


def run(arguments, status=0):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != status:
        sys.exit(f"{' '.join(arguments)}: status {done.returncode}, expected {status}\n{done.stdout}")
    return done.stdout


def seed_fault(saved, seeded):
    """Writes the saved run with the fault; returns its cycle."""
    with gzip.open(saved, "rb") as f:
        data = bytearray(f.read())
    lines = data.split(b"\n", 1)[0].split()
    cycle, events, signals = (int(word) for word in lines[-3:])
    at, first, places = data.index(b"\n") + 1, TILE_HEAD, {}
    for _ in range(signals):
        end = data.index(b"\n", at)
        name, elements, bits = bytes(data[at:end]).split()
        places[name] = first
        first += int(elements) * ((int(bits) + 63) // 64)
        at = end + 1
    tile = at + 16 * events + 8 * first * (ROW * COLUMNS + COLUMN)
    for name, value in ((SET, 1), (CLEARED, 0)):
        struct.pack_into("<Q", data, tile + 8 * places[name], value)
    with gzip.open(seeded, "wb", compresslevel=1) as f:
        f.write(data)
    return cycle


def check_waves(file, first, last):
    """The header of an FST file: its kind, length, and the first and the last time."""
    with open(file, "rb") as f:
        header = f.read(25)
    kind, length, begin, end = struct.unpack(">BQQQ", header)
    if kind != 0 or length != 329 or begin < first or not begin < end <= last + 1:
        sys.exit(f"waves: kind {kind}, length {length}, times {begin} to {end}, not {first} to {last}")


def main():
    os.makedirs(DIRECTORY, exist_ok=True)
    job = write_layer(path("job.yaml"), SOURCE, ROWS, COLUMNS, 64, 16, 1)
    save_and_kill([OW, "run", job, "--machine",
                   f"sim,engine=wide,save={path('saved')},every={EVERY}"], path("saved"))
    cycle = seed_fault(path("saved"), path("seeded"))
    said = run([OW, "run", job, "--machine", f"sim,restore={path('seeded')}", "--checked", "--record",
                path("run.owr")], 3)
    failure = FAILURE.search(said)
    if failure is None:
        sys.exit(f"the failure is not named:\n{said}")
    line, failed = int(failure[1]), int(failure[2])
    with open(os.path.join(SOURCE, "rtl/fabric/ow_router_credits.sv"), encoding="utf-8") as f:
        if "credit_in_range" not in "".join(f.readlines()[line - 2:line]):  # it has two lines
            sys.exit(f"line {line} is not that of the assertion")
    if not cycle <= failed <= cycle + EVERY:
        sys.exit(f"fails in cycle {failed}, the fault is in cycle {cycle}")
    first = max(failed - 20, cycle)
    said = run([OW_WAVE, path("run.owr"), path("run.fst"), "--restore", path("seeded"), "--tile",
                f"{ROW},{COLUMN}", "--from", str(first)], 3)
    again = FAILURE.search(said)
    # With waves no unit sleeps, so the assertion of a unit that wakes may be evaluated a cycle earlier.
    if again is None or int(again[1]) != line or failed - int(again[2]) not in (0, 1):
        sys.exit(f"another failure with waves:\n{said}")
    check_waves(path("run.fst"), 2 * first, 2 * failed)
    for flag, arguments in (("--from", ["--from", str(cycle - 1)]), ("--to", ["--to", str(cycle - 1)])):
        said = run([OW_WAVE, path("run.owr"), path("none.fst"), "--restore", path("seeded"), *arguments], 2)
        if said != f"ow-wave: bad input: {flag}: {path('seeded')} begins later, in cycle {cycle}\n":
            sys.exit(f"{arguments}: {said}")
        if os.path.exists(path("none.fst")):
            sys.exit(f"{arguments}: refused, but there is a file")
    print(f"saved in cycle {cycle}, failed in cycle {failed}, line {line}")


main()
