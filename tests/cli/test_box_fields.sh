#!/bin/bash
# myriad run with fields and walls in a box, and back to the start: columns, energies, restarts, and what is refused.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1
export OMP_NUM_THREADS=1

cat >slab.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 256, density: 0.7, temperature: 1.5}
box: {z: open}
walls:
  - {axis: z, kind: lj93, low: -4.4, high: 4.4, epsilon: 2, sigma: 1, cutoff: 2.5}
external:
  - {kind: uniform_field, acceleration_z: -0.5}
  - {kind: harmonic, omega_x: 0.2}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5}
integrator: {dt: 0.004}
run: {steps: 500}
output: {diagnostics: 0.2, snapshots: none, report: false}
END

runs 0 slab.yaml
between 0.5 "$(column slab wall_pressure_z_low)" 20 || fail "the pressure on the floor is $(column slab wall_pressure_z_low)"
[ "$(column slab wall_pressure_x_low)" = nan ] || fail "there is a pressure on a wall that is not there"
between -2e-3 "$(column slab energy_error)" 2e-3 || fail "the energy is off by $(column slab energy_error)"
between 0.5 "$(column slab density)" 0.7 || fail "the density between the walls is $(column slab density)"
awk -F, '!/^#/ && !c { for (k = 1; k <= NF; k++) n[$k] = k; c = 1; next }
    !/^#/ { d = $n["kinetic"] + $n["potential"] + $n["external"] - $n["energy"]; if (d < -1e-9 || d > 1e-9 || $n["external"] == 0) exit 1 }' \
    slab/diagnostics.csv || fail "the energy is not the sum of its parts with that of the fields"

# The effective input and a restart go on with the same bits, on other numbers of threads; so do the means on walls.
runs 0 slab/input.yaml --set output.directory=again --threads 3
cmp -s slab/diagnostics.csv again/diagnostics.csv || fail "the effective input gives another run"
runs 0 slab.yaml --set output.directory=half --set run.steps=230 --set output.checkpoint=0
runs 0 --restart half --set run.steps=500
grep -v '^1,\|^0.92' half/diagnostics.csv | tail -n 4 >tail_half
tail -n 4 slab/diagnostics.csv >tail_slab
cmp -s tail_half tail_slab || fail "a restart gives another run"

# Every integrator, reflecting walls, a minimisation.
sed 's/kind: lj93, low: -4.4, high: 4.4, epsilon: 2, sigma: 1, cutoff: 2.5/low: -4, high: 4/' slab.yaml >hard.yaml
for name in langevin nose_hoover berendsen; do
    runs 0 hard.yaml --set integrator.name=$name --set integrator.temperature=1.2 --set minimise.steps=20 --set output.directory=$name
    between 0.5 "$(column $name wall_pressure_z_low)" 30 || fail "$name: the pressure on the floor is $(column $name wall_pressure_z_low)"
done

# There and back: the first state, in one run and in one that is continued, with velocities turned.
same() # FIRST LAST
{
    awk -F, '/^#/ { next } FNR == NR && !n { n = 1; for (k = 1; k <= NF; k++) name[k] = $k; next } $1 == "id" { next }
        { for (k = 1; k <= NF; k++) { v = name[k] ~ /^v[xyz]$/ && FNR != NR ? -$k + 0 : $k + 0
            if (FNR == NR) seen[$1, k] = v; else if (seen[$1, k] != v) exit 1 } }' "$1" "$2" ||
        fail "$2 is not the state of $1"
}
back=(--set integrator.exact_reverse=true --set output.snapshots=ends --set output.format=csv)
runs 0 hard.yaml "${back[@]}" --set run.reverse=250 --set output.directory=back
same back/snapshot_00000.csv back/snapshot_00001.csv
grep -q 'exact_reverse: true' back/input.yaml || fail "exact_reverse is not in the effective input"
runs 0 hard.yaml "${back[@]}" --set run.steps=250 --set output.directory=there
runs 0 --restart there --set run.steps=500 --set run.reverse=250
same there/snapshot_00000.csv there/snapshot_00002.csv
runs 0 --restart there --set run.steps=750 --set run.reverse=500
sed 's/-0\b/0/g' there/snapshot_00001.csv | awk -F, '!/^#/' | cut -d, -f 1-5 >far
sed 's/-0\b/0/g' there/snapshot_00003.csv | awk -F, '!/^#/' | cut -d, -f 1-5 >again_far
cmp -s far again_far || fail "turned twice, the run does not come to the same place again"
runs 2 --restart there --set run.steps=800 --set run.reverse=100
says "run.reverse is 100, and the run has made 750 steps already"

# What is refused, at the key that asked for it.
refuse() { local text=$1; shift; runs 2 "$@" --set output.directory=no; says "$text"; }
refuse "there is a wall along z, and box.z is not open; expected 'box: {z: open}'" slab.yaml --set box.z=auto
says "slab.yaml:5:"
sed 's/low: -4.4, high: 4.4, //' slab.yaml >nowhere.yaml
refuse "the wall has no place" nowhere.yaml
sed 's/low: -4.4/low: 5/' slab.yaml >over.yaml
refuse "walls.low is not below walls.high" over.yaml
sed 's/, sigma: 1, cutoff: 2.5}/}/' slab.yaml >bare.yaml
refuse "a wall lj93 has an 'epsilon' and a 'sigma'" bare.yaml
sed 's/kind: lj93/kind: reflecting/' slab.yaml >mixed.yaml
refuse "a reflecting wall has no epsilon" mixed.yaml
sed 's/^external:/  - {axis: z, low: 0}\n&/' slab.yaml >twice.yaml
refuse "there are walls along z already" twice.yaml
sed 's/high: 4.4/high: 1/' slab.yaml >outside.yaml
refuse "outside the walls at -4.4 and 1" outside.yaml
says "outside.yaml:5:"
sed 's/kind: harmonic, omega_x: 0.2/kind: nfw/' slab.yaml >galaxy.yaml
refuse "the external field nfw does not act on particles in a box" galaxy.yaml
sed -e 's/z: open/z: auto/' -e /walls:/d -e /axis:/d slab.yaml >pressed.yaml
refuse "a barostat does not go with external fields" pressed.yaml --set barostat.pressure=1 --set integrator.name=langevin
says "--set barostat.pressure=1"
refuse "integrator.exact_reverse is for verlet" slab.yaml --set integrator.name=langevin --set integrator.exact_reverse=true
refuse "exact_reverse is not possible here: sums must not depend on the order" slab.yaml --set interaction.accumulator=double \
    --set integrator.exact_reverse=true
says "--set integrator.exact_reverse=true"
refuse "run.reverse turns velocities" slab.yaml --set integrator.name=langevin --set run.reverse=10
cat >bodies.yaml <<'END'
particles: {model: plummer, n: 10}
walls: [{axis: z, low: 0}]
run: {end: 1}
END
refuse "walls.axis is for particles in a box" bodies.yaml

finish
