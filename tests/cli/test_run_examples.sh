#!/bin/bash
# Every example is a valid input and runs; a few steps of each.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
cd "$WORK" || exit 1

count=0
for file in "$HERE"/../../examples/*.yaml; do
    name=$(basename "$file" .yaml)
    grep -q spectral "$file" && ! "$MYRIAD" info --json | grep -q fftw && continue
    smaller=() # 32^3 elements take half a minute
    [ "$name" = turbulence ] && smaller=(--set "particles.n=16^3" --set particles.peak=2 --set interaction.reynolds=5)
    fewer=() # a million particles are for a GPU
    [ "$name" = phase_separation ] && fewer=(--set particles.n=4000)
    "$MYRIAD" check "$file" --json "${fewer[@]}" >check.json 2>err || fail "check $name: $(cat err)"
    parses check.json || fail "check $name: not JSON"
    seconds=$(sed -n 's/.*"seconds": \([^,]*\).*/\1/p' check.json)
    between 0 "$seconds" 1e6 || fail "check $name: a time of '$seconds' s"
    "$MYRIAD" run "$file" --quiet --set run.steps=3 --set output.format=csv "${smaller[@]}" "${fewer[@]}" >out 2>err || fail "run $name: $(cat err)"
    [ "$(sed -n 's/.*"steps": \([0-9]*\).*/\1/p' "$name/summary.json" 2>/dev/null)" = 3 ] || fail "run $name: not 3 steps"
    [ -s "$name/snapshot_00001.csv" ] || fail "run $name: no snapshot at the end"
    # The effective input is a valid input with the same meaning.
    "$MYRIAD" check "$name/input.yaml" --quiet >out 2>err || fail "the effective input of $name: $(cat err)"
    "$MYRIAD" run "$name/input.yaml" --quiet --set output.directory=again --force >out 2>err || fail "$name again: $(cat err)"
    cmp -s "$name/snapshot_00001.csv" again/snapshot_00001.csv || fail "the effective input of $name moves otherwise"
    count=$((count + 1))
done
[ "$count" -ge 6 ] || fail "only $count examples"
finish
