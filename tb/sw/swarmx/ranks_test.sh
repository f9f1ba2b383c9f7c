#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A training under mpirun: the bits of one process, the end of a run in which a rank dies, and what is
# refused. Usage: ranks_test.sh OW MPIRUN DATA
set -u
ow=$1 mpirun=$2 data=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0
fail() {
  echo "$*"
  failed=1
}

cat >job.yaml <<END
data:
  file: $data/optdigits/digits.csv.gz
  scale: 16
  held_out_modulo: 4
  held_out_remainder: 3
network:
  layers: [64, 24, 10]
grid:
  rows: 2
  columns: 2
  samples_per_tile: 8
train:
  seed: 1
  steps: 12
  num_wafers: 4
  micro_batches: 4
  optimizer: {kind: adamw, rate: 0.01, max_norm: 1}
  loss_scale: 256
  sparsity:
    - {pattern: "*.weight", algorithm: rigl, density: 0.3, update: {every: 4}}
  checkpoints: {every: 4}
END
sed 's/steps: 12/steps: 1000000/' job.yaml >long.yaml

# A rank's part: its standard error goes to a file of its own, its number as a process to another.
# mpirun ends what a shell starts by a signal to the shell, too.
cat >rank.sh <<END
echo \$\$ >pid.\$OMPI_COMM_WORLD_RANK
exec "$ow" run "\$@" 2>err.\$OMPI_COMM_WORLD_RANK
END

same() {
  cmp -s one/checkpoint-000000000012.safetensors "$1/checkpoint-000000000012.safetensors" ||
    fail "$1: other weights than those of one wafer"
}

"$ow" run job.yaml --mode train --device golden --num_csx 1 --model-dir one >out 2>&1 ||
  fail "one wafer: status $? $(cat out)"
for ranks in 2 3 4; do
  "$mpirun" -n $ranks "$ow" run job.yaml --mode train --device golden --model-dir r$ranks \
    --json r$ranks.json >out 2>&1 || fail "$ranks ranks: status $? $(cat out)"
  same r$ranks
  grep -q "in $ranks ranks" out || fail "$ranks ranks: are not named"
  [ "$(grep -c comparison out)" -eq 1 ] || fail "$ranks ranks: more than one of them speaks"
done
# On tiles, half of the steps in two ranks, the others on two wafers of one.
"$mpirun" -n 2 "$ow" run job.yaml --mode train --num-steps 2 --model-dir tiles >out 2>&1 ||
  fail "tiles: status $? $(cat out)"
"$ow" run job.yaml --mode train --device golden --resume --num_wafers 2 --model-dir tiles \
  >out 2>&1 || fail "resumed: status $? $(cat out)"
same tiles
# Tokens: the ranks get the rows of the tables.
printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (640,), }" >text.npy
gzip -dc "$data/optdigits/digits.csv.gz" | tr -dc '0-6' | head -c 640 | tr '0-6' '\000-\006' >>text.npy
cat >tokens.yaml <<END
data: {file: text.npy, format: tokens, sequence: 16}
network:
  inputs: tokens
  layers:
    - {name: wte, kind: embedding, inputs: input, vocabulary: 7, width: 8, positions: 16}
    - {name: head, kind: linear, inputs: wte, outputs: 7, bias: false, share: {weight: wte.weight}}
grid: {rows: 2, columns: 2, samples_per_tile: 16}
train: {seed: 3, steps: 12, micro_batches: 4, num_wafers: 4, optimizer: {kind: adamw, rate: 0.01}}
END
for ranks in 1 2; do
  "$mpirun" -n $ranks "$ow" run tokens.yaml --mode train --device golden --model-dir t$ranks \
    >out 2>&1 || fail "tokens, $ranks ranks: status $? $(cat out)"
done
cmp -s t1/checkpoint-000000000012.safetensors t2/checkpoint-000000000012.safetensors ||
  fail "tokens: other weights in 2 ranks"
# Outputs of samples without classes, of which each wafer takes some.
gzip -dc "$data/optdigits/digits.csv.gz" | head -n 40 | cut -d, -f1-64 >new.csv
sed "s|$data/optdigits/digits.csv.gz|new.csv|; /held_out/d" job.yaml >new.yaml
"$mpirun" -n 2 "$ow" run new.yaml --mode predict --num-wafers 2 --device golden --model-dir r2 \
  >out 2>&1 || fail "predict: status $? $(cat out)"
"$ow" run new.yaml --mode predict --device golden --num-wafers 1 --model-dir one >out 2>&1 ||
  fail "predict on one wafer: status $? $(cat out)"
cmp -s one/predictions.safetensors r2/predictions.safetensors || fail "other outputs in 2 ranks"

