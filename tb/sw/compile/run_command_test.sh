#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `ow run` from the command line: exit statuses, and that bad input is one line that names the file,
# the key and the limit. Usage: run_command_test.sh OW CONFIGS TRAP_ELF
set -u
ow=$1
configs=$2
trap_elf=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# expect STATUS TEXT ARGUMENTS...: runs ow run, or another $command; TEXT must be in what it prints.
command=run
expect() {
  status=$1 text=$2
  shift 2
  "$ow" $command "$@" >"$dir/out" 2>"$dir/err"
  got=$?
  if [ $got -ne "$status" ]; then
    echo "ow $command $*: exit status $got, not $status"
    failed=1
  fi
  if ! grep -qF -- "$text" "$dir/out" "$dir/err"; then
    echo "ow $command $*: does not say '$text' but:"
    cat "$dir/out" "$dir/err"
    failed=1
  fi
  if [ "$status" -eq 2 ] && [ "$(wc -l <"$dir/err")" -ne 1 ]; then
    echo "ow $command $*: more than one line about bad input:"
    cat "$dir/err"
    failed=1
  fi
}

# variant SED: a copy of digits.yaml, changed.
variant() {
  sed -e "s,\\.\\./data,$configs/../data," -e "s,training: ,training: $configs/," -e "$1" \
    "$configs/digits.yaml" >"$dir/job.yaml"
}

expect 0 "valid; 449 samples to run, 1348 to train with" \
  --params "$configs/digits.yaml" --validate-only
expect 0 "accuracy    golden" --params "$configs/digits.yaml" --device golden \
  --json "$dir/golden.json"
grep -q accuracy_golden "$dir/golden.json" || { echo "no JSON was written"; failed=1; }
grep -q "^training    240 steps in .* s; 2306400 weights .* golden after their steps, 0 differ$" \
  "$dir/out" || { echo "its training is not compared"; failed=1; }
expect 2 "cannot be read" --params "$dir/none.yaml"
variant 's/^grid:/grid:\n  colour: 3/'
expect 2 "key 'grid.colour' is not known" --params "$dir/job.yaml"
variant 's/digits.csv.gz/none.csv.gz/'
expect 2 "none.csv.gz: cannot be read" --params "$dir/job.yaml"
variant 's/rows: 1797/rows: 100/'
expect 2 "digits.csv.gz: more than 100 rows" --params "$dir/job.yaml"
variant 's/rows: 1797/rows: 1798/'
expect 2 "1797 samples, not 1798" --params "$dir/job.yaml"
variant 's,training: .*,training: none.yaml,'
expect 2 "none.yaml: cannot be read" --params "$dir/job.yaml"
variant "s,training: .*,training: $configs/digits-mini-train.yaml,"
expect 2 "trains another network: 64-32-10 in binary16" --params "$dir/job.yaml"
variant '/training: /d'
expect 2 "key 'network.weights' is missing" --params "$dir/job.yaml"
variant 's/inputs: 1024/inputs: 4096/'
expect 2 "the limit is 49152" --params "$dir/job.yaml"
variant 's/samples_per_tile: 32/samples_per_tile: 33/'
expect 2 "multiple of the 8 lanes" --params "$dir/job.yaml"
head -c 20000 "$configs/../data/optdigits/digits.csv.gz" >"$dir/cut.csv.gz"
variant "s,file: .*,file: $dir/cut.csv.gz,"
expect 2 "cut.csv.gz: the compressed data end too early" --params "$dir/job.yaml"
expect 2 "the monolithic simulator is 2 x 2" --params "$configs/digits.yaml" --device mono
for device in fpga usb:/tmp uart '' :4x4; do
  for flag in --device --machine; do
    expect 2 "$flag $device: must be sim:ROWSxCOLUMNS, sim-mini:ROWSxCOLUMNS, mono:ROWSxCOLUMNS, wafer:" \
      --params "$configs/digits.yaml" $flag "$device"
  done
done
expect 2 "--device rtl:/tmp: grid '/tmp': must be ROWSxCOLUMNS, as 4x4" --params "$configs/digits.yaml" \
  --device rtl:/tmp
expect 2 "/dev/null: rate 'abc': must be one of 9600, 19200" --params "$configs/digits-mini.yaml" \
  --device uart:/dev/null:abc
