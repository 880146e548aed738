#!/bin/bash
# Bodies have the same bits on any number of ranks and threads, with each integrator, also where ranks share the sources
# of a few bodies, where there are more ranks than bodies, and across restarts on other numbers of ranks.
# MYRIAD_TEST_LONG=1: all numbers of ranks.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"
export MYRIAD_SHARE_PAIRS=1 # even the smallest evaluation is shared

cat > base.yaml <<'END'
particles: {model: plummer, n: 300}
interaction: {eps: 0.01}
integrator: {name: leapfrog, dt: 0.015625}
run: {end: 0.25}
output: {diagnostics: 0.0625, snapshots: 0.125, format: csv, report: false}
END

# Two binaries of 1e-4, whose contributions are beyond the grid, among the stars, without softening.
binaries() { awk 'BEGIN { print "x,y,z,vx,vy,vz,mass"; srand(7)
    for (i = 0; i < 150; i++) {
        for (c = 0; c < 3; c++) { x[c] = 2 * rand() - 1; v[c] = 0.4 * rand() - 0.2 }
        printf "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,0.005\n", x[0], x[1], x[2], v[0], v[1], v[2]
        if (i < 2) printf "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,0.005\n", x[0] + 1e-4, x[1], x[2], v[0], v[1] + 10, v[2]
    } }'; }
binaries > stars.csv
sed -e 's/^particles:.*/particles: {file: stars.csv}/' -e 's/^interaction:.*/interaction: {eps: 0}/' \
    -e 's/^integrator:.*/integrator: {name: hermite4}/' -e 's/end: 0.25/end: 0.00390625/' \
    -e 's/^output:.*/output: {diagnostics: 0.001953125, snapshots: 0.001953125, format: csv, report: false}/' base.yaml > hermite.yaml

# one NAME INPUT [OPTIONS]: the run on one rank that the others are compared with
declare -A input options
one()
{
    local name=$1 file=$2
    shift 2
    input[$name]=$file
    options[$name]=$*
    # shellcheck disable=SC2086 # several options
    "$MYRIAD" run "$file" --quiet --set output.directory="${name}_1" ${options[$name]} 2> err || fail "$name: $(cat err)"
}

# same NAME DIRECTORY: the results of a run against those of one rank
same()
{
    local file
    for file in "$1"_1/snapshot_*.csv "$1"_1/diagnostics.csv; do
        cmp -s "$file" "$2/$(basename "$file")" || fail "$2/$(basename "$file") is not that of one rank: $(cat err)"
    done
}

# compare NAME RANKS THREADS
compare()
{
    local name=$1 ranks=$2 threads=$3 directory="$1_$2_$3" shared
    # shellcheck disable=SC2086
    on "$ranks" run "${input[$name]}" --force --threads "$threads" --set output.directory="$directory" ${options[$name]} ||
        fail "$name on $ranks ranks: $(cat out err)"
    same "$name" "$directory"
    shared=$(sed -n 's/^ranks: .*; \([0-9]*\) of [0-9]* evaluations were shared.*/\1/p' out)
    [ "${shared:-0}" -gt 0 ] || fail "$name: no evaluation was shared: $(cat out)"
    echo "$name, $ranks ranks, $threads threads: the same bits; $shared shared evaluations"
}

one leapfrog base.yaml
one hermite hermite.yaml
if [ "$FLAVOUR" = mpich ]; then # ranks that wait keep their cores busy
    compare leapfrog 2 1
    compare hermite 2 1
    exit 0
fi
one yoshida base.yaml --set integrator.name=yoshida4 --set run.end=0.0625
one rk4 base.yaml --set integrator.name=rk4 --set run.end=0.0625
one ab2 base.yaml --set integrator.name=ab2 --set interaction.arithmetic=portable
# sums that depend on the order keep the blocks of one rank: of 512 stars, in halves of the sources
one order base.yaml --set particles.n=1300 --set interaction.accumulator=double --set run.end=0.03125
one together hermite.yaml --set integrator.name=hermite4_shared --set run.end=0.0009765625
one individual hermite.yaml --set integrator.name=hermite4_individual --set interaction.arithmetic=portable \
    --set run.end=0.0009765625
one few base.yaml --set particles.model=figure_eight --set particles.n=3 --set interaction.eps=0
one alone base.yaml --set particles.n=1
# one body at 1e6, whose coordinates the others' distances are compared with
awk -F, 'BEGIN { OFS = "," } NR == 9 { $1 = 1e6 } { print }' stars.csv > escaper.csv
one escaper hermite.yaml --set particles.file=escaper.csv --set run.end=0.0009765625
one merge hermite.yaml --set run.merge_distance=2e-4
compare leapfrog 4 2
compare yoshida 2 1
compare rk4 3 1
compare ab2 2 2
compare order 3 1
compare hermite 2 2
compare hermite 3 1
compare hermite 4 1
compare together 2 1
compare individual 3 1
compare few 4 1
compare escaper 5 1
compare merge 3 1
compare alone 3 1
if [ -n "${MYRIAD_TEST_LONG:-}" ]; then
    for name in "${!input[@]}"; do
        for ranks in 2 3 4 8; do
            for threads in 1 2; do
                compare "$name" $ranks $threads
            done
        done
    done
fi

# From 3 ranks to 1 and to 2; where a run ends there is a snapshot more.
cp hermite.yaml on.yaml
on 3 run on.yaml --set run.steps=40 || fail "3 ranks: $(cat out err)"
"$MYRIAD" run --restart on --quiet --set run.steps=90 || fail "a restart on one rank"
on 2 run --restart on --set run.steps=none || fail "a restart on 2 ranks: $(cat out err)"
last() { find "$1" -name 'snapshot_*.csv' | sort | tail -n 1; }
cmp -s "$(last hermite_1)" "$(last on)" || fail "restarts on 3, 1 and 2 ranks end elsewhere"
echo "restarts on 3, 1 and 2 ranks: the same bits"
