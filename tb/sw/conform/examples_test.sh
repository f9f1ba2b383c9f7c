#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples_test.sh OW_CONFORM LIBRARY EXAMPLES PYTHON
set -eu
kit=$1 library=$2 examples=$3 python=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

conforms() {  # conforms CLAIMS DEVICE
  "$kit" conform run "$1" --device "$2" > "$scratch/out" || { cat "$scratch/out" >&2; exit 1; }
}
breaks() {  # breaks RULE CLAIMS DEVICE
  status=0
  "$kit" conform run "$2" --device "$3" > "$scratch/out" || status=$?
  if [ $status -ne 1 ] || ! grep -q "^$1 failed" "$scratch/out"; then
    echo "$3 must break $1 (status $status):" >&2
    cat "$scratch/out" >&2
    exit 1
  fi
}
adder=$examples/conform_cpp/device.yaml
conforms "$adder" "library:$library"
breaks N2 "$adder" "library:$library,truncates"
grid=$examples/conform_python/device.yaml
program="command:$python $examples/conform_python/device.py"
conforms "$grid" "$program"
breaks N1 "$grid" "$program --wrong flushes"
breaks F5 "$grid" "$program --wrong swaps"
