#!/bin/bash
# Molecules in generalised Born solvent: energies that `myriad molecule` prints, runs, restarts, and what is refused.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"
. "$(dirname "$0")/molecule.inc"

for model in hct obc1 obc2; do
    expect 0 "solvent                      $model, 0 mol/l" molecule "$ALANINE.prmtop" "$ALANINE.inpcrd" --solvent $model
    between -30 "$(energy gb --solvent $model)" -8 || fail "energy in $model"
    between 0 "$(energy net_force --solvent $model)" 1e-13 || fail "net force in $model"
done
[ "$(energy gb)" = 0 ] || fail "energy of a solvent without one"
between 3 "$(energy surface --solvent obc2 --surface)" 3.5 || fail "energy of the surface"
# Salt screens: it lowers the energy a little.
awk -v a="$(energy gb --solvent obc2)" -v b="$(energy gb --solvent obc2 --salt 0.15)" 'BEGIN { exit !(b < a && b > a - 0.1) }' ||
    fail "salt"
"$MYRIAD" molecule "$ALANINE.prmtop" "$ALANINE.inpcrd" --json --solvent obc2 >"$WORK/out"
parses "$WORK/out" || fail "molecule --json with a solvent is not JSON"
[ "$(sed -n '/"born_radii"/,/]/p' "$WORK/out" | grep -c '[0-9]')" -eq 22 ] || fail "Born radii of 22 atoms"

# A topology without radii, and one whose radii are too small.
awk '/^%FLAG RADIUS_SET/ { exit } 1' "$ALANINE.prmtop" >"$WORK/bare.prmtop"
expect 0 'total' molecule "$WORK/bare.prmtop" "$ALANINE.inpcrd"
expect 1 'sections RADII and SCREEN' molecule "$WORK/bare.prmtop" "$ALANINE.inpcrd" --solvent obc2
sed '/FLAG RADII/,/FLAG SCREEN/s/1.70000000E+00/0.00000000E+00/' "$ALANINE.prmtop" >"$WORK/small.prmtop"
expect 1 'a radius of more than 0.09 Angstrom' molecule "$WORK/small.prmtop" "$ALANINE.inpcrd" --solvent obc2
sed '/FLAG RADII/,/FLAG SCREEN/s/1.70000000E+00/       1.7xE+00/' "$ALANINE.prmtop" >"$WORK/broken.prmtop"
expect 1 'section RADII' molecule "$WORK/broken.prmtop" "$ALANINE.inpcrd"
expect 2 "there is no solvent 'obc3'" molecule "$ALANINE.prmtop" "$ALANINE.inpcrd" --solvent obc3
expect 1 'already stands for the solvent' molecule "$ALANINE.prmtop" "$ALANINE.inpcrd" --solvent obc2 --dielectric linear

cat >"$WORK/run.yaml" <<END
units: {system: amber}
particles: {file: $ALANINE.inpcrd, topology: $ALANINE.prmtop}
interaction: {kernel: ljc_constant}
solvent: {model: obc2, salt: 0.15 M, surface: true}
integrator: {name: langevin, dt: 2 fs, temperature: 300 K, friction: 1 ps^-1, rigid: hydrogen}
minimise: {steps: 50}
run: {end: 0.2 ps}
output: {directory: $WORK/run, diagnostics: 0.02 ps, snapshots: none, checkpoint: 0.1 ps}
END
expect 0 'obc2' explain solvent.model
expect 0 'is a valid input' check "$WORK/run.yaml"
expect 0 'finished' run "$WORK/run.yaml"
for column in energy_gb energy_surface; do
    grep -q "^time,.*,$column," "$WORK/run/diagnostics.csv" || fail "diagnostics have no $column"
done
grep -q 'generalised Born' "$WORK/run/report.html" || fail "the report has no energy of the solvent"
grep -q 'salt: 0.15 M' "$WORK/run/input.yaml" || fail "the effective input has no salt"

# A run that is stopped and restarted has the bits of one that is not, on one thread as on two.
expect 0 'finished' run "$WORK/run.yaml" --set output.directory="$WORK/half" --set run.steps=60 --threads 1
expect 0 'finished' run --restart "$WORK/half" --set run.steps=none --threads 2
[ "$(tail -1 "$WORK/run/diagnostics.csv" | cut -d, -f1-24)" = "$(tail -1 "$WORK/half/diagnostics.csv" | cut -d, -f1-24)" ] ||
    fail "a restart has other numbers: $(tail -1 "$WORK/run/diagnostics.csv") and $(tail -1 "$WORK/half/diagnostics.csv")"

says 2 'expected kernel ljc_constant' check "$WORK/run.yaml" --set interaction.kernel=ljc_linear
says 2 'hct' check "$WORK/run.yaml" --set solvent.model=gbn
says 2 'salt' check "$WORK/run.yaml" --set solvent.salt=0.15
finish
