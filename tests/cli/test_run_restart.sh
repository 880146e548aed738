#!/bin/bash
# A run that is interrupted and continued has the same bits as one that never was: at 20 random steps, on any number of
# threads, after kill -9, and from the checkpoint before a damaged one.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
cd "$WORK" || exit 1
RANDOM=12345

run() { "$MYRIAD" run "$@" >out 2>err </dev/null; }

cat >in.yaml <<'END'
particles: {model: king, n: 100, W0: 7, seed: 3}
interaction: {eps: 0.015625}
run: {end: 0.5}
output: {diagnostics: 0.0625, snapshots: 0.125, format: csv}
END
run in.yaml --set output.directory=whole || fail "the whole run: $(cat err)"
steps=$(sed -n 's/.*"steps": \([0-9]*\).*/\1/p' whole/summary.json)
[ "$steps" -gt 100 ] || fail "only $steps steps"

# Stopped after a random number of block steps, then on to the end: the same particles.
for k in $(seq 20); do
    at=$((1 + (RANDOM * 32768 + RANDOM) % (steps - 1)))
    run in.yaml --force --set output.directory=part --set run.steps=$at --set output.snapshots=ends --threads $((1 + k % 3)) ||
        fail "to step $at: $(cat err)"
    run --restart part --set run.steps=none --threads $((1 + (k + 1) % 2)) || fail "on from step $at: $(cat err)"
    cmp -s whole/snapshot_00004.csv part/snapshot_00002.csv || fail "other bits after a restart at step $at of $steps"
done

# A damaged checkpoint is noticed, loudly, and the one before it used; two damaged ones are refused.
run in.yaml --set output.directory=hurt --set run.wall_time=0 # after one step
run --restart hurt                                              # after another
set -- hurt/checkpoint_*.myr
[ $# -eq 2 ] || fail "there are $# checkpoints, not 2"
# flip FILE OFFSET: changes one bit
flip()
{
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    printf "\\x$(printf %02x $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
size=$(stat -c %s "$2")
for k in 1 2 3 4 5; do
    cp "$2" keep
    flip "$2" $(((RANDOM * 32768 + RANDOM) % size))
    rm -rf copy && cp -r hurt copy
    run --restart copy --set run.wall_time=none
    got=$?
    [ $got -eq 0 ] || fail "damaged checkpoint: exit code $got: $(cat err)"
    grep -q "WARNING: the checkpoint copy/$(basename "$2") cannot be used" err || fail "damage was not noticed: $(cat err)"
    cmp -s whole/diagnostics.csv copy/diagnostics.csv || fail "other bits from the checkpoint before"
    mv keep "$2"
done
flip "$1" 100
flip "$2" 100
run --restart hurt
got=$?
[ $got -eq 1 ] || fail "two damaged checkpoints: exit code $got"
grep -q "holds no checkpoint that can be used" err || fail "two damaged checkpoints: $(cat err)"
mkdir empty
run --restart empty && fail "a directory without checkpoints was continued"
run --restart whole --set interaction.eps=1 && fail "the motion was changed in the middle of a run"
grep -q "a run that is continued can change" err || fail "no word about what can be changed: $(cat err)"

# A finished run made longer.
run in.yaml --set output.directory=longer --set run.end=0.25 || fail "a shorter run"
run --restart longer --set run.end=0.5 || fail "made longer: $(cat err)"
cmp -s whole/snapshot_00004.csv longer/snapshot_00004.csv || fail "a run made longer has other bits"
finish
