#!/bin/bash
# The memory of a rank depends on its particles, not on how many ranks there are: a box that is made, run and written on
# 2 ranks and on 8, with as many particles for each, and goes on from its checkpoint. The first snapshot is that of one
# rank.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"
[ "$FLAVOUR" = mpich ] && { echo "skipped: ranks of MPICH that wait keep their cores busy"; exit 77; }

cat > in.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 864, density: 0.8, temperature: 1}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5}
integrator: {dt: 0.004}
run: {steps: 2}
output: {diagnostics: ends, snapshots: ends, format: h5md, report: false}
END
if ! "$MYRIAD" run in.yaml --quiet --set output.directory=one --set particles.n=125000 2> err; then
    grep -q h5md err && { echo "skipped: this build has no HDF5: $(cat err)"; exit 77; }
    fail "one rank: $(cat err)"
fi

# megabytes DIRECTORY: of rank 0, and of the rank that has had most
megabytes()
{
    sed -n '/"each"/,$s/^ *"memory": *\([0-9.e+]*\),*$/\1/p' "$1/run.json" |
        awk 'NR == 1 { first = $1 } $1 > most { most = $1 } END { print first / 1e6, most / 1e6, NR }'
}

# told RANKS: what ranks say about their memory
told()
{
    read -r first most count <<< "$(megabytes "$1")"
    [ "${count:-0}" -eq "$1" ] || fail "$count ranks tell their memory"
}

for ranks in 2 8; do
    on $ranks run in.yaml --quiet --set output.directory=$ranks --set particles.n=$((62500 * ranks)) ||
        fail "$ranks ranks: $(cat out err)"
    told $ranks
    echo "$ranks ranks: rank 0 has had $first MB, and nobody more than $most MB"
    begun="$first $most"
    on $ranks run --restart $ranks --quiet --set run.steps=3 --set output.snapshots=none ||
        fail "a restart on $ranks ranks: $(cat out err)"
    told $ranks
    echo "$ranks ranks that go on: rank 0 has had $first MB, and nobody more than $most MB"
    [ $ranks -eq 2 ] && few="$begun $first $most"
done
cmp -s one/snapshot_00000.h5md 2/snapshot_00000.h5md || fail "the first snapshot of 2 ranks is not that of one"
# begun: 61 and 67 MB, 1.09, the same 6 MB with a third of the particles; where rank 0 makes them all, 72 and 163
# gone on from a checkpoint: 58 and 62 MB, 1.07
echo "$few $begun $first $most" | awk '{ for (k = 1; k <= 4; k++) bad += $(k + 4) >= 1.2 * $k } END { exit bad }' ||
    fail "memory grows with the number of ranks"
