#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kit_test.sh CMAKE BUILD CXX TESTS
# Installs the conformance kit alone, moves it, builds the device in C++ against it, and puts both examples under
# it. A submission that one of them makes is verified. No Verilator is called.
set -eu
cmake=$1 build=$2 cxx=$3 tests=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$cmake" --install "$build" --component openwafer_conform --prefix "$scratch/first" > "$scratch/install.log"
mv "$scratch/first" "$scratch/prefix"
mkdir "$scratch/bin"
printf '#!/bin/sh\necho "verilator was called" >&2\nexit 1\n' > "$scratch/bin/verilator"
chmod +x "$scratch/bin/verilator"
PATH=$scratch/bin:$PATH
examples=$scratch/prefix/share/openwafer/examples kit=$scratch/prefix/bin/ow-conform
"$cxx" -std=c++17 -Wall -Wextra -Werror -shared -fPIC -I"$scratch/prefix/include" \
  "$examples/conform_cpp/adder.cpp" -o "$scratch/adder.so"
sh "$tests/examples_test.sh" "$kit" "$scratch/adder.so" "$examples" python3
"$kit" conform run "$examples/conform_cpp/device.yaml" --device "library:$scratch/adder.so" \
  --package "$scratch/package" --html "$scratch/report.html" > "$scratch/log"
"$kit" conform verify "$scratch/package"
grep -q '<td>N2</td><td>passed</td>' "$scratch/report.html"
# Its vectors are those of the build tree.
"$kit" conform make "$scratch/here" --json "$scratch/here.json" > "$scratch/log"
"$build/ow-conform" conform make "$scratch/there" --json "$scratch/there.json" > "$scratch/log"
cmp "$scratch/here.json" "$scratch/there.json"
