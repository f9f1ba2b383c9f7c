#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# golden_test.sh CMAKE BUILD PROJECT GENERATOR CXX SOURCE
# Installs the golden model alone, moves it, and uses it from a project outside the tree: in C++, in C and in
# Python. No Verilator is found on the way.
set -eu
cmake=$1 build=$2 project=$3 generator=$4 cxx=$5 source=$6
python=$source/${OW_VENV:-.venv}/bin/python3  # with NumPy, by scripts/bootstrap test
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$cmake" --install "$build" --component openwafer_golden --prefix "$scratch/first" > "$scratch/install.log"
mv "$scratch/first" "$scratch/prefix"
if grep -rlaF "$build/" "$scratch/prefix"; then
  echo "the files above name the build that they come from" >&2
  exit 1
fi
printf '#include <openwafer/golden.h>\nint main(void) { return ow_golden_op("add") < 0; }\n' > "$scratch/c.c"
cc -std=c99 -pedantic -Wall -Wextra -Werror -I"$scratch/prefix/include" -fsyntax-only "$scratch/c.c"
cp -r "$project" "$scratch/project"
for tool in verilator yosys; do printf '#!/bin/sh\necho "%s was called" >&2\nexit 1\n' $tool > "$scratch/$tool"; done
chmod +x "$scratch/verilator" "$scratch/yosys"
PATH=$scratch:$PATH "$cmake" -S "$scratch/project" -B "$scratch/build" -G "$generator" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$scratch/prefix" > "$scratch/configure.log"
PATH=$scratch:$PATH "$cmake" --build "$scratch/build" > "$scratch/build.log" || { cat "$scratch/build.log" >&2; exit 1; }
"$scratch/build/uses_golden"
PYTHONPATH=$(dirname "$(find "$scratch/prefix" -name openwafer_golden.py)") "$python" "$scratch/project/use_golden.py"
