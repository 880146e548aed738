#!/bin/bash
# Every method that ranks share, over many steps: half of them on some ranks and threads, the other half, from a checkpoint, on
# another number of ranks, with the bits of one rank that was not interrupted. Here a few steps and one pair of numbers.
# MYRIAD_TEST_LONG=1: 200 steps, 1, 2, 3, 4 and 8 ranks with 1 and 2 threads, and turbulence of $SIDE^3 elements (32) for
# $TURBULENT steps (200). $CASES: some of the cases only.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"
# shellcheck source=methods.inc disable=SC1091
. "$HERE/methods.inc"
steps=6 all_ranks=3 all_threads=1 side=6 turbulent=2
if [ -n "${MYRIAD_TEST_LONG:-}" ]; then
    steps=200 all_ranks="1 2 3 4 8" all_threads="1 2" side=${SIDE:-32} turbulent=${TURBULENT:-200}
elif [ "$FLAVOUR" = mpich ]; then
    echo "skipped: ranks that wait keep their cores busy, and once is enough"
    exit 77
fi
tail='output: {diagnostics: ends, snapshots: ends, format: csv, report: false, checkpoint: none}'

# stars METHOD: an input of bodies
stars()
{
    cat <<END
particles: {model: plummer, n: 500}
interaction: {eps: 0.01, method: $1$2}
integrator: {name: leapfrog, dt: 0.0078125}
$tail
END
}
stars direct > direct.yaml
stars fmm ', tolerance: 1e-3' > fmm.yaml
stars tree > tree.yaml
stars pseudo > pseudo.yaml
# two binaries, whose contributions are beyond the grid, without softening
awk 'BEGIN { print "x,y,z,vx,vy,vz,mass"; srand(7)
    for (i = 0; i < 100; i++) {
        for (c = 0; c < 3; c++) { x[c] = 2 * rand() - 1; v[c] = 0.4 * rand() - 0.2 }
        printf "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,0.005\n", x[0], x[1], x[2], v[0], v[1], v[2]
        if (i < 2) printf "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,0.005\n", x[0] + 1e-4, x[1], x[2], v[0], v[1] + 10, v[2]
    } }' > binaries.csv
cat > hermite.yaml <<END
particles: {file: binaries.csv}
interaction: {eps: 0}
integrator: {name: hermite4}
$tail
END
for method in fmm pseudo; do
    cat > vortex_$method.yaml <<END
particles: {model: vortex_ring, n: 360, layers: 1, core: 0.3, amplitude: 0.05, waves: 5}
interaction: {kernel: velocity_stretching_transposed, viscosity: 0.0005, method: $method}
integrator: {name: ab2, dt: 0.01}
$tail
END
done
cat > turbulence.yaml <<END
particles: {model: isotropic_turbulence, n: $side^3, peak: 2}
box: {x: 6.283185307179586, y: 6.283185307179586, z: 6.283185307179586}
interaction: {kernel: velocity_stretching, method: fmm, tolerance: 1e-3, arithmetic: single, accumulator: single,
              reynolds: 10, strengths: solved, reinitialise_steps: 1}
integrator: {name: rk3, dt: 0.02, cfl: 0.7}
$tail
END
alanine_with "$tail" > alanine.yaml

# other RANKS: the number that a run goes on with
other()
{
    local first='' take=''
    for ranks in $all_ranks; do
        first=${first:-$ranks}
        [ -n "$take" ] && { echo "$ranks"; return; }
        [ "$ranks" = "$1" ] && take=1
    done
    [ "$first" = "$1" ] && first=2
    echo "$first"
}

compared=0
for case in ${CASES:-direct hermite fmm tree pseudo vortex_fmm vortex_pseudo turbulence alanine}; do
    if [ $case = turbulence ] && ! "$MYRIAD" info --json | grep -q fftw; then echo "turbulence: left out without FFTW"; continue; fi
    end=$steps
    [ $case = turbulence ] && end=$turbulent
    "$MYRIAD" run $case.yaml --quiet --force --threads 1 --set output.directory=one --set run.steps=$end 2> err || fail "$case: $(cat err)"
    for ranks in $all_ranks; do
        for threads in $all_threads; do
            rm -rf several
            then=$(other "$ranks")
            on "$ranks" run $case.yaml --threads "$threads" --set output.directory=several --set run.steps=$((end / 2)) \
                --set output.checkpoint=0.001 || fail "$case on $ranks ranks: $(cat out err)"
            on "$then" run --restart several --set run.steps=$end || fail "$case: a restart on $then ranks: $(cat out err)"
            cmp -s "$(last one "snapshot_*")" "$(last several "snapshot_*")" || fail "$case: $ranks ranks with $threads threads, then $then ranks: other bits"
            compared=$((compared + 1))
        done
    done
    echo "$case: $end steps, $all_ranks ranks, $all_threads threads, and on with other ranks: the same bits"
done
echo "$compared comparisons"
