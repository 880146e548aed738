#!/bin/bash
# myriad run with particles in a box: what it writes, restarts, units, species, and what it refuses.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1
export OMP_NUM_THREADS=1

cat >melt.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 256, density: 0.8442, temperature: 1.44}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5}
integrator: {dt: 0.004}
run: {steps: 100}
output: {diagnostics: 0.1, snapshots: 0.2, format: extxyz, report: false}
END

# What a run leaves; kernel and integrator are found out.
runs 0 melt.yaml
grep -q 'kernel: lennard_jones' melt/input.yaml || fail "the kernel is not in the effective input"
grep -q 'name: verlet' melt/input.yaml || fail "the integrator is not in the effective input"
grep -q 'Lattice="6.7' melt/snapshot_00000.extxyz || fail "the snapshot has no box: $(head -2 melt/snapshot_00000.extxyz)"
for name in temperature pressure pressure_xx conserved density; do
    [ -n "$(column melt $name)" ] || fail "diagnostics.csv has no $name"
done
grep -q lagrangian melt/diagnostics.csv && fail "diagnostics.csv has columns of clusters"
between 0.6 "$(column melt temperature)" 0.9 || fail "the temperature is $(column melt temperature)"
grep -q '"energy_drift"' melt/summary.json || fail "no drift in the summary"

# How the lists fared: at the end, in the summary, in the report. A build is a sort; lists live for several steps each.
runs 0 melt.yaml --set output.directory=listed --set output.report=true --set interaction.skin=0.3 --set run.steps=300
fact() { sed -n "s/.*\"$1\": \([-0-9.e]*\).*/\1/p" "${2:-listed}/summary.json"; }
built=$(fact lists_built)
between 5 "$built" 60 || fail "$built lists in 300 steps"
[ "$(fact particles_reordered)" = "$built" ] || fail "$(fact particles_reordered) reorderings and $built lists"
between 299 "$(awk "BEGIN { print $(fact list_lifetime) * $built }")" 301 || fail "a list lives $(fact list_lifetime) steps"
between -0.3 "$(fact list_margin)" 0.3 || fail "the margin is $(fact list_margin)"
says "lists: $built built, one in "
says "particles reordered $built times; skin 0.3, margin "
grep -q "lists of neighbours.*>$built built, one in .* steps; particles reordered $built times; skin 0.3" listed/report.html ||
    fail "no lists in the report: $(grep "lists of neighbours" listed/report.html)"

# A dump says which step it is of, after a restart and in one trajectory of all, too.
runs 0 melt.yaml --set output.directory=dump --set output.format=lammps_dump --set run.steps=60
runs 0 --restart dump --set run.steps=100
for f in dump/snapshot_*.lammpstrj; do sed -n 2p "$f"; done >steps
[ "$(paste -sd' ' steps)" = "0 50 60 100" ] || fail "steps of dumps: $(paste -sd' ' steps)"
"$MYRIAD" convert --all-frames dump all.lammpstrj --quiet || fail "one trajectory of dumps"
grep -A1 TIMESTEP all.lammpstrj | grep -v '^[I-]' | cmp -s - steps || fail "steps of a trajectory: $(grep -A1 TIMESTEP all.lammpstrj)"

# The effective input runs again to the same bits, on other numbers of threads; and a restart goes on with them.
runs 0 melt/input.yaml --set output.directory=again --threads 3
cmp -s melt/diagnostics.csv again/diagnostics.csv || fail "another number of threads gives another run"
runs 0 melt.yaml --set output.directory=whole --set output.checkpoint=0
runs 0 melt.yaml --set output.directory=half --set run.steps=40 --set output.checkpoint=0
runs 0 --restart half --set run.steps=100
cmp -s whole/snapshot_00002.extxyz half/snapshot_00003.extxyz || fail "a restart gives other particles"

# In portable arithmetic all instruction sets give the same bits.
for isa in $(isas); do
    runs 0 melt.yaml --set output.directory="isa_$isa" --set backend.isa="$isa" --set interaction.arithmetic=portable --set run.steps=50
    cmp -s isa_scalar/diagnostics.csv "isa_$isa/diagnostics.csv" || fail "$isa gives another run than scalar"
