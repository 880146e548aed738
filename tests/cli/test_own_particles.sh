#!/bin/bash
# Particles of one's own: tables with columns and units, files beside the input, eval --file.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
cd "$WORK" || exit 1

astro='units: {system: astronomical, length: AU, mass: Msun, time: yr}\n'

# number FILE ROW COLUMN: a value of a table, from 1
number() { grep -v '^#' "$1" | awk -F, -v r="$2" -v c="$3" 'NR == r + 1 { print $c }'; }

# An orbit of a year from au, km/s and solar masses, in columns of other names and a file beside the input.
mkdir -p folder
printf 'Body;X;Y;Z;VX;VY;VZ;M;class\nSun;0;0;0;0;0;0;1;G2\nEarth;1;0;0;0;29.784691829676934;0;3e-6;-\n' >folder/own.txt
printf '%b' "$astro"'particles:
  file: own.txt
  columns: {x: X, y: Y, z: 4, vx: VX, vy: VY, vz: VZ, mass: M, name: Body}
  units: {x: AU, velocity: km/s, mass: Msun}
integrator: {name: yoshida6, dt: 1 d}
run: {end: 1 yr}
output: {directory: results, snapshots: ends, format: csv, report: false}
' >folder/own.yaml
"$MYRIAD" run folder/own.yaml --quiet 2>err || fail "own.yaml: $(cat err)"
between 6.2830 "$(number results/snapshot_00000.csv 2 7)" 6.2832 || fail "29.78 km/s are 2 pi au/yr: $(cat results/snapshot_00000.csv)"
between 0.9999 "$(number results/snapshot_00001.csv 2 3)" 1.0001 || fail "not back after a year: $(cat results/snapshot_00001.csv)"
grep -qF 'columns: ["x=X", "y=Y", "z=4", "vx=VX", "vy=VY", "vz=VZ", "mass=M", "name=Body"]' results/input.yaml ||
    fail "the effective input does not have the columns: $(grep columns results/input.yaml)"
# and the effective input runs
"$MYRIAD" run results/input.yaml --quiet --set output.directory=again 2>err || fail "the effective input: $(cat err)"
cmp -s results/snapshot_00001.csv again/snapshot_00001.csv || fail "the effective input gives other particles"

# What is missing is named, with what there is.
printf 'X,Y,Z,M\n0,0,0,1\n1,0,0,1\n' >t.csv
refuses "t.yaml:1:19: 't.csv' has no 'position' (columns x, y, z); the columns found are: X, Y, Z, M; 'myriad explain particles.columns'" \
    'particles: {file: t.csv}\nrun: {steps: 0}\n'
refuses "t.yaml:1:19: 't.csv' has no 'mass'; the columns chosen hold: position, and the others are left out" \
    'particles: {file: t.csv, columns: [x, y, z, skip]}\nrun: {steps: 0}\n'
refuses "t.yaml:1:19: t.csv:1:1: there is no column 'm'; the columns found are: X, Y, Z, M" \
    'particles: {file: t.csv, columns: {x: X, y: Y, z: Z, mass: m}}\nrun: {steps: 0}\n'
refuses "t.yaml:1:35: particles.columns is empty; expected a map, {a: b}, or auto" \
    'particles: {file: t.csv, columns: []}\nrun: {steps: 0}\n'
refuses "t.yaml:1:45: particles.columns has an entry that is not a text" \
    'particles: {file: t.csv, columns: {x: X, y: [1]}}\nrun: {steps: 0}\n'
columns='columns: [x, y, z, mass]'
refuses "t.yaml:1:61: particles.units: 'pc' cannot be converted, as the units of the run (nbody) have no scale" \
    "particles: {file: t.csv, $columns, units:   {position: pc}}\nrun: {steps: 0}\n"
refuses "t.yaml:2:59: particles.units: 'pc' is not a unit of mass" \
    "$astro""particles: {file: t.csv, $columns, units: {mass: pc}}\nrun: {steps: 0}\n"
refuses "t.yaml:2:59: particles.units has a unit of 'velocity', which the file does not have" \
    "$astro""particles: {file: t.csv, $columns, units: {velocity: km/s}}\nrun: {steps: 0}\n"
printf 'particles: {file: t.csv, %s}\nrun: {steps: 0}\n' "$columns" >t.yaml
"$MYRIAD" check t.yaml >out 2>err || fail "a table without velocities: $(cat err)"
grep -q "t.csv has no velocities (columns vx, vy, vz); its particles start at rest" err || fail "no word about rest: $(cat err)"
expect 0 "Columns are x, y, z" explain particles.columns
expect 0 "by field: {position: pc" explain particles.units

# eval takes them too: the same particles have the same accelerations, whatever their columns are called.
expect 2 "'t.csv' has no 'position' (columns x, y, z); the columns found are: X, Y, Z, M; --column x=NAME" eval --file t.csv
expect 2 "'t.csv' has no 'position' (columns x, y, z); the columns chosen hold: mass, and the others are left out; --column x=NAME" \
    eval --file t.csv --column mass=M
expect 2 "--file is given beside --model or --n" eval --file t.csv --n 10
expect 1 "cannot read 'none.csv'" eval --file none.csv
printf 'x y z mass\n0 0 0 1\n1 0 0 1\n0 3 0 2\n' >own.dat
one=$(value hash --file own.dat --arithmetic double --accumulator double)
[ -n "$one" ] || fail "no hash of own.dat"
printf 'X,Y,Z,M\n0,0,0,1\n1,0,0,1\n0,3,0,2\n' >t3.csv
two=$(value hash --file t3.csv --column x=X --column y=Y --column z=Z --column mass=M --arithmetic double --accumulator double)
[ "$one" = "$two" ] || fail "hashes of the same particles: $one and $two"
[ "$(value n --file own.dat)" = 3 ] || fail "eval --file does not count its particles"

finish
