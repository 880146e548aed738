#!/bin/bash
# What `myriad molecule` prints: energies by term that belong together, and its errors.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"
files=${MYRIAD_REFDATA:-../shared/data}/amber/alanine-dipeptide-implicit
[ -f "$files.prmtop" ] || { echo "skipped: $files.prmtop is not there"; exit 77; }

# energy KEY ARGS...: one number of the JSON
energy()
{
    local key=$1
    shift
    "$MYRIAD" molecule "$files.prmtop" "$files.inpcrd" --json "$@" >"$WORK/json" || fail "myriad molecule $*"
    sed -n "s/^ *\"$key\": \([^,]*\),\{0,1\}$/\1/p" "$WORK/json" | tail -n 1
}

expect 0 'Lennard-Jones of 1-4 pairs         5.0156916865 kcal/mol' molecule "$files.prmtop" "$files.inpcrd"
expect 0 '"coulomb14"' molecule "$files.prmtop" "$files.inpcrd" --json
parses "$WORK/out" || fail "molecule --json is not JSON"
# A dielectric of 4 divides the charges' energies by 4 and leaves the others alone.
between 0.9999999999 "$(awk -v a="$(energy coulomb)" -v b="$(energy coulomb --param dielectric=4)" 'BEGIN { print a / b / 4 }')" \
    1.0000000001 || fail "a dielectric of 4"
[ "$(energy lj)" = "$(energy lj --dielectric sigmoidal)" ] || fail "Lennard-Jones depends on the dielectric"
between 0 "$(energy net_force)" 1e-13 || fail "net force"

expect 2 'say which FILE' molecule "$files.prmtop"
expect 1 'this is no AMBER topology' molecule "$files.inpcrd" "$files.prmtop"
expect 2 "did you mean 'linear'" molecule "$files.prmtop" "$files.inpcrd" --dielectric linaer
head -c 9000 "$files.prmtop" >"$WORK/cut.prmtop"
expect 1 'cut.prmtop' molecule "$WORK/cut.prmtop" "$files.inpcrd"
"$MYRIAD" init uniform -n 21 -o "$WORK/a.csv" --quiet
expect 1 'the topology has 22 atoms, the coordinates are of 21' molecule "$files.prmtop" "$WORK/a.csv"
finish
