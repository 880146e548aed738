#!/bin/bash
# How a run ends: every signal gives a checkpoint, the state "stopped" and exit code 75; an output that fails gives a
# checkpoint, the state "failed" with the reason and exit code 1; a reader that goes away ends nothing.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
cd "$WORK" || exit 1
export OMP_NUM_THREADS=1

cat >in.yaml <<'END'
particles: {model: plummer, n: 64, seed: 3}
interaction: {eps: 0.015625}
run: {end: 1e9}
output: {diagnostics: ends, snapshots: none, format: csv, directory: long, checkpoint: none, report: false}
END
# state DIRECTORY STATE REASON CODE: what run.json says
state()
{
    parses "$1/run.json" || fail "$1/run.json is not JSON: $(cat "$1/run.json")"
    grep -qF "\"state\": \"$2\"" "$1/run.json" || fail "$1: $(grep '"state"' "$1/run.json"), not $2"
    grep '"reason"' "$1/run.json" | grep -qF "$3" || fail "$1: $(grep '"reason"' "$1/run.json"), not $3"
    grep -qF "\"code\": $4," "$1/run.json" || fail "$1: $(grep '"code"' "$1/run.json"), not $4"
    grep -qF "\"host\": \"$(hostname)\"" "$1/run.json" || fail "$1: no host"
}
# waits FILE PATTERN: until it is there, or the process $pid has ended
waits() { until grep -q "$2" "$1" 2>/dev/null || ! kill -0 "$pid" 2>/dev/null; do sleep 0.02; done; }

# --- signals

for signal in INT TERM HUP PIPE USR1 USR2 XCPU XFSZ; do
    rm -rf long
    "$MYRIAD" run in.yaml --quiet >out 2>err </dev/null &
    pid=$!
    waits long/run.json '"running"'
    grep -q "\"process\": $pid,\$" long/run.json || fail "SIG$signal: no process in run.json"
    kill -$signal $pid
    wait $pid
    got=$?
    [ $got -eq 75 ] || fail "SIG$signal: exit code $got: $(cat err)"
    state long stopped "stopped by SIG$signal" 75
    ls long/checkpoint_*.myr >/dev/null 2>&1 || { fail "SIG$signal: no checkpoint"; continue; }
    steps=$("$MYRIAD" info "$(find long -name 'checkpoint_*.myr')" | sed -n 's/^  steps *\([0-9]*\) .*/\1/p')
    "$MYRIAD" run --restart long --set run.steps=$((steps + 1)) --quiet >out 2>err || fail "SIG$signal: a restart: $(cat err)"
    state long finished null 0
done

# SIGXCPU comes every second, and SIGHUP more than once: no request to hurry
rm -rf long
"$MYRIAD" run in.yaml --set particles.n=4096 --quiet >out 2>err </dev/null &
pid=$!
waits long/run.json '"running"'
for _ in 1 2 3 4 5; do kill -XCPU $pid 2>/dev/null; kill -HUP $pid 2>/dev/null; done
wait $pid
got=$?
[ $got -eq 75 ] || fail "many signals: exit code $got: $(cat err)"
ls long/checkpoint_*.myr >/dev/null 2>&1 || fail "many signals: no checkpoint"

# processor time that is spent
rm -rf long
(ulimit -St 1; exec "$MYRIAD" run in.yaml --quiet) >out 2>err </dev/null
got=$?
[ $got -eq 75 ] || fail "ulimit -t: exit code $got: $(cat err)"
state long stopped "stopped by SIGXCPU" 75

# nohup: a terminal that is closed ends nothing
rm -rf long
(trap '' HUP; exec "$MYRIAD" run in.yaml --quiet) >out 2>err </dev/null &
pid=$!
waits long/run.json '"running"'
kill -HUP $pid
sleep 0.3
kill -0 $pid 2>/dev/null || fail "a run that ignores SIGHUP has ended: $(cat err)"
kill -TERM $pid
wait $pid
state long stopped "stopped by SIGTERM" 75

# --- nobody reads

cat >short.yaml <<'END'
particles: {model: plummer, n: 64, seed: 3}
interaction: {eps: 0.015625}
run: {end: 4}
output: {diagnostics: 0.0625, snapshots: none, directory: piped, report: false}
END
{ "$MYRIAD" run short.yaml --json 2>&1; echo $? >code; } | head -n 1 >out
[ "$(cat code)" = 0 ] || fail "| head -1: exit code $(cat code)"
[ "$(wc -l <out)" -eq 1 ] || fail "| head -1: $(cat out)"
state piped finished null 0
{ "$MYRIAD" run short.yaml --force 2>&1; echo $? >code; } | true
[ "$(cat code)" = 0 ] || fail "| true: exit code $(cat code)"
state piped finished null 0
"$MYRIAD" run short.yaml --force >/dev/full 2>err
[ $? -eq 1 ] || fail "output on a full disk is no error"

