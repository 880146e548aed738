#!/bin/bash
# myriad sweep --gpus: each run gets one GPU, by MYRIAD_CUDA_DEVICES, and as many runs go at a time as there are GPUs.
# $MYRIAD is the program; the plug-in pretends to have GPUs (pretended.c).
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
# shellcheck disable=SC1091
. "$(dirname "$0")/../cli/common.inc"
cd "$WORK" || exit 1
cat > in.yaml <<'END'
particles: {model: plummer, n: 60}
interaction: {eps: 0.01}
integrator: {name: leapfrog, dt: 0.015625}
backend: {name: cuda}
run: {steps: 4}
output: {format: csv, report: false}
sweep: {particles.seed: 1..4}
END
export PRETENDED_OPENED=$WORK/opened PRETENDED_GPUS=4
# gpus LIST EXPECTED OPTIONS...: a sweep with --gpus LIST opens these, one for each of its four runs
gpus()
{
    local list=$1 expected=$2
    shift 2
    rm -f opened
    "$MYRIAD" sweep in.yaml --force --gpus "$list" "$@" > out 2> err < /dev/null || fail "--gpus $list: $(cat out err)"
    [ "$(wc -l < opened)" -eq 4 ] || fail "--gpus $list: opened $(paste -sd ' ' opened)"
    [ "$(sort -u opened | paste -sd ' ')" = "$expected" ] || fail "--gpus $list: opened $(paste -sd ' ' opened), not $expected"
}
gpus 2 "0 1"
grep -q "2 at a time" out err || fail "two GPUs: $(cat out err)"
gpus 3,1 "1 3"
gpus 2, 2
grep -q "1 at a time" out err || fail "one GPU: $(cat out err)"
gpus 0,2 "0 2" --jobs 3
finish
