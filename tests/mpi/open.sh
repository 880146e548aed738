#!/bin/bash
# Boxes with open axes on ranks: a cluster that flies apart, so that the open axes grow under the ranks, and a slab.
# The bits are those of one rank, also after a restart on another number of ranks.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"

cat > cluster.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 500, density: 0.8, temperature: 20}
box: {x: open, y: open, z: open}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5, cut: smooth}
integrator: {dt: 0.005}
run: {steps: 1200}
output: {diagnostics: 0.5, snapshots: 3, format: extxyz, report: false}
END
sed 's/^box:.*/box: {z: open}/; s/temperature: 20/temperature: 1.5/; s/steps: 1200/steps: 400/; s/snapshots: 3/snapshots: 1/
    s/^integrator:.*/integrator: {name: langevin, dt: 0.005, temperature: 1.5, friction: 0.5}/' cluster.yaml > slab.yaml

# compare NAME RANKS [OPTIONS]
compare()
{
    local name=$1 ranks=$2 file moved rebuilds
    shift 2
    on "$ranks" run "$name.yaml" --force --set output.directory=many "$@" || fail "$name on $ranks ranks: $(cat out err)"
    for file in "$name"_1/snapshot_*.extxyz "$name"_1/diagnostics.csv; do
        cmp -s "$file" "many/$(basename "$file")" || fail "$name: $(basename "$file") of $ranks ranks is not that of one"
    done
    moved=$(sed -n 's/^ranks: .*; \([0-9]*\) particles changed their rank at .*/\1/p' out)
    rebuilds=$(sed -n 's/.* changed their rank at \([0-9]*\) rebuilds.*/\1/p' out)
    { [ "${moved:-0}" -gt 0 ] && [ "${rebuilds:-0}" -gt 1 ]; } || fail "nothing changed its rank: $(cat out)"
    echo "$name, $ranks ranks $*: the same bits; $moved migrations, $rebuilds rebuilds"
}

for name in cluster slab; do
    "$MYRIAD" run $name.yaml --quiet --set output.directory=${name}_1 || fail "$name on one rank"
done
# The lattice is 9 wide and the first box 256, of which the inner half is used: beyond it an axis has been doubled.
awk 'NR > 2 { for (c = 2; c < 5; c++) if ($c < -64 || $c > 73) far = 1 } END { exit !far }' cluster_1/snapshot_00002.extxyz ||
    fail "nobody went so far that the box had to grow"
if [ "$FLAVOUR" = mpich ]; then # ranks that wait keep their cores busy
    compare slab 2
    exit 0
fi
compare cluster 2 --threads 2
compare cluster 4 --set run.exchange=pairwise
compare slab 3
compare slab 4 --set run.balance=no

# Half of the way, while the box is still small; then on two ranks, which make it grow; then on one.
cp cluster.yaml on.yaml
on 4 run on.yaml --set run.steps=400 || fail "4 ranks: $(cat out err)"
on 2 run --restart on --set run.steps=900 || fail "a restart on 2 ranks: $(cat out err)"
"$MYRIAD" run --restart on --quiet --set run.steps=1200 || fail "a restart on one rank"
tail -n +2 cluster_1/snapshot_00002.extxyz > one
tail -n +2 "$(find on -name 'snapshot_*.extxyz' | sort | tail -n 1)" > several
cmp -s one several || fail "restarts on 4, 2 and 1 ranks end elsewhere"
echo "restarts on 4, 2 and 1 ranks: the same bits"
