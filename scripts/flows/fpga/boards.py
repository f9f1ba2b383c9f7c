# SPDX-License-Identifier: Apache-2.0
"""What a board is: fpga/boards/BOARD/board.yaml, its constraints for nextpnr, and whether a routed
design meets them. For fpga beside it."""

import argparse
import math
import os
import re
import sys

import yaml

sys.dont_write_bytecode = True
from packing import COLUMNS, DESIGN, ROOT, Missing

BOARDS = os.path.join("fpga", "boards")


# -------------------------------------------------------------------------------------- its keys ----
def grid_shape(text):
    """Type of --grid: (rows, columns) of tiles."""
    match = re.fullmatch(r"([1-9]\d?)x([1-9]\d?)", text)
    if not match or int(match[2]) % 2:
        raise argparse.ArgumentTypeError(f"'{text}' is not ROWSxCOLUMNS of 1 to 99 tiles, an even "
                                         "number of columns: each reticle has half of them")
    return int(match[1]), int(match[2])


def is_grid(value):
    try:
        return isinstance(value, str) and bool(grid_shape(value))
    except argparse.ArgumentTypeError:
        return False


def is_word(value):
    return isinstance(value, str) and value != ""


def is_name(value):
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z_]\w*", value) is not None


def is_number(value):
    return type(value) in (int, float) and math.isfinite(value) and value > 0


def is_list(value, of):
    return isinstance(value, list) and all(of(each) for each in value)


def is_room(value):
    return (isinstance(value, dict) and set(value) == set(COLUMNS)
            and all(is_number(count) for count in value.values()))


def is_clocks(value):
    return isinstance(value, dict) and len(value) > 0 and all(
        is_number(mhz) and isinstance(own, dict)
        and all(is_name(name) and is_number(number) for name, number in own.items())
        for mhz, own in value.items())


# For each key: what it must be, and the check of a value.
KEYS = {
    "top": ("the name of a module", is_name),
    "cells": ("a list of modules, the vendor's cells in the top", lambda v: is_list(v, is_name)),
    "part": ("the part's name", is_word),
    "constraints": ("a file, from the top of the tree",
                    lambda v: is_word(v) and os.path.isfile(os.path.join(ROOT, v))),
    "grid": ("ROWSxCOLUMNS of 1 to 99 tiles, an even number of columns", is_grid),
    "loader": ("a list of openFPGALoader's arguments, each of them text",
               lambda v: is_list(v, is_word)),
    "nextpnr": ("a list of nextpnr's arguments, each of them text", lambda v: is_list(v, is_word)),
    "available": ("a number above 0 for each of " + ", ".join(COLUMNS), is_room),
    "clocks": ("{MHZ: {PARAMETER of the top: number above 0, ...}, ...}", is_clocks),
    "clock": ("one of the frequencies in 'clocks', in MHz", is_number),
}
# The keys that a board of a family must have; it may have clocks, too, and then has one of them as
# its own.
ALL = ["top", "cells", "part", "constraints", "grid", "loader"]
FAMILIES = {"ecp5": ALL + ["nextpnr", "available"], "xilinx": ALL}


def check_board(board, path):
    """Missing if what has been read from a board.yaml is no board."""
    if not isinstance(board, dict):
        raise Missing(f"{path}: must hold keys and values: family, {', '.join(KEYS)}")
    families = " or ".join(FAMILIES)
    if "family" not in board:
        raise Missing(f"{path}: key 'family' is missing: must be {families}")
    if not is_word(board["family"]) or board["family"] not in FAMILIES:
        raise Missing(f"{path}: key 'family' is {board['family']!r}: must be {families}")
    wanted = FAMILIES[board["family"]] + (["clocks", "clock"] if "clocks" in board else [])
    for key in board:
        if key not in wanted and key != "family":
            raise Missing(f"{path}: key {key!r} is not known for family {board['family']}, which has "
                          + ", ".join(wanted))
    for key in wanted:
        must, good = KEYS[key]
        if key not in board:
            raise Missing(f"{path}: key '{key}' is missing: must be {must}")
        if not good(board[key]):
            raise Missing(f"{path}: key '{key}' is {board[key]!r}: must be {must}")
    if "clocks" in board and board["clock"] not in board["clocks"]:
        raise Missing(f"{path}: key 'clock' is {board['clock']!r}: must be one of "
                      + ", ".join(f"{mhz:g}" for mhz in board["clocks"]))


