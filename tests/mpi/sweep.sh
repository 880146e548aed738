#!/bin/bash
# A sweep on groups of ranks: every run has the bits of the same sweep without ranks, failures are listed, what has been
# finished is kept, and a sweep that is stopped or killed goes on with other groups.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"
export MYRIAD_SHARE_PAIRS=1

cat > plain.yaml <<'END'
particles: {model: plummer, n: 60, seed: 5}
interaction: {eps: 0.015625}
run: {end: 0.0625}
output: {format: csv, diagnostics: 0.03125, report: false}
sweep: {particles.seed: 1..5}
END
"$MYRIAD" sweep plain.yaml --quiet --set output.directory=alone < /dev/null || fail "without ranks"

# same DIRECTORY: all runs have the bits of those made without ranks
same()
{
    local k
    for k in 1 2 3 4 5; do
        cmp -s alone/000$k/snapshot_00001.csv "$1/000$k/snapshot_00001.csv" || fail "$1: run $k has other bits"
        [ "$(sed -n "$((k + 1))p" "$1/sweep.csv" | cut -d, -f1-3)" = "000$k,$k,finished" ] || fail "$1: $(cat "$1/sweep.csv")"
    done
    compgen -G "$1/*.taken" > /dev/null && fail "$1: files are left: $(ls "$1")"
    compgen -G "$1/*.log" > /dev/null && fail "$1: logs are left: $(ls "$1")"
    return 0
}

on 2 sweep plain.yaml --groups 1 --set output.directory=one || fail "one group: $(cat out err)"
grep -q "5 of 5 runs finished, 0 failed" out err || fail "one group: $(cat out err)"
same one
before=$(stat -c %Y.%i one/000*/summary.json)
on 2 sweep plain.yaml --set output.directory=one || fail "once more: $(cat out err)"
grep -q "5 runs, 5 finished before; 2 groups of 2 ranks" out err || fail "once more: $(cat out err)"
[ "$before" = "$(stat -c %Y.%i one/000*/summary.json)" ] || fail "finished runs were made again"

# --- a run that fails is listed, the others go on
sed 's/^sweep:.*/sweep: {run.energy_limit: [1, 1.0e-15, 2]}/' plain.yaml > bad.yaml
on 2 sweep bad.yaml
code=$?
[ $code -eq 1 ] || fail "a run that fails: exit code $code: $(cat out err)"
[ "$(cat out err | grep -c "run 0002 (run.energy_limit = 1.0e-15) failed: ")" -eq 1 ] || fail "a run that fails: $(cat out err)"
[ "$(cut -d, -f3 bad/sweep.csv | tr '\n' ' ')" = "status finished failed finished " ] || fail "a failed run: $(cut -d, -f1-3 bad/sweep.csv)"

# --- refused
on 2 sweep plain.yaml --groups 3 --set output.directory=many && fail "three groups of two ranks"
grep -q "2 ranks cannot form 3 groups" err || fail "three groups: $(cat err)"
on 2 sweep plain.yaml --jobs 2 && fail "--jobs on ranks"
"$MYRIAD" sweep plain.yaml --groups 2 > out 2> err && fail "--groups without ranks"
grep -q "groups are of the ranks of a launcher" err || fail "--groups without ranks: $(cat err)"
[ "$FLAVOUR" = mpich ] && exit 0 # ranks that wait keep their cores busy

on 3 sweep plain.yaml --groups 2 --set output.directory=two || fail "two groups: $(cat out err)"
same two

# --- a signal to one rank of three, and kill -9: on with other groups
sed 's/n: 60/n: 300/; s/end: 0.0625/end: 0.25/' plain.yaml > long.yaml
"$MYRIAD" sweep long.yaml --quiet --set output.directory=alone --force < /dev/null || fail "long without ranks"
for signal in TERM KILL; do
    rm -rf long
    timeout -k 5 $PATIENCE bash "$HERE/run.sh" "$FLAVOUR" 2 "$MYRIAD" sweep long.yaml > first.out 2> first.err < /dev/null &
    launcher=$!
    until_it $launcher [ -e long/0002/diagnostics.csv ] || fail "$signal: nothing begins: $(cat first.out first.err)"
    for pid in $(pgrep -f "^$MYRIAD sweep long.yaml\$"); do
        [ "$(readlink "/proc/$pid/cwd")" = "$WORK" ] && kill -"$signal" "$pid" 2> /dev/null
    done
    wait $launcher
    code=$?
    [ $signal = KILL ] || [ $code -eq 75 ] || [ $code -eq 0 ] || fail "$signal: exit code $code: $(cat first.out first.err)"
    on 3 sweep long.yaml --groups 2 || fail "$signal: on with two groups: $(cat out err)"
    same long
done
echo "sweeps on groups of ranks: the bits of one process"
