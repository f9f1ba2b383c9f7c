#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may depend on whom: for each target of the build, the folders that it may reach.

  dependencies_test.py DEPENDENCIES    (written by dependencies.cmake)

A target reaches what it links, has as an include path or waits for, directly or through others, but
not what a program that it runs is made of. Each arrow that is not allowed is printed with the way to it. The rules are then tried on arrows that they
must forbid.
"""
import copy
import sys

# What the libraries of a user's program are made of.
RUNTIME = "base isa tensor device"
OPEN = RUNTIME + " ranks simgen device/sim device/uart wafer runtime firmware open"
# A job runs on whatever device it is given, so it needs none.
COMPILE = RUNTIME + " graph runtime firmware memoryx"
EXECUTE = COMPILE + " ranks swarmx compile"
# What judges the machine. Nothing that it judges may reach it.
ORACLES = "golden iss measure check conform dft Eigen"
EVERYTHING = f"{OPEN} {EXECUTE} {ORACLES} execute fpga plot import text serve api"

# A target, or all others of a folder of sw/: the folders of sw/ that it may reach besides its own.
# `fpga` is the top-level folder, `Eigen` the library.
MAY_REACH = {
    "ow_isa": "",
    "ow_isa_headers": "",
    "base": "",
    "isa": "base",
    "ranks": "base",
    "tensor": "base",
    "graph": "base tensor",
    "import": "base tensor graph",
    "text": "base",
    "plot": "base",
    "golden": "base isa tensor graph Eigen",
    "iss": "base isa",
    "device": "base isa",
    "simgen": "base",
    "device/sim": "base isa device simgen ranks",
    "device/uart": "base isa device",
    "firmware": "isa",
    "ow_wafer": "base isa device",
    "ow_runtime": RUNTIME,
    "runtime": RUNTIME + " device/sim simgen ranks",
    "wafer": RUNTIME + " runtime firmware",
    "open": OPEN,
    "openwafer": OPEN,
    "examples": OPEN + " openwafer",
    "example_conform_adder": "conform",  # its C interface alone
    "memoryx": RUNTIME + " graph",
    "swarmx": RUNTIME + " graph memoryx ranks",
    "compile": COMPILE,
    "execute": EXECUTE,
    "serve": "base",
    "api": "base serve text",
    "ow_grid_ring": COMPILE + " compile serve",
    "check": EXECUTE + " execute golden serve Eigen",
    # What runs a device and judges it knows its answers only from files; what makes them is golden's.
    "ow_conform": "base isa tensor device device/sim ranks",
    "ow_conform_job": "base isa tensor device device/sim graph ranks",
    # Our own host under the kit.
    "ow_conform_host": EXECUTE + " execute device/sim simgen",
    "conform": "base isa tensor device device/sim graph golden iss ranks Eigen",
    "dft": RUNTIME + " runtime firmware",
    "measure": EVERYTHING,
    "bench": EVERYTHING,
    "fpga": EVERYTHING,
    "cli": EVERYTHING + " bench",
}
# Some that there must be: without them the list of targets says nothing.
MUST_REACH = [("ow_runtime", "ow_device"), ("ow_wafer", "ow_device"), ("ow_open", "ow_bringup"),
              ("openwafer", "ow_runtime"), ("ow_compile", "ow_memoryx"), ("ow_golden", "ow_tensor"),
              ("ow_check", "ow_execute"), ("ow_execute", "ow_swarmx"), ("ow_iss", "ow_base"), ("kernels_test", "ow_golden")]
# From, to, and what the report of it names.
MUST_BE_FORBIDDEN = [("ow_device", "ow_wafer"), ("ow_compile", "ow_golden"), ("ow_compile", "ow_execute"),
                     ("ow_compile", "ow_swarmx"), ("ow_golden", "ow_compile"), ("ow_conform", "ow_golden"),
                     ("kernels_test", "ow_bench"), ("ow_runtime", "ow_wafer"),
                     ("ow_fabric", "./tb/harness"), ("ow_memoryx", "fabric_test")]


class Tree:
    def __init__(self, path):
        self.folders, self.arrows, self.programs = {}, {}, set()
        with open(path, encoding="utf-8") as f:
            for line in f:
                name, kind, folder, *others = line.split()
                if kind == "EXECUTABLE":
                    self.programs.add(name)
                self.folders[name] = folder
                self.arrows[name] = list(dict.fromkeys(others))

    def room(self, name):
        """The folder of sw/ ("device/sim"), "tb", "fpga", or "" for what is no component."""
        if name == "Eigen3::Eigen":
            return "Eigen"
        if name == "openwafer":
            return "openwafer"
        parts = self.folders.get(name, name).split("/")
        if parts[0] != ".":
            return ""
        if parts[1:2] in (["tb"], ["fpga"]):
            return parts[1]
        if parts[1:2] != ["sw"] or parts[2:3] == ["include"]:
            return ""
        deep = parts[2:4] in (["device", "sim"], ["device", "uart"])
        return "/".join(parts[2:4] if deep else parts[2:3])

    def reached(self, start):
        """{name: the way to it} of all that a target reaches."""
        ways, pending = {start: [start]}, [start]
        while pending:
            name = pending.pop(0)
            if name in self.programs and name != start:
                continue
            for other in self.arrows.get(name, []):
                if other not in ways:
                    ways[other] = ways[name] + [other]
                    pending.append(other)
        del ways[start]
        return ways

    def faults(self):
        for name, folder in self.folders.items():
            own = self.room(name)
            if own in ("", "tb"):
                # Tests of the bench stand in tb/sw/bench; no other program needs it.
                allowed = None if own == "" or folder == "./tb/sw/bench" else {"bench"}
                for other, way in self.reached(name).items():
                    if allowed and self.room(other) in allowed:
                        yield f"test to bench: {' -> '.join(way)}"
                continue
            row = name if name in MAY_REACH else own
            if row not in MAY_REACH:
                yield f"sw/{own}: what it may reach is not in {sys.argv[0]}"
                continue
            allowed = set(MAY_REACH[row].split()) | {own, ""}
            if name in MAY_REACH and own != "openwafer":
                allowed.discard("golden")
            for other, way in self.reached(name).items():
                if self.room(other) not in allowed:
                    yield f"{own} to {self.room(other)}: {' -> '.join(way)}"


def main():
    tree = Tree(sys.argv[1])
    faults = list(tree.faults())
    for fault in faults:
        print(fault)
    bad = bool(faults)
    for name, other in MUST_REACH:
        if other not in tree.reached(name):
            print(f"{name} does not reach {other}: is the list of targets complete?")
            bad = True
    for name, other in MUST_BE_FORBIDDEN:
        seeded = copy.deepcopy(tree)
        seeded.arrows[name].append(other)
        if not any(f"{name} -> {other}" in fault for fault in seeded.faults()):
            print(f"{name} -> {other} would pass")
            bad = True
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