# streams that are closed: no file of the results gets what is printed
"$MYRIAD" run short.yaml --force --json 2>err >&-
[ $? -eq 1 ] || fail "a closed output is no error: $(cat err)"
grep -q "the output could not be written" err || fail "a closed output: $(cat err)"
state piped finished null 0
strace -f -e trace=openat -o opened true 2>/dev/null && {
    strace -f -e trace=openat -o opened "$MYRIAD" run short.yaml --force --quiet >&- 2>&- <&-
    grep -q '"piped/.*= [012]$' opened && fail "a file took a standard stream: $(grep '"piped/.*= [012]$' opened)"
}

# a terminal that was closed: the run goes on, and ends well
if command -v python3 >/dev/null; then
    rm -rf piped
    cat >terminal.py <<'END'
import os, signal, subprocess, sys, time
leader, terminal = os.openpty()
run = subprocess.Popen([sys.argv[1], "run", "short.yaml", "--set", "run.end=16"], stdin=terminal, stdout=terminal,
                       stderr=terminal, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
os.close(terminal)
os.read(leader, 1)
os.close(leader)
sys.exit(run.wait())
END
    timeout 60 python3 terminal.py "$MYRIAD" || fail "a terminal that was closed: exit code $?"
    state piped finished null 0
fi

# events into a file that cannot grow
rm -rf long
head -c 65000 /dev/zero >events
(ulimit -f 64; exec "$MYRIAD" run in.yaml --set output.checkpoint=0 --json) >>events 2>err </dev/null
got=$?
[ $got -eq 75 ] || fail "events that do not fit: exit code $got: $(cat err)"
state long stopped "stopped by SIGXFSZ" 75

# --- files that cannot grow: the state before is kept, and nothing is missing or twice after a restart

cat >grows.yaml <<'END'
particles: {model: plummer, n: 24, seed: 3}
interaction: {eps: 0.015625}
run: {end: 64}
output: {diagnostics: 0.03125, snapshots: 8, format: csv, directory: grows, checkpoint: none, report: false}
END
(ulimit -f 64; exec "$MYRIAD" run grows.yaml --quiet) >out 2>err </dev/null
got=$?
[ $got -eq 1 ] || fail "a table that does not fit: exit code $got: $(cat err)"
[ "$(wc -l <err)" -eq 1 ] || fail "a table that does not fit: not one line: $(cat err)"
state grows failed "diagnostics.csv" 1
state grows failed "File too large" 1
ls grows/checkpoint_*.myr >/dev/null 2>&1 || fail "a table that does not fit: no checkpoint"
ls grows/*.partial >/dev/null 2>&1 && fail "a table that does not fit: $(ls grows)"
expect 0 "state      failed: " info grows
"$MYRIAD" run --restart grows --quiet >out 2>err || fail "a restart after a table that did not fit: $(cat err)"
"$MYRIAD" run grows.yaml --set output.directory=whole --quiet >out 2>err || fail "the whole run: $(cat err)"
cmp -s grows/diagnostics.csv whole/diagnostics.csv || fail "other diagnostics after a table that did not fit"
for file in whole/snapshot_*.csv; do
    cmp -s "$file" "grows/$(basename "$file")" || fail "$file differs after a table that did not fit"
done

# a disk with room for nothing more: run.json says so all the same
mkdir disk
cat >full.sh <<'END'
mount -t tmpfs -o size=128k none disk || exit 77
"$MYRIAD" run grows.yaml --set output.directory=disk/run --set output.snapshots=none --quiet &
pid=$!
until grep -q '"running"' disk/run/run.json 2>/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
cat /dev/zero >disk/zeros 2>/dev/null
wait $pid
code=$?
cp disk/run/run.json full.json
ls disk/run >left
exit $code
END
if MYRIAD=$MYRIAD unshare -rm bash full.sh >out 2>err </dev/null; [ $? -eq 77 ]; then
    echo "full disk: not tried, as no small disk can be mounted here"
elif [ ! -e full.json ]; then
    echo "full disk: not tried: $(cat err)"
else
    mkdir full && mv full.json full/run.json
    state full failed "No space left" 1
fi
finish
