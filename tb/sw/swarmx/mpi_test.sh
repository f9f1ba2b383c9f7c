#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Messages between processes: of any size, and what becomes of a call of MPI that fails.
# Usage: mpi_test.sh MPI_RANKS MPIRUN
set -u
program=$1 mpirun=$2
failed=0
out=$("$mpirun" -n 2 "$program" pieces 2>&1) || {
  echo "pieces: $out"
  failed=1
}
# A rank ends without MPI_Finalize after a failure, which mpirun reports too.
for call in Issend Test Improbe Imrecv; do
  out=$("$mpirun" -n 2 "$program" $call 2>&1)
  for line in 'rank 1 at once: a .* with rank 0 has failed: ' \
    'rank 0 at once: rank 1 has ended: a .* has failed: '; do
    echo "$out" | grep -q "^$line" || {
      echo "$call: '$line' is not in: $out"
      failed=1
    }
  done
done
exit $failed
