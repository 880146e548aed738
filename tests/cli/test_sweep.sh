#!/bin/bash
# myriad sweep: every combination or zipped lists as ordinary runs with the bits of a run alone; one table; refusals; a
# sweep that is killed, stopped or partly failed, and goes on.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
cd "$WORK" || exit 1

# sweeps CODE ARGS...: myriad sweep with that exit code
sweeps()
{
    local code=$1 got
    shift
    "$MYRIAD" sweep "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$code" ] || fail "myriad sweep $*: exit code $got, not $code: $(cat out err)"
}
says() { grep -qF -- "$1" out err || fail "'$1' not found in: $(cat out err)"; }
# cell TABLE LINE COLUMN
cell() { awk -F, -v line="$2" -v name="$3" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == name) c = k } NR == line + 1 { print $c }' "$1"; }
# file SECTION: an input with that section sweep
file()
{
    cat <<END
particles: {model: plummer, n: 60, seed: 5}
interaction: {eps: 0.015625}
run: {end: 0.125}
output: {format: csv, diagnostics: 0.03125, report: false}
sweep: {$1}
END
}

# --- combinations, with the bits of runs alone
file 'particles.seed: 1..3, interaction.eps: [0.03125, 0.0625]' >all.yaml
sweeps 0 all.yaml --jobs 2
says "6 of 6 runs finished, 0 failed"
[ "$(wc -l <all/sweep.csv)" -eq 7 ] || fail "sweep.csv has $(wc -l <all/sweep.csv) lines"
head -n 1 all/sweep.csv | grep -q '^run,particles.seed,interaction.eps,status,start,time,steps,' || fail "columns: $(head -n 1 all/sweep.csv)"
k=0
for seed in 1 2 3; do
    for eps in 0.03125 0.0625; do
        k=$((k + 1))
        [ "$(cell all/sweep.csv $k particles.seed) $(cell all/sweep.csv $k interaction.eps) $(cell all/sweep.csv $k status)" = "$seed $eps finished" ] ||
            fail "line $k: $(sed -n "$((k + 1))p" all/sweep.csv)"
        [ "$(cell all/sweep.csv $k start)" = 0 ] || fail "line $k starts at $(cell all/sweep.csv $k start)"
        steps=$(sed -n 's/.*"steps": \([0-9]*\).*/\1/p' all/000$k/summary.json)
        [ "$(cell all/sweep.csv $k steps)" = "$steps" ] || fail "steps of line $k"
        sed '/^sweep/d' all.yaml >one.yaml
        "$MYRIAD" run one.yaml --quiet --force --set particles.seed=$seed --set interaction.eps=$eps || fail "run $k alone"
        cmp -s one/snapshot_00001.csv all/000$k/snapshot_00001.csv || fail "run $k has other bits alone"
        grep -q sweep all/000$k/input.yaml && fail "the effective input of run $k has a sweep"
    done
done
"$MYRIAD" run all/0004/input.yaml --quiet --set output.directory=again || fail "the effective input is no input"
cmp -s again/snapshot_00001.csv all/0004/snapshot_00001.csv || fail "the effective input gives other bits"

# --- once more: nothing is done again; other values are refused, and replaced with --force
before=$(stat -c %Y.%i all/000*/summary.json)
sweeps 0 all.yaml
says "6 finished before"
[ "$before" = "$(stat -c %Y.%i all/000*/summary.json)" ] || fail "finished runs were made again"
sed -i 's/0.0625\]/0.125]/' all.yaml
sweeps 1 all.yaml
says "holds a sweep of another input or of other values; give --force"
sweeps 0 all.yaml --force --quiet --columns steps,energy_error,hopes
says "no run has a column 'hopes'"
[ "$(head -n 1 all/sweep.csv)" = run,particles.seed,interaction.eps,status,steps,energy_error ] || fail "wanted columns: $(head -n 1 all/sweep.csv)"
[ "$(cell all/sweep.csv 2 interaction.eps)" = 0.125 ] || fail "--force kept old values"
grep -q 'eps: 0.125' all/0002/input.yaml || fail "--force kept an old run"
"$MYRIAD" run all.yaml >out 2>err
[ $? -eq 2 ] || fail "myriad run took a sweep"
says "start them with: myriad sweep all.yaml"

