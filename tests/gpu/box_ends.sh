#!/bin/bash
# How a run of particles in a box on a GPU ends early: steps too long, particles at one place, no memory, a lost GPU. The
# sentence, the exit code, the diagnostics and the last good state are those of the processor. $MYRIAD is the program; the
# plug-in is that of a GPU or of an emulated one (emulated/device.h), which alone can be lost at a chosen launch.
# shellcheck disable=SC1091
. "$(dirname "$0")/../cli/common.inc"
"$MYRIAD" info >"$WORK/info"
grep -q "compute capability" "$WORK/info" || { echo "skipped: $(grep -A 1 "^GPUs:" "$WORK/info")"; exit 77; }
cd "$WORK" || exit 2

cat >box.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 500, density: 0.7, temperature: 2}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5, cut: smooth, arithmetic: portable}
integrator: {dt: 0.005}
run: {steps: 300, threads: 1}
output: {diagnostics: 0.03, snapshots: ends, format: csv, report: false}
END
cat >one_place.csv <<'END'
id,x,y,z,vx,vy,vz,mass
0,1,1,1,0,0,0,1
1,1,1,1,0,0,0,1
2,4,4,4,0,0,0,1
END

sed 's/^particles: .*/particles: {file: one_place.csv}/' box.yaml >one_place.yaml
echo 'box: {x: 6, y: 6, z: 6}' >>one_place.yaml

# ends NAME TEXT INPUT OPTIONS...: both backends end with the same sentence, which has TEXT, and the same files
ends()
{
    local name=$1 text=$2 input=$3 backend file code
    shift 3
    for backend in simd cuda; do
        "$MYRIAD" run "$input" --quiet --set output.directory="${name}_$backend" --set backend.name=$backend "$@" \
            >/dev/null 2>"$backend.err"
        code=$?
        [ $code -ne 0 ] || fail "$name: a run on $backend that should have failed"
        echo "exit code $code" >>$backend.err
        grep -v "note: compiling" $backend.err >$backend.said
    done
    grep -qF -- "$text" cuda.said || fail "$name: '$text' is not in: $(cat cuda.said)"
    cmp -s simd.said cuda.said || fail "$name: the processor says: $(cat simd.said); the GPU: $(cat cuda.said)"
    for file in "${name}_simd"/*.csv; do
        [ ! -e "$file" ] || cmp -s "$file" "${name}_cuda/${file##*/}" || fail "$name: ${file##*/} is another on the GPU"
    done
}

ends long "would move by" box.yaml --set particles.temperature=9 --set integrator.dt=0.03 --set output.diagnostics=0.03
[ -s long_cuda/last_good.csv ] || fail "no last good state"
ends one_place "same place" one_place.yaml

# none of the processor's sentences: memory and devices
MYRIAD_CUDA_MEMORY=100000 "$MYRIAD" run box.yaml --quiet --set output.directory=full --set backend.name=cuda 2>err &&
    fail "a run without memory"
grep -q "would pass MYRIAD_CUDA_MEMORY = 100000" err || fail "no memory: $(cat err)"
if grep -q "emulated" info; then
    EMULATED_LOST=150 "$MYRIAD" run box.yaml --quiet --force --set output.directory=lost --set backend.name=cuda 2>err &&
        fail "a run without its GPU"
    grep -q "GPU: .*the emulated GPU is lost" err || fail "a lost GPU: $(cat err)"
    [ -s lost/last_good.csv ] || fail "no last good state of a lost GPU"
fi
finish
