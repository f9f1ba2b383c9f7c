#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_test.py ROOT: what the Makefile and scripts/bootstrap do with the names of folders and files, and with
tools that are missing. The checkout is a copy of both; cmake and ow are programs that write down how they are called."""
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), ".."))
# Writes its arguments into calls.txt; a configured tree has a build.ninja, a built one a program ow.
CMAKE = """#!/bin/sh
{ printf 'cmake'; printf ' <%s>' "$@"; echo; } >>"$CALLS"
case "$1" in
  -S) mkdir -p "$4" && touch "$4/build.ninja" && echo "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd)" >"$4/CMakeCache.txt" ;;
  --build) cp "$OW_STUB" "$2/ow" ;;
esac
"""
OW = """#!/bin/sh
{ printf 'ow'; printf ' <%s>' "$@"; echo; } >>"$CALLS"
"""


def script(path, text):
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, 0o755)


class Checkout(unittest.TestCase):
    """A checkout in a folder `top`, beside which is the folder D."""
    name = "source"

    def setUp(self):
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        self.top = os.path.realpath(top.name)
        self.source = os.path.join(self.top, self.name)
        self.d = os.path.join(self.top, "D")
        self.bin = os.path.join(self.top, "bin")
        for folder in (os.path.join(self.source, "scripts"), self.d, self.bin):
            os.makedirs(folder)
        for name in ("Makefile", "CMakeLists.txt", "scripts/build-tree"):
            shutil.copy(os.path.join(ROOT, name), os.path.join(self.source, name))
        script(os.path.join(self.source, "scripts", "bootstrap"), "#!/bin/sh\n")
        script(os.path.join(self.bin, "cmake"), CMAKE)
        script(os.path.join(self.bin, "ow"), OW)
        self.calls = os.path.join(self.top, "calls.txt")

    def make(self, *arguments):
        environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BUILD")}
        environment.update(PATH=self.bin + ":" + os.environ["PATH"], CALLS=self.calls,
                           OW_STUB=os.path.join(self.bin, "ow"))
        return subprocess.run(["make", "-s", *arguments], cwd=self.source, env=environment, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def works(self, *arguments):
        run = self.make(*arguments)
        self.assertEqual(run.returncode, 0, run.stdout)
        with open(self.calls) as f:
            return f.read()

    def refuses(self, words, *arguments):
        run = self.make(*arguments)
        lines = [line for line in run.stdout.splitlines() if not line.startswith("make: ***")]
        self.assertEqual(run.returncode, 2, run.stdout)
        self.assertEqual(len(lines), 1, run.stdout)
        self.assertIn(words, lines[0])
        self.assertFalse(os.path.exists(self.calls), "nothing else ran")

    def files(self):
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(self.source) for name in names)


class BuildFolder(Checkout):
    def test_clean_removes_what_is_named_and_not_its_words(self):
        for name in ("keep", "me", "keep me"):
            os.makedirs(os.path.join(self.d, name, "inside"))
        self.refuses("holds no build", "clean", f"BUILD={self.d}/keep me")
        self.works("sim", f"BUILD={self.d}/a build")
        self.assertEqual(self.make("clean", f"BUILD={self.d}/a build").returncode, 0)
        self.assertEqual(sorted(os.listdir(self.d)), ["keep", "keep me", "me"])

    def test_clean_removes_only_a_build_of_this_checkout(self):
        os.makedirs(os.path.join(self.d, "results"))
        for name in (self.d, os.path.join(self.d, "results"), "scripts", "."):
            self.refuses("no build", "clean", "BUILD=" + name)
        other = os.path.join(self.top, "other")
        shutil.copytree(self.source, other)
        with open(os.path.join(self.d, "CMakeCache.txt"), "w") as f:
            f.write(f"CMAKE_HOME_DIRECTORY:INTERNAL={other}\n")
        self.refuses("holds no build of " + self.source, "clean", f"BUILD={self.d}")

    def test_clean_looks_at_the_trees_beside_it_before_it_removes_anything(self):
        self.works("sim", f"BUILD={self.d}/b")
        os.makedirs(f"{self.d}/b-coverage/mine")
        run = self.make("clean", f"BUILD={self.d}/b")
        self.assertEqual(run.returncode, 2, run.stdout)
        self.assertEqual(sorted(os.listdir(self.d)), ["b", "b-coverage"])

    def test_clean_removes_every_tree_that_make_makes(self):
        for tree in ("b", "b-coverage", "b-profile"):
            self.works("sim", f"BUILD={self.d}/{tree}")
        self.assertEqual(self.make("clean", f"BUILD={self.d}/b").returncode, 0)
        self.assertEqual(os.listdir(self.d), [])

    def test_clean_removes_the_build_of_a_checkout_that_was_moved(self):
        self.works("sim")
        moved = os.path.join(self.top, "moved")
        os.rename(self.source, moved)
        self.source = moved
        run = self.make("sim")
        self.assertEqual(run.returncode, 2)
        self.assertIn("make clean removes it", run.stdout)
        self.assertEqual(self.make("clean").returncode, 0)
        self.assertFalse(os.path.exists(os.path.join(moved, "build")))
        self.works("sim")

    def test_a_build_never_goes_into_a_folder_that_holds_other_things(self):
        with open(os.path.join(self.d, "thesis.tex"), "w") as f:
            f.write("text\n")
        self.refuses("holds other files", "sim", f"BUILD={self.d}")
        self.refuses("holds a checkout", "sim", "BUILD=.")
        self.refuses("holds a checkout", "test", "BUILD=" + self.top)
        self.assertEqual(os.listdir(self.d), ["thesis.tex"])

    def test_names_that_tools_read_otherwise_are_refused(self):
        for name in ("a;touch x", "a$$(touch x)", "a`touch x`", "a*", "~/b", "a'b", 'a"b', "a&b", "a|b", "a#b", "a:b",
                     "-b", "a=b", "a%b", "a\\b", "a b ", "[a]"):
            for target in ("sim", "clean"):
                self.refuses("a folder's name may have", target, "BUILD=" + name)
        for target in ("sim", "clean"):
            self.refuses("BUILD is empty", target, "BUILD=")
        self.assertEqual(os.listdir(self.d), [])

    def test_a_folder_that_cannot_be_made_names_the_way_out(self):
        self.refuses("name another with BUILD=DIR", "sim", "BUILD=/proc/none")
        with open(os.path.join(self.d, "file"), "w"):
            pass
        self.refuses("name another with BUILD=DIR", "timing", f"BUILD={self.d}/file/b")

    def test_nothing_is_written_outside_it(self):
        before = self.files()
        self.works("sim", f"BUILD={self.d}/b")
        self.assertEqual(self.files(), before)
        with open(os.path.join(self.bin, "cmake"), "w") as f:
            f.write("#!/bin/sh\necho broken; exit 1\n")
        self.assertEqual(self.make("sim", f"BUILD={self.d}/c").returncode, 2)
        self.assertEqual(self.files(), before)


class Scripts(unittest.TestCase):
    def test_remove_nothing_of_a_folder_that_is_not_theirs(self):
        with tempfile.TemporaryDirectory() as top:
            for name in ("renumber", "profile", "coverage"):
                os.makedirs(os.path.join(top, name, "mine"))
            for command in (["renumber"], ["profile"], ["coverage", "--build", top]):
                run = subprocess.run([os.path.join(ROOT, "scripts", command[0]), *command[1:]], check=False, text=True,
                                     env=dict(os.environ, BUILD=top), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(run.returncode, 2, run.stdout)
                self.assertIn("holds other files", run.stdout)
                self.assertTrue(os.path.exists(os.path.join(top, command[0], "mine")), command)


class BuildFolderOfACopy(BuildFolder):
    name = "my wafer (1)"


class Names(Checkout):
    def test_a_build_folder_with_blanks_is_one_word(self):
        calls = self.works("sim", f"BUILD={self.d}/b b")
        self.assertIn(f"<-B> <{self.d}/b b>", calls)
        self.assertIn(f"<{self.d}/b b/digits.json>", calls)

    def test_names_of_jobs_and_wafers_are_one_word_each(self):
        calls = self.works("sim", "CONFIG=my job's.yaml", "WAFER=w 1.yaml", "DEFECTS=d;1.yaml")
        self.assertIn("<--params> <my job's.yaml>", calls)
        self.assertIn("<--wafer> <w 1.yaml> <--defects> <d;1.yaml>", calls)

    def test_arguments_stay_words(self):
        calls = self.works("train", "TRAIN=a b.yaml", "TRAIN_ARGS=--resume --num-steps 3")
        self.assertIn("<run> <a b.yaml>", calls)
        self.assertIn("<--resume> <--num-steps> <3>", calls)


class Ccache(unittest.TestCase):
    """cmake/OwCcache.cmake in a project of its own: what compiles its source."""

    def rules(self, **environment):
        with tempfile.TemporaryDirectory() as top:
            with open(os.path.join(top, "CMakeLists.txt"), "w") as f:
                f.write("cmake_minimum_required(VERSION 3.22)\nproject(user LANGUAGES C CXX)\n"
                        f'include("{ROOT}/cmake/OwCcache.cmake")\nadd_library(user a.cpp)\n')
            with open(os.path.join(top, "a.cpp"), "w") as f:
                f.write("int a;\n")
            run = subprocess.run(["cmake", "-B", "b", "-G", "Ninja"], cwd=top, check=False, text=True,
                                 env=dict(os.environ, **environment), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(run.returncode, 0, run.stdout)
            subprocess.run(["cmake", "--build", "b"], cwd=top, check=True, env=dict(os.environ, **environment),
                           stdout=subprocess.DEVNULL)
            with open(os.path.join(top, "b", "CMakeFiles", "rules.ninja")) as f:
                return f.read(), run.stdout

    @unittest.skipUnless(shutil.which("ccache"), "ccache is not installed")
    def test_is_used_where_it_works_and_left_out_where_it_does_not(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("ccache", self.rules(CCACHE_DIR=folder)[0])
        rules, output = self.rules(CCACHE_DIR="/proc/none")
        self.assertNotIn("ccache", rules)
        self.assertIn("ccache does not work here, and is left out", output)
        kept = {name: os.environ.pop(name) for name in ("CCACHE_DIR", "XDG_CACHE_HOME") if name in os.environ}
        try:
            self.assertNotIn("ccache", self.rules(HOME="/proc/none")[0])
        finally:
            os.environ.update(kept)


class LineEnds(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(os.path.join(ROOT, ".git")), "the sources are no checkout of git")
    def test_are_the_same_in_a_checkout_that_asks_for_others(self):
        with tempfile.TemporaryDirectory() as top:
            for configured in ("core.autocrlf=true", "core.eol=crlf"):
                copy = os.path.join(top, configured)
                subprocess.run(["git", "clone", "-q", "--shared", "-c", configured, ROOT, copy], check=True)
                for name in ("scripts/bootstrap", "Makefile", "sw/isa/fabric.yaml", "docs/isa.md"):
                    with open(os.path.join(copy, name), "rb") as f:
                        self.assertFalse(b"\r" in f.read(), name)
                self.assertEqual(subprocess.run(["git", "-C", copy, "status", "--porcelain"], check=True, text=True,
                                                stdout=subprocess.PIPE).stdout, "")


class Bootstrap(unittest.TestCase):
    """scripts/bootstrap of somebody who is not root, where dpkg-query and PATH lack some packages."""

    def run_without(self, *names):
        with tempfile.TemporaryDirectory() as top:
            for name in ("sh", "sed", "tr", "sort", "head", "tail", "dirname", "mkdir", "cat", "ls", "verilator", "perl",
                         "g++", "cmake", "make", "ccache", "git", "python3", "clang-format", "clang-tidy", "ninja",
                         "riscv64-unknown-elf-gcc", "riscv64-unknown-elf-objcopy", "pkg-config"):
                found = shutil.which(name)
                if name not in names and found:
                    os.symlink(found, os.path.join(top, name))
            script(os.path.join(top, "dpkg-query"), "#!/bin/sh\nshift 2\nfor p; do case \" " + " ".join(names)
                   + " \" in *\" $p \"*) ;; *) echo \"ii $p\" ;; esac; done\n")
            script(os.path.join(top, "apt-get"), "#!/bin/sh\nexit 100\n")
            script(os.path.join(top, "id"), "#!/bin/sh\necho 1000\n")
            return subprocess.run([os.path.join(ROOT, "scripts", "bootstrap")], env={"PATH": top}, check=False,
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def test_what_only_makes_a_build_faster_may_be_missing(self):
        for names in (("ccache",), ("clang-format", "clang-tidy"), ("libopenmpi-dev", "openmpi-bin")):
            run = self.run_without(*names)
            self.assertEqual(run.returncode, 0, run.stdout)
            self.assertIn("apt-get install -y --no-install-recommends " + " ".join(names), run.stdout)
            self.assertIn("going on without them", run.stdout)

    def test_what_a_build_needs_may_not(self):
        run = self.run_without("libfmt-dev", "ccache")
        self.assertEqual(run.returncode, 2, run.stdout)
        self.assertNotIn("going on", run.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
