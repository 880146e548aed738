#!/bin/bash
# Charges in a box: what a run with interaction.coulomb writes and refuses, restarts, and LAMMPS' energy, pressure and
# forces of the same ions where LAMMPS is installed.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
. "$HERE/run.inc"
"$MYRIAD" info --json | grep -q fftw || { echo "skipped: this build has no FFTW"; exit 77; }
cd "$WORK" || exit 1
export OMP_NUM_THREADS=1

# 216 ions near the places of rock salt, in a box with three edges.
awk 'BEGIN { srand(3); n = 6; split("17 19 18", edge); print "ions\n\n216 atoms\n2 atom types\n"
    split("x y z", axis); for (c = 1; c <= 3; c++) print "0", edge[c], axis[c] "lo", axis[c] "hi"
    print "\nMasses\n\n1 1\n2 1\n\nAtoms # charge\n"
    for (i = 0; i < n * n * n; i++) { at[1] = i % n; at[2] = int(i / n) % n; at[3] = int(i / n / n)
        type = (at[1] + at[2] + at[3]) % 2; printf "%d %d %d", i + 1, type + 1, 1 - 2 * type
        for (c = 1; c <= 3; c++) printf " %.17g", (at[c] + 0.3 + 0.3 * rand()) * edge[c] / n; print "" } }' >ions.data
# input NAME SPECIES_A SPECIES_B
input() {
    cat >"$1.yaml" <<END
units: {system: lj}
particles: {file: ions.data}
species:
  - {name: A, sigma: 2, $2}
  - {name: B, sigma: 3, $3}
interaction: {method: neighbour, cutoff: 8, cut: truncated, coulomb: mesh, tolerance: 1e-9, arithmetic: double}
integrator: {name: verlet, dt: 0.001}
run: {steps: 20}
output: {format: csv, diagnostics: ends, report: false}
END
}
input ions "epsilon: 1" "epsilon: 0.25"
runs 0 ions.yaml

# What was chosen is in the effective input, which runs again to the same bits; the measured error is below the tolerance.
for key in coulomb_cutoff coulomb_splitting; do
    grep -q "^  $key: [0-9]" ions/input.yaml || fail "no $key in the effective input"
done
runs 0 ions/input.yaml --set output.directory=again --threads 2
cmp -s ions/diagnostics.csv again/diagnostics.csv || fail "the effective input gives another run"
grep -q '"mesh": \[' ions/run.json || fail "no mesh in run.json"
between 1e-14 "$(sed -n 's/.*"norm": \([-0-9.e]*\).*/\1/p' ions/run.json)" 1e-9 || fail "the measured error"
runs 0 ions.yaml --set output.directory=half --set run.steps=8
runs 0 --restart half --set run.steps=20
for name in energy_coulomb pressure; do
    [ "$(column ions $name)" = "$(column half $name)" ] || fail "after a restart $name is $(column half $name), not $(column ions $name)"
done

# Charges of the species act instead of those of the file; a net charge is told.
first() { awk -F, -v name="$2" '/^#/ { next } !at { for (k = 1; k <= NF; k++) if ($k == name) at = k; next } { print $at; exit }' "$1/diagnostics.csv"; }
input species "epsilon: 1, charge: 2" "epsilon: 0.25, charge: -2"
runs 0 species.yaml --set run.steps=1
awk -v a="$(first ions energy_coulomb)" -v b="$(first species energy_coulomb)" 'BEGIN { exit !((b / a - 4) ^ 2 < 1e-16) }' ||
    fail "charges twice as large have the energy $(first species energy_coulomb), not four times $(first ions energy_coulomb)"
input net "epsilon: 1, charge: 2" "epsilon: 0.25"
runs 0 net.yaml --set run.steps=1
says "add up to 108"

# What is refused.
refuses() { # SENTENCE NAME SETTINGS...
    local sentence=$1 name=$2
    shift 2
    runs 2 "$name.yaml" --set output.directory=no "$@"
    says "$sentence"
}
refuses "expected none or mesh" ions --set interaction.coulomb=fmm
refuses "expected 'coulomb: mesh'" ions --set interaction.coulomb=none --set interaction.tolerance=auto --set interaction.coulomb_cutoff=3
refuses "a species has a charge, and charges do not act" species --set interaction.coulomb=none --set interaction.tolerance=auto
refuses "periodic along x, y and z" ions --set box.z=open
refuses "the tolerance of the charges" ions --set interaction.tolerance=1e-12
input bare "epsilon: 1" "epsilon: 0"
refuses "opposite charges and no repulsion" bare
input none "epsilon: 1, charge: 0" "epsilon: 1, charge: 0"
refuses "no particle has one" none

command -v lmp >/dev/null || finish
cat >ions.lmp <<'END'
units lj
atom_style charge
read_data ions.data
pair_style lj/cut/coul/long 8.0 8.4
pair_coeff 1 1 1 2
pair_coeff 2 2 0.25 3
pair_modify table 0 mix arithmetic
kspace_style ewald 1e-10
compute p all pressure NULL virial
thermo_style custom step pe c_p[1] c_p[2] c_p[3] c_p[4] c_p[5] c_p[6]
thermo_modify norm no format float %.15g
dump d all custom 1 ions.dump id fx fy fz
dump_modify d sort id format float %.15g
run 0
END
OMP_NUM_THREADS=1 lmp -in ions.lmp -log ions.log -screen none >/dev/null 2>&1 || fail "lmp: $(tail -n 2 ions.log)"
read -r -a theirs <<<"$(awk '$1 == "0" && NF == 8 { print }' ions.log)"
k=1
# measured: 4e-5 of -342 for the energy (screened pairs are a polynomial in LAMMPS), 3e-9 for pressures of 0.2
for name in potential pressure_xx pressure_yy pressure_zz pressure_xy pressure_xz pressure_yz; do
    awk -v a="$(first ions $name)" -v b="${theirs[$k]}" -v bar="$([ $name = potential ] && echo 1e-4 || echo 1e-8)" \
        'BEGIN { exit !((a - b) ^ 2 < bar ^ 2) }' || fail "$name is $(first ions $name), LAMMPS has ${theirs[$k]}"
    k=$((k + 1))
done
# measured: 2e-9
paste <(grep '^[0-9]' ions/snapshot_00000.csv | sort -t, -n | tr ',' ' ') <(awk 'NF == 4 && $1 ~ /^[0-9]+$/' ions.dump | sort -n) | awk '
    { for (k = 0; k < 3; k++) { off += ($(11 + k) - $(18 + k)) ^ 2; all += $(18 + k) ^ 2 } }
    END { exit !(NR == 216 && off < 1e-16 * all) }' || fail "forces are not those of LAMMPS"
finish
