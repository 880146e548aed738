#!/bin/bash
# myriad report: what the page holds, of whole runs and of runs that were cut short or damaged, and what it refuses.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
cd "$WORK" || exit 1
export OMP_NUM_THREADS=2

# runs CODE ARGS...: myriad ARGS with that exit code
runs()
{
    local code=$1 got
    shift
    "$MYRIAD" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$code" ] || fail "myriad $*: exit code $got, not $code: $(cat out err)"
}
# says TEXT: in what the last command printed; shows PAGE TEXT; hides PAGE TEXT
says() { grep -qF -- "$1" out err || fail "'$1' not found in: $(cat out err)"; }
shows() { grep -qF -- "$2" "$1/report.html" || fail "$1/report.html does not show '$2'"; }
hides() { grep -qF -- "$2" "$1/report.html" && fail "$1/report.html shows '$2'"; }
# whole DIR [FRAMES [DRAWN [SNAPSHOTS...]]]: whether the page is, as page.py sees it
whole()
{
    local page=$1/report.html
    shift
    if command -v python3 >/dev/null; then
        python3 "$HERE/../report/page.py" "$page" "$@" >found || fail "$page: $(cat found)"
    fi
}

cat >small.yaml <<'END'
particles: {model: plummer, n: 64}
interaction: {eps: 0.0625}
run: {end: 0.5}
output: {diagnostics: 0.0625, snapshots: 0.125, format: csv}
END

# A run makes its report, of all that it has left.
runs 0 run small.yaml
says "report: small/report.html"
whole small 5 64 small/snapshot_*.csv
for text in "finished" "All 64 particles" "Energy error" "Lagrangian radii" "Virial ratio" "Time-step histogram" \
    "First snapshot" "sums over pairs" "acceleration error" "Measured error of the forces" "gravity_jerk" "hermite4" "How to cite" \
    "myriad run small.yaml" "data:image/png;base64," "particles:"; do
    shows small "$text"
done
hides small "What is missing"

# The same page from the same results.
cp small/report.html first.html
runs 0 report small
says "small/report.html ("
cmp -s small/report.html first.html || fail "a second report of the same run differs"
runs 0 report small --json
parses out || fail "--json is not JSON"
runs 0 report small --output elsewhere.html --quiet
[ -s out ] && fail "--quiet printed: $(cat out)"
cmp -s elsewhere.html first.html || fail "--output writes another page"

# Fewer particles: the page says how many of how many.
runs 0 report small --particles 10
shows small "Drawn are 10 of 64 particles"
whole small 5 10
runs 0 report small --size 0.002
whole small 5 50
shows small "Drawn are 50 of 64 particles"
runs 0 report small --size 0
whole small 0
shows small "There is no replay"
cp first.html small/report.html

# Vortex elements, which have neither mass nor energy.
{
    echo 'x,y,z,strength[0],strength[1],strength[2],core'
    for k in 0 1 2 3 4 5 6 7; do echo "$k,0,0.$k,0,0.$k,1,0.5"; done
} >vortices.csv
cat >vortex.yaml <<'END'
particles: {file: vortices.csv}
interaction: {kernel: velocity_stretching}
integrator: {name: rk4, dt: 0.125}
run: {end: 0.5}
output: {snapshots: 0.25}
END
runs 0 run vortex.yaml
whole vortex 3 8
hides vortex "What is missing"

# Not wanted; nothing to draw.
runs 0 run small.yaml --set output.directory=none --set output.report=false --set output.snapshots=none --set run.steps=0
[ -e none/report.html ] && fail "a report that was not wanted"
runs 0 report none
whole none 0
shows none "There are no images"

# A run that is refused leaves no report of an earlier one; one that is continued has a new one.
runs 75 run small.yaml --force --set run.wall_time=0
[ -e small/report.html ] && fail "a run that was stopped has the report of the one before"
runs 0 report small
shows small "stopped early"
shows small "stopped after run.wall_time = 0"
shows small "myriad run --restart small"
runs 0 run --restart small --set run.wall_time=none
shows small ">finished<"

# The motion goes wrong: the page says so, and why.
runs 3 run small.yaml --set output.directory=limit --set run.energy_limit=1e-12
whole limit
shows limit "went wrong"
shows limit "run.energy_limit is 1e-12"

