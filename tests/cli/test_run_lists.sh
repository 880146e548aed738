#!/bin/bash
# Runs with the tree code and the pseudo-particle method: energy as with every pair, what was chosen is in the effective
# input, and a run that was interrupted has the bits of one that was not, on any number of threads.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
cd "$WORK" || exit 1

run() { "$MYRIAD" run "$@" >out 2>err </dev/null; }

# energy DIRECTORY: the relative error of the energy at the end
energy()
{
    awk -F, '/^time,/ { for (k = 1; k <= NF; k++) if ($k == "energy_error") c = k } END { printf "%.9g", $c }' "$1/diagnostics.csv"
}

cat >in.yaml <<'END'
particles: {model: plummer, n: 2000, seed: 1}
interaction: {eps: 0.02}
integrator: {name: leapfrog, dt: 0.0078125}
run: {end: 0.25}
output: {report: false, format: csv, snapshots: ends, diagnostics: ends}
END
run in.yaml --set output.directory=direct || fail "direct: $(cat err)"
for method in tree pseudo; do
    set -- in.yaml --set interaction.method=$method --set interaction.tolerance=1e-4
    run "$@" --set output.directory=$method --threads 1 || fail "$method: $(cat err)"
    # the energy is measured by the method, to its tolerance; its error differs by, measured: tree 6.7e-7
    awk -v a="$(energy $method)" -v b="$(energy direct)" 'BEGIN { d = a - b; exit !(d < 2e-6 && d > -2e-6) }' ||
        fail "$method: energy is off by $(energy $method), directly by $(energy direct)"
    for key in order leaf; do
        grep -q "^ *$key: [0-9]" $method/input.yaml || fail "$method: no $key in the effective input"
    done
    run "$@" --set output.directory=part --set run.steps=11 --threads 3 --force || fail "$method to step 11: $(cat err)"
    run --restart part --set run.steps=none --threads 2 || fail "$method on from step 11: $(cat err)"
    cmp -s $method/snapshot_00001.csv part/snapshot_00002.csv || fail "$method: other bits after a restart"
done

# Hermite's scheme needs jerks, which the tree has to order 2. Measured: 5.8e-10.
set -- in.yaml --set integrator.name=hermite4 --set run.end=0.03125
sed -i '/^integrator/d' in.yaml
run "$@" --set output.directory=hermite --set interaction.method=tree || fail "hermite4: $(cat err)"
run "$@" --set output.directory=hermite_direct || fail "hermite4, direct: $(cat err)"
awk -v a="$(energy hermite)" -v b="$(energy hermite_direct)" 'BEGIN { d = a - b; exit !(d < 2e-9 && d > -2e-9) }' ||
    fail "hermite4: energy is off by $(energy hermite), directly by $(energy hermite_direct)"
finish
