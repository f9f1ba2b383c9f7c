# SPDX-License-Identifier: Apache-2.0
"""The same as main.cpp, from Python: a step of a training, with what happens inside it."""
import numpy
import openwafer_golden as golden

one, tiny = numpy.float16(1), numpy.float16(2.0**-11)
a = numpy.array([one, numpy.nextafter(one, numpy.float16(2))]).view(numpy.uint16)
b = numpy.array([tiny, tiny]).view(numpy.uint16)
assert golden.apply("add", "f16", a, b).tolist() == [0x3C00, 0x3C02]
x = numpy.linspace(-300, 300, 1000, dtype=numpy.float32)
assert (golden.convert("f32", "f16", x.view(numpy.uint32)) == x.astype(numpy.float16).view(numpy.uint16)).all()
assert golden.reduce("dot", "f16", "f32", numpy.full(33, 0x3C00), numpy.full(33, 0x4000)) == 0x42840000
try:
    golden.apply("fma", "i8", a, b, a)
    raise SystemExit("fma of i8 is not refused")
except ValueError as error:
    assert "fma" in str(error), error

net = golden.Network(6, type="f16", rows=2, samples=4, columns=2, rate=0.125, seed=7)
net.add("fc", "linear", "input", outputs=8)
net.add("act", "relu", "fc")
net.add("out", "linear", "act", outputs=3)
net.add("loss", "softmax_cross_entropy", "out,targets")
net.masks("fc.weight", "set", "random", 0.5, 0.25, steps=2)
net.begin()
assert net.parameters == ["fc.weight", "fc.bias", "out.weight", "out.bias"]
samples = numpy.linspace(-1, 1, 48, dtype=numpy.float16).reshape(6, 8).view(numpy.uint16)
losses, kept = [], []
for _ in range(4):
    net.run(x=samples, classes=numpy.arange(8) % 3)
    losses.append(net.loss)
    kept.append(int(net.mask("fc.weight").sum()))
    total = net.partial_sums("out").view(numpy.float32).sum(axis=0) + net.parameter("out.bias")
    assert (numpy.abs(total - net.output("out").view(numpy.float16)) <= 1e-2).all()
    assert net.delta("act").shape == (8, 8) and numpy.isfinite(net.gradient("out.weight")).all()
    assert net.update() is True
assert losses[-1] < losses[0] and kept[0] == 24 and kept[-1] == 12, (losses, kept)
print(f"golden {golden.version}: loss {losses[0]:.4f} to {losses[-1]:.4f}, weights kept {kept}")
