#!/bin/bash
# A signal to any one of the ranks: all stop together with a checkpoint, and run.json says by what. A second run into the
# directory of one that goes on is refused by rank 0, and all its ranks end.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"

cat > in.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 500, density: 0.8, temperature: 1}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5}
integrator: {name: verlet, dt: 0.002}
run: {steps: 100000000}
output: {diagnostics: ends, snapshots: none, format: csv, report: false, checkpoint: none, directory: results}
END

# begins: two ranks in the background; $launcher, and the processes in $rank_pid
begins()
{
    local pid rank
    rm -rf results
    timeout -k 5 $PATIENCE bash "$HERE/run.sh" "$FLAVOUR" 2 "$MYRIAD" run in.yaml --quiet > first.out 2> first.err < /dev/null &
    launcher=$!
    until_it $launcher grep -q '"state": "running"' results/run.json || fail "not running: $(cat first.out first.err)"
    # the first line of diagnostics is the last that it writes before it ends
    until_it $launcher grep -q '^0,' results/diagnostics.csv || fail "no diagnostics: $(cat first.out first.err)"
    rank_pid=()
    for pid in $(pgrep -f "$MYRIAD run in.yaml --quiet"); do
        rank=$(tr '\0' '\n' < "/proc/$pid/environ" 2> /dev/null | sed -nE 's/^(OMPI_COMM_WORLD_RANK|PMI_RANK)=//p')
        [ "$(readlink "/proc/$pid/cwd")" = "$WORK" ] && [ -n "$rank" ] && rank_pid[rank]=$pid
    done
    [ ${#rank_pid[@]} -eq 2 ] || fail "found ${#rank_pid[@]} ranks"
}

# one rank, the other one, and each signal that ended runs without a word
for case in 1:USR2 0:HUP 1:XCPU; do
    begins
    rank=${case%:*} signal=${case#*:}
    if [ "$case" = 0:HUP ]; then # while that goes on
        before=$(find results -printf '%p %s %T@\n' | sort)
        timeout $PATIENCE bash "$HERE/run.sh" "$FLAVOUR" 2 "$MYRIAD" run in.yaml --force > out 2> err < /dev/null
        code=$?
        { [ $code -ne 0 ] && [ $code -ne 124 ]; } || fail "a second run: exit code $code"
        [ "$(cat out err | grep -c "^myriad: results is being written by process ${rank_pid[0]} on ")" -eq 1 ] ||
            fail "a second run: $(cat out err)"
        [ "$before" = "$(find results -printf '%p %s %T@\n' | sort)" ] || fail "a second run has changed the directory"
        timeout $PATIENCE bash "$HERE/run.sh" "$FLAVOUR" 2 "$MYRIAD" run --restart results > out 2> err < /dev/null &&
            fail "a restart of a run that goes on"
        grep -q "is being written by process ${rank_pid[0]} on " err || fail "a restart: $(cat out err)"
    fi
    SECONDS=0
    until_it $launcher catches "${rank_pid[rank]}" "$signal" || fail "$case: the rank has no handler"
    kill -"$signal" "${rank_pid[rank]}"
    wait $launcher
    code=$?
    [ $code -eq 75 ] || fail "$case: exit code $code after $SECONDS s: $(cat first.out first.err)"
    grep -q '"state": "stopped"' results/run.json || fail "$case: $(grep '"state"' results/run.json)"
    grep -q "\"reason\": \"stopped by SIG$signal\"" results/run.json || fail "$case: $(grep '"reason"' results/run.json)"
    find results -name 'checkpoint_*.myr' | grep -q . || fail "$case: no checkpoint"
    echo "rank $rank, SIG$signal: exit code $code after $SECONDS s"
done
