#!/bin/bash
# Particles in a box that act on each other by a kernel of examples/pipelines, from the command line: on a GPU the bits of
# the processor in portable arithmetic, and a run that goes on from one to the other.
# shellcheck disable=SC1091
. "$(dirname "$0")/../cli/common.inc"
PIPELINES=$(realpath "$(dirname "$0")/../../examples/pipelines")
"$MYRIAD" info > "$WORK/out"
grep -q "compute capability" "$WORK/out" || { echo "skipped: $(grep -A 1 "^GPUs:" "$WORK/out")"; exit 77; }

cat > "$WORK/morse.yaml" <<END
units: {system: lj}
particles: {model: fcc, n: 500, density: 0.8442, temperature: 1.0}
box: {x: auto}
interaction: {kernel: $PIPELINES/morse.pipe, method: neighbour, a: 5, r0: 1.1, rc: 2.5, arithmetic: portable}
integrator: {name: nose_hoover, dt: 0.004, temperature: 1.0, period: 0.3}
run: {steps: 60}
output: {diagnostics: 0.04, snapshots: 0.12, format: extxyz, report: false}
END

# moves NAME BACKEND: runs the box there
moves()
{
    "$MYRIAD" run "$WORK/morse.yaml" --quiet --set output.directory="$WORK/$1" --set backend.name="$2" 2> "$WORK/err" ||
        fail "on $2: $(cat "$WORK/err")"
    grep -q "\"backend\": \"$2\"" "$WORK/$1/run.json" || fail "not on $2: $(grep '"backend"' "$WORK/$1/run.json")"
}

# like NAME: the results of NAME are those of the processor
like()
{
    cmp -s "$WORK/here/diagnostics.csv" "$WORK/$1/diagnostics.csv" || fail "$1: other diagnostics than the processor"
    for k in 0 1 2; do
        cmp -s "$WORK/here/snapshot_0000$k.extxyz" "$WORK/$1/snapshot_0000$k.extxyz" ||
            fail "$1: snapshot $k is not that of the processor"
    done
}

moves here simd
moves there cuda
like there

"$MYRIAD" run "$WORK/morse.yaml" --quiet --set output.directory="$WORK/on" --set run.steps=30 --set backend.name=cuda ||
    fail "the first half"
"$MYRIAD" run --restart "$WORK/on" --quiet --set run.steps=60 --set backend.name=simd || fail "a restart on the processor"
like on

# A kernel that cannot act in a box is refused with the reason.
! "$MYRIAD" check "$WORK/morse.yaml" --set interaction.cut=smooth 2> "$WORK/err" || fail "another cut"
grep -q "interaction.cut is for Lennard-Jones potentials" "$WORK/err" || fail "another cut: $(cat "$WORK/err")"
sed "s/morse.pipe.*rc: 2.5,/yukawa.pipe, method: neighbour,/" "$WORK/morse.yaml" > "$WORK/yukawa.yaml"
! "$MYRIAD" check "$WORK/yukawa.yaml" --set backend.name=cuda 2> "$WORK/err" || fail "a kernel with charges"
grep -q "kernel yukawa reads fields besides the positions" "$WORK/err" || fail "charges: $(cat "$WORK/err")"
finish