# Ended from outside.
"$MYRIAD" run small.yaml --set output.directory=killed --set run.end=1000 >out 2>err &
pid=$!
for _ in $(seq 100); do [ -s killed/snapshot_00003.csv ] && break; sleep 0.05; done
kill -9 $pid
wait $pid 2>/dev/null
printf '0.5,1,2' >>killed/diagnostics.csv
: >killed/snapshot_99999.csv.partial
runs 0 report killed
whole killed
shows killed "not finished"
shows killed "is not whole"
shows killed "Not known: a run writes it down when it ends"

# Damaged snapshots are left out by name; with all of them, there is still a page.
cp -r small damaged
head -c 300 small/snapshot_00002.csv >damaged/snapshot_00002.csv
runs 0 report damaged
says "snapshot_00002.csv was left out"
shows damaged "snapshot_00002.csv was left out"
whole damaged 4
for file in damaged/snapshot_*.csv; do echo "no snapshot" >"$file"; done
runs 0 report damaged
whole damaged 0
shows damaged "There is no replay"
cp -r small odd
echo "{" >odd/run.json
sed -i 's/^0.25,.*/&,17/' odd/diagnostics.csv
runs 0 report odd
whole odd 5
shows odd "run.json is missing or damaged"
shows odd "is not whole"
: >odd/diagnostics.csv
rm odd/run.json
runs 0 report odd
whole odd 5
shows odd "There are no plots"

# Columns that nobody knows are plotted under their own names.
cp -r small other
awk -F, '{ print $0 (/^# / ? ",K" : $1 == "time" ? ",temperature<&>" : "," 300 + NR) }' small/diagnostics.csv >other/diagnostics.csv
runs 0 report other
whole other
shows other "temperature&lt;&amp;&gt;"
shows other "[K]"

# A long file: one line in so many is drawn, but the largest error of all lines is shown.
awk -F, -v OFS=, '/^[#t]/ { print; next } { for (k = 0; k < 1500; k++) { $1 = n++; $9 = n == 4098 ? 0.123 : 1e-9 * k; print } }' \
    small/diagnostics.csv >other/diagnostics.csv
runs 0 report other
whole other
shows other "One line in 4 of diagnostics.csv is drawn"
shows other "<dt>energy error</dt><dd>0.12<"

# Numbers that are none, or too large to subtract.
awk -F, -v OFS=, '!/^[#t]/ { $5 = "1e308"; $6 = "-1e308"; $9 = "inf" } { print }' small/diagnostics.csv >other/diagnostics.csv
sed '3s/,[^,]*,[^,]*,/,0,1e308,/' small/snapshot_00004.csv >other/snapshot_00004.csv
runs 0 report other
whole other

# Names that HTML or a shell could misread.
cp -r small "o'd <b> & name"
runs 0 report "o'd <b> & name"
whole "o'd <b> & name" 5
shows "o'd <b> & name" "o&#39;d &lt;b&gt; &amp; name</h1>"

# What is no run.
runs 1 report nowhere
says "nowhere: No such file or directory"
mkdir empty
runs 1 report empty
says "empty holds no run: there is no input.yaml in it"
runs 1 report small.yaml
says "is not a directory"
cp -r small wrong
echo "what is this" >wrong/input.yaml
runs 1 report wrong
runs 2 report
runs 2 report small --particle 3
says "did you mean --particles"
runs 1 report small --output nowhere/page.html
says "cannot write 'nowhere/page.html.partial': No such file or directory"

# A page that does not fit: an error of one line, and the old one stays.
before=$(md5sum <small/report.html)
(
    trap '' XFSZ
    ulimit -f 16
    "$MYRIAD" report small >out 2>err </dev/null
)
got=$?
[ $got -eq 1 ] || fail "a report that does not fit: exit code $got"
[ "$(wc -l <err)" -eq 1 ] || fail "a report that does not fit: not one line: $(cat err)"
[ "$(md5sum <small/report.html)" = "$before" ] || fail "a report that does not fit: the old one has changed"
[ -e small/report.html.partial ] && fail "a report that does not fit: its temporary file stays"

# Two at once: the second is told.
if command -v flock >/dev/null; then
    flock small/report.html.partial "$MYRIAD" report small >out 2>err && fail "two reports are written at once"
    says "another process is writing it"
    [ "$(md5sum <small/report.html)" = "$before" ] || fail "the report has changed"
    runs 0 report small # a file that was left behind is in nobody's way
