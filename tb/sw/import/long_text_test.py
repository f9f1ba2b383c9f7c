#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""long_text_test.py BUILD ROOT: a character model of 334 thousand parameters on Shakespeare, 2,000 steps by golden in
16 bits and by PyTorch in binary32, from the same weights and with the same batches: what is lost on text held out. Says so,
and passes, where PyTorch, transformers, or the text are not installed (scripts/bootstrap torch)."""

import glob
import json
import os
import unittest

import torch_test  # becomes the Python that has PyTorch
from torch_test import F, ROOT, SEED, numpy, torch

SEQUENCE, BATCH, STEPS, RATES = 64, 4, 2000, (0.002, 0.0002)
MODULO = 20  # a sample of so many is held out, the last one
SIZES = {"n_positions": SEQUENCE, "n_embd": 96, "n_layer": 3, "n_head": 4, "vocab_size": 65}


def text():
    """Its characters as numbers; none: it is not there."""
    venv = os.environ.get("OW_VENV", os.path.join(ROOT, ".venv"))
    files = glob.glob(os.path.join(venv, "torch", "lib", "python3*", "site-packages", "microgpt", "input.txt"))
    if not files:
        return None
    with open(files[0], encoding="utf-8") as file:
        characters = file.read()
    number = {c: n for n, c in enumerate(sorted(set(characters)))}
    return numpy.array([number[c] for c in characters], dtype=numpy.uint8)


def shuffled(count):
    """The order of the first epoch: docs/numerics.md, N21 and N88."""
    mask, golden = (1 << 64) - 1, 0x9E3779B97F4A7C15

    def h(x):
        x = (x + golden) & mask
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
        return x ^ (x >> 31)

    def rotated(x, k):
        return ((x << k) | (x >> (64 - k))) & mask

    seed = h(h(SEED))
    s = [h((seed + k * golden) & mask) for k in range(4)]
    order = list(range(count))
    for i in range(count - 1, 0, -1):
        v, t = (rotated((s[1] * 5) & mask, 7) * 9) & mask, (s[1] << 17) & mask
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotated(s[3], 45)
        j = (v * (i + 1)) >> 64
        order[i], order[j] = order[j], order[i]
    return order


def new_module():
    import transformers

    torch.manual_seed(SEED)
    config = transformers.GPT2Config(**SIZES, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
    return transformers.GPT2LMHeadModel(config)


class Shakespeare(torch_test.Case):
    def samples(self, ids):
        """Inputs and targets of training, and those held out."""
        count = (len(ids) - 1) // SEQUENCE
        numpy.save(self.path("tokens.npy"), ids[: count * SEQUENCE + 1])
        x = torch.tensor(ids[: count * SEQUENCE].astype(int)).view(count, SEQUENCE)
        y = torch.tensor(ids[1 : count * SEQUENCE + 1].astype(int)).view(count, SEQUENCE)
        out = torch.arange(count) % MODULO == MODULO - 1
        return x[~out], y[~out], x[out], y[out]

    def by_golden(self):
        steps = f"[{{kind: linear, from: {RATES[0]}, to: {RATES[1]}, steps: {STEPS}}}]"
        job = self.job(torch_test.NETWORK, f"steps: {STEPS}, optimizer: {{kind: adamw, rate: {steps}}}", SEQUENCE, 16, 16)
        with open(job, encoding="utf-8") as file:
            lines = file.read().replace("sequence:", f"held_out_modulo: {MODULO}, held_out_remainder: {MODULO - 1}, sequence:")
        with open(job, "w", encoding="utf-8") as file:
            file.write(lines)
        report = self.path("report.json")
        where = ["--device", "golden", "--model-dir", self.path("model"), "--json", report]
        torch_test.ow("run", job, "--mode", "train_and_eval", *where)
        with open(self.path("model", "metrics.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        with open(report, encoding="utf-8") as file:
            return [line["loss"] for line in lines if "step" in line], json.load(file)

    def by_torch(self, module, x, y):
        optimizer = torch.optim.AdamW(module.parameters(), lr=RATES[0], betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0)
        order, losses = shuffled(len(x)), []
        for step in range(STEPS):
            batch = order[step * BATCH : (step + 1) * BATCH]
            optimizer.param_groups[0]["lr"] = RATES[0] + (RATES[1] - RATES[0]) * step / STEPS
            loss = F.cross_entropy(module(x[batch]).logits.flatten(0, 1), y[batch].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    def test_16_bits_lose_at_most_a_hundredth_of_a_nat(self):
        ids = text()
        if ids is None or not torch_test.has_transformers():
            print("skipped: no text of Shakespeare (scripts/bootstrap torch)")
            return
        x, y, out_x, out_y = self.samples(ids)
        self.assertGreaterEqual(len(x), STEPS * BATCH)  # one epoch
        module = new_module()
        module.save_pretrained(self.path("folder"), safe_serialization=True)
        torch_test.ow("import", "folder", self.path("folder"), self.path("network"))
        golden, report = self.by_golden()
        losses = self.by_torch(module, x, y)
        with torch.no_grad():
            parts = [F.cross_entropy(module(a).logits.flatten(0, 1), b.flatten(), reduction="sum").item()
                     for a, b in zip(out_x.split(64), out_y.split(64))]
        held_out, mine = sum(parts) / out_y.numel(), report["evaluations"][-1]["loss"]
        count = sum(p.numel() for p in module.parameters())
        print(f"{count} parameters; first loss {golden[0]:.4f} ({losses[0]:.4f}), last {golden[-1]:.4f} ({losses[-1]:.4f})")
        print(f"held out, {out_y.numel()} characters: 16 bits {mine:.4f}, binary32 {held_out:.4f}, {mine - held_out:+.4f} nats")
        self.assertLess(abs(golden[0] - losses[0]), 0.01)  # the same batch
        self.assertLessEqual(mine - held_out, 0.01)


if __name__ == "__main__":
    unittest.main(argv=[__file__, "-v"])
