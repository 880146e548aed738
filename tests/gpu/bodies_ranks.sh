#!/bin/bash
# Direct sums and Hermite blocks on ranks with a GPU each, or one that they share: 2 and 3 ranks have the bits of one, where
# evaluations are shared. Each rank of a machine takes a GPU of its own. Methods that a plug-in lacks are
# refused. $MYRIAD is the program; the plug-in is that of a GPU or of a pretended one (pretended.c).
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
# shellcheck disable=SC1091
. "$(dirname "$0")/../mpi/common.inc"
"$MYRIAD" info > out; grep -q "compute capability" out || { echo "skipped: $(grep -A 1 "^GPUs:" out)"; exit 77; }
export MYRIAD_SHARE_PAIRS=1

cat > leapfrog.yaml <<'END'
particles: {model: plummer, n: 150}
interaction: {eps: 0.01}
integrator: {name: leapfrog, dt: 0.015625}
backend: {name: cuda}
run: {steps: 6}
output: {diagnostics: 0.03125, snapshots: 0.0625, format: csv, hash: 1, report: false}
END
sed -e 's/n: 150/n: 60/' -e 's/^integrator:.*/integrator: {name: hermite4}/' -e 's/steps: 6/steps: 60/' leapfrog.yaml > hermite.yaml
# compare NAME RANKS: a run on so many ranks against that on one
compare()
{
    local name=$1 ranks=$2 file shared
    : > used
    PRETENDED_USED=$PWD/used on "$ranks" run "$name.yaml" --force --set output.directory="${name}_$ranks" ||
        fail "$name on $ranks ranks: $(cat out err)"
    for file in "$name"_1/snapshot_*.csv "$name"_1/diagnostics.csv "$name"_1/hashes.csv; do
        [ -e "$file" ] || continue
        cmp -s "$file" "${name}_$ranks/$(basename "$file")" || fail "$name: $(basename "$file") of $ranks ranks is not that of one: $(cat err)"
    done
    shared=$(sed -n 's/^ranks: .*; \([0-9]*\) of [0-9]* evaluations were shared.*/\1/p' out)
    [ "${shared:-0}" -gt 4 ] || fail "$name: evaluations were not shared: $(cat out)"
    grep -q '"backend": "cuda"' "${name}_$ranks/run.json" || fail "$name: not on the GPU"
    echo "$name, $ranks ranks: the same bits; $shared shared evaluations"
}

for name in leapfrog hermite; do
    "$MYRIAD" run $name.yaml --quiet --set output.directory=${name}_1 2> err || fail "$name on one rank: $(cat err)"
    compare $name 2
done
PRETENDED_GPUS=2 compare leapfrog 3
if [[ "$MYRIAD_CUDA_PLUGIN" == *pretended* ]] && [ "$(sort used | paste -sd ' ')" != "0 0 1" ]; then
    fail "3 ranks do not take the GPUs 0, 1 and 0: $(paste -sd ' ' used)"
fi
if [[ "$MYRIAD_CUDA_PLUGIN" == *pretended* ]]; then
    PRETENDED_GPUS=2 on 3 info && grep -qF "rank 1: GPU 1 of its machine" out && grep -qF "rank 2: GPU 0 of its machine" out ||
        fail "info on 3 ranks: $(grep -A 5 '^Ranks:' out)"
    PRETENDED_GPUS=2 on 3 info --json && tr -d ' \n' < out | grep -qF '"rank_gpus":[0,1,0]' || fail "info --json: $(tail out)"
fi
# the bits of a run on one rank and its GPU, verified on 2
on 2 verify leapfrog_1 || fail "verify on 2 ranks: $(cat out err)"
if [[ "$MYRIAD_CUDA_PLUGIN" == *pretended* ]]; then # far fields of ranks: far_ranks.sh
    on 2 run leapfrog.yaml --force --set interaction.method=fmm && fail "fmm on GPUs without far fields"
    grep -q "the plug-in has no far fields" err || fail "fmm: $(cat err)"
fi
# a rank without a GPU
timeout 120 bash "$HERE/run.sh" "$FLAVOUR" 1 "$MYRIAD" run leapfrog.yaml --force : -np 1 env MYRIAD_CUDA_PLUGIN=/nowhere.so "$MYRIAD" run leapfrog.yaml --force \
    > out 2> err < /dev/null && fail "a rank without a GPU"
[ "$(cat out err | grep -c '^myriad: [^n]')" -eq 1 ] || fail "not one sentence about a rank without a GPU: $(cat out err)"
exit 0
