#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kernel_build_test.py CMAKE ROOT: what ow_kernel (cmake/OwKernel.cmake) builds, and builds again, in a project whose
folders have names that compilers and build tools must quote."""
import os
import subprocess
import sys
import tempfile
import unittest

CMAKE, ROOT = sys.argv[1], sys.argv[2]
# A project with the least that ow_kernel asks of its includer.
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
set(here ${CMAKE_CURRENT_SOURCE_DIR})
set(OW_TILE_INCLUDE_DIRS ${here}/include)
set(OW_TILE_ISA_HEADER ${here}/include/isa.h)
set(OW_TILE_LIBRARY ${here}/tile.a)
set(OW_TILE_SCRIPT ${here}/tile.ld)
set(OW_FULL_SRAM_BYTES 49152)
include("%s/cmake/OwKernel.cmake")
ow_kernel(k parts/k.c INCLUDES "${here}/my headers")
"""
FILES = {
    "CMakeLists.txt": PROJECT % ROOT,
    "include/isa.h": "",
    "my headers/k.h": "#define ANSWER 42\n",
    "parts/k.c": '#include "k.h"\nint _start(void);\nint _start(void) { return ANSWER; }\n',
    "tile.a": "!<arch>\n",
    "tile.ld": "SECTIONS { .text : { *(.text*) } }\n",
}


def steps(folder):
    """How many custom commands a build of the project runs."""
    run = subprocess.run([CMAKE, "--build", "build"], cwd=folder, check=False, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    if run.returncode:
        raise AssertionError(run.stdout)
    return run.stdout.count("Building ")


class SecondBuild(unittest.TestCase):
    def check(self, name, generator):
        with tempfile.TemporaryDirectory() as top:
            folder = os.path.join(top, name)
            for path, text in FILES.items():
                path = os.path.join(folder, path)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as f:
                    f.write(text)
            run = subprocess.run([CMAKE, "-B", "build", "-G", generator], cwd=folder, check=False, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(run.returncode, 0, run.stdout)
            self.assertEqual(steps(folder), 2, "an object and a program")
            self.assertEqual(steps(folder), 0, "nothing has changed")
            header = os.path.join(folder, "my headers", "k.h")
            later = os.stat(header).st_mtime + 10
            os.utime(header, (later, later))
            self.assertEqual(steps(folder), 2, "a header has changed")

    def test_does_nothing_in_a_folder_with_a_blank(self):
        self.check("my project", "Ninja")

    def test_does_nothing_in_a_second_copy_of_a_folder(self):
        self.check("project (1)", "Ninja")

    def test_does_nothing_in_a_folder_with_signs_and_letters_beyond_ascii(self):
        self.check("wäfer+c++, neu @2", "Ninja")

    def test_sees_a_changed_header_with_makefiles(self):
        self.check("my project", "Unix Makefiles")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
