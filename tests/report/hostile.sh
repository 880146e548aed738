#!/bin/bash
# Reports of results that somebody else has written: hostile text in every name, title, unit, species, file and column
# runs no script in the reader's browser, adds no element to the page and draws no complaint; of two runs too.
# Skipped where Chromium is not installed (Debian: chromium).
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/../cli/common.inc"
. "$HERE/../cli/input.inc"
for program in python3 "${CHROMIUM:-chromium}"; do
    command -v "$program" >/dev/null || { echo "$program is not installed: no hostile report was opened"; exit 77; }
done
cd "$WORK" || exit 1
export OMP_NUM_THREADS=2
NAME=$(python3 "$HERE/hostile.py" --name)

# results YAML DIRECTORY: the results of a run, with hostile text in them
results()
{
    printf '%b' "$1" >input.yaml
    "$MYRIAD" run input.yaml --set "output.directory=$2" --quiet >out 2>err </dev/null || fail "$2: $(cat err)"
    python3 "$HERE/hostile.py" "$2" || fail "hostile.py $2"
}
# harmless PAGE: what the browser says about it
harmless()
{
    python3 "$HERE/browser.py" "$1" --hostile >found 2>&1 || fail "$1: $(cat found)"
}

results 'particles: {model: plummer, n: 64, seed: 2}\ninteraction: {eps: 0.0625}\nrun: {end: 0.25}\noutput: {snapshots: 0.0625}\n' "$NAME"
"$MYRIAD" report "$NAME" --quiet >out 2>err || fail "report of hostile results: $(cat err)"
harmless "$NAME/report.html"

results 'particles: {model: solar_system}\nunits: {system: astronomical}\nintegrator: {name: leapfrog, dt: 1 d}\nrun: {steps: 4}\n' planets
grep -q Neptune planets/run.json && fail "the names of bodies have not become hostile"
"$MYRIAD" report planets --quiet >out 2>err || fail "report of hostile planets: $(cat err)"
harmless planets/report.html

results 'particles: {model: fcc, n: 256, density: 0.8, temperature: 1}
species: [{name: Ar, epsilon: 1, sigma: 1}]
units: {system: lj}
interaction: {kernel: lennard_jones, method: neighbour, cutoff: 2.5}
integrator: {name: verlet, dt: 0.004}
run: {steps: 40}
output: {diagnostics: 0.016, snapshots: 0.08}
observables: {interval: 0.016}\n' box
"$MYRIAD" report box --quiet >out 2>err || fail "report of a hostile box: $(cat err)"
harmless box/report.html

# A sweep: the name of its file, columns of summaries and of diagnostics.
COLUMN='x"><script>window.hit=1</script><hostile>'
printf 'particles: {model: plummer, n: 32}\nrun: {end: 0.125}\nsweep: {interaction.eps: [0.1, 0.2], particles.seed: 1..2}\n' >"$NAME of many.yaml"
"$MYRIAD" sweep "$NAME of many.yaml" --quiet >out 2>err </dev/null || fail "sweep: $(cat err)"
for directory in "$NAME of many"/000?; do
    mv "$directory/summary.json" kept.json
    python3 "$HERE/hostile.py" "$directory" || fail "hostile.py $directory"
    python3 -c 'import json, sys; s = json.load(open("kept.json")); s[sys.argv[2]] = s["seconds"]
json.dump(s, open(sys.argv[1], "w"))' "$directory/summary.json" "$COLUMN"
    rm "$directory/report.html" # the page then has no link to it
done
"$MYRIAD" sweep "$NAME of many.yaml" --quiet --columns "$COLUMN" >out 2>err </dev/null || fail "hostile sweep: $(cat err)"
grep -q trend- "$NAME of many/sweep.html" || fail "the hostile column of the summaries has no plot"
harmless "$NAME of many/sweep.html"

flow='particles: {model: taylor_green, n: 4096}
interaction: {method: spectral, viscosity: 0.05}
integrator: {name: rk4, dt: 0.05}
run: {end: 0.3}
output: {diagnostics: 0.1, snapshots: 0.3}\n'
if printf '%b' "$flow" | "$MYRIAD" check /dev/stdin >out 2>err; then
    results "$flow" "$NAME 1"
    results "$flow" "$NAME 2"
    "$MYRIAD" report "$NAME 1" "$NAME 2" --output two.html --quiet >out 2>err || fail "report of two: $(cat err)"
    harmless two.html
else
    grep -q FFTW err || fail "the flow: $(cat err)"
fi
finish
