# SPDX-License-Identifier: Apache-2.0
"""sample.py DIR [COUNT]: the trained weights in the module again, and text from it."""
import json
import sys

import torch
from safetensors.torch import load_file

from model import GPT, SIZES

model = GPT(**SIZES).eval()
weights = load_file(sys.argv[1] + "/trained/model.safetensors")
weights["head.weight"] = weights["wte.weight"]
model.load_state_dict(weights)
with open(sys.argv[1] + "/alphabet.json", encoding="utf-8") as file:
    alphabet = json.load(file)
torch.manual_seed(1)
start = torch.tensor([[alphabet.index("T")]])
tokens = model.generate(start, int(sys.argv[2]) if len(sys.argv) > 2 else 200, SIZES["positions"])
print("".join(alphabet[token] for token in tokens[0].tolist()))
