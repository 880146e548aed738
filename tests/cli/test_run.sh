#!/bin/bash
# myriad run: what it writes, what it refuses, how it stops, and with which code.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1
export OMP_NUM_THREADS=2

cat >small.yaml <<'END'
particles: {model: plummer, n: 64}
interaction: {eps: 0.0625}
run: {end: 0.5}
output: {diagnostics: 0.125, snapshots: 0.25, format: csv}
END

# What a run leaves, beside its input's name.
runs 0 small.yaml
says "finished at time 0.5"
for file in input.yaml diagnostics.csv snapshot_00000.csv snapshot_00002.csv summary.json checkpoint_000000.myr; do
    [ -s "small/$file" ] || fail "small/$file is missing"
done
[ -e small/snapshot_00003.csv ] && fail "one snapshot too many"
[ "$(grep -vc '^#' small/diagnostics.csv)" -eq 6 ] || fail "diagnostics.csv has not a header and 5 lines"
times=$(awk -F, '!/^#/ && $1 != "time" { printf "%s ", $1 }' small/diagnostics.csv)
[ "$times" = "0 0.125 0.25 0.375 0.5 " ] || fail "the times of the diagnostics are $times"
parses small/summary.json || fail "summary.json is not JSON"
error=$(awk -F, 'NR == 2 { for (k = 1; k <= NF; k++) if ($k == "energy_error") c = k } END { print $c < 0 ? -$c : $c }' small/diagnostics.csv)
# 64 stars for half a unit of time, eta = 0.01: 2.0e-8 measured
between 0 "$error" 1e-7 || fail "the energy error is $error"

# Numbers that no star has: a sentence each. star NAME "MASS X Y Z" ...: a file of stars at rest, and an input
star()
{
    local name=$1
    shift
    { echo 'mass x y z vx vy vz' && printf '%s 0 0 0\n' "$@"; } | tr ' ' , >"$name.csv"
    printf 'particles: {file: %s.csv}\nrun: {end: 0.001}\n' "$name" >"$name.yaml"
}
star same '1 0 0 0' '1 1 0 0' '1 0 0 0'
runs 1 same.yaml
says 'particles at the same place: 0 and 2;'
runs 0 same.yaml --set interaction.eps=0.1
star negative '1 0 0 0' '-1 1 0 0'
runs 1 negative.yaml
says 'particle 1 has mass = -1; negative masses must be asked for'
runs 0 negative.yaml --set particles.negative_masses=true
star massless '0 0 0 0' '0 1 0 0'
runs 0 massless.yaml
says 'all 2 particles have mass 0'
star tracer '1 0 0 0' '0 1 0 0'
runs 0 tracer.yaml
says '1 of 2 particles has mass 0'
star one '1 0 0 0'
runs 0 one.yaml
says 'there is one particle and no external field'
star nan '1 nan 0 0' '1 1 0 0'
runs 2 nan.yaml
says "has 1 value that is not finite in 'position'; the first is of particle 0"
star far '1 1e300 0 0' '1 1 0 0'
runs 1 far.yaml
says 'too large for float arithmetic'
runs 1 far.yaml --set interaction.arithmetic=double
says 'source 0 has a coordinate of 1e+300, and squares of distances to it are too large for double arithmetic'

# The effective input runs again, to the same bits, on another number of threads.
grep -q 'isa: auto' small/input.yaml && fail "the effective input has an open choice"
runs 0 small/input.yaml --set output.directory=again --threads 1
cmp -s small/diagnostics.csv again/diagnostics.csv || fail "the effective input gives another run"
cmp -s small/snapshot_00002.csv again/snapshot_00002.csv || fail "the effective input gives other particles"

# Outputs never change the motion.
runs 0 small.yaml --set output.directory=rare --set output.diagnostics=ends --set output.snapshots=ends
cmp -s small/snapshot_00002.csv rare/snapshot_00001.csv || fail "the motion depends on the outputs"

