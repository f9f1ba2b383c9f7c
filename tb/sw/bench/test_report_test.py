#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/test-report on a build tree of a few tests that only print: what it counts, what it takes from
the figures of tests, and what it refuses.

  test_report_test.py SOURCE_TREE
"""
import json
import os
import subprocess
import sys
import tempfile

TESTS = {
    "Rates.First": 'echo share 93.5 >>"$OW_FIGURES"; echo equal 1 >>"$OW_FIGURES"',
    "Rates.Second": 'echo share 91 >>"$OW_FIGURES"; echo equal 0 >>"$OW_FIGURES"',
    "Rates.Third": 'echo equal 1 >>"$OW_FIGURES"',
    "Silent.Passes": "true",
    "Silent.Fails": "false",
    "Wrong.NoNumber": 'echo share high >>"$OW_FIGURES"',
    "Wrong.NoName": 'echo 5 >>"$OW_FIGURES"',
    "Wrong.NotFinite": 'echo share nan >>"$OW_FIGURES"',
}


def main():
    script = os.path.join(sys.argv[1], "scripts/test-report")
    with tempfile.TemporaryDirectory() as build:
        with open(os.path.join(build, "CTestTestfile.cmake"), "w") as f:
            for name, command in TESTS.items():
                f.write(f"add_test({name} sh -c [==[{command}]==])\n")
        path = os.path.join(build, "report.json")

        def report(regex):
            done = subprocess.run([script, "--tests", regex, "--json", path], check=False,
                                  env=dict(os.environ, BUILD=build), text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            found = None
            if os.path.exists(path):
                with open(path) as f:
                    found = json.load(f)
                os.remove(path)
            return done, found

        done, found = report("^Rates")
        assert done.returncode == 0 and found["passed"] == found["run"] == 3, (done, found)
        assert found["values"] == {
            "equal": {"least": 0, "most": 1, "sum": 2, "count": 3},
            "share": {"least": 91, "most": 93.5, "sum": 184.5, "count": 2}}, found
        done, found = report("^Silent")
        assert done.returncode == 1 and found["failed"] == ["Silent.Fails"], (done, found)
        assert found["values"] == {} and found["passed"] == 1, found
        done, found = report("^Nothing")
        assert done.returncode == 1 and found["run"] == 0, (done, found)
        for name, line in (("NoNumber", "share high"), ("NoName", "5"), ("NotFinite", "share nan")):
            done, found = report(f"^Wrong.{name}$")
            assert done.returncode == 1 and found is None, (done, found)
            assert done.stderr.startswith(f"test-report: '{line}' is no figure: "), done.stderr
            assert done.stderr.count("\n") == 1, done.stderr
        left = [name for name in os.listdir(build) if "figures" in name or name.endswith(".xml")]
        assert not left, left


if __name__ == "__main__":
    main()
