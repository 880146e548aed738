#!/bin/bash
# Far fields on ranks with a GPU each, or one that they share: each rank evaluates the targets of a part of the tree, and
# all values have the bits of one rank. $MYRIAD is the program; the plug-in is that of a GPU or of an emulated one.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
# shellcheck disable=SC1091
. "$(dirname "$0")/../mpi/common.inc"
"$MYRIAD" info > out; grep -q "compute capability" out || { echo "skipped: $(grep -A 1 "^GPUs:" out)"; exit 77; }
export MYRIAD_SHARE_PAIRS=1

cat > far.yaml <<'END'
particles: {model: plummer, n: 900}
interaction: {kernel: gravity_spline, h: 0.02, tolerance: 1e-3}
integrator: {name: leapfrog, dt: 0.015625}
backend: {name: cuda}
run: {steps: 3}
output: {diagnostics: 0.015625, snapshots: 0.015625, format: csv, report: false}
END
for method in fmm tree pseudo; do
    "$MYRIAD" run far.yaml --quiet --force --set interaction.method=$method --set output.directory=one 2> err ||
        fail "$method on one rank: $(cat err)"
    for ranks in 2 $([ $method = fmm ] && echo 3); do
        on $ranks run far.yaml --force --set interaction.method=$method --set output.directory=several ||
            fail "$method on $ranks ranks: $(cat out err)"
        for file in one/*.csv; do
            cmp -s "$file" "several/$(basename "$file")" || fail "$method: $(basename "$file") of $ranks ranks is not that of one"
        done
        shared=$(sed -n 's/^ranks: .*; \([0-9]*\) of [0-9]* evaluations were shared.*/\1/p' out)
        [ "${shared:-0}" -ge 4 ] || fail "$method: evaluations were not shared: $(cat out)"
        grep -q '"backend": "cuda"' several/run.json || fail "$method: not on the GPU"
        echo "$method, $ranks ranks: the same bits; $shared shared evaluations"
    done
done
