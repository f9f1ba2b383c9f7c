#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dependencies_test.sh LINKS NEEDED FORBIDDEN...: of the targets in LINKS (one a line) NEEDED is one
# and none of FORBIDDEN is.
set -eu
links=$1
needed=$2
shift 2
test $# -gt 0
grep -qxF "$needed" "$links"  # the list is of what it says
for target in "$@"; do
  if grep -qxF "$target" "$links"; then
    echo "$(basename "$links" .links) links $target"
    exit 1
  fi
done
