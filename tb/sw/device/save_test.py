#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run that was saved, killed and restored does what the run does that nobody disturbed.

  save_test.py OW SOURCE DIRECTORY ENGINE...

Each engine saves, and each engine restores what each has saved. Compared with the whole run of the
first engine: the words at the edges with their cycles, the report, and the state of all tiles (registers
and memories) near the end. Then come files that must be refused.
"""
import gzip
import os
import struct
import subprocess
import sys

from engine_jobs import remove, report, save_and_kill, write_layer

OW, SOURCE, DIRECTORY = sys.argv[1:4]
ENGINES = sys.argv[4:]
ROWS, COLUMNS = 3, 3
EVERY = 2000
TILE_HEAD = 5  # words of a tile before its signals
# Registers that nothing but assertions reads, that have one value from their first use on, or that at
# times hold something without a meaning (sw/device/sim/wide/state_map.cpp).
ALL = (1 << 64) - 1
UNUSED = {"u_ramp.eng_q": 7, "u_ramp.choose.q": 7, "u_ctrl_ep.asks_q": 1,
          "u_router.gen_control.u_control.gen_flow[4].head_q": 1 << 32}
for meaningless in ("core.gen_pipeline.u_pipeline.u_write.insn", "core.gen_pipeline.u_pipeline.x",
                    "engine.gen_beats.u_back.u_beats.m",
                    "engine.gen_beats.u_back.u_execute.u_datapath.what_a",
                    "engine.gen_beats.u_back.u_execute.u_datapath.what_n",
                    "engine.gen_beats.u_back.u_execute.u_datapath.what_r",
                    "engine.gen_beats.u_back.u_execute.u_flight.at",
                    "engine.gen_beats.u_front.u_threads.u_contexts.s_ctx", "sram.unit"):
    UNUSED[f"u_{meaningless}_q"] = ALL


def path(name):
    return os.path.join(DIRECTORY, name)


def command(job, options, name=""):
    line = [OW, "run", job, "--machine", "sim," + options]
    return line + (["--record", path(name + ".owr"), "--json", path(name + ".json")] if name else [])


def start(line):
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def run(job, options, name, *arguments):
    """The recording and the report."""
    remove(path(name + ".owr"), path(name + ".json"))
    done = start([*command(job, options, name), *arguments])
    said = done.communicate()[0]
    if done.returncode != 0:
        sys.exit(f"{options}: status {done.returncode}\n{said}")
    with open(path(name + ".owr"), "rb") as f:
        recording = f.read()
    return recording, report(path(name + ".json"))


def contents(name):
    with gzip.open(path(name), "rb") as f:
        return f.read()


def state(name):
    """The events and the tiles of a saved run without the bits of registers on which nothing depends, and
    without what says that a tile rests: the wide engine sees that a cycle later."""
    data = bytearray(contents(name))
    rows, columns, _, events, signals = (int(word) for word in data.split(b"\n", 1)[0].split()[3:])
    at, size, unused = data.index(b"\n") + 1, TILE_HEAD, []
    for _ in range(signals):
        end = data.index(b"\n", at)
        signal, elements, bits = bytes(data[at:end]).decode().split()
        if signal in UNUSED:
            unused.append((8 * size, words(elements, bits), UNUSED[signal]))
        size += words(elements, bits)
        at = end + 1
    log = [struct.unpack_from("<QQ", data, at + 16 * n) for n in range(events)]
    at += 16 * events
    unused.append((8 * (TILE_HEAD - 1), 1, ALL))
    for tile in range(at, at + 8 * size * rows * columns, 8 * size):
        for first, count, mask in unused:
            for word in range(tile + first, tile + first + 8 * count, 8):
                value, = struct.unpack_from("<Q", data, word)
                struct.pack_into("<Q", data, word, value & ~mask)
    return log, data[at:]


def words(elements, bits):
    return int(elements) * ((int(bits) + 63) // 64)


def expect(what, job, options, words):
    done = start(command(job, options))
    said = done.communicate()[0]
    if done.returncode != 2 or words not in said or said.strip().count("\n") != 0:
        print(f"{what}: status {done.returncode}, expected 2 and '{words}':\n{said}")
        return False
    return True


def refusals(job):
    with open(path("saved"), "rb") as f:
        saved = f.read()
    with open(path("cut"), "wb") as f:
        f.write(saved[:len(saved) // 2])
    plain = contents("saved")
    for name, text in (("other", plain.replace(b"simulation 1", b"simulation 9", 1)),
                       ("tile", plain.replace(b"_q 1 1\n", b"_x 1 1\n", 1)), ("short", plain[:-8]),
                       ("port", damaged_event(plain)), ("wide", wide_register(plain))):
        with gzip.open(path(name), "wb", compresslevel=1) as f:
            f.write(text)
    wider = write_layer(path("wider.yaml"), SOURCE, ROWS, COLUMNS + 1, 48, 12, 0.5)
    seed = write_layer(path("seed.yaml"), SOURCE, ROWS, COLUMNS, 48, 12, 0.5, seed=8)
    good = True
    for what, of, name, words in (
            ("a file that is cut", job, "cut", "cut"),
            ("another version", job, "other", "is no saved simulation, or one of another version"),
            ("another tile", job, "tile", "here a tile has no register"),
            ("a short file", job, "short", "of another length"),
            ("a register with more bits than it has", job, "wide", "holds a value beyond its 1 bits"),
            ("an impossible port", job, "port", "words at the edges"),
            ("no file", job, "none", "none"),
            ("another grid", wider, "saved", f"a grid of {ROWS} x {COLUMNS} tiles, here are"),
            ("another program", seed, "whole", "the program sends another word")):
        good = expect(what, of, f"restore={path(name)}", words) and good
    return expect("no room", job, "save=/nowhere/f", "/nowhere/f") and good


def damaged_event(plain):
    """With an impossible port in the first word of the log."""
    at = log_of(plain)
    return plain[:at] + b"\xff\xff" + plain[at + 2:]


def log_of(plain):
    at = 0
    for _ in range(int(plain.split(b"\n", 1)[0].split()[-1]) + 1):
        at = plain.index(b"\n", at) + 1
    return at


def wide_register(plain):
    """With a second bit in a register of one, of the first tile."""
    lines = plain[:log_of(plain)].split(b"\n")
    word = TILE_HEAD
    for line in lines[1:-1]:
        _, elements, bits = line.decode().split()
        if bits == "1":
            break
        word += words(elements, bits)
    at = log_of(plain) + 16 * int(lines[0].split()[-2]) + 8 * word
    return plain[:at] + bytes([plain[at] | 2]) + plain[at + 1:]


def checked_idle(job, expected):
    """The whole run goes on with the idle check, which must find nothing and change nothing."""
    got = run(job, f"restore={path('whole')}", "checked", "--check-idle")
    if got == expected[:2]:
        return True
    print("restored with --check-idle: other words or another report")
    return False


def main():
    os.makedirs(DIRECTORY, exist_ok=True)
    job = write_layer(path("job.yaml"), SOURCE, ROWS, COLUMNS, 48, 12, 0.5)
    remove(path("whole"))
    expected = run(job, f"engine={ENGINES[0]},save={path('whole')},every={EVERY}", "whole")
    expected += (state("whole"),)
    good = checked_idle(job, expected)
    for saver in ENGINES:
        save_and_kill(command(job, f"engine={saver},save={path('saved')},every={EVERY}"), path("saved"))
        for engine in ENGINES:
            options = f"engine={engine},restore={path('saved')},save={path('end')},every={EVERY}"
            remove(path("end"))
            got = run(job, options, "restored")
            got += (state("end"),)
            for what, a, b in zip(("words", "report", "state"), expected, got):
                if a != b:
                    print(f"saved by {saver}, restored by {engine}: another {what}")
                    good = False
            print(f"saved by {saver}, restored by {engine}: compared", flush=True)
    return 0 if refusals(job) and good else 1


sys.exit(main())
