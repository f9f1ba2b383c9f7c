#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `ow elf` from the command line: exit statuses, what it prints, the signature, one line for a bad
# input. Arguments: kilobytes of the tile's memory, the program ow, an ELF that passes, one that fails, one at another address, one
# that traps, one with a tensor instruction that does not exist, one that jumps out of the program,
# one with compressed instructions, one that passes and has a compressed instruction that is not reached; the
# program strip for RISC-V.
set -u
kb=$1
shift
ow=$1 pass=$2 fail=$3 high=$4 trap=$5 tensor=$6 wild=$7 compressed=$8 unreached=$9
shift 9
strip=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0

expect() {  # expect STATUS PATTERN ARGUMENTS...: status, and a line that matches
  status=$1 pattern=$2
  shift 2
  "$ow" elf "$@" >"$dir/out" 2>"$dir/err"
  got=$?
  if [ $got -ne "$status" ] || ! cat "$dir/out" "$dir/err" | grep -q -e "$pattern"; then
    echo "ow elf $*: status $got, expected $status and '$pattern'"
    cat "$dir/out" "$dir/err"
    bad=1
  fi
  if [ "$status" -eq 2 ] && [ "$(wc -l <"$dir/err")" -ne 1 ]; then
    echo "ow elf $*: a bad input gets one line"
    bad=1
  fi
}

expect 0 'tohost  *1 (0x1)' "$pass"
expect 0 'cycles  *[1-9]' "$pass" --sram-kb "$kb" --json "$dir/result.json" --signature "$dir/sig"
grep -q '"pass": true' "$dir/result.json" || { echo "no result in the JSON file"; bad=1; }
[ "$(tr '\n' ' ' <"$dir/sig")" = "12345678 ffffff78 " ] || { echo "signature:"; cat "$dir/sig"; bad=1; }
expect 1 'tohost  *5 (0x5)' "$fail"
expect 1 'cycle limit' "$pass" --max-cycles 5
expect 1 'tile (0, 0) stopped by a trap: load access fault, cause 5, tval 0x40000000; pc 0x[0-9a-f]* in read_it.* (.*trap.c:6)' \
  "$trap" --json "$dir/trap.json"
grep -q '"source": ".*trap.c:6"' "$dir/trap.json" || { echo "no source line in the JSON file"; bad=1; }
expect 3 'tile (0, 0) stopped: tensor instruction of thread 0: illegal operation or type; pc 0x[0-9a-f]* in begin.* (.*trap.c:10)' \
  "$tensor"
expect 1 'pc 0x80000000 outside the program, reached from pc 0x[0-9a-f]* in begin.* (.*trap.c:13), ra 0x[0-9a-f]* in begin.* (.*trap.c:13)' \
  "$wild"
expect 1 "stopped by a trap: .* pc 0x[0-9a-f]* in .*; the ELF's flags say that it uses compressed instructions (C)" "$compressed"
expect 0 'tohost  *1 (0x1)' "$unreached"
# Without its symbols a program has no tohost, and this one loops.
"$strip" -o "$dir/stripped.elf" "$pass"
expect 1 "no symbol 'tohost' (stripped?): only ebreak or a trap ends it, or 2000 cycles (--max-cycles)" \
  "$dir/stripped.elf" --max-cycles 2000
expect 1 'cycle limit reached (--max-cycles)' "$dir/stripped.elf" --max-cycles 2000
"$ow" elf "$dir/stripped.elf" >"$dir/out" 2>"$dir/err" &
endless=$!
tries=0
until grep -q "no symbol 'tohost'.* 100000000 cycles" "$dir/err" || [ $tries -eq 100 ]; do
  sleep 0.1
  tries=$((tries + 1))
done
kill $endless 2>/dev/null || { echo "the endless program has ended"; bad=1; }
wait $endless 2>/dev/null
grep -q "no symbol 'tohost'" "$dir/err" || { echo "nothing is said while a program without tohost runs"; bad=1; }
expect 2 'not a regular file' "$dir"
expect 2 'does not fit the tile' "$high"
expect 2 'must be a whole number from 1 to 2048' "$pass" --sram-kb 2049
expect 2 'No such file' "$dir/missing.elf"
head -c 200 "$pass" >"$dir/short.elf"
expect 2 'short.elf' "$dir/short.elf"
expect 2 'not an ELF' "$0"
expect 2 'machine' "$ow"
exit $bad
