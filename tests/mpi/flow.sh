#!/bin/bash
# A flow on a mesh on several ranks: the same diagnostics, spectra and snapshots, byte by byte, as on one, also after a
# restart on another number of ranks. usage: flow.sh FLAVOUR MYRIAD
set -u
flavour=$1 myriad=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$myriad" info --json | grep -q fftw || { echo "skipped: this build has no FFTW"; exit 77; }
cat >cube.yaml <<'END'
particles: {model: taylor_green, n: 12^3}
interaction: {method: spectral, viscosity: 0.01, viscous: exact, forcing: 0.1}
integrator: {name: rk4, dt: 0.1}
run: {end: 0.6}
output: {diagnostics: 0.1, spectra: 0.3, snapshots: 0.3, format: csv}
END
# on RANKS ARGUMENTS...: a run
on()
{
    local ranks=$1
    shift
    bash "$here/run.sh" "$flavour" "$ranks" "$myriad" run "$@" --quiet
    local code=$?
    [ $code -eq 0 ] || { echo "$ranks ranks, $*: exit code $code"; exit $code; }
}
on 1 cube.yaml --set output.directory=one
on 2 cube.yaml --set output.directory=two
on 2 cube.yaml --set output.directory=part --set run.steps=3
on 1 --restart part --set run.steps=none
for file in diagnostics.csv spectra.csv snapshot_00000.csv snapshot_00001.csv snapshot_00002.csv; do
    cmp "one/$file" "two/$file" || exit 1
done
[ -s two/report.html ] || { echo "no report on two ranks"; exit 1; }
[ "$(tail -n 1 part/diagnostics.csv)" = "$(tail -n 1 one/diagnostics.csv)" ] || { echo "another flow after a restart"; exit 1; }
echo "the same flow on 1 and 2 ranks of $flavour"
