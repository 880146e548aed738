#!/bin/bash
# A run with a plug-in of NEMO has the orbits of one with the library's own field, is continued with the same bits, and says
# what it lacks. The plug-ins are in the folder that POTPATH names.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")/../cli" && pwd)
# shellcheck disable=SC1091
{
    . "$HERE/common.inc"
    . "$HERE/input.inc"
    . "$HERE/run.inc"
}
cd "$WORK" || exit 1

# input KIND: an input with that field; lines with its parameters may follow
input()
{
    cat <<END
particles: {model: plummer, n: 100, seed: 3}
interaction: {eps: 0.02}
external:
  - kind: $1
run: {end: 0.5}
output: {diagnostics: 0.25, snapshots: ends, format: csv, report: false}
END
}
input "nemo:halo:0,0.8,0.2,0.7" >nemo.yaml
input $'logarithmic\n    v0: 0.8\n    core: 0.2\n    qz: 0.7' >own.yaml
run nemo.yaml
run own.yaml
for name in energy energy_error; do
    [ -n "$(column nemo $name)" ] || fail "no column $name"
done
awk -v a="$(column nemo energy)" -v b="$(column own energy)" 'BEGIN { d = (a - b) / b; exit !(d * d < 1e-20) }' ||
    fail "energies $(column nemo energy) and $(column own energy)"

# The centre of the field, in the unit of lengths.
for kind in nemo own; do
    { printf 'units: {system: astronomical, length: 1 kpc, velocity: 1 km/s, mass: 1e5 Msun}\n'; sed '/^  - kind/a\    x: 2 kpc\n    z: -300 pc' $kind.yaml; } >centre_$kind.yaml
    run centre_$kind.yaml --set interaction.eps="0.02 kpc" --set run.end=0.01 --set output.diagnostics=0.01
done
awk -v a="$(column centre_nemo energy)" -v b="$(column centre_own energy)" 'BEGIN { d = (a - b) / b; exit !(d * d < 1e-20) }' ||
    fail "energies off the centre: $(column centre_nemo energy) and $(column centre_own energy)"
[ "$(column centre_nemo energy)" != "$(column nemo energy)" ] || fail "the centre has no effect"

run nemo.yaml --set output.directory=part --set run.steps=40
run --restart part --set run.steps=none
last() { printf '%s\n' "$1"/snapshot_*.csv | tail -n 1; }
cmp -s "$(last nemo)" "$(last part)" || fail "other bits after a restart"
grep -q 'kind: "nemo:halo:0,0.8,0.2,0.7"' nemo/*.yaml || fail "the effective input lacks the plug-in: $(cat nemo/*.yaml)"

POTPATH='' runs 2 nemo.yaml --set output.directory=x
says "there is no halo.so in the folders"
runs 2 nemo.yaml --set output.directory=x --set external.0.kind=nemo:/tmp/halo
says "without its folder"
runs 2 nemo.yaml --set output.directory=x --set external.0.v0=1
says "has no key 'v0'"
finish
