#!/bin/bash
# One writer for a directory of results: a second run, a restart and a report are refused within a second with the host and
# the process of the first, and change nothing; a run that was killed leaves no lock behind.
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
output: {diagnostics: ends, snapshots: none, format: csv, directory: results, checkpoint: none, report: false}
END
"$MYRIAD" run in.yaml --set run.steps=1 --quiet || fail "the first run"
"$MYRIAD" run in.yaml --force --set run.steps=1 --set output.directory=other --quiet || fail "the other run"

# starts ARGS...: a run that stays, with its process id in $pid
starts()
{
    "$MYRIAD" run "$@" --quiet >first.out 2>first.err </dev/null &
    pid=$!
    # run.json of the one before stays until the first forces are there; the first line of diagnostics is the last that
    # is written before the end, and that of a restart is there already
    until grep -q "\"process\": $pid,\$" results/run.json 2>/dev/null && grep -q '^0,' results/diagnostics.csv; do
        kill -0 $pid 2>/dev/null || { fail "the run that stays: $(cat first.err)"; break; }
        sleep 0.02
    done
}
# listing: names, sizes, times of the last change, and bytes
listing()
{
    find results -printf '%p %s %T@\n' | sort
    cat results/*.yaml results/*.json results/*.csv results/*.myr 2>/dev/null | md5sum
}
# refused ARGS...: ends with code 1 in a second, beside what this machine needs to start the program at all, with one line
# that names the holder; nothing has changed
refused()
{
    local before after begin got took start
    before=$(listing)
    begin=$(date +%s%N)
    "$MYRIAD" --version >out
    start=$((($(date +%s%N) - begin) / 1000000))
    begin=$(date +%s%N)
    timeout 20 "$MYRIAD" "$@" >out 2>err </dev/null
    got=$?
    took=$((($(date +%s%N) - begin) / 1000000))
    after=$(listing)
    [ "$got" -eq 1 ] || fail "$*: exit code $got: $(cat out err)"
    [ "$took" -le $((1000 + 10 * start)) ] || fail "$*: took $took ms, and $start ms for its version"
    [ "$(grep -c "^myriad: .*process $pid on $(hostname)" err)" -eq 1 ] || fail "$*: says: $(cat err)"
    [ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line: $(cat err)"
    [ "$before" = "$after" ] || fail "$*: changed: $(diff <(echo "$before") <(echo "$after"))"
}

for begins in "in.yaml --force" "--restart results --set run.steps=none"; do
    # shellcheck disable=SC2086
    starts $begins
    refused run in.yaml
    refused run in.yaml --force
    refused run in.yaml --force --set run.steps=1
    refused run --restart results
    refused report results
    refused report results other
    refused report other --output results/page.html
    "$MYRIAD" report results --output elsewhere.html --quiet >out 2>err || fail "a page elsewhere: $(cat err)"
    expect 0 "state      running (process $pid on $(hostname))" info results
    expect 0 '"state": "running"' info results --json
    kill -TERM $pid
    wait $pid
    [ $? -eq 75 ] || fail "the first run: $(cat first.err)"
    [ -e results/run.lock ] && fail "a run that has ended leaves a file"
    expect 0 "state      stopped: stopped by SIGTERM" info results
done

# killed: the kernel ends the lock with the process, and info tells dead from running
starts in.yaml --force
kill -9 $pid
wait $pid 2>/dev/null
expect 0 "state      dead" info results
expect 0 '"state": "dead"' info results --json
parses out || fail "info --json of a dead run is not JSON"
"$MYRIAD" run in.yaml --force --set run.steps=1 --quiet >out 2>err || fail "after a kill: $(cat err)"
expect 0 "state      finished" info results
"$MYRIAD" run --restart results --set run.steps=2 --quiet >out 2>err || fail "a restart: $(cat err)"

# a report holds the lock while it writes, and gives it back
"$MYRIAD" report results --quiet >out 2>err || fail "a report: $(cat err)"
[ -e results/run.lock ] && fail "a report leaves the file of its lock"

# results that are in the way: nothing is touched either
before=$(listing)
expect 1 "holds a finished run" run in.yaml
[ "$before" = "$(listing)" ] || fail "a refused run has changed the directory"

# many at a time: one goes, all others are refused
for k in $(seq 8); do
    "$MYRIAD" run in.yaml --force --set run.steps=2000 --quiet >/dev/null 2>"err.$k" </dev/null &
    pids[k]=$!
done
went=0
for k in $(seq 8); do
    wait "${pids[k]}" && went=$((went + 1))
done
[ "$went" -ge 1 ] || fail "none of eight runs went: $(cat err.*)"
[ "$(cat err.* | grep -c "is being written by")" -eq $((8 - went)) ] || fail "$went of eight went: $(cat err.*)"
finish
