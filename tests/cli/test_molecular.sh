#!/bin/bash
# myriad run with particles in a box: what it writes, restarts, units, species, and what it refuses.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
cd "$WORK" || exit 1
export OMP_NUM_THREADS=1

# runs CODE ARGS...: myriad run with that exit code
runs()
{
    local code=$1 got
    shift
    "$MYRIAD" run "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$code" ] || fail "myriad run $*: exit code $got, not $code: $(cat out err)"
}
# says TEXT: in what the last run printed
says() { grep -qF -- "$1" out err || fail "'$1' not found in: $(cat out err)"; }
# column FILE NAME: the last value of a column of diagnostics.csv
column()
{
    awk -F, -v name="$2" '!/^#/ && !c { for (k = 1; k <= NF; k++) if ($k == name) c = k; next } !/^#/ { v = $c } END { print v }' \
        "$1/diagnostics.csv"
}

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

# Thermostats by name, with seeds; barostat, restraints and minimisation.
runs 0 melt.yaml --set integrator.name=langevin --set integrator.temperature=1 --set output.directory=langevin
runs 0 melt.yaml --set integrator.name=langevin --set integrator.temperature=1 --set output.directory=seed --set integrator.seed=2
cmp -s langevin/diagnostics.csv seed/diagnostics.csv && fail "the seed has no effect"
runs 0 melt.yaml --set integrator.name=nose_hoover --set barostat.pressure=1 --set barostat.interval=5 --set output.directory=npt
[ "$(column npt volume_trials)" -eq 20 ] || fail "$(column npt volume_trials) trial moves of the box, not 20"
runs 0 melt.yaml --set minimise.steps=100 --set restraint.stiffness=10 --set output.directory=held
says "minimised: energy"
between 0 "$(column held external)" 1000 || fail "the restraints have the energy $(column held external)"

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

# What is refused, at the key that asked for it.
refuse() { local text=$1; shift; runs 2 "$@" --set output.directory=no; says "$text"; }
refuse "less than twice the cutoff" melt.yaml --set interaction.cutoff=3.5
refuse "needs a cutoff" melt.yaml --set interaction.cutoff=0
refuse "'method: neighbour'" melt.yaml --set interaction.method=direct --set interaction.kernel=lennard_jones --set integrator.name=verlet
refuse "does not move particles in a box" melt.yaml --set integrator.name=leapfrog
refuse "the barostat needs a temperature" melt.yaml --set barostat.pressure=1
refuse "tail corrections are for a truncated potential" melt.yaml --set interaction.tail=true
sed 's/model: fcc.*}/model: uniform, n: 256}/' melt.yaml >nowhere.yaml
refuse "box.x is not known" nowhere.yaml
refuse "inner radius of the spline" melt.yaml --set interaction.cut=spline
refuse "there is no species 'Xe'" mixture.yaml --set restraint.species=Xe --set restraint.stiffness=1
sed 's/, sigma: 3.65 Angstrom//' mixture.yaml >bare.yaml
refuse "an entry of 'species' has no 'sigma'" bare.yaml
sed -e 's/fraction: 0.75/fraction: 0.5/' mixture.yaml >half.yaml
refuse "add up to 0.75; expected 1" half.yaml

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
runs 3 melt.yaml --set integrator.dt=0.2 --set output.directory=long
says "in one step of 0.2; its nearest neighbour, particle"
sed -i 's/Properties=id:I:1/Properties=type:I:1/; s/^7 /0 /; s/^8 /0 /; s/^9 /2 /' close.extxyz
runs 2 close.yaml --force
says "is of type 2"
finish