# A directory with results is not written over.
runs 1 small.yaml
says "holds a finished run"
runs 0 small.yaml --force --quiet
[ -s out ] || [ -s err ] && fail "--quiet printed: $(cat out err)"
# Nor removed by a run that is refused: one with steps that are too short, one whose first forces cannot be
# taken, a restart with such steps. Particles may come from a file among the results that are replaced.
cp -r small kept
runs 2 small.yaml --force --set integrator.name=leapfrog --set integrator.dt=1e-18 --set run.start=1 --set run.end=2
runs 1 far.yaml --force --set output.directory=small
runs 2 --restart small --set integrator.dt=1e-300 --set run.end=20
diff -r small kept >differences || fail "a run that was refused changed the results: $(cat differences)"
sed 's,^particles:.*,particles: {file: small/snapshot_00002.csv},' small.yaml >own.yaml
runs 0 own.yaml --force --quiet --set output.directory=small --set run.end=1
runs 0 small.yaml --force --quiet
runs 1 small.yaml --set output.directory=/proc/nowhere
says "cannot be made"
runs 1 small.yaml --set output.directory=small.yaml
says "not a directory"

# Events: one JSON object per line.
runs 0 small.yaml --json --set output.directory=events
while read -r line; do
    echo "$line" >line
    parses line || fail "not JSON: $line"
done <out
for name in start progress snapshot checkpoint end; do
    grep -q "{\"event\": \"$name\"" out || fail "there is no event $name"
done

# Command lines.
runs 2
says "say which input file"
runs 2 small.yaml --restart small
says "not both"
runs 2 small.yaml --thread 1
says "did you mean --threads"

# steps; external fields only; a file as particles; a model with its own number.
runs 0 small.yaml --set run.end=none --set run.steps=7 --set output.directory=seven
[ "$(sed -n 's/.*"steps": \([0-9]*\).*/\1/p' seven/summary.json)" = 7 ] || fail "not 7 steps"
# Steps of one length say when the run ends: one to two hundred lines, and as many as check promises.
runs 0 small.yaml --set run.end=none --set run.steps=300 --set integrator.name=leapfrog --set integrator.dt=0.001 \
    --set output.diagnostics=auto --set output.snapshots=none --set output.report=false --set output.directory=lines
lines=$(sed -n 's/.*"diagnostics": \([0-9]*\).*/\1/p' lines/summary.json)
between 100 "$lines" 201 || fail "$lines lines of diagnostics for 300 steps"
"$MYRIAD" check lines/input.yaml --set output.diagnostics=auto >out 2>err || fail "check of steps: $(cat err)"
says "$lines lines of diagnostics"
"$MYRIAD" init kepler -o pair.csv --set e=0.5 --quiet || fail "init kepler"
printf 'particles: {file: pair.csv}\ninteraction: {accumulator: double, arithmetic: double}\nintegrator: {name: yoshida6, dt: 0.01}\nrun: {end: 6.283185307179586}\noutput: {format: csv}\n' >pair.yaml
runs 0 pair.yaml
# One period of 2 pi: back at the start within 7e-10 (1.4e-10 measured)
awk -F, 'FNR > 1 && FNR == NR { x[$1] = $3; y[$1] = $4 } FNR > 1 && FNR < NR { d += ($3 - x[$1])^2 + ($4 - y[$1])^2 }
    END { exit !(d < 4.9e-19) }' pair/snapshot_00000.csv pair/snapshot_00001.csv || fail "a Kepler orbit does not close"
printf 'particles: {model: kepler}\ninteraction: {kernel: none}\nintegrator: {name: leapfrog, dt: 0.01}\nexternal: [{kind: point_mass, mass: 3}]\nrun: {end: 1}\n' >field.yaml
runs 0 field.yaml

