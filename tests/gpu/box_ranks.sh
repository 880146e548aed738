#!/bin/bash
# Particles in a box on GPUs, one for each rank or one that ranks share: 2 and 4 ranks have the bits of one, while particles
# change their rank; in portable arithmetic these are the bits of the processor. $MYRIAD is the program; the plug-in is that
# of a GPU or of an emulated one (emulated/device.h).
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
# shellcheck disable=SC1091
. "$(dirname "$0")/../mpi/common.inc"
PIPELINES=$(realpath "$HERE/../../examples/pipelines")
"$MYRIAD" info > out; grep -q "compute capability" out || { echo "skipped: $(grep -A 1 "^GPUs:" out)"; exit 77; }

cat > verlet.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 500, density: 0.7, temperature: 2.0}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5, cut: smooth, arithmetic: portable}
integrator: {dt: 0.005}
run: {steps: 40}
output: {diagnostics: 0.05, snapshots: 0.1, format: extxyz, report: false}
END
# Two species held by springs, in a box whose volume changes, under a chain.
cat > mixture.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 256, density: 0.6, temperature: 1.3}
species:
  - {name: a, epsilon: 1, sigma: 1, mass: 1, fraction: 0.7}
  - {name: b, epsilon: 0.8, sigma: 0.9, mass: 2.5, fraction: 0.3}
interaction: {method: neighbour, cutoff: 2.5, arithmetic: single, check: true}
restraint: {stiffness: 5, species: b}
integrator: {name: nose_hoover, dt: 0.005, temperature: 1.3, period: 0.5}
barostat: {pressure: 1, interval: 5}
run: {steps: 12}
output: {diagnostics: 0.03, snapshots: 0.06, format: extxyz, report: false}
END
# A film between walls along an open axis, which a field pulls down.
cat > film.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 500, density: 0.65, temperature: 0.9}
box: {x: auto, y: auto, z: open}
walls: [{axis: z, kind: lj93, low: -6, high: 12, epsilon: 3, sigma: 1, cutoff: 3}]
external: [{kind: uniform_field, acceleration_z: -0.02}]
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5, arithmetic: portable}
integrator: {name: langevin, dt: 0.005, temperature: 0.9, friction: 0.5}
run: {steps: 30}
output: {diagnostics: 0.05, snapshots: 0.1, format: extxyz, report: false}
END
# A kernel of the user's, by a chain.
cat > formula.yaml <<END
units: {system: lj}
particles: {model: fcc, n: 500, density: 0.7, temperature: 1.3}
box: {x: auto}
interaction: {kernel: $PIPELINES/morse.pipe, method: neighbour, a: 5, r0: 1.1, rc: 2.4, arithmetic: portable}
integrator: {name: nose_hoover, dt: 0.005, temperature: 1.3, period: 0.5}
run: {steps: 20}
output: {diagnostics: 0.05, snapshots: 0.05, format: extxyz, report: false}
END
# Two species at random places, moved apart on the GPUs before the first step.
cat > minimum.yaml <<'END'
units: {system: lj}
particles: {model: random, n: 300, density: 0.6, temperature: 1, thermal: 1.3}
species:
  - {name: a, epsilon: 1, sigma: 1, mass: 1, fraction: 0.7}
  - {name: b, epsilon: 0.8, sigma: 0.9, mass: 2.5, fraction: 0.3}
interaction: {method: neighbour, cutoff: 2.5, cut: smooth, arithmetic: portable}
minimise: {steps: 120, tolerance: 10}
integrator: {dt: 0.002}
run: {steps: 4}
output: {diagnostics: 0.004, snapshots: 0.008, format: extxyz, report: false}
END
# A gas so hot that a list holds for no step, until the processor ends it with a sentence.
sed 's/density: 0.7, temperature: 2.0/density: 0.05, temperature: 400/; s/dt: 0.005/dt: 0.004/; s/diagnostics: 0.05, snapshots: 0.1/diagnostics: 0.012, snapshots: 0.012/' verlet.yaml > gas.yaml

# compare NAME RANKS EXIT: a run on so many ranks against that in NAME_1
compare()
{
    local name=$1 ranks=$2 file
    on "$ranks" run "$name.yaml" --force --set output.directory="${name}_$ranks" --set backend.name=cuda
    [ $? -eq "${3:-0}" ] || fail "$name on $ranks ranks: $(cat out err)"
    for file in "$name"_1/snapshot_*.extxyz "$name"_1/diagnostics.csv; do
        cmp -s "$file" "${name}_$ranks/$(basename "$file")" ||
            fail "$name: $(basename "$file") of $ranks ranks is not that of one: $(cat err)"
    done
}

# one NAME BACKEND EXIT: the run that others are compared with
one()
{
    "$MYRIAD" run "$1.yaml" --quiet --set output.directory="$1_1" --set backend.name="$2" 2> first
    [ $? -eq "${3:-0}" ] || fail "$1 on one rank: $(cat first)"
}

for case in ${CASES:-verlet mixture film formula minimum gas}; do
    case $case in
    formula)
        one formula simd
        compare formula 2
        ;;
    verlet)
        one verlet simd
        compare verlet 2
        moved=$(sed -n 's/^ranks: .*; \([0-9]*\) particles changed their rank at .*/\1/p' out)
        [ "${moved:-0}" -gt 0 ] || fail "nothing changed its rank: $(cat out)"
        grep -q "rank at [0-9]*[0-9][0-9] rebuilds\|rank at [2-9] rebuilds" out || fail "lists of the GPUs are not counted: $(cat out)"
        times=$(sed -n 's/^milliseconds .*: force \([^,]*\), list \([^,]*\),.*/\1 \2/p' out)
        awk -v t="$times" 'BEGIN { exit !(split(t, x, " ") == 2 && x[1] > 0 && x[2] > 0) }' ||
            fail "times of the GPUs are not told: $(cat out)"
        [ "$FLAVOUR" = mpich ] || compare verlet 4
        # 2 ranks on GPUs, the processor, 3 ranks on GPUs
        cp verlet.yaml on.yaml
        on 2 run on.yaml --set run.steps=17 --set backend.name=cuda || fail "2 ranks: $(cat out err)"
        "$MYRIAD" run --restart on --quiet --set run.steps=25 --set backend.name=simd || fail "a restart on the processor"
        on 2 run --restart on --set run.steps=40 --set backend.name=cuda || fail "a restart on 2 ranks: $(cat out err)"
        tail -n +2 verlet_1/snapshot_00002.extxyz > right
        tail -n +2 "$(find on -name 'snapshot_*.extxyz' | sort | tail -n 1)" > got
        cmp -s right got || fail "restarts on GPUs and the processor end elsewhere"
        # GPUs that are named are used: as many ranks, or it is said
        MYRIAD_CUDA_DEVICES=0,0 compare verlet 2
        ! MYRIAD_CUDA_DEVICES=0,0 "$MYRIAD" run verlet.yaml --force --quiet --set backend.name=cuda 2> err ||
            fail "two GPUs in one process"
        grep -q "MYRIAD_CUDA_DEVICES names 2 GPUs for 1 rank of this machine" err || fail "two GPUs: $(cat err)"
        ;;
    minimum)
        one minimum simd
        compare minimum 2
        ;;
    gas)
        one gas cuda 3
        compare gas 2 3
        message=$(sed -n 's/.*\(particle .* would move by .*\)/\1/p' first)
        { [ -n "$message" ] && grep -qF "$message" err; } || fail "another end: $(cat first err)"
        ;;
    *)
        one "$case" cuda
        compare "$case" 2
        ;;
    esac
    echo "$case: the same bits on ranks"
done
exit 0
