#!/bin/bash
# backend auto and particles in a box: a GPU from the size on where it was measured to be faster, told in run.json and in
# the report; the processor below, for more threads, and where the GPU has no memory. Phases of the steps are told.
# shellcheck disable=SC1091
. "$(dirname "$0")/../cli/common.inc"
"$MYRIAD" info >"$WORK/info"
grep -q "compute capability" "$WORK/info" || { echo "skipped: $(grep -A 1 "^GPUs:" "$WORK/info")"; exit 77; }

cat >"$WORK/box.yaml" <<'END'
units: {system: lj}
particles: {model: fcc, n: 4000, density: 0.8442, temperature: 1.44}
interaction: {kernel: lennard_jones, method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5, cut: truncated}
integrator: {name: verlet, dt: 0.005}
run: {end: 0.1, threads: 2}
output: {snapshots: none}
END

# backend NAME WANTED [option...]: runs the box, and looks at the backend that it took
backend()
{
    local directory="$WORK/$1" wanted=$2
    shift 2
    "$MYRIAD" run "$WORK/box.yaml" --set output.directory="$directory" "$@" >/dev/null 2>"$WORK/err" ||
        fail "$directory: $(cat "$WORK/err")"
    grep -q "\"backend\": \"$wanted\"" "$directory/run.json" ||
        fail "$directory: not on $wanted: $(grep '"backend"' "$directory/run.json")"
}

backend large cuda
grep -A 1 '"gpus"' "$WORK/large/run.json" | grep -q '"[a-zA-Z]' || fail "run.json does not name the GPU"
for fact in device_step_seconds device_list_seconds device_rest_seconds; do
    grep -q "\"$fact\": [0-9]" "$WORK/large/run.json" || fail "run.json has no $fact"
done
backend wide cuda --set interaction.skin=0.5
grep -q '"skin": 0.5,' "$WORK/wide/run.json" || fail "a skin was not used: $(grep '"skin"' "$WORK/wide/run.json")"
grep -q "steps on the GPU" "$WORK/large/"*.html || fail "the report does not tell the phases of the steps"
backend small simd --set particles.n=864
grep -q device_step_seconds "$WORK/small/run.json" && fail "a box on the processor has times of a GPU"
backend threads simd --set run.threads=64
backend named simd --set backend.name=simd
MYRIAD_CUDA_MEMORY=1000 backend memory simd --set output.report=false
grep -q "MYRIAD_CUDA_MEMORY.*the particles move on the processor instead" "$WORK/err" ||
    fail "not told that the GPU has no memory: $(cat "$WORK/err")"
finish
