# SPDX-License-Identifier: Apache-2.0
"""Blocks mapped again, with the times that their neighbours leave them in the whole.

A block is mapped first as if all its inputs came at time 0 and all its outputs were wanted at one
time. Where paths are too long in the whole, abc gets its logic again, with the times at which what
enters it comes (of blocks that are alike, the latest): what comes late then goes through few gates.
It stays as it was unless that costs less, by the time that is left for what leaves it.
"""

import netlist

# The logic as abc restructures it without times, which few of its commands keep; what restructures
# and maps it with them. The first two map for area where there is time, the last for time alone.
FIRST = "strash; ifraig; scorr; dc2; strash"
BALANCE = "if -g -K 6; strash; "
MAP = "dch -f; &get -n; &nf; &put"
STEPS = ["strash; " + BALANCE + MAP, "strash; " + 2 * BALANCE + MAP,
         "strash; " + BALANCE + "dch -f; map"]
LEVEL = 1.4665  # FO4 that a gate of two inputs takes where abc balances
ENOUGH = 1.0    # FO4 by which a block's paths may be too long without being mapped again


def times(design, modules, group):
    """{net of blocks that are alike: (when it is there, when it has to be)}."""
    found = {}
    names = [m.name for m in group]
    for path, (name, base) in design.flat.bases.items():
        if name not in names:
            continue
        module = modules[name]
        for net in range(2, len(group[0].parent)):
            root = module.find(net)
            time = design.times.get(design.find(root if root <= 1 else base + root))
            if time:
                before = found.get(net, time)
                found[net] = (max(before[0], time[0]), min(before[1], time[1]))
    return found


def write_times(source, target, inputs, known, unit):
    """A BLIF file with the times of its inputs."""
    with open(source) as f:
        text = f.read()
    head, outputs, rest = text.partition(".outputs")
    at = rest.find("\n.")
    lines = [f".and_gate_delay {LEVEL * unit:.1f}", ".default_input_arrival 0 0"]
    lines += [f".input_arrival n{net} {time:.0f} {time:.0f}" for net, time in
              ((n, unit * known[n][0]) for n in inputs if n in known) if time > 0]
    with open(target, "w") as f:
        f.write(head + outputs + rest[:at + 1] + "\n".join(lines) + rest[at:])


def remap_group(group, modules, design, technology, abc, stem):
    """The file of the best mapping, or None if none is better than the one that there is."""
    first = group[0]
    if not first.gates:
        return None
    known = times(design, modules, group)
    area, over = technology.sized(modules[first.name], known)
    if over < ENOUGH:
        return None
    best = (technology.worth(area, over), -1)
    inputs, outputs = netlist.write_blif(first, stem + ".blif")
    netlist.run_abc(abc, f"read_blif {stem}.blif; {FIRST}", stem + ".first", first.name)
    write_times(stem + ".first", stem + ".times", inputs, known, technology.timing.fo4)
    for i, steps in enumerate(STEPS):
        netlist.run_abc(abc, f"{technology.library(None)}; read_blif -n {stem}.times; {steps}",
                        f"{stem}.{i}", first.name)
        other = netlist.trial(first)
        netlist.read_mapped(other, technology, f"{stem}.{i}", inputs + outputs)
        best = min(best, (technology.worth(*technology.sized(other, known)), i))
    if best[1] < 0:
        return None
    for module in group:
        other = modules[module.name] = netlist.trial(module)
        netlist.read_mapped(other, technology, f"{stem}.{best[1]}", inputs + outputs)
    return first.name


def remap(design, modules, before, top, boxes, technology):
    """Maps those blocks of a design's `modules` again whose paths are too long; `before`: as they
    were before they were mapped. Returns how many kinds of blocks changed."""
    abc = netlist.find_abc()
    found = netlist.each_group(
        netlist.groups(before, [top], boxes),
        lambda group, stem: remap_group(group, modules, design, technology, abc, stem))
    return sum(name is not None for name in found)
