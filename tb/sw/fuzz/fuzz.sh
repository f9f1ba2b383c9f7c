#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the mutants and holds the lines of each parser that they reach to 90 %.
# Usage: fuzz.sh PROGRAM GCOV OBJECTS PARSER ...
#   absolute paths; parsers whose lines are held
set -eu
program=$1 gcov=$2 objects=$3
shift 3
find "$objects" -name '*.gcda' -exec rm -f {} +
"$program"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
for parser in "$@"; do
  data=$(find "$objects" -path "*sw/$parser.cpp.gcda")
  share=$("$gcov" -n "$data" | awk -v file="sw/$parser.cpp'" '
    # Named from the root or from the directory of the build.
    /^File / { found = substr($0, length($0) - length(file) + 1) == file; next }
    found && /^Lines executed:/ { sub("Lines executed:", ""); sub("%.*", ""); print; exit }')
  echo "$parser.cpp: ${share:-0} % of its lines"
  awk -v s="${share:-0}" 'BEGIN { exit !(s < 90) }' && failed=1
done
[ $failed -eq 0 ] || echo "the limit is 90 %"
exit $failed
