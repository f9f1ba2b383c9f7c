#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reference_test.py PROGRAM ROOT: tokenizers against the libraries that define them, `tokenizers` and `sentencepiece`.
Both train tokenizers of several kinds on the novel of data/. Then the ids of the whole novel and of texts drawn by seed
from twelve scripts must be the same, and so must the texts that they decode to. Says so, and passes, where the libraries
are not installed (scripts/bootstrap clients)."""

import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SEED = int(os.environ.get("OW_SEED", "1"))
DRAWS = 1000

# Letters, digits and signs of twelve scripts.
SCRIPTS = {
    "Latin": [(0x20, 0x7E), (0xA1, 0x24F), (0x1E00, 0x1EFF)],
    "Greek": [(0x370, 0x377), (0x384, 0x3FF), (0x1F00, 0x1F15)],
    "Cyrillic": [(0x400, 0x4FF)],
    "Hebrew": [(0x591, 0x5F4)],
    "Arabic": [(0x600, 0x6FF)],
    "Devanagari": [(0x900, 0x97F)],
    "Thai": [(0xE01, 0xE3A), (0xE40, 0xE5B)],
    "Georgian": [(0x10A0, 0x10FF)],
    "Hangul": [(0x1100, 0x11FF), (0xAC00, 0xD7A3)],
    "Kana": [(0x3041, 0x3096), (0x30A0, 0x30FF)],
    "Han": [(0x4E00, 0x9FFF), (0x20000, 0x2A6DF)],
    "Emoji": [(0x1F300, 0x1F64F), (0x2600, 0x26FF), (0x1F1E6, 0x1F1FF)],
}
# What words are cut at.
BETWEEN = [" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u2581", ", ", "'s ", "...", "", "1", "23", "<s>", "\u200d"]


def drawn_text(rng):
    parts = []
    for _ in range(rng.randrange(1, 12)):
        low, high = rng.choice(SCRIPTS[rng.choice(list(SCRIPTS))])
        parts += [chr(rng.randint(low, high)) for _ in range(rng.randrange(1, 8))]
        parts.append(rng.choice(BETWEEN))
    return "".join(parts)


def novel():
    with gzip.open(f"{ROOT}/data/novel/pride-and-prejudice.txt.gz", "rt", encoding="utf-8", newline="") as f:
        return f.read()


class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rng = random.Random(SEED)
        cls.novel = novel()
        cls.texts = [cls.novel] + [drawn_text(rng) for _ in range(DRAWS)]
        # Pieces of the novel with other scripts within.
        for _ in range(DRAWS // 10):
            at = rng.randrange(len(cls.novel) - 300)
            cls.texts.append(cls.novel[at:at + 200] + drawn_text(rng) + cls.novel[at + 200:at + 300])
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compare(self, name, path, encode, decode):
        lines = "".join(json.dumps(text) + "\n" for text in self.texts)
        run = subprocess.run([PROGRAM, path], input=lines, capture_output=True, text=True, check=False, timeout=600)
        self.assertEqual(run.returncode, 0, run.stderr)
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual(len(answers), len(self.texts))
        tokens = 0
        for text, answer in zip(self.texts, answers):
            ids = encode(text)
            tokens += len(ids)
            if answer["ids"] != ids or answer["text"] != decode(ids):
                at = next((k for k, (a, b) in enumerate(zip(answer["ids"], ids)) if a != b), len(ids))
                self.fail(f"OW_SEED={SEED}, {name}, {text[:200]!r}: token {at}: {answer['ids'][at:at + 5]} instead of "
                          f"{ids[at:at + 5]}; {answer['text'][:100]!r}, {decode(ids)[:100]!r}")
        print(f"{name}: {len(self.texts)} texts, {tokens} tokens, 0 differ")

    # Hugging Face's library.

    def trained(self, name, pre_tokenizer, decoder, normalizer=None, alphabet=(), **model):
        tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(**model))
        tokenizer.pre_tokenizer = pre_tokenizer
        tokenizer.decoder = decoder
        if normalizer is not None:
            tokenizer.normalizer = normalizer
        special = ["<unk>", "<s>", "</s>"]
        if model.get("byte_fallback"):
            special += [f"<0x{b:02X}>" for b in range(256)]
        trainer = tokenizers.trainers.BpeTrainer(vocab_size=4000, special_tokens=special, show_progress=False,
                                                 initial_alphabet=list(alphabet))
        tokenizer.train_from_iterator(self.novel.splitlines(keepends=True), trainer)
        path = f"{self.folder.name}/{name}.json"
        tokenizer.save(path)
        # The names of special tokens in a text are text.
        with open(path, encoding="utf-8") as f:
            saved = json.load(f)
        for token in saved["added_tokens"]:
            token["special"] = int(token["id"]) < 3
        saved["added_tokens"] = saved["added_tokens"][:3]
        with open(path, "w", encoding="utf-8") as f:
            json.dump(saved, f)
        return self.of_file(name, path)

    def of_file(self, name, path):
        tokenizer = tokenizers.Tokenizer.from_file(path)
        tokenizer.encode_special_tokens = True
        self.compare(name, path, lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
                     lambda ids: tokenizer.decode(ids))

    def test_bytes_as_gpt2_cuts(self):
        pre = tokenizers.pre_tokenizers
        self.trained("byte level, as GPT-2", pre.ByteLevel(add_prefix_space=False), tokenizers.decoders.ByteLevel(),
                     alphabet=pre.ByteLevel.alphabet())

    def test_bytes_as_smollm_cuts(self):
        pre = tokenizers.pre_tokenizers
        self.trained("byte level, as SmolLM", pre.Sequence(
            [pre.Digits(individual_digits=True), pre.ByteLevel(add_prefix_space=False)]),
            tokenizers.decoders.ByteLevel(), alphabet=pre.ByteLevel.alphabet())

    def test_bytes_as_llama3_cuts(self):
        pre = tokenizers.pre_tokenizers
        words = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
                 r"\s*[\r\n]+|\s+(?!\S)|\s+")
        self.trained("byte level, as Llama 3", pre.Sequence(
            [pre.Split(tokenizers.Regex(words), "isolated"), pre.ByteLevel(add_prefix_space=False, use_regex=False)]),
            tokenizers.decoders.ByteLevel(), alphabet=pre.ByteLevel.alphabet(), ignore_merges=True)

    def test_characters_with_bytes(self):
        decoders = tokenizers.decoders
        self.trained("merges with bytes, as Llama 2",
                     tokenizers.pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="first", split=False),
                     decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(),
                                        decoders.Strip(" ", 1, 0)]),
                     byte_fallback=True, unk_token="<unk>", fuse_unk=True)

    def test_the_model_that_is_here(self):
        self.of_file("carroll", f"{ROOT}/data/models/carroll/tokenizer.json")

    # SentencePiece.

    def pieces(self, name, **options):
        prefix = f"{self.folder.name}/{name.replace(' ', '_')}"
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(self.novel.splitlines()), model_prefix=prefix, model_type="bpe",
            **{"vocab_size": 3000, "byte_fallback": True, "normalization_rule_name": "identity",
               "remove_extra_whitespaces": False, "character_coverage": 1.0, "minloglevel": 2, **options})
        model = sentencepiece.SentencePieceProcessor(model_file=prefix + ".model")
        self.compare(name, prefix + ".model", model.encode, model.decode)

    def test_pieces_as_llama2(self):
        self.pieces("pieces with bytes, as Llama 2", split_digits=True, allow_whitespace_only_pieces=True)

    def test_pieces_with_single_blanks(self):
        self.pieces("pieces with single blanks", remove_extra_whitespaces=True)

    def test_pieces_without_a_prefix(self):
        self.pieces("pieces without a prefix", add_dummy_prefix=False)

    def test_pieces_without_bytes(self):
        self.pieces("pieces without bytes", byte_fallback=False)

    def test_pieces_that_users_define(self):
        self.pieces("pieces that users define", user_defined_symbols=["Darcy", "\u2581Mr.", "...", "\n", "  "])


if __name__ == "__main__":
    try:
        import sentencepiece
        import tokenizers
    except ImportError:
        venv = os.path.join(ROOT, os.environ.get("OW_VENV", ".venv"), "bin", "python3")
        if os.path.exists(venv) and sys.prefix == sys.base_prefix:
            os.execv(venv, [venv, *sys.argv])
        print("no tokenizers and sentencepiece: scripts/bootstrap clients; nothing is tested")
        sys.exit(0)
    print(f"OW_SEED={SEED}")
    unittest.main(argv=sys.argv[:1])
