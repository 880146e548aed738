#!/bin/bash
# A disk that is full for exactly one rank: all end soon with one sentence about which file and which rank, nothing half
# written has the name of a whole file, and the run goes on from the last checkpoint with the same bits. $FULL_DISK: the
# shared object of full_disk.c.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"
[ -n "${FULL_DISK:-}" ] || { echo "skipped: no disk that can be full"; exit 77; }

cat > in.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 864, density: 0.8, temperature: 1}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5}
integrator: {name: langevin, dt: 0.005, temperature: 1, friction: 1}
run: {steps: 400}
output: {diagnostics: ends, snapshots: 0.25, format: h5md, report: false, checkpoint: 0.001}
END
"$MYRIAD" run in.yaml --quiet --set output.directory=one --set run.steps=1 2> err || {
    grep -q h5md err && { echo "skipped: this build has no HDF5: $(cat err)"; exit 77; }
    fail "one rank: $(cat err)"
}

# full RANK FILE: a run on two ranks where one has no room for a file; 1 where that rank writes no such file
full()
{
    local code took
    rm -rf log run
    timeout -k 5 $PATIENCE bash "$HERE/run.sh" "$FLAVOUR" 2 env LD_PRELOAD="$FULL_DISK" MYRIAD_FULL_RANK="$1" \
        MYRIAD_FULL_FILE="$2" MYRIAD_FULL_LOG="$WORK/log" "$MYRIAD" run in.yaml --quiet --set output.directory=run \
        > out 2> err < /dev/null
    code=$?
    if [ ! -e log ]; then
        [ $code -eq 0 ] || fail "rank $1, $2: exit code $code: $(cat out err)"
        return 1
    fi
    took=$(($(date +%s) - $(stat -c %Y log)))
    { [ $code -ne 0 ] && [ $code -lt 124 ]; } || fail "rank $1, $2: exit code $code after $took s"
    [ "$(cat out err | grep -c '^myriad: ')" -eq 1 ] || fail "rank $1, $2: not one line: $(cat out err)"
    grep -qE "^myriad: rank $1: .*$2.*: No space left on device" err || fail "rank $1, $2: $(cat err)"
    find run -name "*$2*" | grep -qvF .partial && fail "rank $1: $2 was left: $(ls run)"
    grep -q '"state": "failed"' run/run.json || fail "rank $1, $2: $(grep '"state"' run/run.json)"
    grep '"reason"' run/run.json | grep -q "rank $1: .*No space left" || fail "rank $1, $2: $(grep '"reason"' run/run.json)"
    [ -e run/summary.json ] && fail "rank $1, $2: the run says that it has finished"
    echo "exit code $code after $took s: $(grep '^myriad: ' err)"
}

# goes_on: the last checkpoint is whole, and a run from it has the bits of one that nothing happened to
goes_on()
{
    local last made end
    last=$(find run -name 'checkpoint_*.myr' | sort | tail -n 1)
    made=$("$MYRIAD" info "$last" | sed -n 's/^  steps *\([0-9]*\) .*/\1/p')
    [ "${made:-0}" -gt 0 ] || fail "$last is not whole: $("$MYRIAD" info "$last" 2>&1)"
    end=$((made + 20))
    "$MYRIAD" run --restart run --quiet --set run.steps=$end > out 2> err || fail "a restart from $last: $(cat out err)"
    "$MYRIAD" run in.yaml --force --quiet --set output.directory=whole --set run.steps=$end --set output.checkpoint=none \
        --set output.snapshots=ends || fail "the whole run"
    cmp -s "$(find run -name 'snapshot_*.h5md' | sort | tail -n 1)" "$(find whole -name 'snapshot_*.h5md' | sort | tail -n 1)" ||
        fail "a restart from $last ends elsewhere"
    echo "goes on from $last, after $made steps"
}

for rank in 0 1; do
    full $rank snapshot_00004 || fail "rank $rank writes no part of a snapshot"
    goes_on
    full $rank checkpoint_000002 || fail "rank $rank writes no part of a checkpoint"
    [ "$(find run -name 'checkpoint_*.myr' | sort | tail -n 1)" = run/checkpoint_000001.myr ] || fail "left: $(ls run)"
    goes_on
done
