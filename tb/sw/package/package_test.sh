#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# package_test.sh CMAKE BUILD SOURCE PROJECT GENERATOR CXX RISCV_CC
# Installs into a scratch prefix, moves that elsewhere, looks at the headers, and configures, builds
# and runs the project against it. Nothing that was installed may know where the source tree or the
# build is.
set -eu
cmake=$1 build=$2 source=$3 project=$4 generator=$5 cxx=$6 riscv_cc=$7
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$cmake" --install "$build" --component openwafer --prefix "$scratch/first" > "$scratch/install.log"
mv "$scratch/first" "$scratch/prefix"
if grep -rlaF -e "$source/" -e "$build/" "$scratch/prefix"; then
  echo "the files above name the tree that they come from" >&2
  exit 1
fi

# Headers: those of the interface and no others, each of which compiles alone, and twice, with
# nothing but the language's own beside them.
include=$scratch/prefix/include
if [ "$(ls "$include")" != openwafer ]; then
  echo "include/ holds more than openwafer/:" "$include"/* >&2
  exit 1
fi
if grep -rnE '(^|[^a-z])ow/' "$include"; then
  echo "the lines above name parts that are not installed" >&2
  exit 1
fi
twice() {
  printf '#include "%s"\n#include "%s"\n' "$1" "$1"
}
(cd "$include" && find openwafer -type f) > "$scratch/headers"
test -s "$scratch/headers"
while read -r header; do
  case $header in
    openwafer/tile/*)
      twice "$header" | "$riscv_cc" -march=rv32im_zicsr_zifencei -mabi=ilp32 -std=c11 \
        -ffreestanding -Wall -Wextra -Werror -fsyntax-only -I"$include" -x c - ;;
    *)
      twice "$header" | "$cxx" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$include" \
        -x c++ - ;;
  esac || {
    echo "$header does not compile alone" >&2
    exit 1
  }
done < "$scratch/headers"
# Of the machine they include what they bring along, and else the standard library's alone.
if grep -rhoE '#include [<"][^>"]*' "$include" | sed 's/.*[<"]//' | sort -u |
  grep -vE '^(openwafer/.*|[a-z]+|(stdint|stddef|stdarg)\.h)$'; then
  echo "the headers above are included and belong to other libraries" >&2
  exit 1
fi
# Nor does the package ask for libraries of headers alone, which nothing that is installed needs.
if grep -rnE 'nlohmann|Eigen|CLI11' "$scratch/prefix/lib/cmake"; then
  echo "the lines above ask for libraries that the package has no use for" >&2
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