done
# So do backends, between which a run can move.
runs 0 melt.yaml --set output.directory=moves --set interaction.arithmetic=portable --set run.steps=30
runs 0 --restart moves --set run.steps=50 --set backend.name=ref
[ "$(tail -n 1 moves/diagnostics.csv)" = "$(tail -n 1 isa_scalar/diagnostics.csv)" ] || fail "another backend gives another run"
grep -A 2 '^backend:' moves/input.yaml | tr -d '\n' | grep -q 'name: ref.*isa: auto' || fail "the backend is not in the effective input"

# Thermostats by name, with seeds; barostat, restraints and minimisation.
runs 0 melt.yaml --set integrator.name=langevin --set integrator.temperature=1 --set output.directory=langevin
runs 0 melt.yaml --set integrator.name=langevin --set integrator.temperature=1 --set output.directory=seed --set integrator.seed=2
cmp -s langevin/diagnostics.csv seed/diagnostics.csv && fail "the seed has no effect"
runs 0 melt.yaml --set integrator.name=nose_hoover --set barostat.pressure=1 --set barostat.interval=5 --set output.directory=npt
if runs 0 melt.yaml --set integrator.name=nose_hoover --set barostat.pressure=1 --set barostat.interval=5 --set output.directory=moved &&
    "$MYRIAD" info --json | grep -q h5md; then
    "$MYRIAD" convert moved moved.h5md --all-frames >out 2>err || fail "a run of a barostat does not become H5MD: $(cat out err)"
fi
between 99 "$(awk "BEGIN { print $(fact list_lifetime npt) * $(fact lists_built npt) }")" 101 ||
    fail "trials of the barostat count as steps of a list: $(fact list_lifetime npt)"
[ "$(column npt volume_trials)" -eq 20 ] || fail "$(column npt volume_trials) trial moves of the box, not 20"
runs 0 melt.yaml --set minimise.steps=100 --set restraint.stiffness=10 --set output.directory=held
says "minimised: energy"
runs 0 melt.yaml --set particles.temperature=0 --set minimise.steps=20 --set restraint.stiffness=1 --set particles.model=random \
    --set particles.density=0.5 --set particles.distance=0.9 --set run.steps=0 --set output.directory=anchored
energy=$(sed -n 's/minimised: energy \([^,]*\),.*/\1/p' err)
between "$(awk "BEGIN { printf \"%.12g\", $energy - 1e-5 }")" "$(column anchored energy)" "$(awk "BEGIN { printf \"%.12g\", $energy + 1e-5 }")" ||
    fail "minimised to $energy with restraints, and the run begins at $(column anchored energy)"
between 0.01 "$(column anchored external)" 1000 || fail "the restraints hold where particles came to, not where they were"
between 0 "$(column held external)" 1000 || fail "the restraints have the energy $(column held external)"

# A box that wants to be smaller than twice the cutoff: told once.
runs 0 melt.yaml --set integrator.name=langevin --set barostat.pressure=60 --set barostat.interval=1 --set output.directory=small \
    --set interaction.cutoff=3.35
[ "$(grep -c 'twice the cutoff' err)" -eq 1 ] || fail "a box at its smallest is told $(grep -c 'twice the cutoff' err) times: $(cat err)"

# One particle alone has three degrees of freedom: m v^2 = 3 k T.
printf '1\nLattice="10 0 0 0 10 0 0 0 10" Properties=id:I:1:pos:R:3:velo:R:3\n7 1 1 1 1 1 1\n' >one.extxyz
cat >one.yaml <<'END'
units: {system: lj}
particles: {file: one.extxyz}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5}
run: {steps: 0}
output: {snapshots: none, report: false}
END
runs 0 one.yaml
between 0.999999 "$(column one temperature)" 1.000001 || fail "one particle has the temperature $(column one temperature), not 1"

runs 0 melt.yaml --set particles.thermal=2 --set run.steps=0 --set output.directory=heated
between 1.99999999 "$(column heated temperature)" 2.00000001 || fail "heated to $(column heated temperature), not 2"