expect 2 "none.elf" --params "$configs/digits.yaml" --firmware "$dir/none.elf"
# Firmware that stops: one line with tile, cause, address, function and source line.
expect 3 "ow: device fault: tile (0, 0) stopped: store access fault, address 0x10000; pc 0x" \
  --params "$configs/digits.yaml" --firmware "$trap_elf" --limit 128
grep -q " in ow_phase_pass.* (tb/sw/compile/trap_layer.c:7) (and 15 other tiles)$" "$dir/err" ||
  { cat "$dir/err"; failed=1; }
expect 0 "activations compared with golden, 0 differ" --params "$configs/digits.yaml" --limit 128 \
  --check-idle --json "$dir/run.json"
grep -q '"different": 0' "$dir/run.json" || { echo "no comparison in the JSON"; failed=1; }
grep -q stall_memory "$dir/run.json" || { echo "no counters in the JSON"; failed=1; }
expect 0 "stall cycles, sums over the tiles: these tiles have no counters" \
  --params "$configs/digits-mini.yaml" --tiles mini --limit 8 --check-idle --json "$dir/mini.json"
! grep -q stall_memory "$dir/mini.json" || { echo "counters that are not there"; failed=1; }

# Trainings.
train="$configs/digits-train.yaml"
expect 0 "valid; 1348 samples to train with, 449 held out; 128 a step" "$train" --validate-only \
  --model-dir "$dir/not-made"
[ ! -e "$dir/not-made" ] || { echo "--validate-only made the model's directory"; failed=1; }
expect 0 "plan        $dir/plan.json: made" "$train" --compile-only --plan "$dir/plan.json"
grep -q '"kind": "training"' "$dir/plan.json" || { echo "no plan in the file"; failed=1; }
expect 0 "plan        $dir/plan.json: used, its inputs are the same" "$train" --mode train \
  --device golden --num-steps 1 --plan "$dir/plan.json"
sed -e "s,\\.\\./data,$configs/../data," -e /held_out/d "$train" >"$dir/all.yaml"
expect 0 "layer 1: 128x10 " "$dir/all.yaml" --compile-only
expect 2 "holds no sample out" "$dir/all.yaml" --validate-only
expect 2 "--resume: from which directory?" "$train" --mode train --compile-only --resume
expect 0 "plan               inference, 4 x 4 tiles" "$configs/digits.yaml" --compile-only
expect 0 "plan        $dir/plan.json: to be made anew: 'grid[0]' was 4, is 2" "$configs/digits-2x2.yaml" \
  --validate-only --plan "$dir/plan.json"
expect 0 "plan        $dir/plan.json: made anew: 'grid[0]' was 4, is 2" "$configs/digits-2x2.yaml" \
  --limit 8 --no-check --plan "$dir/plan.json" --json "$dir/planned.json"
grep -q '"used": false' "$dir/planned.json" || { echo "no plan in the JSON"; failed=1; }
expect 0 "plan        $dir/plan.json: used, its inputs are the same" "$configs/digits-2x2.yaml" \
  --limit 8 --plan "$dir/plan.json"
sed -i 's/"used_bytes": /&1/' "$dir/plan.json"
expect 2 "$dir/plan.json: is damaged: its check sum differs" "$configs/digits-2x2.yaml" --plan \
  "$dir/plan.json"
expect 0 "weights after their steps and 0 outputs compared with golden, 0 differ" "$train" \
  --mode train --device golden --num_steps 5 --model_dir "$dir/model" --json "$dir/train.json"
grep -q '"steps": 5' "$dir/train.json" || { echo "no steps in the JSON"; failed=1; }
expect 2 "holds checkpoints of an earlier run" "$train" --mode train --device golden \
  --model-dir "$dir/model"
expect 0 "from        $dir/model/checkpoint-000000000005.safetensors" "$train" --mode train \
  --device sim:4x4 --num-steps 1 --model-dir "$dir/model" --resume
expect 0 "0 weights after their steps and 4490 outputs compared with golden, 0 differ" "$train" \
  --mode eval --model-dir "$dir/model"
expect 0 "saved       $dir/digits.safetensors" "$train" --mode predict --device golden \
  --model-dir "$dir/model" --save-outputs "$dir/digits.safetensors"
expect 0 "training    2 steps" "$train" --mode train --device golden --no-check --num-steps 2
expect 2 "--mode predict: which weights?" "$train" --mode predict
expect 2 "--num-steps: not with --mode predict" "$train" --mode predict --model-dir "$dir/model" \
  --num-steps 1
expect 2 "none/o: cannot be written" "$train" --mode predict --device golden \
  --model-dir "$dir/model" --save-outputs "$dir/none/o"
