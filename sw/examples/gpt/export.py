# SPDX-License-Identifier: Apache-2.0
"""export.py DIR: the first weights of the model as an ONNX file."""
import sys

import torch

from model import GPT, SIZES

torch.manual_seed(1)
model = GPT(**SIZES).eval()
tokens = torch.zeros(1, SIZES["positions"], dtype=torch.long)
# Without folding, parameters keep the names that they have in the module.
torch.onnx.export(model, tokens, sys.argv[1] + "/gpt.onnx", opset_version=17, do_constant_folding=False)
