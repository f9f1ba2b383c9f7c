#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# signature_test.sh OW CC DOCUMENT PROGRAM: the target that the document gives for riscv-arch-test,
# as it stands there, gives signatures as the references are: from a multiple of 16 bytes on, padded
# to 16 bytes. Fails if the document asks for multiples of 4 bytes.
set -eu
ow=$1 cc=$2 document=$3 program=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sed -n 's/^    \(#define RVMODEL_.*\)/\1/p' "$document" >"$dir/model_test.h"
[ "$(wc -l <"$dir/model_test.h")" -eq 4 ] || { echo "$document: no target of four lines"; exit 1; }
"$cc" -march=rv32im -mabi=ilp32 -nostdlib -Wl,--no-relax -I "$dir" -Wl,-Ttext=0 "$program" -o "$dir/test.elf"
"$ow" elf "$dir/test.elf" --signature "$dir/signature" >"$dir/out" || { cat "$dir/out"; exit 1; }
expected="00000005 00000004 00000003 00000002 00000001 00000000 00000000 00000000 "
got=$(tr '\n' ' ' <"$dir/signature")
[ "$got" = "$expected" ] || { echo "signature: $got"; exit 1; }
