#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch_test.py BUILD ROOT [TEST..]: networks against PyTorch in binary32, golden as the machine. Gradients and losses of
trainings; modules through ONNX into a network, trained, and back; models of transformers in and out; the example
sw/examples/gpt. Says so, and passes, where PyTorch is not installed (scripts/bootstrap torch). OW_SEED draws others."""

import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

BUILD, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SEED = int(os.environ.get("OW_SEED", "1"))


def go_on_with_torch():
    """Becomes the Python that has PyTorch: this one, Debian's, or the one that scripts/bootstrap torch made."""
    venv = os.environ.get("OW_VENV", os.path.join(ROOT, ".venv"))
    pythons = [os.path.join(venv, "torch", "bin", "python3"), "/usr/bin/python3"]
    for python in pythons:
        there = os.path.exists(python) and os.path.abspath(python) != sys.executable
        if there and subprocess.run([python, "-c", "import torch, numpy, safetensors.torch"], stderr=subprocess.DEVNULL).returncode == 0:
            os.execv(python, [python] + sys.argv)
    print("skipped: no PyTorch, or no safetensors beside it (scripts/bootstrap torch)")
    sys.exit(0)


try:
    import numpy
    import torch
    from safetensors.numpy import load_file as numpy_file
    from safetensors.torch import load_file
    from torch.nn import functional as F
except ImportError:
    go_on_with_torch()

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from drawn_modules import Drawn, draw  # noqa: E402

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
POSITIONS = 32
FAMILIES = {
    "gpt2": "{gpt2, layers: 2, width: 32, heads: 4, vocabulary: 40, positions: 32}",
    "llama": "{llama, layers: 2, width: 32, heads: 4, kv_heads: 2, hidden: 48, vocabulary: 40, positions: 32}",
}
NETWORK = "graph: network/network.yaml, weights: network/weights.safetensors"


