#!/bin/bash
# Particles in a box have the same bits on any number of ranks and threads, while particles change their rank and lists
# are rebuilt; a checkpoint of 4 ranks goes on with 2, with 1 and with 3. MYRIAD_TEST_LONG=1: all numbers of ranks.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"

cat > verlet.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 864, density: 0.7, temperature: 2.0}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5, cut: smooth}
integrator: {dt: 0.005}
run: {steps: 1000}
output: {diagnostics: 0.5, snapshots: 2.5, format: extxyz, report: false}
END
sed 's/^integrator:.*/integrator: {name: langevin, dt: 0.005, temperature: 1.0, friction: 1}/' verlet.yaml > langevin.yaml
sed 's/^integrator:.*/integrator: {name: nose_hoover, dt: 0.005, temperature: 1.0, period: 0.5}/' verlet.yaml > nose_hoover.yaml

# same NAME DIRECTORY: the results of a run against those of one rank
same()
{
    local file
    for file in "$1"_1/snapshot_*.extxyz "$1"_1/diagnostics.csv; do
        cmp -s "$file" "$2/$(basename "$file")" || fail "$2/$(basename "$file") is not that of one rank: $(cat err)"
    done
}

# compare NAME RANKS THREADS [OPTIONS]
compare()
{
    local name=$1 ranks=$2 threads=$3 directory="$1_$2_$3"
    shift 3
    on "$ranks" run "$name.yaml" --force --threads "$threads" --set output.directory="$directory" "$@" ||
        fail "$name on $ranks ranks: $(cat out err)"
    same "$name" "$directory"
    local moved rebuilds
    moved=$(sed -n 's/^ranks: .*; \([0-9]*\) particles changed their rank at .*/\1/p' out)
    rebuilds=$(sed -n 's/.* changed their rank at \([0-9]*\) rebuilds.*/\1/p' out)
    [ "${moved:-0}" -gt 0 ] && [ "${rebuilds:-0}" -gt 1 ] || fail "nothing changed its rank: $(cat out)"
    echo "$name, $ranks ranks, $threads threads $*: the same bits; $moved migrations, $rebuilds rebuilds"
}

for name in verlet langevin nose_hoover; do
    "$MYRIAD" run $name.yaml --quiet --set output.directory=${name}_1 || fail "$name on one rank"
done
if [ "$FLAVOUR" = mpich ]; then # ranks that wait keep their cores busy
    compare verlet 2 1
    exit 0
fi
compare verlet 4 1
compare langevin 3 2 --set run.exchange=pairwise
compare nose_hoover 2 1 --set run.exchange=two_step
if [ -n "${MYRIAD_TEST_LONG:-}" ]; then
    for name in verlet langevin nose_hoover; do
        for ranks in 2 3 4 8; do
            for threads in 1 2; do
                compare $name $ranks $threads --set run.exchange=oneway
            done
        done
    done
fi

# A box so small that everyone sees all, in slabs that hold one plane of the lattice or two: copies go round it.
"$MYRIAD" run verlet.yaml --quiet --set output.directory=small_1 --set particles.n=256 --set interaction.cutoff=3.5 \
    --set run.steps=60 --set output.snapshots=0.3 --set output.diagnostics=0.3 || fail "a small box on one rank"
cp verlet.yaml small.yaml
compare small 5 1 --set particles.n=256 --set interaction.cutoff=3.5 --set run.steps=60 --set output.snapshots=0.3 \
    --set output.diagnostics=0.3

# Two species at random places, moved apart, held and heated before the first step, each rank with a part of them.
cat > mixture.yaml <<'END'
units: {system: lj}
particles: {model: random, n: 700, density: 0.6, temperature: 1, thermal: 1.3}
species:
  - {name: a, epsilon: 1, sigma: 1, mass: 1, fraction: 0.7}
  - {name: b, epsilon: 0.8, sigma: 0.9, mass: 2.5, fraction: 0.3}
interaction: {method: neighbour, cutoff: 2.5, cut: smooth}
minimise: {steps: 200, tolerance: 10}
restraint: {stiffness: 5, species: b}
integrator: {dt: 0.002}
run: {steps: 100}
output: {diagnostics: 0.05, snapshots: 0.1, format: extxyz, report: false}
END
"$MYRIAD" run mixture.yaml --quiet --set output.directory=mixture_1 2> err || fail "a mixture on one rank: $(cat err)"
compare mixture 3 1

# From 4 ranks to 2, to 1 and to 3, of which two find no part in the checkpoint. Where a run ends there is a snapshot more.
cp langevin.yaml on.yaml
on 4 run on.yaml --set run.steps=350 || fail "4 ranks: $(cat out err)"
on 2 run --restart on --set run.steps=600 || fail "a restart on 2 ranks: $(cat out err)"
"$MYRIAD" run --restart on --quiet --set run.steps=850 || fail "a restart on one rank"
on 3 run --restart on --set run.steps=1000 || fail "a restart on 3 ranks: $(cat out err)"
tail -n +2 langevin_1/snapshot_00002.extxyz > one
tail -n +2 on/snapshot_00005.extxyz > several
cmp -s one several || fail "restarts on 4, 2, 1 and 3 ranks end elsewhere"
echo "restarts on 4, 2, 1 and 3 ranks: the same bits"
