#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/renumber makes of the description is one that the generator takes, and every number
stands once in it: for 20 seeds, and with everything changed.

  renumber_test.py SOURCE_TREE OW_ISA_GEN
"""
import os
import shutil
import subprocess
import sys
import tempfile


def rewritten(source, generator, arguments):
    """Lines that say what was swapped, of a description that the generator takes."""
    with tempfile.TemporaryDirectory() as tree:
        for folder in ("docs", "rtl/common", "sw/isa"):
            os.makedirs(os.path.join(tree, folder))
        for name in os.listdir(os.path.join(source, "sw/isa")):
            if name.endswith(".yaml"):
                shutil.copy(os.path.join(source, "sw/isa", name), os.path.join(tree, "sw/isa"))
        run = subprocess.run([os.path.join(source, "scripts/renumber"), "--rewrite", tree,
                              *arguments], check=True, stdout=subprocess.PIPE, text=True)
        subprocess.run([generator, tree], check=True, stdout=subprocess.DEVNULL)
        return run.stdout.splitlines()


def main():
    source, generator = sys.argv[1:]
    first = rewritten(source, generator, ["--seed", "1"])
    assert len(first) == 20 and all(" -> " in line for line in first), first
    assert first == rewritten(source, generator, ["--seed", "1"]), "a seed gives one draw"
    for seed in range(2, 21):
        assert rewritten(source, generator, ["--seed", str(seed)]) != first
    assert len(rewritten(source, generator, ["--count", "999"])) > 100
    wrong = subprocess.run([os.path.join(source, "scripts/renumber"), "--rewrite", "/nowhere"],
                           check=False, stderr=subprocess.PIPE, text=True)
    assert wrong.returncode == 2 and "no sw/isa in '/nowhere'" in wrong.stderr, wrong.stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())
