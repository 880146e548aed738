#!/bin/bash
# The fast multipole method through the program: errors that were asked for, the same bits on any number of threads,
# bad requests, runs with their choices in the effective input, restarts, and an energy as good as the forces.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
cd "$WORK" || exit 1

# --- myriad eval: tolerances (measured: 3e-5 and 2e-7)
for row in "single 1e-4" "mixed 1e-6"; do
    set -- "${row% *}" "${row#* }"
    value hash --model plummer -n 8000 --kernel gravity_potential --arithmetic "$1" --method fmm --tolerance "$2" >one
    error=$(sed -n 's/^      "acceleration": \([^,]*\),*$/\1/p' json)
    between 1e-9 "$error" "$2" || fail "$1 arithmetic: error $error for a tolerance of $2"
    grep -q "\"tolerance\": 0.0001\|\"tolerance\": 1e-06\|\"tolerance\": 9.99" json || fail "the tolerance is not told"
    value hash --model plummer -n 8000 --kernel gravity_potential --arithmetic "$1" --method fmm --tolerance "$2" \
        --threads 3 >three
    cmp -s one three || fail "$1 arithmetic: other bits with three threads"
done
expect 0 "measured on" eval -n 3000 --method fmm --quiet
# softening that is felt far keeps leaves large: 14 % of all pairs, 11 times those of leaves of the wanted size
expect 0 "the softening is felt more" eval -n 60000 --model galaxy_pair --seed 3 --eps 0.05 --method fmm --tolerance 1e-3 --leaf 10 \
    --samples 0

# --- pairs are those that were evaluated, not all that there are
for method in fmm tree pseudo; do
    pairs=$(value pairs -n 20000 --method $method --tolerance 1e-3)
    near=$(sed -n 's/^ *"near_pairs": \([0-9]*\),*$/\1/p' "$WORK/json")
    [ "$pairs" = "$near" ] && [ "$pairs" -lt 300000000 ] || fail "$method: $pairs pairs, $near one by one"
done
[ "$(value pairs -n 2000)" = 4000000 ] || fail "direct sums have all pairs"

# --- what is refused, and why
expect 1 "larger than 0" eval -n 100 --method fmm --tolerance 0
expect 1 "larger than 0" eval -n 100 --method fmm --tolerance -1e-3
expect 1 "below what single arithmetic can reach" eval -n 100 --method fmm --tolerance 1e-9
expect 1 "method direct has no tolerance; methods that have it: fmm, tree, pseudo" eval -n 100 --tolerance 1e-3
expect 2 "there is no method 'magic'; there are: direct, fmm, tree, pseudo, neighbour" eval -n 100 --method magic
expect 1 "no multipole expansion" eval -n 100 --method fmm --kernel lennard_jones
expect 1 "order = 40 is out of range" eval -n 100 --method fmm --order 40

# --- myriad run: effective input, restart, energy
cat >in.yaml <<'END'
particles: {model: plummer, n: 2000, seed: 2}
interaction: {kernel: gravity, method: fmm, tolerance: 1e-4, eps: 0.001}
integrator: {name: leapfrog, dt: 0.0078125}
run: {end: 0.125}
output: {diagnostics: ends, snapshots: ends, format: csv}
END
run() { "$MYRIAD" run "$@" >out 2>err </dev/null; }
run in.yaml --set output.directory=whole --threads 1 || fail "the run: $(cat err)"
for line in "method: fmm" "tolerance: 1e-4" "order: 8" "separation: 1" "leaf: 32"; do
    grep -q "^  $line" whole/input.yaml || fail "the effective input has no '$line'"
done
grep -q '"tolerance": ' whole/run.json || fail "run.json does not tell the tolerance"
run whole/input.yaml --set output.directory=again --threads 2 || fail "the effective input: $(cat err)"
cmp -s whole/snapshot_00001.csv again/snapshot_00001.csv || fail "other bits from the effective input"
run in.yaml --set output.directory=part --set run.steps=7 --threads 2 || fail "half of the run: $(cat err)"
run --restart part --set run.steps=none --threads 1 || fail "the other half: $(cat err)"
cmp -s whole/snapshot_00001.csv part/snapshot_00002.csv || fail "other bits after a restart"
run in.yaml --set output.directory=direct --set interaction.method=direct --set interaction.tolerance=auto ||
    fail "the direct run: $(cat err)"
energy() { sed -n 's/.*"energy_error": \([-0-9.e]*\).*/\1/p' "$1/summary.json"; }
difference=$(awk -v a="$(energy whole)" -v b="$(energy direct)" 'BEGIN { d = a - b; print d < 0 ? -d : d }')
between 0 "$difference" 5e-6 || fail "the energy differs from that of direct sums by $difference" # measured 1e-6
run in.yaml --set output.directory=bad --set interaction.tolerance=0 && fail "a tolerance of 0 was taken"
grep -q "interaction.tolerance" err || fail "a tolerance of 0: $(cat err)"
run in.yaml --set output.directory=bad --set interaction.theta=0.5 && fail "fmm took a theta"
grep -q "^in.yaml:2:.*method fmm has no theta" err || fail "a theta of fmm: $(cat err)"
printf 'particles: {model: plummer, n: 4000}\ninteraction: {method: fmm, tolerance: 1e-3}\nintegrator: {name: leapfrog, dt: 0.01}\nrun: {steps: 4}\n' >few.yaml
"$MYRIAD" run few.yaml --quiet >out 2>err </dev/null || fail "few.yaml: $(cat err)"
pairs=$(sed -n 's/^  "pairs": \([0-9]*\),*$/\1/p' few/summary.json)
between 1 "$pairs" 40000000 || fail "five sums of 4000 particles by fmm have $pairs pairs, not fewer than half of all"
finish
