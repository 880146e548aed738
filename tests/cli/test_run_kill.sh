#!/bin/bash
# kill -9, fifty times: what is left can always be continued, nothing damaged is taken for whole, and the end is the same.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
cd "$WORK" || exit 1
RANDOM=4711
export OMP_NUM_THREADS=1

cat >in.yaml <<'END'
particles: {model: plummer, n: 300, seed: 3}
interaction: {eps: 0.015625}
run: {end: 1024}
output: {diagnostics: 0.0625, snapshots: 0.25, format: csv, directory: killed, checkpoint: 0.02}
END
kills=0
started=0
# listing: what the run has written so far
listing() { find killed -printf '%p %s %T@\n' 2>/dev/null | sort; }
for life in $(seq 50); do
    if ls killed/checkpoint_*.myr >/dev/null 2>&1; then
        "$MYRIAD" run --restart killed --quiet >out 2>err </dev/null &
    else
        "$MYRIAD" run in.yaml --force --quiet >out 2>err </dev/null &
    fi
    pid=$!
    # The first one lives until it has written a checkpoint, every second one until it has written something, however
    # long that takes: sanitizers and a busy machine are slow. Then all are killed at some time.
    before=$(listing)
    while kill -0 $pid 2>/dev/null; do
        [ "$started" -eq 0 ] && ! ls killed/checkpoint_*.myr >/dev/null 2>&1 && sleep 0.05 && continue
        [ $((life % 2)) -eq 0 ] && [ "$before" = "$(listing)" ] && sleep 0.02 && continue
        break
    done
    sleep "0.0$((10 + RANDOM % 90))"
    if kill -9 $pid 2>/dev/null; then
        kills=$((kills + 1))
    fi
    wait $pid 2>/dev/null
    [ -s err ] && fail "after $kills kills: $(cat err)"
    ls killed/checkpoint_*.myr >/dev/null 2>&1 && started=1
    [ "$started" -eq 1 ] && ! ls killed/checkpoint_*.myr >/dev/null 2>&1 && fail "no checkpoint is left after $kills kills"
    [ "$(ls killed/checkpoint_*.myr 2>/dev/null | wc -l)" -le 3 ] || fail "checkpoints pile up: $(ls killed)"
    [ -e killed/summary.json ] && break
done
[ "$kills" -ge 10 ] || fail "only $kills kills"
"$MYRIAD" run --restart killed --quiet --set run.end=1 2>err # where the kills got to
time=$(sed -n 's/.*"time": \([^,]*\).*/\1/p' killed/summary.json 2>/dev/null | head -n 1)
echo "$kills kills, time ${time:-unknown}"

# The same without kills, to where they got: every line and every snapshot.
lines=$(wc -l <killed/diagnostics.csv)
end=$(awk -F, '!/^#/ && $1 != "time" { t = $1 } END { printf "%.17g", int(t / 0.0625) * 0.0625 }' killed/diagnostics.csv)
"$MYRIAD" run in.yaml --set output.directory=whole --set output.checkpoint=none --set run.end="$end" --quiet || fail "the whole run"
head -n "$(wc -l <whole/diagnostics.csv)" killed/diagnostics.csv | cmp -s - whole/diagnostics.csv || fail "other diagnostics ($lines lines)"
for file in whole/snapshot_*.csv; do
    [ "$file" = "$(ls whole/snapshot_*.csv | tail -n 1)" ] && continue # at the end, which the other has not
    cmp -s "$file" "killed/$(basename "$file")" || fail "$file differs"
done

# Kills in a row between the writing of a checkpoint and the removal of the oldest: they do not pile up (six of them before).
if command -v strace >/dev/null && strace -o trace true 2>/dev/null; then
    export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # the search for leaks traces the process, as strace does
    for _ in 1 2 3 4; do
        paths=()
        for file in killed/checkpoint_*.myr; do paths+=(-P "$file"); done
        strace -f -o trace "${paths[@]}" -e trace=unlink,unlinkat -e inject=unlink,unlinkat:error=EIO:signal=KILL \
            "$MYRIAD" run --restart killed --quiet --set run.end=1024 >out 2>err </dev/null && fail "the run was not killed"
    done
    [ "$(ls killed/checkpoint_*.myr | wc -l)" -le 3 ] || fail "checkpoints pile up after kills in a row: $(ls killed/checkpoint_*)"
else
    echo "kills at the removal of checkpoints: not tried without strace"
fi
finish
