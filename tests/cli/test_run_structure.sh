#!/bin/bash
# What a run says of its bodies: columns of structure, encounters.csv, mergers that are counted and accounted for; and all
# of it is the same after a restart.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1

# A Kepler orbit with a = 1, e = 0.5, half a period from its farthest point to its closest: one binary, distance 0.5.
cat >kepler.yaml <<'END'
particles: {model: kepler, e: 0.5}
integrator: {name: hermite4, eta: 0.001}
run: {end: 3.141592653589793}
output: {encounter_radius: 0.75}
END
run kepler.yaml
is "$(column kepler closest_pair)" 0.49999 0.50001 "the closest pair"
is "$(column kepler binaries)" 1 1 "the number of binaries"
is "$(column kepler hardest_binary)" 0.12499 0.12501 "the binding energy"
is "$(column kepler escapers)" 0 0 "the number of escapers"
[ "$(column kepler core_radius)" = nan ] || fail "two bodies have a core"
[ "$(grep -c '^[0-9]' kepler/encounters.csv)" -eq 1 ] || fail "not one encounter: $(cat kepler/encounters.csv)"
awk -F, '/^[0-9]/ && $2 == "nan" && $6 < 0.50001 && $7 > 1.7320 && $7 < 1.7321 { ok = 1 } END { exit !ok }' kepler/encounters.csv ||
    fail "not the closest approach: $(cat kepler/encounters.csv)"

# A cluster whose stars merge: fewer snapshot lines, the mass stays, and the account of the energy closes.
cat >merge.yaml <<'END'
particles: {model: plummer, n: 128, seed: 3}
run: {end: 1, merge_distance: 0.02, threads: 1}
output: {diagnostics: 0.25, encounter_radius: 0.03, format: csv}
END
run merge.yaml
merged=$(column merge merged)
is "$merged" 2 20 "the number of mergers"
is "$(column merge mass)" 0.999999999999 1.000000000001 "the mass"
is "$(column merge energy_error)" -5e-6 5e-6 "the error of the energy"
[ "$(grep -c '^[0-9]' merge/snapshot_00001.csv)" -eq $((128 - merged)) ] || fail "another number of stars in the last snapshot"
stars=$(awk -F, 'NR == 2 { for (k = 1; k <= NF; k++) if ($k ~ /^steps_/) c[k] } END { for (k in c) n += $k; print n }' merge/diagnostics.csv)
[ "$stars" -eq $((128 - merged)) ] || fail "$stars stars in the histogram of steps"

# Stopped between mergers and continued.
run merge.yaml --set output.directory=part --set run.steps=600
is "$(column part merged)" 1 $((merged - 1)) "the number of mergers before the stop"
run --restart part --set run.steps=none
cmp -s merge/encounters.csv part/encounters.csv || fail "other encounters after a restart"
[ "$(tail -n 1 merge/diagnostics.csv)" = "$(tail -n 1 part/diagnostics.csv)" ] || fail "other diagnostics after a restart"

# A tide that turns: the error is that of the Jacobi integral, and escapers are beyond the tidal radius (G M / 3 strength)^(1/3).
cat >tide.yaml <<'END'
particles: {model: plummer, n: 128, seed: 3}
interaction: {eps: 0.05}
integrator: {name: leapfrog, dt: 0.005}
external: [{kind: tidal, mass: 20, distance: 10, rate: 0.1414213562373095}]
run: {end: 2, threads: 1}
output: {diagnostics: 0.5, report: false}
END
run tide.yaml
energy=$(awk -F, 'NR == 2 { for (k = 1; k <= NF; k++) if ($k == "energy") c = k } NR == 3 { first = $c } END { d = $c - first; print d < 0 ? -d : d }' tide/diagnostics.csv)
is "$energy" 2e-3 0.03 "the change of the energy in a tide that turns" # seen 5.7e-3
is "$(column tide energy_error)" -3e-5 3e-5 "the error of the Jacobi integral" # seen 6.2e-6
is "$(column tide tidal_radius)" 2 2.5544 "the tidal radius" # of all the mass 2.5543
is "$(column tide escapers)" 10 30 "the number of bodies beyond the tidal radius"
grep -q '"jacobi_start": -' tide/summary.json || fail "summary.json does not have the Jacobi integral"

# Where nothing is conserved there is no error, and no limit to it.
sed 's/^external: .*/external: [{kind: tidal, mass: 20, distance: 10, rate: 1}, {kind: tidal, mass: 20, distance: 10, rate: 2}]/' tide.yaml >two.yaml
run two.yaml --set run.energy_limit=1e-9
[ "$(column two energy_error)" = nan ] || fail "an energy error where the energy is not conserved: $(column two energy_error)"
finish
