#!/bin/bash
# Units: G of every system, conversions, dimensions that do not fit.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
cd "$WORK" || exit 1

# near A B TOLERANCE: relative
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a != "" && (a - b) ^ 2 <= (t * b) ^ 2) }'; }

# gravity G TOLERANCE UNITS: the constant of gravity that a system has
gravity()
{
    printf 'units: {%s}\nparticles: {model: plummer, n: 2}\nrun: {steps: 0}\n' "$3" >g.yaml
    local got
    got=$("$MYRIAD" check g.yaml --json 2>err | sed -n 's/.*"gravity": \([^,]*\).*/\1/p')
    near "$got" "$1" "$2" || fail "G is $got, not $1, with units $3: $(cat err)"
}
gravity 1 0 'system: nbody'
gravity 6.6743e-11 1e-15 'system: si'
# pc^3 / Msun / Myr^2: GM_sun (IAU 2015) Myr^2 / pc^3
gravity 4.4985022e-3 1e-7 'system: astronomical'
# Gadget's units: kpc, 1e10 Msun, km/s
gravity 43009.17 1e-6 'system: astronomical, length: kpc, mass: 1e10 Msun, velocity: km/s'
# au, Msun, yr: nearly 4 pi^2; a Julian year is a little longer than Gauss' year
gravity 39.476926 1e-7 'system: astronomical, length: AU, mass: Msun, time: yr'
gravity 1 0 'system: nbody, length: 1 pc, mass: 1e4 Msun'
gravity 1 0 'system: lj'

# starts TIME UNIT-SYSTEM START: what a time is in the run's own units, as the first event tells it
starts()
{
    printf 'units: {%s}\nparticles: {model: plummer, n: 2}\nrun: {steps: 0, start: %s}\noutput: {snapshots: none, directory: d}\n' \
        "$2" "$3" >s.yaml
    local got
    got=$(event time start s.yaml --force)
    near "$got" "$1" 1e-9 || fail "$3 is $got, not $1, with units $2: $(cat err)"
}
starts 1 'system: si' '1 s'
starts 31557600 'system: si' '1 yr'
starts 3600 'system: si' '1 h'
starts 500 'system: astronomical' '0.5 Gyr'
starts 0.25 'system: astronomical' '250 kyr'
starts 1.022712165045695 'system: astronomical, length: kpc, mass: Msun, velocity: km/s' '1 Gyr'
starts 0.9777922216808 'system: astronomical' '1 pc s/km'
# G = 1 with pc and 1e4 Msun: the unit of time is sqrt(pc^3 / (G 1e4 Msun)) = 0.14909581 Myr
starts 6.7070874092 'system: nbody, length: 1 pc, mass: 1e4 Msun' '1 Myr'
starts 2.5 'system: nbody' '2.5'
# amber: times are in ps, and stay so in what is printed
starts 2 'system: amber' '2'
starts 0.002 'system: amber' '2 fs'
starts 0.5 'system: amber' '0.5 ps'
# argon: sqrt(m sigma^2 / epsilon) = 2.156200295 ps
starts 0.4637788066792 'system: lj, length: 3.405 Angstrom, mass: 39.948 g/mol, energy: 0.2381 kcal/mol' '1 ps'

run='run: {steps: 0}\n' model='particles: {model: plummer, n: 2, length_scale: 1 kpc}\n'
refuses "t.yaml:2:12: run.end: the unit is that of a length; expected a time, for example" 'particles: {model: plummer, n: 2}\nrun: {end: 10 kpc}\nunits: {system: si}\n'
refuses "t.yaml:1:31: species.epsilon: the unit is that of a length; expected an energy, for example" \
    'species: [{name: Ar, epsilon: 1 nm}]\nparticles: {model: plummer, n: 2}\nrun: {end: 1}\nunits: {system: si}\n'
refuses "t.yaml:1:31: species.epsilon: lj units have no scale for an energy; give a bare number" \
    'species: [{name: Ar, epsilon: 1 kcal/mol}]\nparticles: {model: plummer, n: 2}\nrun: {end: 1}\nunits: {system: lj}\n'
