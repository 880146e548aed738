#!/bin/bash
# Far fields (fmm, tree, pseudo-particles) and vortex elements have the same bits on any number of ranks: every rank
# builds the tree of all particles, and evaluates the targets of some of its leaves. MYRIAD_TEST_LONG=1: all numbers of
# ranks.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"
export MYRIAD_SHARE_PAIRS=1 # even the smallest evaluation is shared

cat > stars.yaml <<'END'
particles: {model: plummer, n: 3000}
interaction: {eps: 0.01, method: fmm, tolerance: 1e-3}
integrator: {name: leapfrog, dt: 0.0078125}
run: {end: 0.0234375}
output: {diagnostics: 0.0078125, snapshots: 0.0078125, format: csv, report: false}
END
# strength exchange, tracers, probes
cat > ring.yaml <<'END'
particles: {model: vortex_ring, n: 360, layers: 1, core: 0.3, amplitude: 0.05, waves: 5}
interaction: {kernel: velocity_stretching_transposed, viscosity: 0.0005}
integrator: {name: rk3, dt: 0.05, cfl: 1}
elements: {diffusion: strength_exchange, stream_z: -0.24, relaxation: 0.2}
tracers: {model: uniform, n: 20, scale: 0.3}
probes: {points: [1, 1, 5], from: [0, 0, -2], to: [0, 0, 2]}
run: {end: 0.2}
output: {diagnostics: 0.1, snapshots: 0.1, format: csv, report: false}
END
# new elements after three steps, and weak ones merged
sed -e 's/^elements:.*/elements: {diffusion: core_spreading, weak: merge, weak_below: 0.05, weak_interval: 0.1}/' \
    -e 's/viscosity: 0.0005/viscosity: 0.005, reinitialise_steps: 3/' -e '/^tracers/d' -e '/^probes/d' ring.yaml > new.yaml
cat > turbulence.yaml <<'END'
particles: {model: isotropic_turbulence, n: 12^3, peak: 3}
box: {x: 6.283185307179586, y: 6.283185307179586, z: 6.283185307179586}
interaction: {kernel: velocity_stretching, method: fmm, tolerance: 1e-3, arithmetic: single, accumulator: single,
              reynolds: 10, strengths: solved, reinitialise_steps: 1}
integrator: {name: rk3, dt: 0.1, cfl: 0.7}
run: {end: 0.2}
output: {diagnostics: 0.1, spectra: 0.1, snapshots: 0.1, format: csv, report: false}
END

# compare RANKS THREADS INPUT [OPTIONS]: a run on one rank, and the same on several
compare()
{
    local ranks=$1 threads=$2 name=$3 file shared
    shift 3
    rm -rf one several
    "$MYRIAD" run "$name.yaml" --quiet --set output.directory=one "$@" 2> err || fail "$name $*: $(cat err)"
    on "$ranks" run "$name.yaml" --threads "$threads" --set output.directory=several "$@" ||
        fail "$name $* on $ranks ranks: $(cat out err)"
    for file in one/*.csv; do
        cmp -s "$file" "several/$(basename "$file")" || fail "$name $*: $(basename "$file") is not that of one rank"
    done
    shared=$(sed -n 's/^ranks: .*; \([0-9]*\) of [0-9]* evaluations were shared.*/\1/p' out)
    [ "${shared:-0}" -gt 0 ] || fail "$name: no evaluation was shared: $(cat out)"
    echo "$name $*, $ranks ranks, $threads threads: the same bits; $shared shared evaluations"
}

if [ "$FLAVOUR" = mpich ]; then # ranks that wait keep their cores busy
    compare 2 1 stars
    compare 2 1 ring
    exit 0
fi
compare 2 2 stars
# Steps in which each rank moves its own particles: a tree that is divided at other leaves again and again.
compare 3 1 stars --set output.diagnostics=0.0625 --set output.snapshots=0.0625 --set run.end=0.125
read -r evaluations steps cuts migrated << END
$(sed -n 's/^tree: divided in \([0-9]*\) evaluations*, of which \([0-9]*\) .* moved \([0-9]*\) times*, \([0-9]*\) .*/\1 \2 \3 \4/p' out)
END
[ "${evaluations:-0}" -ge 17 ] && [ "$steps" -ge 12 ] && [ "$cuts" -gt 0 ] && [ "$migrated" -gt 0 ] ||
    fail "the tree was not divided as it should: $(cat out)"
sed 's/eps: 0.01/kernel: gravity_spline, h: 0.02/' stars.yaml > spline.yaml
compare 3 1 spline --set integrator.name=yoshida4 --set output.diagnostics=0.0625 --set output.snapshots=0.0625 \
    --set run.end=0.0625
compare 4 1 stars --set interaction.method=tree
compare 3 1 stars --set interaction.method=pseudo --set interaction.arithmetic=portable
compare 3 1 stars --set interaction.accumulator=double --set interaction.arithmetic=double
compare 5 1 stars --set particles.n=40 # fewer leaves than ranks
sed "s/^integrator:.*/integrator: {name: hermite4}/" stars.yaml > blocks.yaml # few active stars by pairs, many by the tree
compare 3 1 blocks --set interaction.method=tree --set particles.n=2500 --set run.end=0.0078125
compare 2 1 ring
compare 2 1 ring --set interaction.method=pseudo --set interaction.arithmetic=portable
compare 3 1 new
grep -q "elements replaced by" err && grep -q "weak elements merged" err || fail "nothing was replaced: $(cat err)"
if "$MYRIAD" info --json | grep -q fftw; then
    compare 3 1 turbulence
    compare 2 1 turbulence --set interaction.method=tree --set run.end=0.1
fi
if [ -n "${MYRIAD_TEST_LONG:-}" ]; then
    for ranks in 2 3 4 8; do
        for threads in 1 2; do
            for method in fmm tree pseudo; do
                compare $ranks $threads stars --set interaction.method=$method --set run.end=0.25
                compare $ranks $threads ring --set interaction.method=$method --set run.end=1
            done
        done
    done
fi

# From 3 ranks to 1 and to 2, while elements are replaced and merged.
"$MYRIAD" run new.yaml --quiet --set output.directory=one --force --set run.end=0.4 || fail "one rank"
on 3 run new.yaml --set output.directory=on --set run.steps=2 --set run.end=0.4 || fail "3 ranks: $(cat out err)"
"$MYRIAD" run --restart on --quiet --set run.steps=4 || fail "a restart on one rank"
on 2 run --restart on --set run.steps=none || fail "a restart on 2 ranks: $(cat out err)"
last() { find "$1" -name 'snapshot_*.csv' | sort | tail -n 1; }
cmp -s "$(last one)" "$(last on)" || fail "restarts on 3, 1 and 2 ranks end elsewhere"
echo "restarts on 3, 1 and 2 ranks: the same bits"
