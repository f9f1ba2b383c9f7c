# SPDX-License-Identifier: Apache-2.0
"""prepare.py TEXT.gz DIR: the characters of a text as tokens, and the alphabet."""
import gzip
import json
import sys

import numpy

with gzip.open(sys.argv[1], "rt", encoding="utf-8") as file:
    text = file.read()
alphabet = sorted(set(text))
numbers = {character: number for number, character in enumerate(alphabet)}
numpy.save(sys.argv[2] + "/tokens.npy", numpy.array([numbers[c] for c in text], dtype=numpy.uint8))
with open(sys.argv[2] + "/alphabet.json", "w", encoding="utf-8") as file:
    json.dump(alphabet, file)
