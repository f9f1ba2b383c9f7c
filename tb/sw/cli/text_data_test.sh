#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Trainings on texts from the command line. Usage: text_data_test.sh OW ROOT
set -u
ow=$1
root=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# expect STATUS TEXT SED...: a step of the novel's job, changed.
expect() {
  status=$1 text=$2
  shift 2
  sed -e "s,\\.\\./data,$root/data," "$@" "$root/configs/novel-train.yaml" >"$dir/job.yaml"
  "$ow" run "$dir/job.yaml" --mode train --num-steps 1 --device golden >"$dir/out" 2>"$dir/err"
  got=$?
  if [ $got -ne "$status" ] || ! grep -qF -- "$text" "$dir/out" "$dir/err"; then
    echo "$*: exit status $got, not $status, or '$text' is missing:"
    cat "$dir/out" "$dir/err"
    failed=1
  fi
  if [ "$status" -eq 2 ] && [ "$(wc -l <"$dir/err")" -ne 1 ]; then
    echo "$*: more than one line about bad input"
    failed=1
  fi
}

expect 0 "0 differ" -e ''
expect 0 "0 differ" -e 's/sequence: 32/sequence: 32\n  end: "\\n"/'
expect 2 "key 'data.end' must be one token, it is 2" -e 's/sequence: 32/sequence: 32\n  end: "ab"/'
expect 2 "key 'data.tokenizer' is missing" -e '/tokenizer:/d'
expect 2 "none.json: cannot be read" -e 's/tokenizer.json/none.json/'
expect 2 "its tokenizer gives token 75, the network tells 75 apart" -e 's/outputs: 76/outputs: 75/'
printf 'a\377' >"$dir/text"
expect 2 "the text is not UTF-8 at byte 1" -e "s,file: .*,file: $dir/text,"
printf 'abc' >"$dir/text"
expect 2 "3 tokens, too few for a sequence of 32 and its last target" -e "s,file: .*,file: $dir/text,"
exit $failed