# --- zipped lists, steps, lists as values, replicas
file 'combine: zip, particles.n: 40..80 step 20, interaction.eps: [0.1, 0.2, 0.4]' >zip.yaml
sweeps 0 zip.yaml --json
parses <(tail -n 1 out) || fail "the last event: $(tail -n 1 out)"
[ "$(cut -d, -f1-4 zip/sweep.csv | tr '\n' ' ')" = "run,particles.n,interaction.eps,status 0001,40,0.1,finished 0002,60,0.2,finished 0003,80,0.4,finished " ] ||
    fail "zipped: $(cut -d, -f1-4 zip/sweep.csv)"
file 'interaction.eps: [0.1], output.fields: [[position], [position, mass]]' >rep.yaml
sweeps 0 rep.yaml --replicas 2 --columns steps
[ "$(cut -d, -f2- rep/sweep.csv | grep -c '^0.1,\[position\],[56],finished,[0-9]*$')" -eq 2 ] || fail "replicas: $(cat rep/sweep.csv)"
[ "$(grep -c '^0.*,"\[position, mass\]",[56],finished' rep/sweep.csv)" -eq 2 ] || fail "a list as a value: $(cat rep/sweep.csv)"
cat >gas.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 32, density: 0.5, thermal: 1}
species: [{name: A, mass: 1, sigma: 1, epsilon: 1}]
interaction: {method: neighbour, cutoff: 1}
integrator: {name: langevin, dt: 0.004, temperature: 1, friction: 1}
run: {steps: 5}
output: {report: false}
END
sweeps 0 gas.yaml --replicas 2 --columns temperature
[ "$(head -n 1 gas/sweep.csv)" = run,particles.seed,integrator.seed,status,temperature ] || fail "replicas of a box: $(cat gas/sweep.csv)"
[ "$(cell gas/sweep.csv 1 temperature)" != "$(cell gas/sweep.csv 2 temperature)" ] || fail "replicas are the same: $(cat gas/sweep.csv)"

