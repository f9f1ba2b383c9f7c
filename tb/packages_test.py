#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packages_test.py ROOT: openwafer.core (FuseSoC) and Bender.yml name the files of rtl/*/files.f, all of them and
in the same order; and FuseSoC, of .venv or in PATH, runs the lint target of the core file."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = sys.argv[1]
LEVELS = ["common", "fabric", "tile", "reticle", "wafer"]


def text(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def listed(path):
    """The sources of a file list, with those of the lists that it names."""
    for line in text(path).splitlines():
        line = re.sub(r"(#|//).*", "", line).strip()
        if line.startswith("-f"):
            yield from listed(line.split()[1])
        elif line and not line.startswith("+"):
            yield line


def once(files):
    return list(dict.fromkeys(files))


def compare(name, found, expected):
    if found == expected:
        return 0
    for file in expected:
        if file not in found:
            print(f"{name}: {file} is missing")
    for file in found:
        if file not in expected:
            print(f"{name}: {file} is in no list of rtl/")
    print(f"{name}: the files are not those of the lists, in their order")
    return 1


def core_files():
    head, body = text("openwafer.core").split("\n", 1)
    assert head == "CAPI=2:", head
    core = yaml.safe_load(body)
    order = core["targets"]["default"]["filesets"]
    assert order == LEVELS, order
    # Headers are mappings, with what they are.
    return [f for level in order for f in core["filesets"][level]["files"] if isinstance(f, str)]


def bender_files():
    return [f for group in yaml.safe_load(text("Bender.yml"))["sources"] for f in group["files"]]


def lint():
    fusesoc = os.path.join(ROOT, os.environ.get("OW_VENV", ".venv"), "bin", "fusesoc")
    if not os.path.exists(fusesoc):
        fusesoc = shutil.which("fusesoc")
    if fusesoc is None:
        print("FuseSoC is not installed: scripts/bootstrap packages")
        return 1
    with tempfile.TemporaryDirectory() as work:
        # With directories of its own: FuseSoC keeps libraries in the home of a user.
        done = subprocess.run([fusesoc, f"--cores-root={ROOT}", "run", "--target=lint", f"--work-root={work}/lint",
                               "openwafer"], cwd=work, env=dict(os.environ, HOME=work), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        print(done.stdout[-3000:])
    return done.returncode != 0


def main():
    expected = once(f for level in LEVELS for f in listed(f"rtl/{level}/files.f"))
    failed = compare("openwafer.core", core_files(), expected) + compare("Bender.yml", bender_files(), expected)
    return 1 if failed + lint() else 0


if __name__ == "__main__":
    sys.exit(main())
