#!/bin/bash
# Checkpoints from before the kinds of motion became a table: three small runs in tests/data/checkpoints (bodies with block
# steps, particles in a box, vortex elements of which weak ones are dropped after the restart) were made and continued by
# the program of that time. Today's program must continue them to the same bytes. The input of each run lies beside its
# checkpoint; portable arithmetic, fixed sums and the scalar instruction set give the same bits on every machine.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1

# continues NAME END SNAPSHOT HASH: from the checkpoint to END; HASH is the SHA-256 of the last snapshot by the old program
continues()
{
    cp -r "$HERE/../data/checkpoints/$1" . || fail "no checkpoint '$1'"
    run --restart "$1" --set "run.end=$2"
    local got
    got=$(sha256sum <"$1/$3.csv" | cut -d ' ' -f 1)
    [ "$got" = "$4" ] || fail "$1: the continued run ends with $got, and that of the old program with $4"
}

continues gravity 0.5 snapshot_00002 cdbed25f5391e2950ab4cca0be10ff28c275b5949ad550a83a74221ec2e12c88
# The old program gave its last step the length end - time, which differs from dt by rounding: this hash is that of its
# snapshot at 100 fs in a run to 105 fs.
continues box "100 fs" snapshot_00002 a77932991e27dd4de0b6681aa7f1358ace05388102134114058863c161045cd2
continues vortex 0.375 snapshot_00003 160ae54c7369bac5e0ebb397c4f7a5ac411a82fd8cdcac385872e2c735a09082
is "$(column vortex weak_gone)" 64 64 "the number of weak elements that the continued run dropped"

finish
