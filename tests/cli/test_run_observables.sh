#!/bin/bash
# Observables of a run in a box: their files, the same bytes after a restart and with other numbers of threads, plots in
# the report, and errors that name the key.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"
eight=$(cd "$(dirname "$0")/../.." && pwd)/examples/figure_eight.yaml

cat >"$WORK/liquid.yaml" <<'Y'
units: {system: lj}
particles: {model: fcc, n: 500, temperature: 1.5}
box: {density: 0.8}
species:
  - {name: a, epsilon: 1, sigma: 1, fraction: 0.75}
  - {name: b, epsilon: 0.5, sigma: 0.9, fraction: 0.25}
interaction: {kernel: lennard_jones_potential, method: neighbour, cutoff: 2.5, arithmetic: single}
integrator: {name: langevin, dt: 0.004, temperature: 1, friction: 1}
run: {steps: 200, threads: 1}
output: {diagnostics: ends, snapshots: none}
observables: {interval: 0.008, start: 0.2, lags: 20, spacing: 4, bins: 50, slices: 10, axis: x}
Y
cd "$WORK" || exit 2
"$MYRIAD" run liquid.yaml --quiet --set output.directory=whole || fail "the run"
for f in rdf msd vacf profile; do
    [ -s whole/$f.csv ] || fail "no $f.csv"
done
[ "$(sed -n 3p whole/rdf.csv)" = r,g,coordination,g_a_a,g_a_b,g_b_b ] || fail "columns of rdf.csv: $(sed -n 3p whole/rdf.csv)"
[ "$(sed -n 3p whole/msd.csv)" = lag,msd,msd_a,msd_b ] || fail "columns of msd.csv"
[ "$(sed -n 3p whole/profile.csv)" = x,density,density_a,density_b ] || fail "columns of profile.csv"
[ "$(wc -l <whole/vacf.csv)" = 23 ] || fail "lines of vacf.csv"
# <v^2> = 3 kT/m; cells of the profile have the density on average; there is nothing inside the core, and a shell around
between 2.5 "$(sed -n 4p whole/vacf.csv | cut -d, -f2)" 4 || fail "vacf at lag 0"
between 0.7999 "$(awk -F, 'NR > 3 { s += $2; n++ } END { print s / n }' whole/profile.csv)" 0.8001 || fail "mean density"
awk -F, 'NR > 3 { if ($1 < 0.75 && $2 > 0) bad = 1; if ($2 > most) { most = $2; at = $1 } }
    END { exit bad || most < 2 || at < 1 || at > 1.25 }' whole/rdf.csv || fail "g(r) is not that of a liquid"
for plot in "Radial distribution function" "Mean-square displacement" "Velocity autocorrelation" "Temperature" "Pressure"; do
    grep -q "$plot" whole/report.html || fail "no plot of: $plot"
done
# curves have the names of species, and what never changes is told in a sentence
for name in a-a a-b b-b all; do
    grep -q "</svg>$name</li>" whole/report.html || fail "no curve is called $name"
done
# tables of older runs have numbers in place of names; species without names for columns keep them
cp -r whole old
sed -i '3s/_a/_0/g; 3s/_b/_1/g' old/rdf.csv old/msd.csv old/profile.csv
[ "$(sed -n 3p old/rdf.csv)" = r,g,coordination,g_0_0,g_0_1,g_1_1 ] || fail "an older table: $(sed -n 3p old/rdf.csv)"
"$MYRIAD" report old --quiet || fail "the report of older tables"
for name in a-a a-b b-b all; do
    grep -q "</svg>$name</li>" old/report.html || fail "no curve of an older table is called $name"
done
sed 's/name: a,/name: "a, 1",/' liquid.yaml >comma.yaml
"$MYRIAD" run comma.yaml --quiet --set run.steps=60 || fail "a species with a comma in its name"
[ "$(sed -n 3p comma/rdf.csv)" = r,g,coordination,g_0_0,g_0_1,g_b_b ] || fail "a comma: $(sed -n 3p comma/rdf.csv)"
grep -q "</svg>a, 1-b</li>" comma/report.html || fail "no curve is called a, 1-b"
grep -q "Constant to four digits, and not drawn: .*density = 0.8" whole/report.html || fail "the density is not told as a constant"
grep -q 'id="plot-box"' whole/report.html && fail "a plot of edges that never change"