def ow(*arguments, status=0):
    run = subprocess.run([os.path.join(BUILD, "ow"), *arguments], capture_output=True, text=True)
    if run.returncode != status:
        raise AssertionError(f"ow {' '.join(arguments)}: {run.returncode}\n{run.stdout}{run.stderr}")
    return run.stdout + run.stderr


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="ow_torch_")
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def tokens(self, vocabulary, count, sequence=POSITIONS):
        """Text of a rule that can be learned, in sequences; a token's class is the next one."""
        rng = numpy.random.default_rng(SEED)
        ids = [0]
        for _ in range(count * sequence):
            ids.append((ids[-1] * 3 + 1) % vocabulary if rng.random() < 0.7 else int(rng.integers(vocabulary)))
        numpy.save(self.path("tokens.npy"), numpy.array(ids, dtype=numpy.uint8))
        x = torch.tensor(ids[: count * sequence]).view(count, sequence)
        return x, torch.tensor(ids[1 : count * sequence + 1]).view(count, sequence)

    def job(self, network, train, sequence=POSITIONS, columns=4, samples=32, rows=4, name="job.yaml"):
        text = (
            f"data: {{file: tokens.npy, format: tokens, sequence: {sequence}}}\n"
            f"network: {{{network}, type: binary16}}\n"
            f"grid: {{rows: {rows}, columns: {columns}, samples_per_tile: {samples}}}\n"
            f"train: {{seed: {SEED}, loss_scale: 256, {train}}}\n"
        )
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def train(self, job, model, *options):
        ow("run", job, "--mode", "train", "--device", "golden", "--model-dir", self.path(model), *options)
        with open(self.path(model, "metrics.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def predict(self, job, model):
        """Logits [samples, vocabulary], of the newest checkpoint."""
        file = self.path(model + ".outputs")
        ow("run", job, "--mode", "predict", "--device", "golden", "--model-dir", self.path(model), "--save-outputs", file)
        return load_file(file)["outputs"].float()

    def checkpoint(self, model):
        names = sorted(n for n in os.listdir(self.path(model)) if n.startswith("checkpoint-"))
        arrays = numpy_file(self.path(model, names[-1]))  # some of types that PyTorch does not have
        return {name: torch.from_numpy(value) for name, value in arrays.items() if value.dtype == numpy.float32}

    def export(self, model, out, *form):
        ow("export", self.path(model), self.path(out), *form)
        return load_file(self.path(out, "model.safetensors"))


def new_module(family):
    """A model of transformers. The usual 0.02 of a GPT-2 of width 768 is 0.1 here. Gains and biases have moved."""
    import transformers

    # No dropout: its numbers could not be the same.
    if family == "gpt2":
        config = transformers.GPT2Config(
            vocab_size=40, n_positions=POSITIONS, n_embd=32, n_layer=2, n_head=4, initializer_range=0.1,
            resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
        )
        module = transformers.GPT2LMHeadModel(config)
    else:
        config = transformers.LlamaConfig(
            vocab_size=40, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, max_position_embeddings=POSITIONS, initializer_range=0.1,
        )
        module = transformers.LlamaForCausalLM(config)
    with torch.no_grad():
        for p in module.parameters():
            if p.dim() == 1:
                p += 0.4 * torch.rand_like(p) - 0.2
    return module


def saved_module(folder):
    """The model in a folder."""
    import transformers

    return transformers.AutoModelForCausalLM.from_pretrained(folder, torch_dtype=torch.float32).eval()


def has_transformers():
    try:
        import transformers  # noqa: F401
    except ImportError:
        print("skipped: no transformers (scripts/bootstrap torch)")
        return False
    return True


class Families(Case):
    """`family` of a network against transformers' models."""

    def start(self, family):
        """Samples, and a new model as a network."""
        torch.manual_seed(SEED)
        module = new_module(family)
        module.save_pretrained(self.path("folder"), safe_serialization=True)
        ow("import", "folder", self.path("folder"), self.path("network"))
        return (*self.tokens(40, 4), module.eval())

    def test_a_model_comes_back_as_it_went_out_and_computes_the_same(self):
        if not has_transformers():
            return
        for family in FAMILIES:
            with self.subTest(family):
                self.setUp()
                x, _, module = self.start(family)
                # Other weights than those of the start; and the network by its sizes is the same one.
                train = "steps: 5, optimizer: {kind: adamw, rate: 0.003}"
                job = self.job(NETWORK, train)
                self.train(job, "model")
                first = load_file(self.path("network", "weights.safetensors"))
                kept = self.checkpoint("model")
                self.assertFalse(any(torch.equal(value, kept[name]) for name, value in first.items()))
                weights = self.export("model", "back", "--family", family)
                module = saved_module(self.path("back"))
                self.assertEqual(set(weights), set(load_file(self.path("folder", "model.safetensors"))))
                with torch.no_grad():
                    wanted = module(x).logits.view(-1, 40)
                worst = (self.predict(job, "model") - wanted).abs().max().item()
                print(f"{family}: largest logit {wanted.abs().max():.2f}, largest difference {worst:.4f}")
                self.assertLessEqual(worst, 0.02)
                ow("import", "folder", self.path("back"), self.path("again"))
                again = load_file(self.path("again", "weights.safetensors"))
                for name, value in again.items():
                    self.assertTrue(torch.equal(value, kept[name]), name)
                by_sizes = self.job(
                    f"family: {FAMILIES[family]}, weights: again/weights.safetensors", train, name="sizes.yaml"
                )
                by_graph = self.job(
                    "graph: network/network.yaml, weights: again/weights.safetensors", train, name="graph.yaml"
                )
                losses = [[line["loss"] for line in self.train(j, j + ".model")] for j in (by_sizes, by_graph)]
                self.assertEqual(*losses)

    def test_gradients_are_within_half_a_percent(self):
        if not has_transformers():
            return
        for family in FAMILIES:
            with self.subTest(family):
                self.setUp()
                x, y, module = self.start(family)
                # After one step of SGD with rate 1 a weight has moved by its gradient.
                job = self.job(NETWORK, "steps: 1, optimizer: {kind: sgd, rate: 1}", name="sgd.yaml")
                loss = self.train(job, "stepped")[0]["loss"]
                before = load_file(self.path("folder", "model.safetensors"))
                after = self.export("stepped", "after", "--family", family)
                wanted = F.cross_entropy(module(x).logits.view(-1, 40), y.view(-1))
                wanted.backward()
                self.assertLessEqual(abs(loss - wanted.item()), 1e-3)
                worst, where, compared = 0.0, "", 0
                for name, p in module.named_parameters():
                    mine, g = (before[name] - after[name]).double(), p.grad.double()
                    parts = {name: (mine, g)}
                    if name.endswith("c_attn.bias"):  # queries, keys, values: keys' biases have no slope
                        parts = {f"{name} {k}": pair for k, pair in zip("qkv", zip(mine.chunk(3), g.chunk(3))) if k != "k"}
                    for part, (a, b) in parts.items():
                        off = ((a - b).norm() / b.norm()).item()
                        self.assertGreaterEqual(F.cosine_similarity(a.flatten(), b.flatten(), dim=0).item(), 0.9999, part)
                        compared += 1
                        if off > worst:
                            worst, where = off, part
                print(f"{family}: {compared} gradients, worst {100 * worst:.3f} % in L2 ({where}), loss {loss - wanted.item():+.5f}")
                self.assertLessEqual(worst, 0.005)

    def test_losses_of_two_hundred_steps_are_within_a_percent(self):
        if not has_transformers():
            return
        for family in FAMILIES:
            with self.subTest(family):
                self.setUp()
                x, y, module = self.start(family)
                train = "steps: 200, optimizer: {kind: adamw, rate: 0.002, weight_decay: 0.1}"
                losses = [line["loss"] for line in self.train(self.job(NETWORK, train, name="adamw.yaml"), "trained")]
                matrices = [p for p in module.parameters() if p.dim() > 1]
                vectors = [p for p in module.parameters() if p.dim() == 1]
                groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
                optimizer = torch.optim.AdamW(groups, lr=0.002, betas=(0.9, 0.999), eps=1e-8)
                worst = 0.0
                for step in range(200):
                    # All sequences in each step, so their order does not matter.
                    loss = F.cross_entropy(module(x).logits.view(-1, 40), y.view(-1))
                    if step % 10 == 9:
                        worst = max(worst, abs(losses[step] / loss.item() - 1))
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                print(f"{family}: loss {losses[0]:.3f} to {losses[-1]:.3f}, farthest {100 * worst:.2f} % from PyTorch's")
                self.assertLess(losses[-1], losses[0] - 1)
                self.assertLessEqual(worst, 0.01)


class Onnx(Case):
    """Modules through ONNX to a network, some steps, and back."""

    def through(self, module, c, steps=3, **options):
        """The largest logit, and the largest difference after some steps."""
        t = c["positions"]
        torch.onnx.export(module, torch.zeros(c["sequences"], t, dtype=torch.long), self.path("m.onnx"), **options)
        ow("import", "onnx", self.path("m.onnx"), self.path("network"))
        x, _ = self.tokens(c["vocabulary"], 4, t)
        job = self.job(
            NETWORK,
            f"steps: {steps}, optimizer: {{kind: adamw, rate: 0.003}}",
            sequence=t, samples=16, rows=2,
        )
        self.train(job, "model")
        logits = self.predict(job, "model")
        weights = self.export("model", "back", "--module", self.path("network", "module.json"))
        return x, logits, weights

    def test_drawn_modules_run_or_are_refused_by_their_node(self):
        rng, ran, largest, refused = random.Random(SEED), 0, 0.0, 0
        for n in range(20):
            supported = n % 5 < 4
            c = draw(rng, supported)
            torch.manual_seed(SEED * 1000 + n)
            module = Drawn(c).eval()
            with self.subTest(n=n, **c):
                self.setUp()
                options = {"opset_version": c["opset"], "do_constant_folding": c["folding"]}
                if not supported:
                    torch.onnx.export(module, torch.zeros(1, 16, dtype=torch.long), self.path("m.onnx"), **options)
                    said = ow("import", "onnx", self.path("m.onnx"), self.path("network"), status=2)
                    self.assertRegex(said, r"m\.onnx: node '[^']+' \(\w+\) begins a part that no kind of layer computes")
                    self.assertEqual(said.count("\n"), 1)
                    self.assertFalse(os.path.exists(self.path("network")))
                    refused += 1
                else:
                    x, logits, weights = self.through(module, c, **options)
                    names = set(module.state_dict()) - {"head.weight"} if c["tied"] else set(module.state_dict())
                    names = {name for name in names if not name.endswith(".seen")}
                    if not c["folding"]:  # else PyTorch loses names, but for the module's
                        self.assertEqual(names, set(weights))
                        module.load_state_dict(weights, strict=False)
                        with torch.no_grad():
                            wanted = module(x).view(-1, c["vocabulary"])
                        largest = max(largest, (logits - wanted).abs().max().item())
                    ran += 1
        print(f"{ran} of 20 run, {refused} refused; largest difference of a logit {largest:.4f}")
        self.assertGreaterEqual(ran, 16)
        self.assertGreater(largest, 0)
        self.assertLessEqual(largest, 0.02)

    def test_a_model_of_transformers_comes_through_onnx(self):
        if not has_transformers():
            return
        import transformers

        config = transformers.GPT2Config(
            vocab_size=40, n_positions=16, n_embd=16, n_layer=2, n_head=2, use_cache=False, return_dict=False
        )
        torch.manual_seed(SEED)
        module = transformers.GPT2LMHeadModel(config).eval()
        c = {"positions": 16, "vocabulary": 40, "sequences": 1}
        x, logits, weights = self.through(module, c, opset_version=17, do_constant_folding=False)
        module.load_state_dict(weights, strict=False)
        with torch.no_grad():
            self.assertLessEqual((logits - module(x)[0].view(-1, 40)).abs().max().item(), 0.02)


class Example(Case):
    def test_the_gpt_trains_from_its_module_to_its_text(self):
        folder = os.path.join(ROOT, "sw", "examples", "gpt")
        lines = 0
        for name in os.listdir(folder):
            if name.endswith((".py", ".yaml")) or name == "run":
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    lines += len(file.readlines())
        print(f"sw/examples/gpt: {lines} lines")
        self.assertLessEqual(lines, 200)
        text = os.path.join(ROOT, "data", "novel", "pride-and-prejudice.txt.gz")
        program = [os.path.join(folder, "run"), os.path.join(BUILD, "ow"), sys.executable, text, self.dir]
        run = subprocess.run(program + ["--device", "golden", "--num-steps", "5"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        sys.path.insert(0, folder)
        import model

        module = model.GPT(**model.SIZES).eval()
        weights = load_file(self.path("trained", "model.safetensors"))
        self.assertEqual(module.load_state_dict(weights, strict=False).missing_keys, ["head.weight"])
        ids = numpy.load(self.path("tokens.npy"))[: 32 * 32 + 1]
        numpy.save(self.path("tokens.npy"), ids)
        with open(self.path("gpt.yaml"), encoding="utf-8") as file:
            job = file.read().replace("  held_out_modulo: 20\n  held_out_remainder: 19\n", "")
        with open(self.path("all.yaml"), "w", encoding="utf-8") as file:
            file.write(job)
        logits = self.predict(self.path("all.yaml"), "model")
        with torch.no_grad():
            wanted = module(torch.tensor(ids[:-1].astype(int)).view(32, 32)).view(-1, 76)
        worst = (logits - wanted).abs().max().item()
        print(f"largest logit {wanted.abs().max():.2f}, largest difference {worst:.4f}")
        self.assertLessEqual(worst, 0.02)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
