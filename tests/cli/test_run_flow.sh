#!/bin/bash
# A fluid by the spectral method: what a run of it writes, that it can be stopped and continued, and what is refused.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1
"$MYRIAD" info --json | grep -q fftw || { echo "skipped: this build has no FFTW"; exit 77; }

# The plane vortex decays as exp(-2 viscosity t): exp(-0.08) of K = 1/4 after t = 1.
cat >plane.yaml <<'END'
particles: {model: taylor_green, n: 8^3, waves_z: 0}
interaction: {method: spectral, viscosity: 0.02}
integrator: {name: rk4, dt: 0.1}
run: {end: 1}
output: {spectra: 0.5, snapshots: 0.5}
END
run plane.yaml
is "$(column plane kinetic_energy)" 0.23077908 0.23077910 "K"
is "$(column plane dissipation)" 0.018462326 0.018462328 "the dissipation"
is "$(column plane reynolds)" 31.0093 31.0094 "Re_lambda"
[ "$(head -n 2 plane/diagnostics.csv | tail -n 1 | grep -c -e potential -e lagrangian -e momentum)" -eq 0 ] ||
    fail "columns of bodies: $(head -n 2 plane/diagnostics.csv)"
# the only waves have k = sqrt(2), which rounds to 1; three times, shells 1 to 5
[ "$(grep -c '^[0-9]' plane/spectra.csv)" -eq 15 ] || fail "other lines: $(cat plane/spectra.csv)"
is "$(awk -F, '$1 == 1 && $2 < 1.5 { print $3 }' plane/spectra.csv)" 0.23077908 0.23077910 "E(1)"
for text in 'Kinetic energy' 'Energy spectrum' 'Slices' 'First snapshot' 'spectral' 'Surface of [1-9]'; do
    grep -q "$text" plane/report.html || fail "the report has no '$text'"
done
[ "$(grep -c '<span>|ω| = ' plane/report.html)" -eq 2 ] || fail "not every row of slices has a bar of its colours"
grep -q 'id="replay"' plane/report.html && fail "a replay of a mesh"
[ -e plane/snapshot_00002.hdf5 ] || fail "snapshots: $(ls plane)"

# Two runs side by side: half the viscosity leaves exp(-0.04) of 9 times the energy; a run and itself differ nowhere.
run plane.yaml --set output.directory=thin --set interaction.viscosity=0.01 --set particles.speed=3 --set output.report=false
"$MYRIAD" report plane thin >out 2>err || fail "report of two runs: $(cat err)"
[ "$(cat out | cut -d' ' -f1)" = plane/comparison.html ] || fail "two runs: $(cat out)"
for text in 'plane and thin' '<td>837 %</td>' 'differ by at most 837 %' 'K, thin' 'plane, t = 0.5' 'thin, t = 1' \
    'Surface of [1-9][0-9]* triangles: difference'; do
    grep -q "$text" plane/comparison.html || fail "the comparison has no '$text'"
done
if command -v python3 >/dev/null; then
    python3 "$HERE/../report/page.py" plane/comparison.html >found || fail "comparison.html: $(cat found)"
fi
"$MYRIAD" report plane plane --output same.html --quiet || fail "a run and itself"
grep -q 'Surface of 0 triangles: difference' same.html || fail "a run differs from itself"
# Vortex elements in a periodic cube are put on a mesh, the same as that of the other run: at the start they are one flow.
for method in spectral fmm; do
    printf 'particles: {model: taylor_green, n: 10^3}\ninteraction: {method: %s%s}\nrun: {steps: 0}\n' $method \
        "$([ $method = fmm ] && echo ', kernel: velocity_stretching')" >$method.yaml
    echo 'integrator: {name: rk4, dt: 0.1}' >>$method.yaml
done
echo 'box: {x: 6.283185307179586, y: 6.283185307179586, z: 6.283185307179586}' >>fmm.yaml
run spectral.yaml
run fmm.yaml
grep -q 'Slices and surfaces' fmm/report.html || fail "the report of elements in a cube has no slices"
"$MYRIAD" report spectral fmm --quiet || fail "a mesh and elements"
for text in 'Surface of [1-9][0-9]* triangles: spectral' 'Surface of [1-9][0-9]* triangles: fmm' 'Surface of 0 triangles: difference'; do
    grep -q "$text" spectral/comparison.html || fail "a mesh and elements: no '$text'"
done
"$MYRIAD" report plane nowhere >out 2>err && fail "a comparison with nothing"
grep -q 'nowhere: No such file' err || fail "a comparison with nothing: $(cat err)"

# Stopped and continued: the same bytes.
cat >cube.yaml <<'END'
particles: {model: taylor_green, n: 10^3}
interaction: {method: spectral, reynolds: 30}
integrator: {name: rk4, dt: 0.1}
run: {end: 1}
output: {diagnostics: 0.2, spectra: 0.3, format: csv, report: false}
END
run cube.yaml
is "$(awk -F, 'NR == 3 { print $8 }' cube/diagnostics.csv)" 29.9999999 30.0000001 "Re_lambda at the start"
run cube.yaml --set output.directory=part --set run.steps=4
run --restart part --set run.steps=none
for file in spectra.csv diagnostics.csv; do
    grep -v '^#' "part/$file" | awk -F, '{ print $1, $3 }' | sort -u >a
    grep -v '^#' "cube/$file" | awk -F, '{ print $1, $3 }' | sort -u >b
    comm -13 a b | grep -q . && fail "$file: other lines after a restart: $(comm -13 a b | head -n 3)"
