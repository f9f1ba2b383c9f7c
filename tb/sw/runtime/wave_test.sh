#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wave_test.sh WAVE PROGRAM: waves of a program that knows nothing of them, of a few of its cycles
# and of one tile, and from a save on; and what is refused. Fails if only one fixed job can be shown as waves.
set -eu
wave=$1 program=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$program" "sim:4x4,save=$dir/run.ows,every=500,record=$dir/run.owr" >"$dir/out"
"$wave" "$dir/run.owr" "$dir/part.fst" --from 100 --to 300 --tile 0,0
"$wave" "$dir/run.owr" "$dir/more.fst" --from 100 --to 2000
[ "$(wc -c <"$dir/part.fst")" -gt 1000 ] || { echo "no waves"; exit 1; }
[ "$(wc -c <"$dir/more.fst")" -gt "$(wc -c <"$dir/part.fst")" ] || { echo "no more waves"; exit 1; }
"$wave" "$dir/run.owr" "$dir/rest.fst" --restore "$dir/run.ows"
[ "$(wc -c <"$dir/rest.fst")" -gt 1000 ] || { echo "no waves from the save on"; exit 1; }
refused() {
  status=0
  "$wave" "$@" >"$dir/out" 2>&1 || status=$?
  if [ $status -ne 2 ] || [ "$(wc -l <"$dir/out")" -ne 1 ]; then
    echo "ow-wave $*: status $status"
    cat "$dir/out"
    exit 1
  fi
}
refused "$dir/none.owr" "$dir/x.fst"
refused "$0" "$dir/x.fst"
refused "$dir/run.owr" "$dir/x.fst" --tile 9,9
refused "$dir/run.owr" "$dir/x.fst" --tile 1
refused "$dir/run.owr" "$dir/x.fst" --from 300 --to 100
refused "$dir/run.owr" "$dir/none/x.fst"
refused "$dir/run.owr" "$dir/x.fst" --restore "$0"
refused "$dir/run.owr" "$dir/x.fst" --restore "$dir/run.owr"
cp "$dir/run.owr" "$dir/kept.owr"
refused "$dir/run.owr" "$dir/run.owr"
cmp "$dir/run.owr" "$dir/kept.owr"
status=0
"$wave" --help >/dev/full 2>"$dir/out" || status=$?
[ $status -eq 2 ] || { echo "ow-wave --help with lost output: status $status"; exit 1; }
[ ! -e "$dir/x.fst" ] || { echo "something is left behind"; exit 1; }