def load_board(name):
    """board.yaml, checked, with its name, its file lists and its grid as rows and columns."""
    folder = os.path.join(ROOT, BOARDS)
    known = [board for board in sorted(os.listdir(folder))
             if os.path.isfile(os.path.join(folder, board, "board.yaml"))]
    if name not in known:
        raise Missing(f"no board '{name}': {', '.join(known)}")
    path = os.path.join(BOARDS, name, "board.yaml")
    with open(os.path.join(ROOT, path), "rb") as f:
        try:
            board = yaml.safe_load(f)
        except (yaml.YAMLError, ValueError) as e:
            mark = getattr(e, "problem_mark", None)
            problem = getattr(e, "problem", None) or getattr(e, "reason", None) or e
            raise Missing(f"{path}{f':{mark.line + 1}' if mark else ''}: no YAML: {problem}") from e
    check_board(board, path)
    files = os.path.join(BOARDS, name, "files.f")
    if not os.path.isfile(os.path.join(ROOT, files)):
        raise Missing(f"no {files}: it names the board's sources")
    return {**board, "name": name, "lists": DESIGN + [files], "grid": grid_shape(board["grid"])}


# ----------------------------------------------------------------------------------- constraints ----
def constraints_of(board, clock):
    """The board's LPF file with its clocks, and the limits between them, for `clock` MHz; as they are
    for None."""
    with open(os.path.join(ROOT, board["constraints"])) as f:
        text = f.read()
    if clock is None:
        return text
    written = set(frequencies(text).values())
    if len(written) != 1 or min(written) <= 0:
        raise Missing(f"{board['constraints']}: clocks of {sorted(written)} MHz: must be one frequency")
    factor = clock / written.pop()
    text = re.sub(r'^(FREQUENCY NET "\w+" )[\d.]+', rf"\g<1>{clock:g}", text, flags=re.M)
    return re.sub(r'^(MAXDELAY .* )([\d.]+)( NS;)',
                  lambda m: f"{m[1]}{float(m[2]) / factor:.3f}{m[3]}", text, flags=re.M)


def limits(text, path):
    """{(clock, clock): ns} of the MAXDELAY lines of an LPF file, which nextpnr passes over."""
    found = {}
    pattern = re.compile(r'^\s*MAXDELAY FROM CLKNET "(\w+)" TO CLKNET "(\w+)" ([\d.]+) NS\s*;')
    for number, line in enumerate(text.splitlines(), 1):
        match = pattern.match(line)
        if match:
            found[match.group(1), match.group(2)] = float(match.group(3))
        elif line.split("#")[0].strip().startswith("MAXDELAY"):
            raise Missing(f"{path}:{number}: must be MAXDELAY FROM CLKNET \"A\" TO CLKNET \"B\" N NS;")
    return found


def plain(clock):
    """posedge $glbnet$clk_a -> clk_a"""
    return clock.split()[-1].replace("$glbnet$", "")


def frequencies(text):
    """{net: MHz} of an LPF file, which nextpnr does not look for if the design has no such net."""
    return {net: float(mhz)
            for net, mhz in re.findall(r'^FREQUENCY NET "(\w+)" ([\d.]+) MHZ;', text, re.M)}


def judge(report, wanted, constraints):
    """Clocks, crossings, and in words what is not met: of the frequencies that are wanted, and the
    limits between clocks."""
    wrong = []
    clocks = {}
    for clock, figure in report["fmax"].items():
        clocks[plain(clock)] = figure
        if figure["achieved"] < figure["constraint"]:
            wrong.append(f"{plain(clock)} reaches {figure['achieved']:.1f} MHz of "
                         f"{figure['constraint']:.1f}")
    for net, mhz in wanted.items():
        if net not in clocks:
            wrong.append(f"no clock {net} in the design, for which there is a frequency")
        elif clocks[net]["constraint"] < 0.999 * mhz:  # nextpnr counts in picoseconds
            wrong.append(f"{net} was placed for {clocks[net]['constraint']:.1f} MHz and not {mhz:g}")
    crossings = {}
    over = {}
    for path in report["critical_paths"]:
        pair = plain(path["from"]), plain(path["to"])
        if pair in constraints and pair[0] in clocks:
            delay = sum(segment["delay"] for segment in path["path"])
            limit = limit_of(path, constraints[pair], 1000 / clocks[pair[0]]["constraint"])
            over[pair] = max(over.get(pair, -math.inf), delay - limit)
            crossings[pair] = max(delay, crossings.get(pair, -math.inf))
    for a, b in constraints:
        if (a, b) not in crossings:
            wrong.append(f"no path from {a} to {b}, for which there is a limit")
        elif over[a, b] > 0:
            wrong.append(f"{a} to {b} takes {over[a, b]:.2f} ns more than it may, "
                         f"{crossings[a, b]:.2f}")
    return clocks, crossings, wrong


def limit_of(path, limit, period):
    """The limit of a path between two clocks, from that of a path between their rising edges: half a
    period more, or less if that is more than there is, if it leaves at a falling edge."""
    if path["from"].split()[0] == path["to"].split()[0]:
        return limit
    return limit + period / 2 if limit + period / 2 < period else limit - period / 2