refuses "t.yaml:1:49: particles.length_scale: nbody units have no scale for a length" "$model$run"
refuses "t.yaml:1:49: particles.length_scale: there is no unit 'kcp'; did you mean 'kpc'?" 'particles: {model: plummer, n: 2, length_scale: 1 kcp}\nunits: {system: si}\n'"$run"
refuses "t.yaml:1:49: particles.length_scale: the unit is that of a length^2 time" 'particles: {model: plummer, n: 2, length_scale: 1 km^2 s}\nunits: {system: si}\n'"$run"
refuses "t.yaml:3:29: units.length: there is no unit 'kp'" 'particles: {model: plummer, n: 2}\n'"$run"'units: {system: si, length: kp}\n'
refuses "t.yaml:3:8: units.length: 'Myr' is a unit of time" 'particles: {model: plummer, n: 2}\n'"$run"'units: {system: si, length: Myr}\n'
refuses "t.yaml:3:8: nbody units need units.length and units.mass" 'particles: {model: plummer, n: 2}\n'"$run"'units: {length: pc}\n'
refuses "t.yaml:3:8: give only one of units.time" 'particles: {model: plummer, n: 2}\n'"$run"'units: {system: si, time: s, velocity: km/s}\n'
refuses "t.yaml:3:8: the units of amber are fixed" 'particles: {model: plummer, n: 2}\n'"$run"'units: {system: amber, time: s}\n'
refuses "t.yaml:2:18: run.wall_time: the unit is that of a length; expected a time on the clock" \
    'particles: {model: plummer, n: 2}\nrun: {wall_time: 3 m}\nunits: {system: si}\n'

# A scale goes into the particles: the Plummer sphere's half-mass radius and velocities follow.
printf 'units: {system: astronomical}\nparticles: {model: plummer, n: 200, length_scale: 3 pc, mass_scale: 500 Msun}\nrun: {steps: 0}\noutput: {directory: scaled}\n' >scaled.yaml
"$MYRIAD" run scaled.yaml --quiet || fail "a scaled model"
energy=$(sed -n 's/.*"energy": \([^,]*\).*/\1/p' scaled/summary.json)
# E = -G M^2 / (4 R) of the sphere, drawn with 200 particles: within 20 %
near "$energy" -93.72 0.2 || fail "the energy of the scaled model is $energy"
grep -q "length_scale: 3 pc" scaled/input.yaml || fail "the effective input does not say what was written"

# Pressures are in bar where the base units are those of molecules, given and printed; the gas has n k T = 1e-3 * 300 K k.
cat >gas.yaml <<'END'
units: {system: amber}
particles: {model: fcc, n: 108, density: 1e-3 Angstrom^-3, mass: 39.948 g/mol, temperature: 300 K}
species: [{name: Ar, epsilon: 1e-6 K, sigma: 1 Angstrom}]
interaction: {kernel: lennard_jones, method: neighbour, cutoff: 3 Angstrom}
integrator: {name: langevin, dt: 5 fs, temperature: 300 K, friction: 1 ps^-1}
barostat: {pressure: 2}
run: {steps: 1, threads: 1}
output: {report: false, format: csv}
END
for units in amber gromacs; do
    "$MYRIAD" run gas.yaml --quiet --force --set units.system=$units || fail "a gas in units of $units"
    # value NAME: unit and first value of a column
    value() { awk -F, -v name="$1" 'NR == 1 { split($0, unit, ",") } NR == 2 { for (k = 1; k <= NF; k++) if ($k == name) c = k }
        NR == 3 { print unit[c], $c }' gas/diagnostics.csv; }
    [ "$(value set_pressure)" = "bar 2" ] || fail "a pressure of 2 is '$(value set_pressure)' in units of $units"
    read -r unit pressure <<<"$(value pressure)"
    read -r _ temperature <<<"$(value temperature)"
    near "$pressure" "$(awk -v t="$temperature" 'BEGIN { print 1e-3 * 1e30 * 1.380649e-23 * t / 1e5 }')" 1e-4 ||
        fail "an ideal gas has $pressure $unit at $temperature K in units of $units"
done

# Messages give times in the unit of the input, also those of the library.
"$MYRIAD" run gas.yaml --force --set "integrator.dt=1 ms" >out 2>err && fail "a step of a millisecond"
grep -q "step 1 at time 0 ps: .* in one step of 1e+09 ps" err || fail "the unit of a time in a message: $(cat err)"
refuses "t.yaml:2:12: run.end is not after the start of the run; expected more than 2 ps" \
    'particles: {model: plummer, n: 2}\nrun: {end: 1 ps, start: 2 ps}\nunits: {system: amber}\n'
finish
