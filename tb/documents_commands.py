#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""documents_commands.py ROOT BUILD [--list] [--only PAGE]...: runs the commands of README.md, CONTRIBUTING.md and
docs/*.md, as they stand there.

What is a command:

- In a block (indented by four spaces, or fenced as sh, bash or nothing): every line, if the block begins with a
  program of PROGRAMS; or, if some lines begin with `$ `, these lines alone. The others then are output.
- In a column `command` of a table: every code span that begins with a program.
- In other text: every code span of two words or more that begins with a program.

`ow run ..` without `build/` is a synopsis, and no command.

A page is a session: its commands run in the order of the page, in one copy of the tree's files with links to what
the build tree has. So a command finds what those before it wrote. A command that has passed, and left no files there
that another one reads, is not run again.

NOT_RUN, SUBSTITUTED, STATUS, UNREAD and FILES are the exceptions. An entry that fits no command is an error.
"""

import argparse
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 600  # seconds a command
PREFIX = "documents_commands."  # of the sessions, which stand in the build tree

PROGRAMS = re.compile(
    r"([A-Z_]+=\S* +)*"
    r"(make|cmake|mpirun|sed|less|gtkwave|testfloat_gen|riscv64-unknown-elf-\w+|\.ci/run|(build|scripts)/\S+)( |$)")

# Commands that are not run, by the reason.
NOT_RUN = {
    "takes longer than 10 minutes": [
        "make bench",
        "make conform-mutants",
        "make coverage",
        "make fpga",
        "make fuzz",
        "make lint",
        "make timing",
        "make train-lm",
        "make wide",
        "scripts/flows/faults/conform-mutants --json FILE --seed 20261130 --links 15 --tiles 30 --doors 30",
        ".ci/run merge",
    ],
    "maps large blocks with a Yosys of one thread, which can take longer than 10 minutes": [
        "make fpga-check",
        "make gates",
        "make synth",
        "scripts/flows/fpga/fpga clock",
        "scripts/flows/fpga/fpga sizes",
        "scripts/flows/timing/gates --reticle",
    ],
    "builds all tests and runs them, which takes longer than 10 minutes": [
        "make test",
        'make test TEST_ARGS="-R fabric"',
        "make test-nightly PART=rtl",
        "make test-all",
        ".ci/run nightly [PART]",
    ],
    "needs the wide engine, which takes longer than 10 minutes": [
        "build/ow run configs/digits.yaml --machine sim,engine=wide",
    ],
    "needs the files of another board": ["make fpga BOARD=NAME", "make fpga BOARD=...", "make fpga BOARD=arty-a7"],
    "builds the simulator again, and changes how the build tree compiles it": ["make profile"],
    "runs until it is stopped; the page has its parts, which run": ["make serve", "make serve MODEL=DIR"],
    "needs files of other programs": [
        "build/ow import gguf model.gguf models/mine",
        "build/ow import llama2c model.bin tokenizer.bin models/mine",
        "build/ow import npz model.npz models/mine",
        "build/ow import onnx gpt.onnx models/gpt",
    ],
    "needs a screen": ["gtkwave build/wave.fst scripts/wave.gtkw"],
    "needs a library of another process, and longer than 10 minutes": ["make timing LIB=my.lib"],
    "needs Berkeley TestFloat": [
        "testfloat_gen f16_mulAdd | build/ow fp --op f16_mulAdd",
    ],
    "needs a checkout of another project": [
        "scripts/arch-test CHECKOUT REFERENCE",
        "scripts/arch-test DIR",
        "scripts/testfloat PATH/TO/testfloat_gen",
        "scripts/conform-softfloat DIR",
        "sed 's/0x80000000/0/' riscv-tests/env/p/link.ld > tile.ld",
        "riscv64-unknown-elf-gcc -march=rv32im_zicsr_zifencei -mabi=ilp32 -static -mcmodel=medany"
        " -fvisibility=hidden -nostdlib -nostartfiles -T tile.ld"
        " -I riscv-tests/env/p -I riscv-tests/isa/macros/scalar riscv-tests/isa/rv32ui/add.S -o add.elf",
        "build/ow elf add.elf",
        "scripts/riscv-tests DIR",
        "build/ow elf test.elf --sram-kb 2048 --signature test.signature",
    ],
    "a form with a name to fill in; the page or another one has commands of this form that run": [
        "cmake --build build --target NAME",
        'make timing BLOCKS="NAME ..."',
        "make timing BLOCKS=ow_NAME",
        "make wave RECORD=RUN.owr",
        "build/ow bench AREA",
    ],
}

HELLO = ("riscv64-unknown-elf-gcc -march=rv32im_zicsr_zifencei -mabi=ilp32 -nostdlib -Wl,-Ttext=0 hello.S"
         " -o program.elf && ")
TRAIN = "build/ow run configs/digits-train.yaml --mode train"
# A training whose step four wafers can share.
SHARED = ("sed 's/^train:/&\\n  micro_batches: 4/; s/samples_per_tile: 32/samples_per_tile: 8/'"
          " configs/digits-train.yaml > configs/shared.yaml && ")
ON_FOUR = "build/ow run configs/shared.yaml --mode train --num-wafers 4 --num-steps 1"

DIGITS = "build/ow run configs/digits.yaml --limit 1 --machine sim"
SAVED = f"{DIGITS},save=run.ows,every=40000"

# What runs instead, where a command has a name to fill in, or a file that the reader brings.
SUBSTITUTED = {
    "build/ow run job.yaml": "build/ow run configs/one-layer.yaml",
    "build/ow run job.yaml --validate-only": "build/ow run configs/one-layer.yaml --validate-only",
    "build/ow run job.yaml --checked": "build/ow run configs/one-layer.yaml --checked",
    "build/ow estimate job.yaml": "build/ow estimate configs/one-layer.yaml",
    "build/ow run job.yaml --mode train --model-dir DIR --resume":
        f"{TRAIN} --device golden --num-steps 2 --model-dir DIR && {TRAIN} --device golden --model-dir DIR --resume",
    "mpirun -n 2 build/ow run job.yaml --mode train --num-wafers 4": f"{SHARED}mpirun -n 2 {ON_FOUR}",
    "build/ow plot metrics.jsonl --svg loss.svg": "build/ow plot DIR/metrics.jsonl --svg loss.svg",
    # Without the wide engine, and in a smaller grid.
    "mpirun -n 2 build/ow run job.yaml --machine sim,engine=wide,split=2":
        "mpirun -n 2 build/ow run configs/one-layer.yaml --machine sim,split=2",
    "build/ow run job.yaml --machine sim,engine=wide,save=run.ows,every=200000": SAVED,
    "build/ow run job.yaml --machine sim,restore=run.ows": f"{DIGITS},restore=run.ows",
    "build/ow run job.yaml --machine sim,engine=wide,save=run.ows --record run.owr": f"{SAVED} --record run.owr",
    "build/ow run job.yaml --machine sim,restore=run.ows --checked": f"{DIGITS},restore=run.ows --checked",
    "build/ow-wave run.owr run.fst --restore run.ows --tile 37,11 --from 401000 --to 401300":
        "build/ow-wave run.owr run.fst --restore run.ows --tile 3,1 --from 81000 --to 81300",
    "riscv64-unknown-elf-nm KERNEL.elf": "riscv64-unknown-elf-nm build/sw/examples/axpy.elf",
    "build/bin/link_test --gtest_filter=NAME": "build/bin/link_test --gtest_filter=Link.LanePairsAreRepaired",
    "build/ow elf program.elf": HELLO + "build/ow elf program.elf",
    "build/ow elf program.elf --max-cycles 100000": HELLO + "build/ow elf program.elf --max-cycles 100000",
    "build/ow run JOB.yaml --mode train --num-wafers 4": SHARED + ON_FOUR,
    "mpirun -n 2 build/ow run JOB.yaml --mode train --num-wafers 4": f"{SHARED}mpirun -n 2 {ON_FOUR}",
    # The build tree was configured for the files that the session copies.
    "scripts/bootstrap onnx && cmake -S . -B build -G Ninja":
        "scripts/bootstrap onnx && cmake --build build --target rebuild_cache",
    # In the folder that the page fills.
    "cmake -B build -DCMAKE_PREFIX_PATH=~/openwafer && cmake --build build && build/gemv":
        "cd gemv && cmake -B build -DCMAKE_PREFIX_PATH=~/openwafer && cmake --build build && build/gemv",
    # It runs until it is stopped.
    "build/ow-fpga-sim": "timeout 5 build/ow-fpga-sim",
    "build/ow serve --model data/models/carroll --slots 2":
        "timeout 5 build/ow serve --model data/models/carroll --slots 2 --port 0",
}

# Exit statuses other than 0.
STATUS = {
    "build/bin/example_hang": 3,
    "build/bin/example_hang take sim:1x2,record=hang.owr": 3,
    "build/ow-fpga-sim": 124,
    "build/ow serve --model data/models/carroll --slots 2": 124,
}

# Commands that leave files which no other command reads.
UNREAD = ["make formal", "make generate", "make train"]

# Files that a reader copies from a page: name, page, and a line of the block.
FILES = [
    ("hello.S", "docs/riscv.md", ".globl _start, tohost"),
    ("gemv/CMakeLists.txt", "docs/tutorial.md", "project(gemv CXX)"),
    ("gemv/gemv.c", "docs/tutorial.md", "// y = A x in binary16 on one tile."),
    ("gemv/main.cpp", "docs/tutorial.md", "// y = A x on one tile of any machine."),
]


def blocks(lines):
    """The code blocks of a page: number of the first line, language (None: indented), lines."""
    n = 0
    while n < len(lines):
        fence = re.match(r"```(\w*)", lines[n])
        if fence:
            end = next(k for k in range(n + 1, len(lines)) if lines[k].startswith("```"))
            yield n + 1, fence[1], lines[n + 1:end]
            n = end + 1
        elif lines[n].startswith("    ") and not lines[n].lstrip().startswith("- "):
            end = n
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            yield n, None, [line[4:] for line in lines[n:end]]
            n = end
        else:
            n += 1


def block_commands(page, first, block, errors):
    """Number of its line and text of each command of a block."""
    prompts = any(line.startswith("$ ") for line in block)
    if not prompts and not PROGRAMS.match(block[0]):
        return
    n = 0
    while n < len(block):
        at, line = first + n, block[n]
        while line.endswith("\\") and n + 1 < len(block):
            n += 1
            line = line[:-1].rstrip() + " " + block[n].strip()
        n += 1
        if prompts:
            if line.startswith("$ "):
                yield at, line[2:]
            continue
        line = re.sub(r"\s+# .*", "", line).strip()
        if line and not PROGRAMS.match(line):
            errors.append(f"{page}:{at + 1}: is no command that this test knows, in a block of commands: {line}")
        elif line:
            yield at, line


def span_commands(lines, inside):
    """Those of tables and of text; `inside` are the lines of blocks."""
    column = None
    for n, line in enumerate(lines):
        if n in inside:
            continue
        cells = [cell.strip() for cell in line.split("|")] if line.startswith("|") else []
        if not cells:
            column = None
        elif column is None:
            column = cells.index("command") if "command" in cells else -1
        for place, text in enumerate(cells or [line]):
            for span in re.findall(r"`([^`]+)`", text):
                if PROGRAMS.match(span) and (" " in span or (cells and place == column)):
                    yield n, span


def commands(root, errors):
    """page -> its commands, each once, in the page's order."""
    out = {}
    pages = ["README.md", "CONTRIBUTING.md"] + sorted(glob.glob("docs/*.md", root_dir=root))
    for page in pages:
        lines = read(root, page).splitlines()
        found, inside = [], set()
        for first, language, block in blocks(lines):
            inside.update(range(first, first + len(block)))
            if language in (None, "", "sh", "bash"):
                found += block_commands(page, first, block, errors)
        found += span_commands(lines, inside)
        out[page] = list(dict.fromkeys(command for _, command in sorted(found)))
    return out


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def copied_file(root, page, mark):
    for _, _, block in blocks(read(root, page).splitlines()):
        if any(line.strip() == mark for line in block):
            return "\n".join(block) + "\n"
    return None


def reasons():
    return {command: reason for reason, listed in NOT_RUN.items() for command in listed}


def check_tables(root, found, errors):
    known = {command for listed in found.values() for command in listed}
    named = [command for listed in NOT_RUN.values() for command in listed]
    for table, entries in (("NOT_RUN", named), ("SUBSTITUTED", SUBSTITUTED), ("STATUS", STATUS),
                           ("UNREAD", UNREAD)):
        for command in entries:
            if command not in known:
                errors.append(f"{table}: stands in no document: {command}")
    for command in named:
        if named.count(command) > 1 or command in SUBSTITUTED or command in STATUS:
            errors.append(f"NOT_RUN: has another entry too: {command}")
    for name, page, mark in FILES:
        if copied_file(root, page, mark) is None:
            errors.append(f"FILES: {name}: {page} has no block with the line {mark}")


class Session:
    """A copy of the tree's files, for the commands of a page."""

    def __init__(self, root, build, folder):
        self.folder = folder
        self.top = os.path.join(folder, "openwafer")
        tracked = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, stdout=subprocess.PIPE)
        for name in tracked.stdout.decode().split("\0"):
            source, target = os.path.join(root, name), os.path.join(self.top, name)
            if name and os.path.exists(source):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy2(source, target, follow_symlinks=False)
        # Links to what was built; folders of its own for the flows, because a Yosys as WebAssembly follows no link
        # out of a folder.
        os.mkdir(os.path.join(self.top, "build"))
        for name in os.listdir(build):
            if name not in ("synth", "formal") and not name.startswith(PREFIX):
                os.symlink(os.path.join(build, name), os.path.join(self.top, "build", name))
        for name in (".git", ".venv", ".cache"):  # history for what changed; tools of bootstrap
            if os.path.exists(os.path.join(root, name)):
                os.symlink(os.path.join(root, name), os.path.join(self.top, name))
        for name, page, mark in FILES:
            os.makedirs(os.path.dirname(os.path.join(self.top, name)), exist_ok=True)
            with open(os.path.join(self.top, name), "w", encoding="utf-8") as file:
                file.write(copied_file(root, page, mark))
        self.environment = {name: value for name, value in os.environ.items()
                            # Variables of the make and the night that run this test.
                            if name not in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "PART", "BUILD",
                                            "OW_NIGHTLY", "DISPLAY")}
        # For git, only what is tracked is here.
        excludes = os.path.join(folder, "excludes")
        with open(excludes, "w", encoding="utf-8") as file:
            file.write("*\n")
        self.environment.update(GIT_OPTIONAL_LOCKS="0", GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="core.excludesFile",
                                GIT_CONFIG_VALUE_0=excludes)
        self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_rmaps_base_oversubscribe="1")

    def files(self):
        """Each file of the session with its time, but for what the links lead to."""
        return {path: os.lstat(path).st_mtime_ns
                for folder, _, names in os.walk(self.folder) for path in (os.path.join(folder, n) for n in names)}

    def run(self, command):
        """Exit status (None: past the limit) and output."""
        environment = self.environment
        if "~" in command or "$HOME" in command:  # nothing is left in the home of a user
            environment = dict(environment, HOME=os.path.join(self.folder, "home"))
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(["bash", "-c", command], cwd=self.top, env=environment, stdout=output,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
            try:
                status = process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                status = None
            output.seek(0)
            return status, output.read().decode(errors="replace")


def run_page(root, build, page, listed, passed):
    """Runs the commands of a page; returns those that failed. `passed` has those that need not run again."""
    failed = []
    not_run = reasons()
    with tempfile.TemporaryDirectory(dir=build, prefix=PREFIX) as folder:
        session = Session(root, build, folder)
        for command in listed:
            if command in not_run or command in passed:
                continue
            before, began = session.files(), time.monotonic()
            status, output = session.run(SUBSTITUTED.get(command, command))
            seconds = time.monotonic() - began
            expected = STATUS.get(command, 0)
            print(f"{'ok  ' if status == expected else 'FAIL'} {seconds:6.1f} s  {page}: {command}", flush=True)
            if status != expected:
                failed.append(f"{page}: {command}")
                what = f"did not end within {LIMIT} s" if status is None else f"status {status}, not {expected}"
                print(f"     {what}; ran: {SUBSTITUTED.get(command, command)}")
                print("\n".join("     | " + line for line in output.splitlines()[-60:]), flush=True)
            elif command in UNREAD or session.files() == before:
                passed.add(command)
        configured = not os.path.islink(os.path.join(session.top, "build", "build.ninja"))
    if configured:  # a command did, and what the links lead to names the session's folder
        subprocess.run(["cmake", build], check=True, stdout=subprocess.DEVNULL)
    return failed


def show(found):
    not_run = reasons()
    for page, listed in found.items():
        if not listed:
            continue
        print(page)
        for command in listed:
            print(f"  {'not run' if command in not_run else 'run    '}  {command}")
            if command in not_run:
                print(f"             {not_run[command]}")
            if command in SUBSTITUTED:
                print(f"             as: {SUBSTITUTED[command]}")
            if command in STATUS:
                print(f"             status {STATUS[command]}")


def main():
    parser = argparse.ArgumentParser(description="Runs the commands of the documents.")
    parser.add_argument("root")
    parser.add_argument("build")
    parser.add_argument("--list", action="store_true", help="prints what is run and what is not")
    parser.add_argument("--only", action="append", metavar="PAGE", help="runs this page, such as docs/run.md")
    options = parser.parse_args()
    root, build = os.path.abspath(options.root), os.path.abspath(options.build)
    errors = []
    found = commands(root, errors)
    check_tables(root, found, errors)
    for page in options.only or []:
        if page not in found:
            parser.error(f"there is no page {page}")
    if options.only:
        found = {page: found[page] for page in options.only}
    if options.list:
        show(found)
    else:
        passed = set()
        for page, listed in found.items():
            errors += run_page(root, build, page, listed, passed)
    for error in errors:
        print(f"documents_commands: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
