# SPDX-License-Identifier: Apache-2.0
"""Memories of the RTL as arrays of rows: what timing makes of them that are no macros.

A row has enables of its own; a read port is an AND of each row with its decoded address and an OR
of all rows, which takes about half of the area of a tree of multiplexers of the address' bits.

Rows are flip-flops, or latches as in a latch array of standard cells: what is written is caught at
the edge by one row of flip-flops for all, and passes into the latches of its row while the clock is
high, behind a clock gate a row. Its netlist here has the row of flip-flops, the latches with the
enables of their clock gates, and the delay through both in the latch (constraints/cells.yaml), so
that no path needs to be timed through a latch that is open. That needs one write port.
"""

from netlist import ONE, ZERO


class Builder:
    """Gates that are added to a module: constants go through, equal gates are one."""

    def __init__(self, module):
        self.module = module
        self.made = {}

    def net(self):
        self.module.parent.append(len(self.module.parent))
        return len(self.module.parent) - 1

    def gate(self, kind, *inputs):
        if (kind, inputs) not in self.made:
            self.made[kind, inputs] = self.net()
            self.module.gates.append((kind, self.made[kind, inputs], list(inputs)))
        return self.made[kind, inputs]

    def invert(self, a):
        return 1 - a if a in (ZERO, ONE) else self.gate("$_NOT_", a)

    def both(self, a, b):
        if ZERO in (a, b):
            return ZERO
        if ONE in (a, b) or a == b:
            return max(a, b)
        return self.gate("$_AND_", min(a, b), max(a, b))

    def either(self, a, b):
        if ONE in (a, b):
            return ONE
        if ZERO in (a, b) or a == b:
            return max(a, b)
        return self.gate("$_OR_", min(a, b), max(a, b))

    def choose(self, a, b, select):
        """b if select, else a."""
        if a == b or select == ZERO:
            return a
        return b if select == ONE else self.gate("$_MUX_", a, b, select)

    def is_value(self, bits, value):
        """Whether a signal, lowest bit first, has a value: halves are shared between values."""
        if len(bits) == 1:
            return bits[0] if value else self.invert(bits[0])
        half = len(bits) // 2
        return self.both(self.is_value(bits[:half], value & ((1 << half) - 1)),
                         self.is_value(bits[half:], value >> half))

    def any_of(self, nets):
        while len(nets) > 1:
            nets = [self.either(*nets[i:i + 2]) if i + 1 < len(nets) else nets[i]
                    for i in range(0, len(nets), 2)]
        return nets[0]


def number(text):
    """The number of a parameter in RTLIL."""
    return int(text.partition("'")[2], 2) if "'" in text else int(text)


def slices(nets, width):
    return [nets[i:i + width] for i in range(0, len(nets), width)]


def write_ports(pins, address, width):
    """[(address, enables, data)], lowest bit first; ports for other bits of one word are one."""
    ports = {}
    for where, enables, data in zip(slices(pins["\\WR_ADDR"], address),
                                    slices(pins["\\WR_EN"], width),
                                    slices(pins["\\WR_DATA"], width)):
        for known, inputs in ports.setdefault(tuple(where), []):
            if all(ZERO in pair for pair in zip(known, enables)):
                for bit, enable in enumerate(enables):
                    if enable != ZERO:
                        known[bit], inputs[bit] = enable, data[bit]
                break
        else:
            ports[tuple(where)].append((list(enables), list(data)))
    return [(list(where), *port) for where, group in ports.items() for port in group]


def shape(module, name):
    """(rows, bits of an address, of a word) of a memory."""
    values = module.parameters[name]
    if any(number(values[k]) for k in ("RD_CLK_ENABLE", "RD_WIDE_CONTINUATION",
                                       "WR_WIDE_CONTINUATION")):
        raise ValueError(f"{module.name}: memory {name} has ports that are no plain ones")
    first, size = number(values["OFFSET"]), number(values["SIZE"])
    return range(first, first + size), number(values["ABITS"]), number(values["WIDTH"])


def is_latched(name, listed):
    """Whether the memories of a module are to be latches. RTLIL names one after its instance, too:
    `listed` has modules (ow_acc), or instances of them (ow_ram_1r1w.u_out)."""
    kind, _, path = name.lstrip("\\").partition("$")
    return kind in listed or f"{kind}.{path.rpartition('.')[2]}" in listed


def expand(module, latches):
    """The memories of a module become rows, of latches if `latches` is true."""
    build = Builder(module)
    memories = [(name, pins) for name, kind, pins in module.children if kind == "$mem_v2"]
    module.children = [child for child in module.children if child[1] != "$mem_v2"]
    for name, pins in memories:
        rows, address, width = shape(module, name)
        ports = write_ports(pins, address, width)
        caught = None
        if latches and len(ports) == 1:
            caught = [build.net() for _ in range(width)]
            module.dffs += list(zip(caught, ports[0][2], ports[0][1]))
        cells = {row: [build.net() for _ in range(width)] for row in rows}
        for row, bits in cells.items():
            for bit, q in enumerate(bits):
                enable, data = ZERO, ports[0][2][bit]
                for where, enables, written in ports:  # the last one wins
                    here = build.both(build.is_value(where, row), enables[bit])
                    enable = build.either(enable, here)
                    data = build.choose(data, written[bit], here)
                module.dffs.append((q, caught[bit] if caught else data, enable))
            if caught:
                module.latches.update(bits)
        for where, out in zip(slices(pins["\\RD_ADDR"], address),
                              slices(pins["\\RD_DATA"], width)):
            for bit, net in enumerate(out):
                module.join(net, build.any_of([build.both(build.is_value(where, row), bits[bit])
                                               for row, bits in cells.items()]))
    if memories:
        settle(module)


def settle(module):
    """Nets by the least of those that are one."""
    find = module.find
    module.gates = [(k, find(y), [find(i) for i in ins]) for k, y, ins in module.gates]
    module.dffs = [(find(q), find(d), find(e)) for q, d, e in module.dffs]
    module.latches = {find(q) for q in module.latches}
    module.children = [(n, k, {p: [find(b) for b in bits] for p, bits in pins.items()})
                       for n, k, pins in module.children]
