#!/bin/bash
# Several sets of particles in one input: models and files with place, motion, rotation and type.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
cd "$WORK" || exit 1

# row FILE ID COLUMN: a value of a csv snapshot
row() { grep -v '^#' "$1" | awk -F, -v id="$2" -v c="$3" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == c) at = k } $1 == id { print $at }'; }

# A star with a planet, turned about x then z and moved, beside a model and another file.
printf 'x,y,z,vx,vy,vz,mass,name\n0,0,0,0,0,0,1,Star\n0,1,0,0,0,2,1e-3,Planet\n' >pair.csv
printf 'x,y,z,mass,radius\n5,5,5,1,0.25\n' >one.csv
cat >sets.yaml <<'END'
particles:
  - {file: pair.csv, rotation: [90 deg, 0, 90 deg], position: [10, 20, 30], velocity: [0, 0, 7]}
  - {model: plummer, n: 10}
  - {model: plummer, n: 10, type: 9}
  - {file: one.csv, type: keep}
run: {steps: 2}
output: {directory: sets, format: csv, report: false}
END
"$MYRIAD" run sets.yaml --quiet 2>err || fail "sets.yaml: $(cat err)"
start=sets/snapshot_00000.csv
[ "$(grep -c '^[0-9]' $start)" = 23 ] || fail "not 23 particles"
# (0,1,0) about x is (0,0,1), which z leaves alone; (0,0,2) becomes (0,-2,0), then (2,0,0)
for want in x:10 y:20 z:31 vx:2 vy:0 vz:7 mass:1e-3 type:0; do
    value=$(row $start 1 "${want%%:*}")
    between "$(awk -v x="${want#*:}" 'BEGIN { print x - 1e-12 }')" "$value" "$(awk -v x="${want#*:}" 'BEGIN { print x + 1e-12 }')" ||
        fail "${want%%:*} of the planet is $value, not ${want#*:}"
done
[ "$(row $start 2 type) $(row $start 12 type) $(row $start 22 type)" = "1 9 0" ] || fail "types: $(cut -d, -f1,2 $start)"
[ "$(row $start 2 x)" != "$(row $start 12 x)" ] || fail "two models of a list have the same random numbers"
[ "$(row $start 22 radius)" = 0.25 ] && [ "$(row $start 2 radius)" = 0 ] || fail "a field of one set only"
grep -q "entry 0 of 'particles' has no 'radius'; it is 0 there" err || fail "no word about the radius: $(cat err)"

# The same particles from the effective input, and on from a checkpoint.
"$MYRIAD" run sets/input.yaml --quiet --set output.directory=again 2>err || fail "the effective input: $(cat err)"
cmp -s sets/snapshot_00001.csv again/snapshot_00001.csv || fail "the effective input gives other particles"
"$MYRIAD" run sets.yaml --quiet --set output.directory=long --set run.steps=5 2>err || fail "5 steps: $(cat err)"
"$MYRIAD" run --restart sets --quiet --set run.steps=5 2>err || fail "restart: $(cat err)"
cmp -s sets/snapshot_00002.csv long/snapshot_00001.csv || fail "a restart moves otherwise"
"$MYRIAD" run sets.yaml --quiet --set output.directory=more --set particles.1.n=12 2>err || fail "--set of an entry: $(cat err)"
[ "$(grep -c '^[0-9]' more/snapshot_00000.csv)" = 25 ] || fail "--set particles.1.n"
"$MYRIAD" check sets.yaml >out 2>err && grep -q "23, pair.csv + plummer + plummer + one.csv" out || fail "check: $(cat out err)"

# One set can be placed as well, also vortex rings; bits of a set that is not moved stay.
cat >ring.yaml <<'END'
particles:
  - {model: vortex_ring, n: 245}
  - {model: vortex_ring, n: 245, position: [0, 0, 3], rotation: [90 deg, 0, 0]}
interaction: {kernel: velocity_stretching}
integrator: {name: rk4, dt: 0.01}
run: {steps: 1}
output: {directory: ring, format: csv, report: false}
END
"$MYRIAD" run ring.yaml --quiet 2>err || fail "two rings: $(cat err)"

# What does not go together.
rest='run: {steps: 0}\n'
refuses "t.yaml:2:5: an entry of 'particles' says neither 'model' nor 'file'" "particles:\n  - {n: 3}\n$rest"
refuses "t.yaml:2:5: an entry of 'particles' is not a map" "particles:\n  - plummer\n$rest"
refuses "t.yaml:1:12: 'particles' is an empty list" "particles: []\n$rest"
refuses "t.yaml:2:13: particles.n is missing" "particles:\n  - {model: plummer}\n$rest"
refuses "t.yaml:2:42: particles.position is not a list of three values" "particles:\n  - {model: plummer, n: 8, position:     [1, 2]}\n$rest"
refuses "t.yaml:2:39: particles.position: nbody units have no scale" "particles:\n  - {model: plummer, n: 8, position: [1 kpc, 2, 3]}\n$rest"
refuses "t.yaml:2:37: particles.thermal does not go with a list" "particles:\n  - {model: plummer, n: 8, thermal: 1}\n$rest"
refuses "t.yaml:2:28: 'particles' has no key 'W0', nor has the model 'plummer'" "particles:\n  - {model: plummer, n: 8, W0: 1}\n$rest"
refuses "t.yaml:2:5: 'particles' is a list; expected one model or file for particles in a box" \
    "particles:\n  - {model: fcc, n: 32}\ninteraction: {method: neighbour, epsilon: 1, sigma: 1}\n$rest"
expect 0 "A list of such maps makes several sets" explain particles

finish
