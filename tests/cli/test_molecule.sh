#!/bin/bash
# What `myriad molecule` prints: energies by term that belong together, and its errors.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"
. "$(dirname "$0")/molecule.inc"

expect 0 'Lennard-Jones of 1-4 pairs         4.9128561923 kcal/mol' molecule "$ALANINE.prmtop" "$ALANINE.inpcrd"
expect 0 '"coulomb14"' molecule "$ALANINE.prmtop" "$ALANINE.inpcrd" --json
parses "$WORK/out" || fail "molecule --json is not JSON"
# A dielectric of 4 divides the charges' energies by 4 and leaves the others alone.
between 0.9999999999 "$(awk -v a="$(energy coulomb)" -v b="$(energy coulomb --param dielectric=4)" 'BEGIN { print a / b / 4 }')" \
    1.0000000001 || fail "a dielectric of 4"
[ "$(energy lj)" = "$(energy lj --dielectric sigmoidal)" ] || fail "Lennard-Jones depends on the dielectric"
between 0 "$(energy net_force)" 1e-13 || fail "net force"

# Atoms at the same place are counted and named; a run starts only after a minimisation.
awk 'NR == 3 { first = substr($0, 1, 36) } NR == 13 { $0 = substr($0, 1, 36) first } 1' "$ALANINE.inpcrd" >"$WORK/same.inpcrd"
expect 0 '1 pair of atoms, whose Lennard-Jones and Coulomb terms are left out: 1 (HH31 of ACE 1) and 22 (HH33 of NME 3)' \
    molecule "$ALANINE.prmtop" "$WORK/same.inpcrd"
expect 0 '"coincident_pairs": 1,' molecule "$ALANINE.prmtop" "$WORK/same.inpcrd" --json
expect 0 '"coincident_pairs": 0,' molecule "$ALANINE.prmtop" "$ALANINE.inpcrd" --json
expect 2 'say which FILE' molecule
# Without coordinates: what is in the topology.
expect 0 '1 ACE, 1 ALA, 1 NME' molecule "$ALANINE.prmtop"
expect 0 '12 rigid bonds to hydrogen' molecule "$ALANINE.prmtop"
expect 0 'generalised Born solvent: hct, obc1, obc2' molecule "$ALANINE.prmtop"
expect 0 '"radius_set": "H(N)-modified Bondi radii (mbondi2)"' molecule "$ALANINE.prmtop" --json
parses "$WORK/out" || fail "molecule --json of a topology is not JSON"
awk '/^%FLAG RADIUS_SET/ { exit } 1' "$ALANINE.prmtop" >"$WORK/bare.prmtop"
expect 0 'no generalised Born solvent' molecule "$WORK/bare.prmtop"
# Alanine dipeptide with a residue that is called water, and one atom of its own, in a box.
awk '/^%FLAG POINTERS/ { at = NR } at && NR == at + 4 { $0 = substr($0, 1, 56) "       1" substr($0, 65) }
    /^ACE ALA NME/ { $0 = "ACE ALA WAT" } 1' "$ALANINE.prmtop" >"$WORK/wet.prmtop"
expect 1 'the topology is solvated: 1 molecule of water, 0 ions and 2 other residues in a periodic box' molecule "$WORK/wet.prmtop"
expect 1 'this is no AMBER topology' molecule "$ALANINE.inpcrd" "$ALANINE.prmtop"
expect 2 "did you mean 'linear'" molecule "$ALANINE.prmtop" "$ALANINE.inpcrd" --dielectric linaer
head -c 6000 "$ALANINE.prmtop" >"$WORK/cut.prmtop"
expect 1 'cut.prmtop' molecule "$WORK/cut.prmtop" "$ALANINE.inpcrd"
"$MYRIAD" init uniform -n 21 -o "$WORK/a.csv" --quiet
expect 1 'the topology has 22 atoms, the coordinates are of 21' molecule "$ALANINE.prmtop" "$WORK/a.csv"