# Stopped in the middle of the samples and continued, with a checkpoint of sums in between.
"$MYRIAD" run liquid.yaml --quiet --set output.directory=half --set run.steps=113 || fail "half of the run"
"$MYRIAD" run --restart half --quiet --set run.steps=200 || fail "the other half"
for f in rdf msd vacf profile; do
    cmp -s whole/$f.csv half/$f.csv || fail "$f.csv differs after a restart"
done
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    /usr/bin/python3 - <<'P' || fail "diagnostics.hdf5 has other numbers than rdf.csv"
import h5py, numpy
table = numpy.genfromtxt("whole/rdf.csv", delimiter=",", names=True, skip_header=2)
with h5py.File("whole/diagnostics.hdf5") as f:
    assert numpy.array_equal(f["rdf/g_a_b"][()], table["g_a_b"]) and table["g_a_b"].max() > 1
    assert f["msd/lag"].shape == (20,)
P
fi
"$MYRIAD" run liquid.yaml --quiet --set output.directory=three --threads 3 || fail "on three threads"
for f in rdf msd vacf profile; do
    cmp -s whole/$f.csv three/$f.csv || fail "$f.csv differs on three threads"
done
cmp -s whole/rdf.csv whole/msd.csv && fail "the comparison cannot fail"

"$MYRIAD" check liquid.yaml --quiet --set "observables.measure=[rdf, mds]" 2>err && fail "an observable that is none"
grep -q "observables.measure cannot have 'mds'; expected rdf, msd, vacf or profile; did you mean 'msd'" err ||
    fail "what is said of an observable that is none: $(cat err)"
"$MYRIAD" run "$eight" --quiet --set output.directory=y --set observables.interval=1 2>err && fail "observables without a box"
grep -q "observables.interval is for particles in a box" err || fail "what is said of observables without a box"
"$MYRIAD" run liquid.yaml --quiet --set output.directory=z --set observables.reach=6 2>err && fail "too long a reach"
grep -q "observables.reach is more than half the edge" err || fail "what is said of too long a reach: $(cat err)"

# A barostat makes the box smaller than that of the first sample: the run goes on, with a warning where a reach was asked for.
for reach in auto 4; do
    "$MYRIAD" run liquid.yaml --set output.directory="npt_$reach" --set observables.reach="$reach" --set observables.start=0 \
        --set barostat.pressure=20 --set barostat.interval=1 --set output.report=false >out 2>err ||
        fail "under pressure with reach $reach: $(cat out err)"
    [ "$(sed -n '1s/.*: //p' "npt_$reach/rdf.csv")" = 101 ] || fail "samples under pressure: $(head -1 "npt_$reach/rdf.csv")"
    grep -q nan "npt_$reach/rdf.csv" && fail "bins without a number under pressure"
    [ "$(grep -c "too small for the reach" err)" = "$([ "$reach" = 4 ] && echo 1 || echo 0)" ] || fail "warnings: $(cat err)"
done

# A film: what needs a periodic box is left out with a note, or refused where it was asked for.
"$MYRIAD" run liquid.yaml --set output.directory=film --set box.z=open --set box.x=9 --set box.y=9 --set observables.axis=z \
    --set observables.start=auto --set run.steps=20 --set output.report=false >out 2>err || fail "a film: $(cat out err)"
grep -q "note: the observable rdf is left out" err || fail "nothing is said of what is left out: $(cat err)"
if [ ! -s film/profile.csv ] || [ ! -s film/msd.csv ] || [ -e film/rdf.csv ]; then fail "files of a film: $(ls film)"; fi
"$MYRIAD" run liquid.yaml --quiet --set output.directory=asked --set box.z=open --set "observables.measure=[rdf]" 2>err &&
    fail "rdf of a film"
grep -q "observables.measure cannot have 'rdf' here" err || fail "what is said of rdf of a film: $(cat err)"
finish
