#!/bin/bash
# The report in a real browser: it opens without complaints, on a desk and on a phone; the replay draws, and answers to
# mouse and keys; without WebGL2 the page says so. Skipped where Chromium is not installed (Debian: chromium).
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/../cli/common.inc"
. "$HERE/../cli/input.inc"
for program in python3 "${CHROMIUM:-chromium}"; do
    command -v "$program" >/dev/null || { echo "$program is not installed: the report was not opened in a browser"; exit 77; }
done
cd "$WORK" || exit 1
export OMP_NUM_THREADS=2

# page YAML NAME: runs an input and leaves NAME/report.html
page()
{
    printf '%b' "$1" >"$2.yaml"
    "$MYRIAD" run "$2.yaml" --quiet >out 2>err </dev/null || fail "$2: $(cat err)"
}
# opens NAME [OPTIONS]: checks of browser.py
opens()
{
    local name=$1
    shift
    python3 "$HERE/browser.py" "$name/report.html" "$@" >found 2>&1 || fail "$name $*: $(cat found)"
    grep opened found
}

page 'particles: {model: plummer, n: 512, mass_function: kroupa}\ninteraction: {eps: 0.0625}\nrun: {end: 0.25}\noutput: {snapshots: 0.03125}\n' cluster
opens cluster
opens cluster --without-webgl
printf 'particles: {model: plummer, n: 64}\nrun: {end: 0.25}\nsweep: {interaction.eps: [0.01, 0.02, 0.04], particles.seed: 1..4}\n' >many.yaml
"$MYRIAD" sweep many.yaml --quiet >out 2>err </dev/null || fail "sweep: $(cat err)"
python3 "$HERE/browser.py" many/sweep.html --sweep >found 2>&1 || fail "the page of a sweep: $(cat found)"
page 'particles: {model: figure_eight}\nintegrator: {name: yoshida4, dt: 0.01}\nrun: {end: 6}\noutput: {snapshots: 0.1}\n' eight
opens eight
page 'particles: {model: solar_system}\nunits: {system: astronomical, length: AU, mass: Msun, time: yr}\nintegrator: {name: yoshida6, dt: 1 d}\nrun: {end: 1 yr}\noutput: {snapshots: 0.25 yr, diagnostics: ends}\n' planets
opens planets
cp "$HERE"/../../examples/alanine.* .
"$MYRIAD" run alanine.yaml --quiet --set "run.end=2 ps" --set "output.snapshots=0.5 ps" >out 2>err || fail "alanine: $(cat err)"
opens alanine
finish