expect 2 "none/predictions.safetensors: cannot be written" "$train" --mode predict \
  --device golden --model-dir "$dir/none"
# A run that is refused has written nothing.
expect 2 "none/m.jsonl: cannot be written" "$train" --mode train --device golden \
  --model-dir "$dir/refused" --metrics "$dir/none/m.jsonl"
expect 2 "none/job.plan: cannot be written" "$train" --mode train --device golden \
  --model-dir "$dir/refused" --plan "$dir/none/job.plan"
[ ! -e "$dir/refused" ] || { echo "a refused training made its directory"; failed=1; }
expect 0 "training    1 steps" "$train" --mode train --device golden --num-steps 1 --no-check \
  --model-dir "$dir/made" --metrics "$dir/made/m.jsonl" --plan "$dir/made/job.plan"
expect 2 "none: holds no checkpoint" "$train" --mode train --device golden --resume \
  --model-dir "$dir/none"
[ ! -e "$dir/none" ] || { echo "a refused --resume made its directory"; failed=1; }
expect 2 "--device sim:4: grid '4': must be ROWSxCOLUMNS" "$train" --mode train --device sim:4
expect 2 "--device sim:2x2: $train wants 4 x 4 tiles" "$train" --mode train --device sim:2x2
expect 2 "--mode eval: which weights?" "$train"
expect 2 "--resume: from which directory?" "$train" --mode train --resume
expect 2 "--wafer: not with a training" "$train" --mode train --wafer "$configs/wafer-2x2.yaml"
expect 2 "key 'train' is missing" "$configs/digits.yaml" --mode train

# Machines by their strings, and by the flags that write them.
small="$configs/digits-2x2.yaml" mini="$configs/digits-mini.yaml" wafer="$configs/wafer-2x2.yaml"
# same TEXT ARGUMENTS.. -- ARGUMENTS..: both say TEXT, and they say the same but for times.
same() {
  text=$1 first=
  shift
  while [ "$1" != -- ]; do
    first="$first $1"
    shift
  done
  shift
  expect 0 "$text" $first --json "$dir/first.json"
  sed -e /second/d -e '/"train_/d' "$dir/first.json" >"$dir/first"
  expect 0 "$text" "$@" --json "$dir/second.json"
  sed -e /second/d -e '/"train_/d' "$dir/second.json" >"$dir/second"
  cmp "$dir/first" "$dir/second" || { echo "ow $command $first: is another machine than $*"; failed=1; }
}
same "replicated engine, 2 x 2 tiles" $small --limit 8 -- $small --limit 8 --machine sim:2x2
same "activations compared with golden, 0 differ" $mini --limit 8 --tiles mini -- \
  $mini --limit 8 --machine sim-mini
same "device      golden model" $small --device golden -- $small --machine golden
expect 0 "0 differ" $small --limit 8 --save-outputs "$dir/tiles.outputs"
expect 0 "accuracy    golden" $small --limit 8 --device golden --save-outputs "$dir/golden.outputs"
cmp "$dir/tiles.outputs" "$dir/golden.outputs" || { echo "golden has other outputs"; failed=1; }
expect 2 "--device golden: it is the check" $small --device golden --no-check
same "valid; 449" "$configs/digits.yaml" --wafer $wafer --defects "$configs/defects-2x2.yaml" \
  --validate-only -- "$configs/digits.yaml" --validate-only \
  --machine "wafer:$wafer,defects=$configs/defects-2x2.yaml"
expect 0 "training    1 steps" "$train" --mode train --machine golden --num-steps 1 --no-check
expect 2 "--machine sim:4x4: $small wants 2 x 2 tiles" $small --machine sim:4x4
expect 2 "--machine: not with --wafer, which writes a part of it" $small --machine sim --wafer $wafer
expect 2 "$wafer: the wafer offers 4 x 4 logical tiles, $small wants 2 x 2" $small \
  --machine "wafer:$wafer"
expect 2 "--machine sim-mini: only a simulated grid of full tiles has that (--record)" $mini \
  --machine sim-mini --record "$dir/r"
expect 2 "--machine wafer:$wafer: only a simulated grid has that, not a wafer (--check-idle)" \
  "$configs/digits.yaml" --machine "wafer:$wafer" --check-idle
