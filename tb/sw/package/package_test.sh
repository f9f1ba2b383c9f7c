#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# package_test.sh CMAKE BUILD SOURCE PROJECT GENERATOR
# Installs into a scratch prefix, moves that elsewhere, configures, builds and runs the project
# against it. Nothing that was installed may know where the source tree or the build is.
set -eu
cmake=$1 build=$2 source=$3 project=$4 generator=$5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$cmake" --install "$build" --component openwafer --prefix "$scratch/first" > "$scratch/install.log"
mv "$scratch/first" "$scratch/prefix"
if grep -rlaF -e "$source/" -e "$build/" "$scratch/prefix"; then
  echo "the files above name the tree that they come from" >&2
  exit 1
fi
# Nor is the tree needed: neither models nor golden stand in the headers.
if grep -rlE '#include [<"](verilated|Eigen|ow/golden)' "$scratch/prefix/include"; then
  echo "the headers above include what is not installed" >&2
  exit 1
fi
cp -r "$project" "$scratch/project"
"$cmake" -S "$scratch/project" -B "$scratch/build" -G "$generator" \
  -DCMAKE_PREFIX_PATH="$scratch/prefix" > "$scratch/configure.log"
"$cmake" --build "$scratch/build" > "$scratch/build.log" || {
  cat "$scratch/build.log" >&2
  exit 1
}
cd "$scratch/build"
./scale
