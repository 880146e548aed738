#!/bin/bash
# Checkpoints from before the kinds of motion became a table: three small runs in tests/data/checkpoints (bodies with block
# steps, particles in a box, vortex elements of which weak ones are dropped after the restart) were made and continued by
# the program of that time. The rule of the grids of fixed sums has changed since: today's program says so, and continues
# them to the same positions but for the last digits. The input of each run lies beside its checkpoint; portable
# arithmetic, fixed sums and the scalar instruction set give the same bits on every machine.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1

# continues NAME END SNAPSHOT HASH X: from the checkpoint to END; HASH is the SHA-256 of the last snapshot, and X the
# coordinate of the first particle by the old program
continues()
{
    cp -r "$HERE/../data/checkpoints/$1" . || fail "no checkpoint '$1'"
    runs 0 --restart "$1" --set "run.end=$2"
    local got x
    got=$(sha256sum <"$1/$3.csv" | cut -d ' ' -f 1)
    [ "$got" = "$4" ] || fail "$1: the continued run ends with $got, not with $4"
    x=$(grep -v '^#' "$1/$3.csv" | sed -n 2p | cut -d , -f 3)
    # measured: 1.4e-14 (bodies), 4.7e-11 (box), 1.4e-9 (elements, whose pairs are summed in another order in floats)
    awk -v x="$x" -v old="$5" -v most="${6:-2e-10}" 'BEGIN { d = x - old; exit !(d < most && d > -most) }' ||
        fail "$1: the first particle ends at x = $x, and that of the old program at $5"
}

continues gravity 0.5 snapshot_00002 84e36e3207ab62c95ce06cdc9bd9dd509d641faab804d40c4d91201568613010 \
    0.79687671262481752
grep -q "grids of fixed sums" err || fail "nothing was said about the grids of an old checkpoint"
continues box "100 fs" snapshot_00002 66b3189015226bf0685725cdd0daed17eaf736d89dc73698e0c37f2c96efb810 -4.37595628102601
continues vortex 0.375 snapshot_00003 15c426593ad0296e813d5d831269da096294d663b3ad962ccda7bc757f7fb3b8 \
    1.0048059465432555 5e-9
is "$(column vortex weak_gone)" 64 64 "the number of weak elements that the continued run dropped"

finish