# A file is looked for in the folder of the run, then in that of the input.
mkdir "$WORK/input" "$WORK/elsewhere" "$WORK/mine"
cp "$ALANINE.prmtop" "$ALANINE.inpcrd" "$WORK/input"
sed 's/^ *end: .*/  steps: 2/' "$ALANINE.yaml" >"$WORK/input/alanine.yaml"
program=$(realpath "$MYRIAD")
(cd "$WORK/elsewhere" && "$program" run "$WORK/input/alanine.yaml" --quiet) || fail "files beside the input"
grep -qF "topology: $WORK/input/alanine.prmtop" "$WORK/elsewhere/alanine/input.yaml" || fail "the effective input has another path"
cp "$ALANINE.inpcrd" "$WORK/mine"
(cd "$WORK/mine" && "$program" run "$WORK/input/alanine.yaml" --quiet) || fail "a file in the folder of the run"
grep -q 'file: alanine.inpcrd' "$WORK/mine/alanine/input.yaml" || fail "the file beside the input goes before that of the run"

# Runs: what goes together, and what is said where it does not.
cat >"$WORK/run.yaml" <<END
units: {system: amber}
particles: {file: $ALANINE.inpcrd, topology: $ALANINE.prmtop}
interaction: {kernel: ljc_linear, dielectric: 4}
integrator: {name: langevin, dt: 2 fs, temperature: 300 K, friction: 1 ps^-1, rigid: hydrogen}
minimise: {steps: 50}
run: {end: 0.1 ps}
output: {directory: $WORK/run, diagnostics: 0.02 ps, snapshots: none}
END
says 2 '1 pair of atoms at the same place: 1 (HH31 of ACE 1) and 22 (HH33 of NME 3)' run "$WORK/run.yaml" --set minimise.steps=none \
    --set particles.file="$WORK/same.inpcrd"
says 0 'minimised: energy' run "$WORK/run.yaml" --set minimise.steps=2000 --set particles.file="$WORK/same.inpcrd" --set run.steps=1 \
    --set output.directory="$WORK/same"
expect 0 'ns/day' run "$WORK/run.yaml"
for column in energy_bond energy_coulomb14 phi psi temperature; do
    grep -q "^time,.*,$column," "$WORK/run/diagnostics.csv" || fail "no column $column"
done
grep -q 'id="ramachandran"' "$WORK/run/report.html" || fail "no map of torsions in the report"
grep -q '<dt>pace</dt>.*ns/day' "$WORK/run/report.html" || fail "no ns/day in the report"
# stopped after 20 steps and continued, on another number of threads: the same atoms in the end
ends="--quiet --force --set output.format=csv --set output.snapshots=ends"
# shellcheck disable=SC2086
"$MYRIAD" run "$WORK/run.yaml" $ends --set output.directory="$WORK/whole" || fail "the whole run"
# shellcheck disable=SC2086
"$MYRIAD" run "$WORK/run.yaml" $ends --set output.directory="$WORK/part" --set run.steps=20 --threads 1 || fail "a part of it"
"$MYRIAD" run --restart "$WORK/part" --quiet --set run.steps=none --threads 2 || fail "the rest of it"
cmp -s "$WORK/whole/snapshot_00001.csv" "$WORK/part/snapshot_00002.csv" || fail "other bits after a restart"
says 2 "expected 'system: amber'" check "$WORK/run.yaml" --set units.system=si
says 2 'a molecule has charges; expected kernel ljc_constant' check "$WORK/run.yaml" --set interaction.kernel=lennard_jones
says 2 'interaction.coulomb is given beside particles.topology' check "$WORK/run.yaml" --set interaction.coulomb=332
says 2 'interaction.sigma is given beside particles.topology' check "$WORK/run.yaml" --set interaction.sigma=3
says 2 'charges in a periodic box need Ewald sums' check "$WORK/run.yaml" --set box.y='30 Angstrom'
expect 0 '' check "$WORK/run.yaml" --set box.y=open
says 2 "does not move particles in a box" check "$WORK/run.yaml" --set integrator.name=hermite4
says 2 'cut.prmtop' run "$WORK/run.yaml" --set particles.topology="$WORK/cut.prmtop" --force
says 2 'a molecule needs all pairs' run "$WORK/run.yaml" --set interaction.method=neighbour --force
says 3 'time step is too long' run "$WORK/run.yaml" --set integrator.dt='80 fs' --set run.end='50 ps' --force
finish
