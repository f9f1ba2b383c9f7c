# SPDX-License-Identifier: Apache-2.0
"""A small GPT as anybody would write it in PyTorch."""
import math

import torch
from torch import nn
from torch.nn import functional as F

# One entry a key: tokens it knows, tokens it sees at once, features, heads, blocks.
SIZES = {"vocabulary": 76, "positions": 32, "width": 32, "heads": 4, "blocks": 2}


class Attention(nn.Module):
    def __init__(self, width, heads, positions):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.register_buffer("seen", torch.tril(torch.ones(positions, positions)).bool(), persistent=False)

    def forward(self, x):
        sequences, tokens, width = x.shape
        size = width // self.heads
        q, k, v = (
            part.view(sequences, tokens, self.heads, size).transpose(1, 2)
            for part in self.qkv(x).split(width, dim=2)
        )
        scores = q @ k.transpose(2, 3) / math.sqrt(size)
        scores = scores.masked_fill(~self.seen[:tokens, :tokens], float("-inf"))
        y = F.softmax(scores, dim=-1) @ v
        return self.proj(y.transpose(1, 2).reshape(sequences, tokens, width))


class Block(nn.Module):
    def __init__(self, width, heads, positions):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.attn = Attention(width, heads, positions)
        self.ln_2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))


class GPT(nn.Module):
    def __init__(self, vocabulary, positions, width, heads, blocks):
        super().__init__()
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Embedding(positions, width)
        self.blocks = nn.ModuleList(Block(width, heads, positions) for _ in range(blocks))
        self.ln_f = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.wte.weight
        for name, p in self.named_parameters():
            if p.dim() > 1:
                std = 0.02 / math.sqrt(2 * blocks) if name.endswith(("proj.weight", "down.weight")) else 0.02
                nn.init.normal_(p, std=std)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.ln_f(x))

    @torch.no_grad()
    def generate(self, tokens, count, positions):
        for _ in range(count):
            logits = self(tokens[:, -positions:])[:, -1]
            tokens = torch.cat((tokens, torch.multinomial(logits.softmax(-1), 1)), 1)
        return tokens
