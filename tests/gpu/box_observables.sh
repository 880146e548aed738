#!/bin/bash
# Observables of a box on a GPU: pairs by distance and particles by slice are counted there, and the files of all
# observables are those of the processor to the last byte, in portable arithmetic, also after a restart.
# shellcheck disable=SC1091
. "$(dirname "$0")/../cli/common.inc"
"$MYRIAD" info >"$WORK/info"
grep -q "compute capability" "$WORK/info" || { echo "skipped: $(grep -A 1 "^GPUs:" "$WORK/info")"; exit 77; }

cat >"$WORK/mixture.yaml" <<'END'
units: {system: lj}
particles: {model: fcc, n: 500, density: 0.7, temperature: 1.3}
species: [{name: a, epsilon: 1, sigma: 1, mass: 1, fraction: 0.7}, {name: b, epsilon: 0.8, sigma: 0.9, mass: 2, fraction: 0.3}]
interaction: {method: neighbour, cutoff: 2.5, arithmetic: portable}
integrator: {name: langevin, dt: 0.005, temperature: 1.3, friction: 1}
barostat: {pressure: 1, interval: 5}
run: {steps: 24}
observables: {interval: 0.02, bins: 150, slices: 37, axis: x}
output: {diagnostics: 0.12, snapshots: none, checkpoint: none, report: false}
END
# more bins than a block of threads counts for itself, none of which a float can tell from the next
sed 's/bins: 150, slices: 37, axis: x/bins: 20000, reach: 2.2, measure: [rdf]/' "$WORK/mixture.yaml" >"$WORK/fine.yaml"
# in a box that does not change paths are correlated on the GPU too
sed -e '/^barostat/d' -e 's/interval: 0.02, bins: 150/interval: 0.02, spacing: 2, bins: 150/' "$WORK/mixture.yaml" >"$WORK/liquid.yaml"
cat >"$WORK/droplet.yaml" <<'END'
units: {system: lj}
particles: {model: fcc, n: 256, density: 0.8, temperature: 0.7}
box: {x: open, y: open, z: open}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5, arithmetic: portable}
integrator: {dt: 0.005}
run: {steps: 24}
observables: {interval: 0.02, slices: 20}
output: {diagnostics: 0.12, snapshots: none, checkpoint: none, report: false}
END

# run NAME BACKEND DIRECTORY [option...]
run()
{
    local name=$1 backend=$2 directory="$WORK/$3"
    shift 3
    "$MYRIAD" run "$WORK/$name.yaml" --quiet --set output.directory="$directory" --set backend.name="$backend" "$@" \
        2>"$WORK/err" || fail "$name on $backend: $(cat "$WORK/err")"
}

bytes() { sed -n 's/.*"device_memory_bytes": \([0-9]*\).*/\1/p' "$1/run.json"; }

for name in mixture fine liquid droplet; do
    run $name simd ${name}_simd
    run $name cuda ${name}_cuda
    files=0
    for kind in rdf msd vacf profile; do
        [ -e "$WORK/${name}_simd/$kind.csv" ] || continue
        files=$((files + 1))
        cmp -s "$WORK/${name}_simd/$kind.csv" "$WORK/${name}_cuda/$kind.csv" ||
            fail "$name: $kind.csv of the GPU is not that of the processor"
    done
    [ $files -gt 0 ] || fail "$name: no observables"
done
# 3 pairs of types with 20000 counts of 8 bytes each are in the memory of the GPU
run fine cuda fine_none --set observables.interval=none
[ "$(bytes "$WORK/fine_cuda")" -gt $(($(bytes "$WORK/fine_none") + 300000)) ] || fail "nothing was counted on the GPU"
# two observables with 50 origins of three numbers for 500 particles each
run liquid cuda liquid_none --set observables.interval=none
[ "$(bytes "$WORK/liquid_cuda")" -gt $(($(bytes "$WORK/liquid_none") + 1200000)) ] || fail "nothing was correlated on the GPU"
# the state of a checkpoint has what the GPU has correlated
run liquid cuda halves --set run.steps=12 --set output.checkpoint=600
"$MYRIAD" run --restart "$WORK/halves" --quiet --set run.steps=24 2>"$WORK/err" || fail "a restart: $(cat "$WORK/err")"
for kind in msd vacf; do
    cmp -s "$WORK/liquid_simd/$kind.csv" "$WORK/halves/$kind.csv" || fail "$kind.csv after a restart on the GPU is another"
done
finish
