#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# walltime_test.sh SOURCE
# scripts/walltime with a make that only says what CTest would: the count is of the tests that ran.
set -eu
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
cat >"$scratch/bin/make" <<'EOF'
#!/bin/sh
echo "$3" >>"$MADE"
[ "$3" != test ] || echo "$SAYS"
EOF
chmod +x "$scratch/bin/make"

walltime() {  # walltime WORDS OF MAKE TEST
  rm -f "$scratch/made" "$scratch/times.json"
  PATH="$scratch/bin:$PATH" MADE=$scratch/made SAYS=$1 "$source/scripts/walltime" \
    "$scratch/times.json" >/dev/null 2>"$scratch/errors"
}

walltime "100% tests passed, 0 tests failed out of 17"
[ "$(tr '\n' ' ' <"$scratch/made")" = "sim sim test " ]
grep -q '"tests": 17, ' "$scratch/times.json"
if walltime "nothing ran"; then
  echo "a run without tests has a count" >&2
  exit 1
fi
[ ! -e "$scratch/times.json" ]
grep -q 'does not say how many tests' "$scratch/errors"