fi

# Numbers have units, those of automatic choices and of bare numbers too.
printf 'units: {system: astronomical}\nparticles: {model: plummer, n: 8, length_scale: 1}\ninteraction: {eps: 0.1}\nrun: {steps: 1}\n' >stars.yaml
runs 0 run stars.yaml
for text in "length_scale = 1 pc," "eps = 0.1 pc," "G = 0.004498502151469552 pc³ Msun⁻¹ Myr⁻²" "Myr, dt_min = "; do
    shows stars "$text"
done

# Nothing assumes gravity: molecules and vortices.
printf 'particles: {model: lattice, n: 64}\ninteraction: {kernel: lennard_jones, sigma: 0.9, epsilon: 1}\nintegrator: {name: leapfrog, dt: 0.001}\nrun: {end: 0.01}\noutput: {snapshots: 0.002, format: csv}\n' >atoms.yaml
if "$MYRIAD" check atoms.yaml --quiet >/dev/null 2>&1; then
    runs 0 run atoms.yaml
    whole atoms
    shows atoms "lennard_jones"
else
    fail "atoms.yaml is refused: $("$MYRIAD" check atoms.yaml 2>&1)"
fi
awk 'BEGIN { print "id,type,x,y,z,vx,vy,vz,mass,strength[0],strength[1],strength[2],core"
    for (i = 0; i < 100; i++) { a = 6.2831853 * i / 50; c = cos(a); s = sin(a)
        printf "%d,%d,%g,%g,%g,0,0,0,1,%g,%g,0,0.2\n", i, i / 50, c, s, i < 50 ? 0 : 0.6, -s / 8, c / 8 } }' >rings.csv
printf 'particles: {file: rings.csv}\ninteraction: {kernel: velocity_stretching}\nintegrator: {name: rk4, dt: 0.05}\nrun: {end: 0.5}\noutput: {snapshots: 0.1, format: csv}\n' >rings.yaml
runs 0 run rings.yaml
whole rings 6 100
shows rings "velocity_stretching"
shows rings "velocity error"
shows rings "The particles came from <code>rings.csv</code>"
hides rings "Energy error"
shows rings "Impulse error"
shows rings "Total vorticity"
hides rings "outside the cube that the images show" # a ring is shown whole

# Legends have the names of bodies, after a restart too.
printf 'particles: {model: solar_system}\nunits: {system: astronomical}\nintegrator: {name: leapfrog, dt: 1 d}\nrun: {steps: 4}\n' >planets.yaml
runs 0 run planets.yaml
shows planets "<li>Neptune</li>"
runs 0 run --restart planets --set run.steps=8
shows planets "<li>Neptune</li>"

# A molecule has elements and bonds: alanine dipeptide has 22 atoms and 21 bonds, in each of three projections.
cp "$HERE"/../../examples/alanine.* .
runs 0 run alanine.yaml --set "run.end=0.01 ps"
[ "$(grep -o 'class="bond"' alanine/report.html | wc -l)" -eq 63 ] || fail "alanine has $(grep -o 'class="bond"' alanine/report.html | wc -l) bonds in three projections"
for element in H C N O; do
    shows alanine "<li>$element</li>"
done
# 84 bytes, two numbers of 16 bits for each bond, in base 64
[ "$(sed -n 's/.*id="replay-bonds">\([^<]*\)<.*/\1/p' alanine/report.html | wc -c)" -eq 113 ] || fail "the bonds of the replay"

# A flow leads with what describes it.
printf 'particles: {model: taylor_green, n: 8^3}\ninteraction: {method: spectral, reynolds: 4}\nintegrator: {name: rk4, dt: 0.05}\nrun: {steps: 2}\n' >flow.yaml
if "$MYRIAD" check flow.yaml --quiet >/dev/null 2>err; then
    runs 0 run flow.yaml
    [ "$(grep -o '<dt>[^<]*</dt>' flow/report.html | head -n 3 | tr -d '\n')" = "<dt>Re_λ</dt><dt>k_max η</dt><dt>u′</dt>" ] ||
        fail "a flow leads with $(grep -o '<dt>[^<]*</dt>' flow/report.html | head -n 3)"
else
    grep -q FFTW err || fail "the flow: $(cat err)"
fi
finish
