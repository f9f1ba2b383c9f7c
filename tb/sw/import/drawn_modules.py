# SPDX-License-Identifier: Apache-2.0
"""Modules of the GPT-2 and Llama families, each part written in one of the ways that people write it."""
import math

import torch
from torch import nn
from torch.nn import functional as F


class Rms(nn.Module):
    def __init__(self, width, way, epsilon=1e-5):
        super().__init__()
        self.weight = nn.Parameter(1 + 0.1 * torch.randn(width))
        self.way, self.epsilon = way, epsilon

    def forward(self, x):
        if self.way == "rsqrt":
            return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon))
        if self.way == "sqrt":
            return x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.epsilon) * self.weight
        return x * (1 / (x.square().sum(-1, keepdim=True) / x.shape[-1] + self.epsilon).sqrt()) * self.weight


class Layer(nn.Module):
    """Layer norm, step by step."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(1 + 0.1 * torch.randn(width))
        self.bias = nn.Parameter(0.1 * torch.randn(width))

    def forward(self, x):
        off = x - x.mean(-1, keepdim=True)
        return off / (off.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() * self.weight + self.bias


def norm(way, width):
    if way == "layer":
        return nn.LayerNorm(width)
    return Layer(width) if way == "steps" else Rms(width, way)


def turned(x, way, theta):
    """The rotation of x [.., tokens, features of a head]."""
    tokens, size = x.shape[-2], x.shape[-1]
    angles = torch.outer(torch.arange(tokens).float(), theta ** (-torch.arange(0, size, 2).float() / size))
    if way == "halves":
        angles = torch.cat((angles, angles), -1)
        low, high = x.chunk(2, -1)
        return x * angles.cos() + torch.cat((-high, low), -1) * angles.sin()
    if way == "parts":
        low, high = x[..., : size // 2], x[..., size // 2 :]
        c, s = angles.cos(), angles.sin()
        return torch.cat((low * c - high * s, high * c + low * s), -1)
    even, odd = x[..., ::2], x[..., 1::2]
    c, s = angles.cos(), angles.sin()
    return torch.stack((even * c - odd * s, even * s + odd * c), -1).flatten(-2)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.size = c["width"] // c["heads"]
        bias = c["bias"]
        if c["parts"] == "apart":
            self.q_proj = nn.Linear(c["width"], c["width"], bias=bias)
            self.k_proj = nn.Linear(c["width"], c["kv_heads"] * self.size, bias=bias)
            self.v_proj = nn.Linear(c["width"], c["kv_heads"] * self.size, bias=bias)
        else:
            self.qkv = nn.Linear(c["width"], 3 * c["width"], bias=bias)
        self.out = nn.Linear(c["width"], c["width"], bias=bias)
        self.register_buffer("seen", torch.tril(torch.ones(c["positions"], c["positions"])))

    def heads(self, x):
        b, t, _ = x.shape
        c, size = self.c, self.size
        if c["parts"] == "apart":
            q = self.q_proj(x).view(b, t, c["heads"], size).transpose(1, 2)
            k = self.k_proj(x).view(b, t, c["kv_heads"], size).transpose(1, 2)
            v = self.v_proj(x).view(b, t, c["kv_heads"], size).transpose(1, 2)
            return q, k, v
        if c["parts"] == "permuted":
            return self.qkv(x).reshape(b, t, 3, c["heads"], size).permute(2, 0, 3, 1, 4).unbind(0)
        if c["parts"] == "chunks of heads":
            return self.qkv(x).view(b, t, c["heads"], 3 * size).transpose(1, 2).chunk(3, -1)
        return (y.view(b, t, c["heads"], size).transpose(1, 2) for y in self.qkv(x).split(c["width"], 2))

    def masked(self, scores, t):
        way = self.c["mask"]
        if way == "fill":
            return scores.masked_fill(self.seen[:t, :t] == 0, float("-inf"))
        if way == "add":
            return scores + torch.triu(torch.full((t, t), float("-inf")), diagonal=1)
        if way == "where":
            return torch.where(self.seen[:t, :t].bool(), scores, torch.tensor(-1e9))
        if way == "window":  # sees 8 tokens alone
            return scores.masked_fill(torch.tril(self.seen[:t, :t], -8) + (self.seen[:t, :t] == 0) > 0, float("-inf"))
        rows = torch.arange(t)
        return scores.masked_fill(rows[None, :] > rows[:, None], float("-inf"))

    def forward(self, x):
        b, t, d = x.shape
        c, size = self.c, self.size
        q, k, v = self.heads(x)
        if c["places"] in ("halves", "parts", "neighbours"):
            q, k = turned(q, c["places"], c["theta"]), turned(k, c["places"], c["theta"])
        times = c["heads"] // c["kv_heads"] if c["parts"] == "apart" else 1
        if times > 1 and c["share"] == "expand":
            k = k[:, :, None].expand(b, c["kv_heads"], times, t, size).reshape(b, c["heads"], t, size)
            v = v[:, :, None].expand(b, c["kv_heads"], times, t, size).reshape(b, c["heads"], t, size)
        elif times > 1:
            k, v = k.repeat_interleave(times, dim=1), v.repeat_interleave(times, dim=1)
        if c["product"] == "bmm":
            q, k, v = (y.reshape(b * c["heads"], t, size) for y in (q, k, v))
        if c["scale"] == "queries":
            scores = (q * size**-0.5) @ k.transpose(-2, -1)
        elif c["scale"] == "both":
            scores = (q * size**-0.25) @ (k * size**-0.25).transpose(-2, -1)
        elif c["product"] == "einsum":
            scores = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(size)
        else:
            scores = q @ k.transpose(-2, -1) / math.sqrt(size)
        y = F.softmax(self.masked(scores, t), dim=-1) @ v
        if c["product"] == "bmm":
            y = y.view(b, c["heads"], t, size)
        return self.out(y.transpose(1, 2).reshape(b, t, d))


def activation(way, x):
    if way == "gelu":
        return F.gelu(x, approximate="tanh")
    if way == "new gelu":
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3))))
    if way == "exact gelu":
        return F.gelu(x)
    if way == "quick gelu":
        return x * torch.sigmoid(1.702 * x)
    return F.silu(x) if way in ("silu", "gated") else F.relu(x)


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.norm_1, self.norm_2 = norm(c["norm"], c["width"]), norm(c["norm"], c["width"])
        self.attn = Attention(c)
        self.way = c["activation"]
        self.up = nn.Linear(c["width"], c["hidden"], bias=c["bias"])
        self.down = nn.Linear(c["hidden"], c["width"], bias=c["bias"])
        if self.way == "gated":
            self.gate = nn.Linear(c["width"], c["hidden"], bias=c["bias"])

    def forward(self, x):
        x = x + self.attn(self.norm_1(x))
        y = self.norm_2(x)
        if self.way == "gated":
            return x + self.down(activation("silu", self.gate(y)) * self.up(y))
        return x + self.down(activation(self.way, self.up(y)))


class Drawn(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.embed = nn.Embedding(c["vocabulary"], c["width"])
        nn.init.normal_(self.embed.weight, std=0.3)
        if c["places"] == "table":
            self.places = nn.Embedding(c["positions"], c["width"])
        if c["places"] == "parameter":
            self.places = nn.Parameter(0.3 * torch.randn(1, c["positions"], c["width"]))
        self.blocks = nn.ModuleList(Block(c) for _ in range(c["blocks"]))
        self.norm = norm(c["norm"], c["width"])
        self.head = nn.Linear(c["width"], c["vocabulary"], bias=False)
        if c["tied"]:
            self.head.weight = self.embed.weight

    def forward(self, tokens):
        x = self.embed(tokens)
        if self.c["places"] == "table":
            x = x + self.places(torch.arange(tokens.shape[1]))
        if self.c["places"] == "parameter":
            x = x + self.places[:, : tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def draw(rng, supported):
    """Sizes and ways of a module, and how it is exported. One that is not supported has a part of no kind of layer."""
    pick = rng.choice
    size = pick([4, 8])
    heads = pick([2, 4])
    c = {
        "vocabulary": rng.randrange(20, 60),
        "positions": 16,
        "width": size * heads,
        "heads": heads,
        "kv_heads": pick([heads, heads // 2]),
        "hidden": 8 * rng.randrange(2, 7),
        "blocks": rng.randrange(1, 3),
        "bias": pick([True, False]),
        "norm": pick(["layer", "layer", "steps", "rsqrt", "sqrt", "sum"]),
        "places": pick(["table", "parameter", "halves", "parts", "neighbours"]),
        "theta": pick([100.0, 10000.0, 500000.0]),
        "parts": pick(["apart", "apart", "split", "permuted", "chunks of heads"]),
        "share": pick(["expand", "interleave"]),  # the exporter interleaves no single head
        "mask": pick(["fill", "add", "where", "compare"]),
        "scale": pick(["scores", "queries", "both"]),
        "product": pick(["matmul", "bmm", "einsum"]),
        "activation": pick(["gelu", "new gelu", "silu", "gated", "relu"]),
        "tied": pick([True, False]),
        "opset": pick([14, 16, 17]),
        "folding": pick([True, False]),
        "sequences": pick([1, 2]),
    }
    if c["kv_heads"] == 1:
        c["share"] = "expand"
    if not supported:
        part, way = pick([("mask", "window"), ("activation", "exact gelu"), ("activation", "quick gelu")])
        c[part] = way
    return c
