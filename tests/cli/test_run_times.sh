#!/bin/bash
# Times of outputs, for every kind of motion: exact multiples of the interval, and run.end; the same after a restart. A
# step that does not change the time is refused.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1

# times NAME INTERVAL END: runs NAME.yaml whole, and again in two parts; the column of times has the multiples of INTERVAL up
# to END, in the digits that a product of doubles has
times()
{
    run "$1.yaml" --set output.report=false --set run.threads=1
    awk -F, -v each="$2" -v end="$3" '/^#/ || /^time/ { next }
        { want = n * each < end ? n * each : end; n++; if ($1 + 0 != want) { printf "%.17g %.17g", $1, want; exit } }
        END { if ($1 + 0 != end + 0) printf "the last is %.17g", $1 }' "$1/diagnostics.csv" >wrong
    [ ! -s wrong ] || fail "$1: a row has another time than expected: $(cat wrong)"
    grep -q "\"time\": $3,\$" "$1/summary.json" || fail "$1: summary.json has another time than $3"
    run "$1.yaml" --set output.report=false --set run.threads=1 --set run.steps=7 --set output.directory="$1_part"
    run --restart "$1_part" --set run.steps=none --set output.diagnostics="$2"
    # the first part ends with a row of its own
    grep -vxFf "$1_part/diagnostics.csv" "$1/diagnostics.csv" >lost && fail "$1: rows differ after a restart: $(cat lost)"
}

cat >orbit.yaml <<'END'
particles: {model: kepler, a: 1, e: 0.3}
integrator: {name: leapfrog, dt: 0.1}
run: {end: 100}
output: {diagnostics: 0.3, snapshots: none}
END
times orbit 0.3 100

for integrator in hermite4 hermite4_shared; do
    sed "s/{name: leapfrog.*/{name: $integrator}/;s/end: 100/end: 5/" orbit.yaml >$integrator.yaml
    times $integrator 0.3 5
done

cat >liquid.yaml <<'END'
particles: {model: fcc, n: 256, density: 0.8, temperature: 1}
interaction: {kernel: lennard_jones, method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5}
integrator: {name: langevin, dt: 0.001, temperature: 1}
run: {end: 0.1}
output: {diagnostics: 0.007, snapshots: none}
END
times liquid 0.007 0.1

# 0.2 ps is no round number in the units of the library
cat >argon.yaml <<'END'
units: {system: amber}
particles: {model: fcc, n: 108, density: 0.02 Angstrom^-3, mass: 39.948 g/mol, temperature: 100 K}
species: [{name: Ar, epsilon: 119.8 K, sigma: 3.405 Angstrom}]
interaction: {kernel: lennard_jones, method: neighbour, cutoff: 6 Angstrom}
integrator: {name: verlet, dt: 20 fs}
run: {end: 5 ps}
output: {diagnostics: 0.2 ps, snapshots: none}
END
run argon.yaml --set output.report=false
awk -F, '/^#/ || /^time/ { next } { want = sprintf("%.17g", n / 5); n += 1; if ($1 != want) { print $1, want; exit } }
    END { if (n != 26) print n " lines" }' argon/diagnostics.csv >wrong
[ ! -s wrong ] || fail "argon: a row has another time than expected: $(cat wrong)"

# the limit of the step follows the flow: steps of dt, dt/2 and dt/4
cat >rings.yaml <<'END'
particles: {model: ring_collision, n: 216, core: 0.4, layers: 1}
interaction: {kernel: velocity_stretching}
integrator: {name: rk4, dt: 0.5, strain: 0.05}
run: {end: 2}
output: {diagnostics: 0.3, snapshots: none}
END
times rings 0.3 2
is "$(column rings step)" 9 80 "the number of limited steps"

cat >flow.yaml <<'END'
particles: {model: taylor_green, n: 16^3}
interaction: {method: spectral, reynolds: 20}
integrator: {name: rk4, dt: 0.01}
run: {end: 0.2}
output: {diagnostics: 0.07, spectra: none, snapshots: none}
END
times flow 0.07 0.2

runs 2 orbit.yaml --set integrator.dt=1e-18 --set run.start=1 --set run.wall_time=2 --force
says 'integrator.dt = 1e-18 is too short'
runs 2 orbit.yaml --set integrator.dt=1e-16 --set run.wall_time=2 --force
says 'does not change a time of 100'
finish