# Two species, mixed; numbers in units.
cat >mixture.yaml <<'END'
units: {system: gromacs}
particles: {model: fcc, n: 256, density: 20 nm^-3, temperature: 100 K}
species:
  - {name: Ar, epsilon: 119.8 K, sigma: 0.3405 nm, mass: 39.948 g/mol, fraction: 0.75}
  - {name: Kr, epsilon: 1.39 kJ/mol, sigma: 3.65 Angstrom, mass: 83.798 g/mol, fraction: 0.25}
pairs:
  - {first: Ar, second: Kr, epsilon: 145 K, sigma: 0.352 nm}
interaction: {method: neighbour, cutoff: 0.9 nm, cut: truncated, tail: true}
integrator: {dt: 2 fs}
run: {steps: 20}
output: {diagnostics: 20 fs, format: extxyz, report: false}
END
runs 0 mixture.yaml
[ "$(awk 'NR > 2 { n[$0 ~ / 1 /] }' mixture/snapshot_00000.extxyz; grep -c . mixture/snapshot_00000.extxyz)" -eq 258 ] || fail "not 256 particles"
between 60 "$(column mixture temperature)" 130 || fail "the temperature is $(column mixture temperature) K"
grep -q 'kJ/mol' mixture/diagnostics.csv || fail "energies are not in kJ/mol"
runs 0 mixture/input.yaml --set output.directory=mixture2
cmp -s mixture/diagnostics.csv mixture2/diagnostics.csv || fail "the effective input of the mixture gives another run"

# Cutoffs of species and pairs: equal ones change nothing, others do, and none is needed for all where each has its own.
sed -e 's/fraction: 0.[27]5/&, cutoff: 0.9 nm/' -e 's/sigma: 0.352 nm/&, cutoff: 0.9 nm/' -e 's/, cutoff: 0.9 nm, cut:/, cut:/' mixture.yaml >own.yaml
runs 0 own.yaml
cmp -s mixture/diagnostics.csv own/diagnostics.csv || fail "own cutoffs that are equal give another run"
sed 's/0.352 nm, cutoff: 0.9 nm/0.352 nm, cutoff: 0.8 nm/' own.yaml >shorter.yaml
runs 0 shorter.yaml
cmp -s mixture/diagnostics.csv shorter/diagnostics.csv && fail "the cutoff of a pair has no effect"
runs 0 shorter/input.yaml --set output.directory=shorter2
cmp -s shorter/diagnostics.csv shorter2/diagnostics.csv || fail "the effective input with cutoffs of pairs gives another run"
sed '0,/, cutoff: 0.9 nm/s///' own.yaml >without.yaml
runs 2 without.yaml
says "needs a cutoff of types 0 and 0 above 0"
sed '0,/0.9 nm/s//1.5 nm/' own.yaml >long.yaml
runs 2 long.yaml
says "long.yaml:4:"
says "less than twice the cutoff 1.5"

# Species of a file are matched by name, in whatever order they come.
printf '2\nLattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3\nB 1 1 1\nA 5 5 5\n' >named.extxyz
cat >named.yaml <<'END'
units: {system: lj}
particles: {file: named.extxyz}
species: [{name: A, epsilon: 1, sigma: 1, mass: 1}, {name: B, epsilon: 1, sigma: 1, mass: 7}]
interaction: {method: neighbour, cutoff: 2.5}
run: {steps: 0}
output: {format: csv, report: false}
END
runs 0 named.yaml
says "unless 'species' of an input matches them, they become types: B = 0, A = 1"
grep -q '^0,1,.*,7' named/snapshot_00000.csv || fail "B is not the second species: $(cat named/snapshot_00000.csv)"
sed 's/name: B/name: C/' named.yaml >unnamed.yaml
runs 2 unnamed.yaml
says "the particles have a species 'B', which 'species' does not have"

