#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The golden model sees nothing of what it judges: no object of it includes a header of the compiler, of
a lowering, of a tile's program or of a device.

  headers_test.py BUILD    reads the dependencies that the build has recorded there
"""
import subprocess
import sys

# Folders of the source tree, as they stand in the dependencies: golden's own and what it may know.
MAY_SEE = ("sw/golden/", "sw/graph/", "sw/tensor/", "sw/base/", "sw/isa/", "sw/include/openwafer/error.h",
           "sw/include/openwafer/number.h", "generated/ow/isa", "generated/ow/layers")


def may_see(path):
    if "/sw/layers/" in path:
        return "/golden/" in path.split("/sw/layers/")[1]
    return any(part in path for part in MAY_SEE)


def main():
    build = sys.argv[1]
    listing = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    objects, wrong, current = 0, [], None
    for line in listing.splitlines():
        if line and not line.startswith(" "):
            name = line.split(":")[0]
            current = name if name.startswith("sw/golden/CMakeFiles/ow_golden.dir/") else None
            objects += current is not None
            continue
        path = line.strip()
        ours = path.startswith("../") or "/sw/" in path or path.startswith(("sw/", "generated/"))
        if current and ours and not may_see("/" + path):
            wrong.append(f"{current}: includes {path}")
    for line in wrong:
        print(line)
    if objects < 10:
        print(f"only {objects} objects of the golden model have recorded dependencies")
    for seeded in ("../sw/compile/include/ow/compile/placement.h", "../sw/layers/relu/lower.h", "../sw/layers/relu/tile.h",
                   "../sw/firmware/include/ow/firmware/train.h", "../sw/device/include/ow/device/device.h"):
        if may_see("/" + seeded):
            print(f"{seeded} would pass")
            return 1
    return 1 if wrong or objects < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