expect 2 "--machine sim: only a wafer is drawn (--svg)" $small --machine sim --svg "$dir/s.svg"
expect 2 "is read (defects= of --machine)" "$configs/digits.yaml" --validate-only \
  --machine "wafer:$wafer,defects=$dir/job.yaml" --json "$dir/job.yaml"
for machine in "wafer:$wafer" sim-mini uart:/dev/null fpga-sim; do
  expect 2 "--machine $machine: not with a training" "$train" --mode train --machine "$machine"
done

# A job through a pipe: it is read once, and its paths are taken from the current directory.
mkfifo "$dir/pipe"
cd "$configs" || exit 1
cat digits.yaml | { expect 0 "/dev/stdin: valid; 449 samples" /dev/stdin --validate-only; exit $failed; } ||
  failed=1
expect 0 "/dev/stdin: valid; 449 samples" /dev/stdin --validate-only <digits.yaml
cat digits-2x2.yaml >"$dir/pipe" &
expect 0 "activations compared with golden, 0 differ" "$dir/pipe" --limit 8
wait
cat digits-train.yaml | {
  expect 0 "training    2 steps" /dev/stdin --mode train --machine golden --num-steps 2 \
    --model-dir "$dir/piped"
  exit $failed
} || failed=1
cat digits-train.yaml >"$dir/pipe" &
expect 0 "from        $dir/piped/checkpoint-000000000002.safetensors" "$dir/pipe" --mode train \
  --device golden --num-steps 1 --model-dir "$dir/piped" --resume
wait
# The training that a job names may be one.
sed -e "s,digits-train.yaml,$dir/pipe," digits.yaml >"$dir/named.yaml"
sed -i -e "s,\.\./data,$configs/../data," "$dir/named.yaml"
cat digits-train.yaml >"$dir/pipe" &
expect 0 "valid; 449 samples to run, 1348 to train with" "$dir/named.yaml" --validate-only
wait
echo "data: 5" | { expect 2 "/dev/stdin:1: key 'data'" /dev/stdin; exit $failed; } || failed=1
if command -v bash >/dev/null; then
  # A shell's <(..).
  bash -c '"$0" run <(cat digits.yaml) --validate-only' "$ow" >"$dir/out" 2>"$dir/err" &&
    grep -q "valid; 449 samples" "$dir/out" || { cat "$dir/err"; failed=1; }
fi

# `ow estimate` reads jobs and machines alike.
command=estimate
cat digits.yaml | { expect 0 "inference   4 x 4 tiles" /dev/stdin; exit $failed; } || failed=1
cat digits-train.yaml >"$dir/pipe" &
expect 0 "training    4 x 4 tiles" "$dir/pipe"
wait
expect 0 "of 8192 bytes of a tile of \`mini\`" $mini --machine sim-mini
expect 0 "of 49152 bytes of a tile of \`full\`" $small --machine sim:2x2
expect 2 "--machine sim:4x4: $small wants 2 x 2 tiles" $small --machine sim:4x4
expect 2 "--machine golden: takes no cycles" $small --machine golden
expect 2 "--machine mini: not with a training" digits-train.yaml --machine mini

command=bringup
expect 2 "which wafer? (--machine wafer:FILE or --wafer FILE)" --machine sim:2x2
expect 2 "which wafer? (--machine wafer:FILE or --wafer FILE)"
expect 2 "--machine: not with --defects" --machine "wafer:$wafer" --defects "$dir/job.yaml"
expect 2 "a bring-up makes the map" --machine "wafer:$wafer,map=$dir/m.json"
one="$dir/one.yaml" broken="$dir/broken.yaml"
printf 'wafer: {reticle_rows: 1, reticle_columns: 1}\nreticle: {rows: 2, columns: 2}\n' >"$one"
printf 'tiles:\n  - {reticle: [0, 0], tile: [0, 1], fault: silent}\n' >"$broken"
same "repaired    2 x 2 logical tiles, 1 defects avoided" --wafer $one --defects $broken --mini -- \
  --machine "wafer:$one,defects=$broken" --mini
expect 0 "repaired    2 x 2 logical tiles" --machine "wafer:$one,defects=$broken" --map "$dir/m.json"
command=run
same "compared with golden, 0 differ" $small --limit 8 --wafer $one --defects $broken -- \
  $small --limit 8 --machine "wafer:$one,defects=$broken"
same "compared with golden, 0 differ" $small --limit 8 --wafer $one --defects $broken \
  --map "$dir/m.json" -- \
  $small --limit 8 --machine "wafer:$one,defects=$broken,map=$dir/m.json"
exit $failed