# One that is far off makes the coordinates of all coarse: told, unless there are more bits.
printf '3\nProperties=pos:R:3\n0 0 0\n1.1 0 0\n1e5 0 0\n' >far.extxyz
sed 's/^particles.*/particles: {file: far.extxyz}/' melt.yaml >far.yaml
far=(far.yaml --set box.x=open --set box.y=open --set box.z=open --set run.steps=1 --force)
runs 0 "${far[@]}"
[ "$(grep -c 'in steps of' err)" -eq 1 ] || fail "coarse coordinates are told $(grep -c 'in steps of' err) times: $(cat err)"
runs 0 "${far[@]}" --set interaction.arithmetic=double
grep -q 'in steps of' err && fail "coarse coordinates are told in double arithmetic: $(cat err)"

# Models in a box have particles of mass 1 where nothing else is said, and the effective input says so.
sed 's/^particles.*/particles: {model: lattice, n: 27, spacing: 6}/' melt.yaml >lattice.yaml
runs 0 lattice.yaml --set run.steps=0 --set output.format=csv
grep -q 'mass_scale: 27' lattice/input.yaml || fail "the masses of a lattice in a box: $(grep mass lattice/input.yaml)"
awk -F, '!/^#/ && !c { for (k = 1; k <= NF; k++) if ($k == "mass") c = k; next } !/^#/ && $c != 1 { exit 1 }' lattice/snapshot_00000.csv ||
    fail "a lattice in a box does not have masses of 1: $(sed -n 8,9p lattice/snapshot_00000.csv)"

# A file that is not periodic along an axis, or whose box is oblique: the box is asked for, and why.
sed 's/Lattice/pbc="T T F" Lattice/' named.extxyz >slab.extxyz
runs 2 named.yaml --set particles.file=slab.extxyz --force
says "box.z is not known: the file has no periodic edge along z (pbc F"

# What is refused, at the key that asked for it.
refuse() { local text=$1; shift; runs 2 "$@" --set output.directory=no; says "$text"; }
refuse "less than twice the cutoff" melt.yaml --set interaction.cutoff=3.5
says "--set interaction.cutoff=3.5"
refuse "less than twice the cutoff" melt.yaml --set box.x=4
says "--set box.x=4"
refuse "needs a cutoff" melt.yaml --set interaction.cutoff=0
says "--set interaction.cutoff=0"
refuse "'method: neighbour'" melt.yaml --set interaction.method=direct --set interaction.kernel=lennard_jones --set integrator.name=verlet
refuse "does not move particles in a box" melt.yaml --set integrator.name=leapfrog
refuse "the barostat needs a temperature" melt.yaml --set barostat.pressure=1
refuse "tail corrections are for a truncated potential" melt.yaml --set interaction.tail=true
says "--set interaction.tail=true"
sed 's/model: fcc.*}/model: uniform, n: 256}/' melt.yaml >nowhere.yaml
refuse "box.x is not known" nowhere.yaml
refuse "inner radius of the spline" melt.yaml --set interaction.cut=spline --set interaction.inner=3
says "--set interaction.inner=3"
refuse "inner radius of the spline" melt.yaml --set interaction.cut=spline
refuse "there is no species 'Xe'" mixture.yaml --set restraint.species=Xe --set restraint.stiffness=1
sed 's/, sigma: 3.65 Angstrom//' mixture.yaml >bare.yaml
refuse "an entry of 'species' has no 'sigma'" bare.yaml
sed -e 's/fraction: 0.75/fraction: 0.5/' mixture.yaml >half.yaml
refuse "add up to 0.75; expected 1" half.yaml

# A ramp needs both its time and its end, and the barostat's a pressure too.
heat=(--set integrator.name=nose_hoover --set integrator.temperature=0.7)
refuse "integrator.ramp is given without integrator.temperature_end" melt.yaml "${heat[@]}" --set integrator.ramp=1
refuse "integrator.temperature_end is given without integrator.ramp" melt.yaml "${heat[@]}" --set integrator.temperature_end=1
refuse "barostat.pressure_end is given without barostat.ramp" melt.yaml "${heat[@]}" --set barostat.pressure=1 --set barostat.pressure_end=2
refuse "barostat.ramp is given without barostat.pressure_end" melt.yaml "${heat[@]}" --set barostat.pressure=1 --set barostat.ramp=2
refuse "barostat.pressure_end is given without barostat.pressure;" melt.yaml "${heat[@]}" --set barostat.pressure_end=2 --set barostat.ramp=2
runs 0 melt.yaml "${heat[@]}" --set output.directory=kept
grep -q 'temperature_end: 0.7' kept/input.yaml || fail "the end of no ramp is not the temperature: $(grep temperature kept/input.yaml)"
runs 0 kept/input.yaml --set output.directory=kept2

