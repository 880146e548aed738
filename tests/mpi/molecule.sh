#!/bin/bash
# The atoms of a molecule have the same bits on any number of ranks and threads: pairs and bonded terms are shared out,
# integers reduced; rigid bonds, thermostats and minimisation are those of one rank, and a restart may have other ranks.
# MYRIAD_TEST_LONG=1: all numbers of ranks, 200 steps.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"
export MYRIAD_SHARE_PAIRS=1 # even 22 atoms are shared
files=$(cd "$HERE/../../examples" && pwd)/alanine
steps=40
[ -z "${MYRIAD_TEST_LONG:-}" ] || steps=200

cat > langevin.yaml <<END
units: {system: amber}
particles: {file: $files.inpcrd, topology: $files.prmtop, thermal: 300 K}
interaction: {kernel: ljc_constant}
integrator: {name: langevin, dt: 2 fs, temperature: 300 K, friction: 1 ps^-1, rigid: hydrogen}
minimise: {steps: 20}
run: {steps: $steps}
output: {diagnostics: 0.02 ps, snapshots: 0.04 ps, format: extxyz, hash: 10, report: false}
END
sed -e 's/^integrator:.*/integrator: {name: verlet, dt: 1 fs}/' -e '/^minimise/d' langevin.yaml > verlet.yaml
sed -e 's/^minimise.*/solvent: {model: obc2, salt: 0.15 M, surface: true}/' langevin.yaml > solvent.yaml

# same NAME DIRECTORY: the results of a run against those of one rank
same()
{
    local file
    for file in "$1"_1/snapshot_*.extxyz "$1"_1/diagnostics.csv "$1"_1/hashes.csv; do
        cmp -s "$file" "$2/$(basename "$file")" || fail "$2/$(basename "$file") is not that of one rank: $(cat err)"
    done
}

# compare NAME RANKS THREADS [OPTIONS]
compare()
{
    local name=$1 ranks=$2 threads=$3 directory="$1_$2_$3" shared
    shift 3
    on "$ranks" run "$name.yaml" --force --threads "$threads" --set output.directory="$directory" "$@" ||
        fail "$name on $ranks ranks: $(cat out err)"
    same "$name" "$directory"
    shared=$(sed -n 's/^ranks: .*; \([0-9]*\) of [0-9]* evaluations were shared.*/\1/p' out)
    [ "${shared:-0}" -ge 40 ] || fail "$name: evaluations were not shared: $(cat out)"
    echo "$name, $ranks ranks, $threads threads: the same bits; $shared shared evaluations"
}

for name in langevin verlet solvent; do
    "$MYRIAD" run $name.yaml --quiet --set output.directory=${name}_1 2> err || fail "$name on one rank: $(cat err)"
done
compare langevin 2 1
compare verlet 3 2
compare solvent 2 1
if [ "$FLAVOUR" = mpich ]; then # ranks that wait keep their cores busy
    exit 0
fi
compare langevin 4 1
if [ -n "${MYRIAD_TEST_LONG:-}" ]; then
    for name in langevin verlet; do
        for ranks in 2 3 4 8; do
            for threads in 1 2; do
                compare $name $ranks $threads
            done
        done
    done
fi

# From 3 ranks to 1 and to 2; where a run ends there is a snapshot more.
cp langevin.yaml on.yaml
on 3 run on.yaml --set run.steps=15 || fail "3 ranks: $(cat out err)"
"$MYRIAD" run --restart on --quiet --set run.steps=30 || fail "a restart on one rank"
on 2 run --restart on --set run.steps=$steps || fail "a restart on 2 ranks: $(cat out err)"
cmp -s langevin_1/hashes.csv on/hashes.csv || fail "restarts on 3, 1 and 2 ranks: $(cat on/hashes.csv)"
echo "restarts on 3, 1 and 2 ranks: the same bits"

# Atoms that are not the same on all ranks.
mkdir here there
cp "$files.inpcrd" "$files.prmtop" here && cp "$files.prmtop" there
awk 'NR == 3 { sub(/[0-9]/, "3") } 1' "$files.inpcrd" > there/alanine.inpcrd
sed 's,file: [^ ]*/,file: ,;s,topology: [^ ]*/,topology: ,' verlet.yaml | tee here/in.yaml > there/in.yaml
timeout 120 bash "$HERE/run.sh" "$FLAVOUR" 1 bash -c "cd here && '$MYRIAD' run in.yaml" : -np 1 bash -c "cd there && '$MYRIAD' run in.yaml" \
    > out 2> err < /dev/null && fail "other atoms on another rank"
grep -q "rank 1: the particles are not those of rank 0, bit by bit" err || fail "other atoms: $(cat out err)"