# --- the page: means over seeds, whole, and nothing from elsewhere but the pages of the runs
if command -v python3 >/dev/null; then
    file 'particles.seed: 1..3, interaction.eps: [0.03125, 0.0625]' | sed 's/, report: false//' >page.yaml
    sweeps 0 page.yaml
    [ "$(grep -o 'href="000[1-6]/report.html"' page/sweep.html | wc -l)" -eq 6 ] || fail "links to the runs"
    sed 's/ href="000[1-6]\/report.html"//' page/sweep.html >page.html
    python3 "$HERE/../report/page.py" page.html || fail "page.py"
    # the mean of the last total energies of three seeds, as the picture says it in words
    mean=$(awk -F, 'FNR == 1 { c = 0 } /^#/ { next } !c { for (k = 1; k <= NF; k++) if ($k == "energy") c = k; next } { last[FILENAME] = $c }
        END { for (f in last) { s += last[f]; n++ } printf "%.3g", s / n }' page/000[135]/diagnostics.csv)
    grep -q "Energies, total.*; eps = 0.03125 from .* to ${mean/-/−};" page.html || fail "the mean energy is not $mean: $(grep -o 'Energies, total,.*' page.html | head -n 1)"
fi

# --- check
"$MYRIAD" check zip.yaml >out 2>err || fail "check: $(cat err)"
grep -q '^runs *3$' out || fail "check: $(cat out)"
grep -q '^disk .* in all, from 3 runs that were tried' out || fail "check: $(cat out)"
grep -q '^time .* for all runs' out || fail "check: $(cat out)"
"$MYRIAD" check zip.yaml --json >out 2>err && parses out && grep -q '"runs": 3' out || fail "check --json: $(cat out err)"

# --- refused, with the place in the file, and nothing is written
refused()
{
    file "$1" >bad.yaml
    sweeps 2 bad.yaml
    says "$2"
    [ ! -e bad ] || fail "$1: a directory was made"
}
refused 'interaction.esp: [1]' "bad.yaml:5:9: 'interaction' has no key 'esp'"
says "did you mean 'eps'?"
refused 'interactoin.eps: [1]' "did you mean 'interaction'?"
refused 'eps: [1]' "did you mean 'interaction.eps'?"
refused 'interaction.eps: []' "bad.yaml:5:26: sweep: interaction.eps has no values"
refused 'interaction.eps: [0.1, abc]' "bad.yaml:5:32: interaction.eps: 'abc' is not a number"
refused 'combine: zip, particles.seed: 1..3, interaction.eps: [1, 2]' "lists that are zipped are equally long"
refused 'particles.seed: 5..1' "ends before it begins"
refused 'interaction.eps: 0.1..0.5' "expected a list of them"
refused 'particles.seed: 1..100001' "describes 100001 runs; give --yes"
refused 'output.directory: [a, b]' "cannot be swept"
refused 'particles.seed: [1, 2], replicas: 2' "swept twice"
refused '' "names no key"
sweeps 2 zip.yaml --set particles.n=7
says "is swept, and set on the command line"
sweeps 2 zip.yaml --only 4
says "there is no run 4; zip.yaml describes 3"
file 'particles.seed: 1..2' | sed '/^sweep/d' >bad.yaml
sweeps 2 bad.yaml
says "has no section sweep"
for gpus in none 0 65 1,x -1; do
    sweeps 2 zip.yaml --gpus=$gpus
    says "--gpus cannot be '$gpus'"
done

# --- an array of jobs: one sweep in the directory
"$MYRIAD" sweep zip.yaml --only 2 --quiet --set output.directory=array >/dev/null 2>&1 </dev/null &
sweeps 0 zip.yaml --only 1 --quiet --set output.directory=array
wait
[ -e array/0001/summary.json ] && [ -e array/0002/summary.json ] || fail "runs of an array are not there: $(ls array)"
sweeps 0 zip.yaml --only 2 --set output.directory=array
says "holds a finished run"
sweeps 1 zip.yaml --only 2 --set output.directory=array --set run.end=0.0625 --force
says "array holds a sweep of another input or of other values"
sweeps 1 zip.yaml --set output.directory=array --set run.end=0.0625
sweeps 0 zip.yaml --set output.directory=array
says "2 finished before"

# --- a run that fails is listed, the others go on
file 'run.energy_limit: [1, 1.0e-15, 2]' >bad.yaml
sweeps 1 bad.yaml
says "run 0002 (run.energy_limit = 1.0e-15) failed: "
says "2 of 3 runs finished, 1 failed"
[ "$(cut -d, -f3 bad/sweep.csv | tr '\n' ' ')" = "status finished failed finished " ] || fail "a failed run: $(cut -d, -f1-3 bad/sweep.csv)"

# --- stopped by a signal: checkpoints, and on from there with the same bits; the same after kill -9
file 'particles.seed: 1..4' | sed 's/n: 60/n: 400/; s/end: 0.125/end: 0.5/' >long.yaml
sweeps 0 long.yaml --set output.directory=whole --quiet
for signal in INT KILL; do
    rm -rf long
    "$MYRIAD" sweep long.yaml --jobs 2 >out 2>err </dev/null &
    sweep=$!
    for ((k = 0; k < 200; k++)); do
        [ -e long/0001/diagnostics.csv ] && [ -e long/0002/diagnostics.csv ] && break
        sleep 0.02
    done
    kill -$signal $sweep
    wait $sweep
    got=$?
    [ $signal = KILL ] || [ $got -eq 75 ] || fail "$signal: exit code $got: $(cat err)"
    [ $signal = KILL ] || grep -q "the same command continues them" err || fail "$signal: $(cat err)"
    [ $signal = KILL ] || ls long/0001/checkpoint_* >/dev/null || fail "$signal: no checkpoint: $(ls long/0001)"
    sweeps 0 long.yaml --jobs 2
    says "4 of 4 runs finished, 0 failed"
    for k in 1 2 3 4; do
        cmp -s whole/000$k/snapshot_00001.csv long/000$k/snapshot_00001.csv || fail "$signal: run $k has other bits"
    done
    compgen -G 'long/*.log' >/dev/null && fail "$signal: logs are left: $(ls long)"
done
finish
