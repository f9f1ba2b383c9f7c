#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dependencies_test.sh LINKS: of the targets in LINKS (one a line) none is an oracle or belongs to
# the tests.
set -eu
test -s "$1"
grep -qx ow_runtime "$1"  # the list is of what it says
! grep -xE 'ow_(golden|iss|lockstep|tile_lockstep|bench|deadlocks|fabric|link|fp|dft)|Eigen3::Eigen' "$1"
