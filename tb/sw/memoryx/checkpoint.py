#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a checkpoint as the safetensors format describes it, with nothing of ours, and with the
packages safetensors and numpy (scripts/bootstrap test). usage: checkpoint.py FILE NAME ROWS COLUMNS
SUM: the tensor NAME has this shape and its elements this sum, to six digits."""

import json
import struct
import sys
from array import array

try:
    from safetensors.numpy import load_file
except ImportError as error:
    sys.exit(f"{error}: scripts/bootstrap test installs it")


def main():
    path, name, rows, columns, total = sys.argv[1:]
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    assert length % 8 == 0, "the elements begin at a multiple of 8"
    header = json.loads(data[8:8 + length])
    notes = header.pop("__metadata__")
    assert all(isinstance(value, str) for value in notes.values())
    assert int(notes["step"]) > 0
    size = {"F32": 4, "U8": 1, "U32": 4}
    end = 0
    for tensor in sorted(header.values(), key=lambda t: t["data_offsets"]):
        count = 1
        for n in tensor["shape"]:
            count *= n
        begin, end_here = tensor["data_offsets"]
        assert begin == end and end_here - begin == count * size[tensor["dtype"]], tensor
        end = end_here
    assert 8 + length + end == len(data)
    tensor = header[name]
    assert tensor["dtype"] == "F32" and tensor["shape"] == [int(rows), int(columns)]
    begin, end = tensor["data_offsets"]
    values = array("f")
    values.frombytes(data[8 + length + begin:8 + length + end])
    assert abs(sum(values) - float(total)) < 1e-6, sum(values)
    tensors = load_file(path)
    assert set(tensors) == set(header) and tensors[name].shape == (int(rows), int(columns))
    assert abs(float(tensors[name].astype("float64").sum()) - float(total)) < 1e-6


main()