# Stopping: the limit of time on the clock, and signals; the command to continue is printed.
runs 75 small.yaml --set run.wall_time=0 --set output.directory=wall
says "stopped after run.wall_time = 0"
says "continue with: myriad run --restart wall"
runs 1 small.yaml --set output.directory=wall
says "not finished"
runs 0 --restart wall --set run.wall_time=none
cmp -s small/diagnostics.csv wall/diagnostics.csv || fail "a run that was continued has other diagnostics"
for signal in TERM INT USR1; do
    rm -rf long
    "$MYRIAD" run small.yaml --set run.end=1000 --set output.directory=long >out 2>err &
    pid=$!
    for _ in $(seq 100); do [ -s long/snapshot_00001.csv ] && break; sleep 0.05; done
    kill -$signal $pid
    wait $pid
    got=$?
    [ $got -eq 75 ] || fail "SIG$signal: exit code $got: $(cat err)"
    says "stopped by SIG$signal"
    ls long/checkpoint_*.myr >/dev/null 2>&1 || fail "SIG$signal: no checkpoint"
    ls long/*.new long/*.partial long/*tmp* >/dev/null 2>&1 && fail "SIG$signal: temporary files stay: $(ls long)"
done

# The motion goes wrong: code 3, the place, and the last good state.
runs 3 small.yaml --set run.energy_limit=1e-12 --set output.directory=limit
says "run.energy_limit is 1e-12"
[ -s limit/last_good.csv ] || fail "no last good state"
[ -e limit/summary.json ] && fail "a run that went wrong counts as finished"
runs 3 small.yaml --set integrator.dt_min=0.0625 --set output.directory=under
says "particle"
[ -s under/last_good.csv ] || fail "no last good state after a step that is too small"
printf 'id,type,x,y,z,vx,vy,vz,mass\n0,0,0,0,0,1e200,0,0,1\n1,0,1,0,0,0,0,0,1\n' >fast.csv
printf 'particles: {file: fast.csv}\nintegrator: {name: leapfrog, dt: 1e200}\nrun: {end: 1e202}\noutput: {format: csv}\n' >fast.yaml
runs 3 fast.yaml

# One particle, one step, one thread: no message makes a plural of it.
printf 'particles: {model: plummer, n: 1}\nexternal: [{kind: point_mass, mass: 1}]\nintegrator: {name: leapfrog, dt: 0.01}\nrun: {steps: 1}\n' >lone.yaml
{
    "$MYRIAD" check lone.yaml --threads 1 && "$MYRIAD" run lone.yaml --threads 1 && "$MYRIAD" info lone &&
        "$MYRIAD" eval --n 1 --threads 1 && "$MYRIAD" init plummer --n 1 --output lone.csv &&
        "$MYRIAD" convert lone.csv lone.xyz && sed 's/<[^>]*>/ /g' lone/report.html
} >out 2>&1 </dev/null || fail "one particle: $(tail -n 3 out)"
for noun in particle step; do
    grep -q "\b1 $noun\b" out || fail "no message counts one $noun"
done
plural=$(grep -oE '(^|[^0-9.=^-])1 (particle|step|thread|snapshot|checkpoint|line|frame|pair|core|bodie|target|source)s\b' out) &&
    fail "a plural of one: $plural"

# A file that cannot be written whole: an error, and what was there stays.
runs 75 small.yaml --set run.wall_time=0 --set output.directory=full --set particles.n=2000
before=$(cat full/checkpoint_*.myr | md5sum)
(
    trap '' XFSZ
    ulimit -f 64
    "$MYRIAD" run --restart full --set run.wall_time=none --set output.checkpoint=0 --quiet >out 2>err </dev/null
)
got=$?
[ $got -eq 1 ] || fail "a checkpoint that does not fit: exit code $got: $(cat err)"
[ "$(wc -l <err)" -eq 1 ] || fail "a checkpoint that does not fit: not one line: $(cat err)"
[ "$(cat full/checkpoint_*.myr | md5sum)" = "$before" ] || fail "a checkpoint that does not fit: the old one has changed"
finish
