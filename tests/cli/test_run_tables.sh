#!/bin/bash
# Tables of a run (diagnostics, encounters, probes, spectra): a length that the system cannot tell is an error and not a
# length, so that a run that is continued does not begin its tables again; a table that is shorter than the checkpoint
# says is refused and not filled up.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
cd "$WORK" || exit 1

cat >stars.yaml <<'END_OF_INPUT'
particles: {model: plummer, n: 32, seed: 3}
interaction: {eps: 0.015625}
run: {end: 1}
output: {diagnostics: 0.03125, snapshots: none, format: csv, checkpoint: 0, report: false, encounter_radius: 0.1}
END_OF_INPUT
cat >ring.yaml <<'END_OF_INPUT'
particles: {model: vortex_ring, n: 72, layers: 1, core: 0.2}
interaction: {kernel: velocity_stretching_transposed, viscosity: 0.0005}
integrator: {name: rk3, dt: 0.05}
probes: {points: [1, 1, 3], from: [0, 0, -2], to: [0, 0, 2]}
run: {steps: 4}
output: {diagnostics: 0.05, snapshots: none, format: csv, checkpoint: none, report: false}
END_OF_INPUT
cat >flow.yaml <<'END_OF_INPUT'
particles: {model: taylor_green, n: 8^3}
interaction: {method: spectral, viscosity: 0.01}
integrator: {name: rk4, dt: 0.05}
run: {steps: 4}
output: {diagnostics: 0.05, spectra: 0.05, snapshots: none, format: csv, checkpoint: none, report: false}
END_OF_INPUT

# cut INPUT TABLE END: a run whose table has lost its lines is not continued
cut()
{
    rm -rf run
    "$MYRIAD" run "$1" --quiet --set output.directory=run 2>err || {
        grep -q FFTW err && { echo "$2: not tried without FFTW"; return; }
        fail "$1: $(cat err)"
        return
    }
    truncate -s 30 "run/$2"
    cp "run/$2" before
    "$MYRIAD" run --restart run --quiet --set "$3" >out 2>err && fail "$2: a run goes on with a table that is too short"
    grep -q "run/$2 is shorter than the checkpoint says" err || fail "$2: $(cat err)"
    cmp -s before "run/$2" || fail "$2 has been changed"
}
cut stars.yaml diagnostics.csv run.end=3
cut stars.yaml encounters.csv run.end=3
cut ring.yaml probes.csv run.steps=6
cut flow.yaml spectra.csv run.steps=6

# the system does not tell the length from the middle of the run on
if ! command -v strace >/dev/null || ! strace -o trace true 2>/dev/null; then
    echo "lengths that cannot be told: not tried without strace"
    finish
    exit
fi
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # the search for leaks traces the process, as strace does
"$MYRIAD" run stars.yaml --quiet --set output.directory=whole 2>err || fail "the whole run: $(cat err)"
# a table that cannot be read is no table of another version
rm -rf run
cp -r whole run
strace -f -o trace -P "$PWD/run/diagnostics.csv" -e trace=read -e inject=read:error=EIO:when=1+ \
    "$MYRIAD" run --restart run --quiet --set run.end=1.5 >out 2>err && fail "a table that cannot be read: $(cat out err)"
grep -q '^myriad: run/diagnostics.csv cannot be read: Input/output error' err || fail "a table that cannot be read: $(cat err)"
cmp -s whole/diagnostics.csv run/diagnostics.csv || fail "a table that could not be read has been changed: $(ls run)"
strace -f -o trace -e trace=lseek "$MYRIAD" run stars.yaml --quiet --threads 1 --set output.directory=traced || fail "a traced run"
calls=$(wc -l <trace)
rm -rf run
strace -f -o trace -e trace=lseek -e inject=lseek:error=EIO:when=$((calls / 2))+ \
    "$MYRIAD" run stars.yaml --quiet --threads 1 --set output.directory=run >out 2>err
[ $? -eq 1 ] || fail "a length that cannot be told is no error: $(cat out err)"
grep -q '^myriad: run/.*csv cannot be written: Input/output error' err || fail "a length that cannot be told: $(cat err)"
"$MYRIAD" run --restart run --quiet 2>err || fail "a restart: $(cat err)"
for table in diagnostics encounters; do
    cmp -s "whole/$table.csv" "run/$table.csv" || fail "$table.csv differs after a length that could not be told"
done
finish
