#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# package_test.sh CMAKE BUILD SOURCE PROJECT GENERATOR CXX RISCV_CC
# Installs as docs/tutorial.md says, and follows it from there: its CMakeLists.txt, its commands, the
# files that it lists. Then moves what was installed elsewhere, looks at the headers, and configures,
# builds and runs the project against it, on a grid and on a wafer that has to be repaired. Nothing
# that was installed may know where the source tree or the build is.
set -eu
cmake=$1 build=$2 source=$3 project=$4 generator=$5 cxx=$6 riscv_cc=$7
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The tutorial's text: its CMakeLists.txt is the block that begins with cmake_minimum_required, and
# its commands are those that it names with --component openwafer and CMAKE_PREFIX_PATH.
tutorial=$source/docs/tutorial.md
awk '/^```/ { inside = $0 == "```cmake"; next } inside' "$tutorial" > "$scratch/CMakeLists.txt"
grep -q '^find_package(openwafer' "$scratch/CMakeLists.txt"
install=$(sed -n 's/.*`cmake --build build --target openwafer_package && \([^`]*\)`.*/\1/p' "$tutorial")
build_and_run=$(sed -n 's/^    \(cmake -B build -DCMAKE_PREFIX_PATH=.*\)$/\1/p' "$tutorial")
test -n "$install" && test -n "$build_and_run"

# As somebody types them: `cmake` is this one, ~ is a new home, `build` in the tree is the build.
mkdir -p "$scratch/home" "$scratch/bin" "$scratch/tree" "$scratch/gemv"
ln -s "$cmake" "$scratch/bin/cmake"
ln -s "$build" "$scratch/tree/build"
typed() {
  (cd "$1" && HOME=$scratch/home PATH=$scratch/bin:$PATH CXX=$cxx CMAKE_GENERATOR=$generator \
    sh -ec "$2") > "$scratch/typed.log" 2>&1 || {
    echo "in docs/tutorial.md: $2" >&2
    cat "$scratch/typed.log" >&2
    exit 1
  }
}
typed "$scratch/tree" "$install"
cp "$scratch/CMakeLists.txt" "$source/sw/examples/gemv/main.cpp" \
  "$source/sw/examples/gemv/gemv.c" "$scratch/gemv"
typed "$scratch/gemv" "$build_and_run"
grep -q '^gemv: 64 rows, 0 wrong$' "$scratch/typed.log"
mv "$scratch/home/openwafer" "$scratch/prefix"
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
# They include each other and the standard library's headers, nothing else of the machine.
if grep -rhoE '#include [<"][^>"]*' "$include" | sed 's/.*[<"]//' | sort -u |
  grep -vE '^(openwafer/.*|[a-z_]+|(stdint|stddef|stdarg)\.h)$'; then
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
cat > wafer.yaml << END
wafer: {reticle_rows: 1, reticle_columns: 1}
reticle: {rows: 1, columns: 1, spare_rows: 1, spare_columns: 1}
END
echo 'tiles: [{reticle: [0, 0], tile: [0, 0], fault: silent}]' > defects.yaml
./scale wafer:wafer.yaml,defects=defects.yaml