# end_by SIGNAL RANK: the rank gets it while a run goes on; all others end within 10 s with status 3
# and one line each.
end_by() {
  rm -rf gone err.*
  "$mpirun" -n 3 sh rank.sh long.yaml --mode train --model-dir gone >out 2>mpi &
  run=$!
  tries=0
  until [ -e gone/checkpoint-000000000004.safetensors ]; do
    sleep 0.2
    tries=$((tries + 1))
    [ $tries -lt 300 ] || break
  done
  victim=$(cat "pid.$2")
  begin=$(date +%s)
  kill -"$1" "$victim"
  wait "$run"
  status=$?
  took=$(($(date +%s) - begin))
  [ $status -ne 0 ] || fail "$1 to rank $2: mpirun's status is 0"
  [ $took -le 10 ] || fail "$1 to rank $2: the run ended after $took s"
  for rank in 0 1 2; do
    [ $rank -ne "$2" ] || continue
    # mpirun's SIGKILL follows its SIGTERM at once, so a rank may print nothing. mpirun names the dead.
    [ ! -s err.$rank ] && grep -q "rank $2 .*exited on signal" mpi && continue
    [ "$(wc -l <err.$rank)" -eq 1 ] && grep -qE '^ow: (device fault: .*ended|SIGTERM: asked to end)' err.$rank ||
      fail "$1 to rank $2: rank $rank says '$(cat err.$rank)', mpirun '$(cat mpi)'"
  done
}
# resumed RANK: with other ranks and wafers than the run that lost this one.
resumed() {
  "$ow" run long.yaml --mode train --device golden --resume --num-steps 1 --num-wafers 2 \
    --model-dir gone >out 2>&1 || fail "resumed after the death of rank $1: status $? $(cat out)"
}
# Rank 0 has MemoryX, and the checkpoints are its own.
for lost in 1 0; do
  end_by KILL $lost
  grep -qE "SIGTERM|rank $lost has ended" err.$((1 - lost)) err.2 ||
    fail "KILL to rank $lost: of those that were ended none says so"
  resumed $lost
  end_by STOP $lost
  grep -q "rank $lost has ended: it has given no sign of life" err.$((1 - lost)) ||
    fail "STOP to rank $lost: a dead rank is not named"
done
resumed 0

# asked SIGNAL RANK: the rank, or mpirun, gets it; all ranks end after the same step, with a checkpoint
# and status 4, and the run goes on to the same bits.
sed 's/steps: 12/steps: 200/; s/checkpoints: .*/checkpoints: {every: 1000}/' job.yaml >more.yaml
"$ow" run more.yaml --mode train --device golden --no-check --model-dir more >out 2>&1 ||
  fail "more steps: status $? $(cat out)"
asked() {
  rm -rf gone err.*
  "$mpirun" -n 3 sh rank.sh more.yaml --mode train --device golden --model-dir gone >out 2>mpi &
  run=$!
  tries=0
  until [ -s gone/metrics.jsonl ] || [ $tries -eq 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  case $2 in
    mpirun) kill -"$1" "$run" ;;
    *) kill -"$1" "$(cat "pid.$2")" ;;
  esac
  wait "$run"
  status=$?
  [ $status -eq 4 ] || fail "$1 to $2: status $status, not 4: $(cat out err.* mpi)"
  [ "$(ls gone | grep -c '^checkpoint-')" -eq 1 ] || fail "$1 to $2: checkpoints: $(ls gone)"
  "$ow" run more.yaml --mode train --device golden --no-check --resume=auto --model-dir gone \
    >out 2>&1 || fail "$1 to $2, resumed: status $? $(cat out)"
  cmp more/checkpoint-000000000200.safetensors gone/checkpoint-000000000200.safetensors ||
    fail "$1 to $2: other weights than those of a whole run"
}
asked USR1 mpirun # which it passes on
asked TERM 1
asked INT 0

# refused TEXT ARGUMENTS...: status 2, one line.
refused() {
  text=$1
  shift
  "$ow" run "$@" >out 2>err
  status=$?
  [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$text" err ||
    fail "$*: status $status, '$(cat err)', not '$text'"
}
refused '--num-wafers: must be a whole number from 1 to 1024, not 0' job.yaml --num-wafers 0
refused '3 wafers cannot share the 4 micro-batches of a step equally' \
  job.yaml --mode train --device golden --num-wafers 3
sed 's/micro_batches: 4/micro_batches: 6/; s/num_wafers: 4/num_wafers: 2/' job.yaml >six.yaml
refused 'each of 2 wafers would take 3 of the 6 micro-batches of a step, which is not a power of two' \
  six.yaml --mode train --device golden
sed 's/num_wafers: 4/num_wafers: 0/' job.yaml >none.yaml
refused "key 'train.num_wafers' must be a whole number from 1 to 1024, not '0'" \
  none.yaml --mode train --device golden
refused '--record: only a training on one wafer is recorded' \
  job.yaml --mode train --record waves
# Rank 0 alone reads the samples, for longer than ranks take to say goodbye.
mkfifo slow.csv
sed "s|$data/optdigits/digits.csv.gz|slow.csv|" job.yaml >slow.yaml
(
  sleep 12
  gzip -dc "$data/optdigits/digits.csv.gz" >slow.csv
) &
"$mpirun" -n 2 "$ow" run slow.yaml --mode train --device golden --validate-only >out 2>&1 ||
  fail "samples that are read for long: status $? $(cat out)"
# Processes of a launcher that MPI does not know would each train by themselves.
(
  export SLURM_STEP_NUM_TASKS=4
  refused 'started as one of 4 processes, of which MPI finds 1' job.yaml --mode train --device golden
  exit $failed
) || failed=1
"$mpirun" -n 3 sh rank.sh job.yaml --mode train --device golden --num-wafers 2 >out 2>mpi
[ $? -eq 2 ] || fail "more ranks than wafers: mpirun's status is not 2"
grep -q '3 ranks for 2 wafers: a rank has at least one' err.0 || fail "err.0: $(cat err.0)"
[ "$(cat err.0 err.1 err.2 | wc -l)" -eq 1 ] || fail "more ranks than wafers: $(cat err.0 err.1 err.2)"
# A network is no work for several, who would write the same files.
sed '/^train:/,$d' job.yaml >network.yaml
rm -f err.*
"$mpirun" -n 2 sh rank.sh network.yaml --device golden --save-weights weights >out 2>mpi
[ $? -eq 2 ] || fail "a network: mpirun's status is not 2"
[ "$(cat err.0 err.1)" = \
  "ow: bad input: network.yaml: key 'train' is missing: a network is run by one process, not 2" ] ||
  fail "a network: $(cat err.0 err.1)"
exit $failed