done
cmp -s cube/snapshot_00001.csv part/snapshot_00002.csv || cmp -s cube/snapshot_00001.csv part/snapshot_00001.csv ||
    fail "another flow after a restart"
# The snapshot is a start, too, whatever the order of its points.
cat >again.yaml <<'END'
particles: {file: shuffled.csv}
interaction: {method: spectral, viscosity: 0.01}
integrator: {name: rk4, dt: 0.1}
run: {steps: 2}
output: {format: csv, report: false}
END
{ grep -v '^[-0-9]' cube/snapshot_00001.csv; grep '^[-0-9]' cube/snapshot_00001.csv | tac; } >shuffled.csv
run again.yaml

# A viscous vortex ring, whose elements are replaced when their cores have grown by a tenth; continued it has the same.
cat >ring.yaml <<'END'
particles: {model: vortex_ring, n: 180, layers: 1, core: 0.4, circulation: 0.1}
interaction: {kernel: velocity_stretching_transposed, viscosity: 0.01, reinitialise: 1.1}
integrator: {name: rk3, dt: 0.25, strain: 0.2}
run: {end: 1.5}
output: {diagnostics: 0.5, format: csv}
END
run ring.yaml
is "$(column ring reinitialisations)" 1 5 "the number of replacements"
is "$(column ring elements)" 200 4000 "the number of elements"
is "$(column ring impulse_error)" 0 0.005 "the change of the impulse"
run ring.yaml --set output.directory=half --set run.steps=4 --set output.report=false
run --restart half --set run.steps=none
[ "$(tail -n 1 ring/diagnostics.csv)" = "$(tail -n 1 half/diagnostics.csv)" ] || fail "another ring after a restart"
grep -q 'Impulse error' ring/report.html || fail "the report of a ring has no impulse"

# Vortex elements of a periodic flow: in its box they are measured as a mesh is, and continued they are the same; too
# much for so few elements, or no box, is told.
cat >cube.yaml <<'END'
particles: {model: isotropic_turbulence, n: 8^3, peak: 1}
interaction: {kernel: velocity_stretching, method: fmm, tolerance: 1e-3, reynolds: 4, strengths: solved, reinitialise_steps: 2}
box: {x: 6.283185307179586, y: 6.283185307179586, z: 6.283185307179586}
integrator: {name: rk3, dt: 0.1, cfl: 0.7}
run: {steps: 4, threads: 1}
output: {diagnostics: 0.1, spectra: 0.1, format: csv, report: false, directory: elements}
END
run cube.yaml
is "$(column elements reinitialisations)" 2 2 "the number of replacements in a box"
is "$(awk -F, 'NR == 2 { for (k = 1; k <= NF; k++) if ($k == "reynolds") c = k } NR == 3 { print $c }' elements/diagnostics.csv)" \
    3.99 4.01 "Re_lambda of elements"
is "$(column elements resolution)" 1 9 "k_max eta"
grep -q '^0.1.*,3,' elements/spectra.csv || fail "spectra of elements: $(cat elements/spectra.csv)"
run cube.yaml --set output.directory=elements_half --set run.steps=3
run --restart elements_half --set run.steps=4
[ "$(tail -n 1 elements/diagnostics.csv)" = "$(tail -n 1 elements_half/diagnostics.csv)" ] || fail "other elements after a restart"
# tells TEXT FILE SETTINGS...: runs one step, with a note in these words
tells()
{
    local text=$1
    shift
    "$MYRIAD" run "$@" --set run.steps=1 --set output.directory=told --force >out 2>err </dev/null || fail "$*: $(cat err)"
    grep -qF -- "$text" err || fail "$*: '$text' not found in: $(cat err)"
}
tells 'the vortex elements do not resolve this flow' cube.yaml --set interaction.reynolds=60
grep -v '^box' cube.yaml >open.yaml
tells 'they are alone in space' open.yaml --set interaction.strengths=carried --set interaction.reinitialise_steps=none

# refuses TEXT SETTINGS...: an error of the input, in these words
refuses()
{
    local text=$1
    shift
    "$MYRIAD" run plane.yaml --set output.directory=no "$@" >out 2>err && fail "accepted: $*"
    grep -qF -- "$text" err || fail "$*: '$text' not found in: $(cat err)"
}
refuses 'a periodic flow needs a cubic mesh with an even number of points per axis' --set particles.n=27
refuses "the nearest are 8^3 = 512 and 10^3 = 1000" --set particles.n=600
refuses "evaluates no kernel" --set interaction.kernel=gravity
refuses "expected 'name: rk4'" --set integrator.name=leapfrog --set integrator.dt=0.1
refuses 'is too long for this flow' --set integrator.dt=2
finish
