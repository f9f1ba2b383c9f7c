#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `ow fp` accepts right vectors, finds wrong ones, and names the line of bad input.
set -eu
ow=$1
for op in f16_add f16_mulAdd f32_add f32_mulAdd bf16_mulAdd f16_to_f32 f32_to_f16 f32_to_i32 i16_to_bf16 \
          f16_f32_mulAdd f32_lt i32_mulAdd; do
  "$ow" fp --gen $op --count 20000 --seed 7 | "$ow" fp --op $op
done
# Flags are optional and any NaN stands for a NaN.
printf '3C00 3C00 4000\n7C00 FC00 FE01 10\n' | "$ow" fp --op f16_add
expect() { # STATUS WORDS COMMAND...: standard input goes to the command
  want=$1 words=$2
  shift 2
  status=0
  out=$("$@" 2>&1) || status=$?
  if [ "$status" -ne "$want" ]; then
    echo "exit status $status, expected $want: $out"
    exit 1
  fi
  case $out in *"$words"*) ;; *) echo "no '$words' in: $out"; exit 1 ;; esac
}
printf '3C00 3C00 4000 00\n3C00 3C00 4001 00\n' | expect 1 "line 2" "$ow" fp --op f16_add
printf '3C00 3C00 4000\n\n3C00 xyz 4000\n' | expect 2 "line 3" "$ow" fp --op f16_add
printf '3C00 4000\n' | expect 2 "line 1" "$ow" fp --op f16_add
printf '13C00 3C00 4000\n' | expect 2 "4 hex" "$ow" fp --op f16_add
printf '' | expect 2 "no vectors" "$ow" fp --op f16_add
printf '' | expect 2 "f64_add" "$ow" fp --op f64_add
# A relation is 0 or 1. The result of an invalid conversion to an integer is the definition's.
printf '3C00 4000 1\n7E00 3C00 0 10\n' | "$ow" fp --op f16_lt
printf '7FC00000 80000000 10\nFF800000 7FFFFFFF 10\n' | "$ow" fp --op f32_to_i32
