#!/bin/bash
# Vortex elements: exchange of strength, free stream, tracers, probes and weak elements in a run, which can be stopped
# and continued; and what is refused.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1

cat >ring.yaml <<'END_OF_INPUT'
particles: {model: vortex_ring, n: 300, layers: 2, core: 0.4}
interaction: {kernel: velocity_stretching_transposed, viscosity: 0.002}
elements: {diffusion: strength_exchange, stream_x: 0.25, relaxation: 0.1, weak: merge, weak_below: 0.2, weak_interval: 0.5}
tracers: {model: uniform, n: 20, scale: 0.1}
probes: {points: [1, 1, 3], from: [0, 0, -1], to: [0, 0, 1]}
integrator: {name: rk3, dt: 0.25}
run: {end: 1}
output: {diagnostics: 0.5, format: csv, report: false}
END_OF_INPUT
run ring.yaml
d=ring/diagnostics.csv
is "$(column ring tracers)" 20 20 "the number of tracers"
is "$(column ring elements)" 100 299 "the number of elements"
[ "$(($(column ring elements) + $(column ring weak_gone)))" -eq 300 ] || fail "elements: $(tail -n 1 $d)"
is "$(column ring weak_strength)" 0.01 2 "the strength of those that were merged"
is "$(column ring overlap)" 0.6 1.1 "the overlap"
is "$(column ring vorticity_divergence)" 0 0.1 "the divergence of the vorticity"
# Gamma/(4 pi R) (ln(8 R/a) - 0.558), a thick ring; and the stream
is "$(column ring centroid_z)" 0.1 0.25 "the way of the ring"
is "$(column ring centroid_x)" 0.24 0.26 "the way of the stream"
# 1/(2 R) in the middle of a thin ring, and the stream; three probes at three times
[ "$(grep -c '^[0-9]' ring/probes.csv)" -eq 9 ] || fail "probes.csv: $(cat ring/probes.csv)"
is "$(awk -F, '$1 == 0 && $2 == 1 { print $8 }' ring/probes.csv)" 0.44 0.52 "the velocity in the middle"
is "$(awk -F, '$1 == 0 && $2 == 1 { print $6 }' ring/probes.csv)" 0.249999 0.250001 "the stream at a probe"
is "$(awk -F, '$1 == 0 && $2 == 2 { print $8 }' ring/probes.csv)" 0.16 0.19 "the velocity on the axis"
# ids of the tracers follow those of the elements; their mean goes with the stream and the middle of the ring
tracers() { awk -F, '!/^#/ && ++line > 1 && $1 >= 300 { n++; x += $3; z += $5 } END { print n, x / n, z / n }' "$1"; }
head -n 4 ring/snapshot_00001.csv | grep -q '^id,type,' || fail "another order of columns: $(head -n 4 ring/snapshot_00001.csv)"
tracers ring/snapshot_00000.csv >before
tracers ring/snapshot_00001.csv >after
[ "$(awk '{ print $1 }' after)" -eq 20 ] || fail "tracers: $(cat after)"
is "$(paste before after | awk '{ print $5 - $2 }')" 0.2 0.3 "the way of tracers along the stream"
is "$(paste before after | awk '{ print $6 - $3 }')" 0.3 0.6 "the way of tracers through the ring"

# Stopped and continued: the same lines.
run ring.yaml --set output.directory=half --set run.steps=2
run --restart half --set run.steps=none
[ "$(tail -n 1 $d)" = "$(tail -n 1 half/diagnostics.csv)" ] || fail "another ring after a restart"
cmp ring/probes.csv half/probes.csv || fail "other probes after a restart"

# Tracers and probes from files; probes beside the snapshots.
printf 'x,y,z\n0,0,0\n0,0,1\n' >points.csv
run ring.yaml --set output.directory=files --set tracers.model=none --set tracers.file=points.csv --set tracers.z=0.5 \
    --set probes.points=none --set probes.from=none --set probes.to=none --set probes.file=points.csv \
    --set probes.write=snapshots
is "$(column files tracers)" 2 2 "the number of tracers"
if [ ! -e files/probes_00001.csv ] || [ -e files/probes.csv ]; then
    fail "probes beside snapshots: $(ls files)"
fi
grep -q vorticity files/probes_00000.csv || fail "no vorticity: $(head -n 3 files/probes_00000.csv)"

# Re-initialised when elements overlap less than asked for: here after every step; down to less vorticity there are more.
run ring.yaml --set output.directory=thin --set elements.least_overlap=1.3 --set elements.weak=keep --set run.steps=2
is "$(column thin reinitialisations)" 2 2 "the number of re-initialisations"
run ring.yaml --set output.directory=deep --set elements.least_overlap=1.3 --set elements.weak=keep --set run.steps=2 \
    --set elements.new_floor=1e-6 --set elements.new_spacing=0.14
is "$(column deep elements)" "$(($(column thin elements) * 5 / 4))" 100000 "the number of elements"
is "$(column deep tracers)" 20 20 "the number of tracers"

# refuses TEXT SETTINGS...: an error of the input, in these words
refuses()
{
    local text=$1
    shift
    "$MYRIAD" check ring.yaml "$@" >out 2>err && fail "accepted: $*"
    grep -qF -- "$text" err || fail "$*: '$text' not found in: $(cat err)"
}
refuses 'without elements.weak_interval' --set elements.weak_interval=none
refuses 'expected all of them' --set probes.to=none
refuses 'three whole numbers' --set 'probes.points=[1, 1, 2.5]'
refuses 'both tracers.file and tracers.model' --set tracers.file=points.csv
refuses "did you mean 'strength_exchange'" --set elements.diffusion=strength_exchang
refuses 'core^2/(2 viscosity)' --set interaction.viscosity=1
refuses 'would overshoot' --set elements.relaxation=10
refuses 'are for strengths that are carried' --set interaction.strengths=solved
refuses '|grad u| dt' --set integrator.dt=8
refuses 'is for vortex elements' --set interaction.kernel=gravity --set integrator.name=leapfrog
"$MYRIAD" check ring.yaml --set particles.overlap=0.5 >out 2>err || fail "check: $(cat err)"
grep -q 'overlap too little' err || fail "no word about gaps: $(cat err)"
finish
