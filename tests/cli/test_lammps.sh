#!/bin/bash
# Files that LAMMPS wrote: its data file and its dump hold the same particles for us, a run that starts from the data file
# has LAMMPS' energies, and LAMMPS goes on from files of ours. Skipped where LAMMPS is not installed.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"
command -v lmp >/dev/null || { echo "skipped: LAMMPS (lmp) is not installed"; exit 77; }
cd "$WORK" || exit 2

cat >common.lmp <<'L'
pair_style lj/cut 2.5
pair_coeff 1 1 1 1
pair_coeff 2 2 0.5 1.1
pair_modify mix arithmetic
fix 1 all nve
timestep 0.002
thermo_style custom step temp ke pe press
thermo_modify norm no format float %.15g
L
cat >make.lmp <<'L'
units lj
atom_style charge
lattice fcc 0.8442
region box block 0 4 -1 3 0 4
create_box 2 box
create_atoms 1 box
set type 1 type/fraction 2 0.5 12345
mass 1 1.0
mass 2 2.5
set type 2 charge 0.25
velocity all create 3.0 87287
include common.lmp
dump 1 all custom 50 dump.lammpstrj id type q x y z vx vy vz ix iy iz
dump_modify 1 format float %.17g
run 100
write_data made.data
undump 1
run 0
run 50
L
lammps() { OMP_NUM_THREADS=1 lmp -in "$1" -log "$1.log" -screen none >/dev/null 2>&1 || fail "lmp -in $1: $(tail -n 2 "$1.log")"; }
# thermo LOG STEP: temperature, kinetic and potential energy, pressure as LAMMPS prints them
thermo() { awk -v s="$2" '$1 == s && NF == 5 { line = $0 } END { print line }' "$1"; }
lammps make.lmp

# The same particles in both files. write_data folds positions into the box, a dump has them where they are.
"$MYRIAD" convert made.data made.csv --quiet || fail "the data file"
"$MYRIAD" convert dump.lammpstrj dump.csv --quiet || fail "the dump"
values() { grep -v '^#' "$1" | awk -F, -v want="$2" 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; n = split(want, w, " "); next }
    { for (k = 1; k <= n; k++) printf "%s ", $(at[w[k]]); print "" }' | sort -n; }
fields="id type charge x y z vx vy vz image[0] image[1] image[2]"
edge=$(awk '$3 == "xlo" { printf "%.17g", $2 - $1 }' made.data)
paste <(values made.csv "$fields") <(values dump.csv "$fields") | awk -v edge="$edge" '
    { for (k = 1; k <= 3; k++) if ($k != $(k + 12)) bad++
      for (k = 4; k <= 6; k++) if (($k - $(k + 12) + ($(k + 6) - $(k + 18)) * edge) ^ 2 > 1e-24) bad++
      for (k = 7; k <= 9; k++) if (($k - $(k + 12)) ^ 2 > 1e-24) bad++ } END { exit bad || NR != 256 }' ||
    fail "the data file and the dump have different particles"
[ "$(values made.csv "epsilon sigma mass" | sort -u | tr '\n' ';')" = "0.5 1.1000000000000001 2.5 ;1 1 1 ;" ] ||
    fail "coefficients and masses of the data file: $(values made.csv "epsilon sigma mass" | sort -u)"

# A run that starts from the data file.
cat >go.yaml <<'Y'
units: {system: lj}
particles: {file: made.data}
species:
  - {name: a, epsilon: 1, sigma: 1}
  - {name: b, epsilon: 0.5, sigma: 1.1}
interaction: {kernel: lennard_jones_potential, method: neighbour, cutoff: 2.5, cut: truncated, arithmetic: double}
integrator: {name: verlet, dt: 0.002}
run: {steps: 50, threads: 1}
output: {diagnostics: ends, snapshots: ends, format: lammps_data, report: false}
Y
"$MYRIAD" run go.yaml --quiet || fail "the run"
column() { awk -F, -v row="$1" -v name="$2" '/^#/ { next } !at { for (k = 1; k <= NF; k++) if ($k == name) at = k; next }
    ++n == row { print $at }' go/diagnostics.csv; }
# near ROW COLUMN VALUE RELATIVE
near() { between "$(awk -v v="$3" -v r="$4" 'BEGIN { v = v < 0 ? -v : v; print -v * r }')" \
    "$(awk -v a="$(column "$1" "$2")" -v b="$3" 'BEGIN { printf "%.17g", a - b }')" \
    "$(awk -v v="$3" -v r="$4" 'BEGIN { v = v < 0 ? -v : v; print v * r }')" ||
    fail "$2 in line $1 is $(column "$1" "$2"), LAMMPS has $3"; }
read -r _ temperature kinetic potential pressure <<<"$(thermo make.lmp.log 100)"
near 1 potential "$potential" 1e-12
near 1 kinetic "$kinetic" 1e-12
near 1 pressure "$pressure" 1e-10
# LAMMPS counts three degrees of freedom less, for the centre of mass
near 1 temperature "$(awk -v t="$temperature" 'BEGIN { printf "%.17g", t }')" 0.005
read -r _ _ kinetic potential _ <<<"$(thermo make.lmp.log 150)"
near 2 potential "$potential" 1e-8
near 2 kinetic "$kinetic" 1e-8

# LAMMPS goes on from our snapshot: the same energy again.
cat >on.lmp <<L
units lj
atom_style charge
pair_style lj/cut 2.5
read_data go/$(cd go && ls snapshot_00001.*)
include common.lmp
run 0
L
lammps on.lmp
read -r _ _ _ again _ <<<"$(thermo on.lmp.log 0)"
near 2 potential "$again" 1e-12
finish