# What would do nothing in silence.
refuse "nose_hoover needs a temperature above 0" melt.yaml "${heat[@]}" --set integrator.temperature=0
refuse "berendsen scales velocities, and all of them are 0" melt.yaml --set integrator.name=berendsen --set particles.temperature=0
sed 's/name: Kr/name: Ar/' mixture.yaml >twice.yaml
refuse "the species 'Ar' is there already" twice.yaml
sed '/first: Ar/{p;s/first: Ar, second: Kr/first: Kr, second: Ar/}' mixture.yaml >twice.yaml
refuse "the pair of 'Kr' and 'Ar' is there already" twice.yaml
{ cat melt.yaml; echo 'pairs: [{first: A, second: A, epsilon: 1, sigma: 1}]'; } >alone.yaml
refuse "'pairs' is given without 'species'" alone.yaml

# Atoms that overlap are named, with their distance; so is the one for which a step is too long.
printf '3\nLattice="10 0 0 0 10 0 0 0 10" Properties=id:I:1:pos:R:3:velo:R:3\n7 1 1 1 0 0 0\n8 5 5 5 0 0 0\n9 5.1 5 5 0 0 0\n' >close.extxyz
cat >close.yaml <<'END'
units: {system: lj}
particles: {file: close.extxyz}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5}
integrator: {dt: 0.004}
run: {steps: 20}
output: {snapshots: none, report: false}
END
"$MYRIAD" run close.yaml >out 2>err && fail "overlapping atoms were accepted"
says "particles 8 and 9 overlap: they are 0.1 apart"
runs 0 close.yaml --set minimise.steps=1000 --force
"$MYRIAD" check close.yaml --set minimise.steps=1000 >out 2>err || fail "check does not minimise: $(cat err)"
says "21 lines of diagnostics"
# A crystal, and beside it two atoms whose force is beyond the unit of the sums, until they are apart: a restart in
# between, and other numbers of threads, have the same bits.
awk 'BEGIN {
    print 218; print "Lattice=\"13 0 0 0 13 0 0 0 13\" Properties=id:I:1:pos:R:3:velo:R:3"
    for (i = 0; i < 216; i++) print i, 1.1 * (i % 6), 1.1 * (int(i / 6) % 6), 1.1 * int(i / 36), 0, 0, 0
    print 216, 9, 9, 9, 0, 0, 0; print 217, 9.4, 9.5, 9.4, 0, 0, 0 }' >apart.extxyz
apart="close.yaml --set particles.file=apart.extxyz --set run.steps=12 --set output.snapshots=0.016 --set output.format=extxyz"
runs 0 $apart --threads 1 --set output.directory=apart_1
runs 0 $apart --threads 2 --set output.directory=apart_2
runs 0 $apart --set output.directory=apart_half --set run.steps=4
runs 0 --restart apart_half --set run.steps=12
for other in apart_2 apart_half; do
    cmp -s apart_1/snapshot_00003.extxyz $other/snapshot_00003.extxyz || fail "$other: a close pair has other bits"
done

sed 's/^9 5.1/9 5/' close.extxyz >same.extxyz
"$MYRIAD" run close.yaml --set particles.file=same.extxyz --force >out 2>err && fail "atoms at the same place were accepted"
says "particles 8 and 9 are at the same place"
runs 3 melt.yaml --set integrator.dt=0.2 --set output.directory=long
says "in one step of 0.2; its nearest neighbour, particle"
sed -i 's/Properties=id:I:1/Properties=type:I:1/; s/^7 /0 /; s/^8 /0 /; s/^9 /2 /' close.extxyz
runs 2 close.yaml --force
says "is of type 2"
finish
