#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples print the same on every machine: a simulated grid, a wafer that has to be repaired first,
and a simulated board. What a board lacks is refused in one line that names it, with exit status 2.

  devices_test.py PROGRAMS WAFER DEFECTS BOARD

  PROGRAMS  folder of the example_* programs      WAFER, DEFECTS  files of configs/
  BOARD     ow-fpga-sim, or - to leave the board out
"""
import os
import re
import subprocess
import sys
import time

EXAMPLES = ["axpy", "control_tasks", "fifos", "filters", "gemv", "gemv_grid", "regions", "switches", "wavelet_task"]
# What the board's 2x2 `mini` tiles run. The others need what it lacks; each must say so in one line.
ON_THE_BOARD = {"control_tasks", "wavelet_task"}
SECONDS = 300


def run(program, machine=None):
    command = [program] + ([machine] if machine else [])
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    # Only the cycle of a printed line may differ.
    return done.returncode, re.sub(r"cycle \d+", "cycle", done.stdout), done.stderr


def board(program):
    """Starts the simulated board; returns it and the name of its serial port."""
    process = subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        line = process.stdout.readline()
        found = re.search(r"(/dev/pts/\d+)", line)
        if found:
            return process, found.group(1)
        if line == "" and process.poll() is not None:
            break
    process.kill()
    raise SystemExit(f"{program}: names no serial port")


def main():
    programs, wafer, defects, board_program = sys.argv[1:]
    faults = []
    for name in EXAMPLES:
        program = os.path.join(programs, f"example_{name}")
        status, expected, errors = run(program)
        if status != 0:
            faults.append(f"{name} on its grid: {errors}")
            continue
        status, text, errors = run(program, f"wafer:{wafer},defects={defects}")
        if (status, text) != (0, expected):
            faults.append(f"{name} on the wafer: exit status {status}, '{text}{errors}', not '{expected}'")
        if board_program == "-":
            continue
        process, port = board(board_program)
        try:
            status, text, errors = run(program, f"uart:{port}:9600")
        finally:
            process.terminate()
            process.wait()
        print(f"{name} on the board: {status} {(text + errors).strip()}")
        if name in ON_THE_BOARD:
            if (status, text) != (0, expected):
                faults.append(f"{name} on the board: exit status {status}, '{text}{errors}', not '{expected}'")
        elif status != 2 or errors.count("\n") != 1:
            faults.append(f"{name} on the board: exit status {status}: '{text}{errors}'")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
