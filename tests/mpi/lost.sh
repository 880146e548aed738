#!/bin/bash
# A rank that is killed, and a disk that is full: all end soon, the last checkpoint is whole, and the run goes on from it
# on other numbers of ranks with the same bits.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"

cat > in.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 500, density: 0.8, temperature: 1}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5}
integrator: {name: langevin, dt: 0.002, temperature: 1, friction: 1}
run: {steps: 100000000}
output: {diagnostics: ends, snapshots: none, format: csv, report: false, checkpoint: 0.05}
END

# steps FILE: of a checkpoint, which is read to its end
steps() { "$MYRIAD" info "$1" | sed -n 's/^  steps *\([0-9]*\) .*/\1/p'; }

# --- killed: the second rank, or with MPICH the first, after some checkpoints

rank=1
[ "$FLAVOUR" = mpich ] && rank=0

timeout -k 5 $PATIENCE bash "$HERE/run.sh" "$FLAVOUR" 2 "$MYRIAD" run in.yaml --quiet --set output.directory=killed \
    > out 2> err < /dev/null &
launcher=$!
until_it $launcher [ -e killed/checkpoint_000002.myr ] || fail "no checkpoint: $(cat out err)"
victim=
for pid in $(pgrep -f "$MYRIAD run in.yaml --quiet --set output.directory=killed"); do
    tr '\0' '\n' < "/proc/$pid/environ" 2> /dev/null | grep -qE "^(OMPI_COMM_WORLD_RANK|PMI_RANK)=$rank\$" && victim=$pid
done
[ -n "$victim" ] || fail "no rank $rank was found"
SECONDS=0
kill -9 "$victim"
wait $launcher
code=$?
{ [ $code -ne 0 ] && [ $code -ne 124 ]; } || fail "exit code $code after $SECONDS s"
cat out err | grep -q 'signal 9' || fail "nothing is said of a rank that was killed: $(cat out err)"
[ -e killed/summary.json ] && fail "the run says that it has finished"
last=$(find killed -name 'checkpoint_*.myr' | sort | tail -n 1)
made=$(steps "$last")
[ "${made:-0}" -gt 0 ] || fail "$last is not whole: $("$MYRIAD" info "$last" 2>&1)"
echo "killed: exit code $code after $SECONDS s; $last is whole, with $made steps"

# --- on from there: the same as if nothing had happened

end=$((made + 50))
directories=killed
[ "$FLAVOUR" = mpich ] || directories="killed two" # ranks of the other that wait keep their cores busy
cp -r killed two
"$MYRIAD" run --restart killed --quiet --set run.steps=$end --set output.snapshots=ends || fail "a restart on one rank"
[ "$FLAVOUR" = mpich ] || on 2 run --restart two --quiet --set run.steps=$end --set output.snapshots=ends || fail "a restart on two: $(cat out err)"
"$MYRIAD" run in.yaml --quiet --set output.directory=whole --set run.steps=$end --set output.checkpoint=none \
    --set output.snapshots=ends || fail "the whole run"
for directory in $directories; do
    cmp -s "$(find whole -name 'snapshot_*.csv' | sort | tail -n 1)" \
        "$(find $directory -name 'snapshot_*.csv' | sort | tail -n 1)" || fail "$directory ends elsewhere"
done
echo "restarts ($directories) end where the whole run does"

# the report tells where the time of each rank went
if [ "$FLAVOUR" != mpich ]; then
    "$MYRIAD" report two > out 2> err || fail "no report: $(cat err)"
    for row in 'rank 0' 'rank 1' mean; do
        grep -qE "<td>$row</td>(<td>[^<]*[0-9][^<]*</td>){4}" two/report.html || fail "the report has no row '$row'"
    done
fi

# --- a full disk: one of 64 kB, where a checkpoint needs 100

mkdir full
if ! unshare -rm mount -t tmpfs -o size=64k none full 2> /dev/null; then
    echo "full: not tried, as no small disk can be mounted here"
    exit 0
fi
SECONDS=0
unshare -rm bash -c "mount -t tmpfs -o size=64k none full || exit 0
    timeout -k 5 $PATIENCE bash '$HERE/run.sh' $FLAVOUR 2 '$MYRIAD' run in.yaml --quiet --set output.directory=full
    code=\$?
    ls full > left
    exit \$code" > out 2> err < /dev/null
code=$?
{ [ $code -ne 0 ] && [ $code -ne 124 ]; } || fail "full: exit code $code after $SECONDS s"
[ "$(grep -c '^myriad: ' err)" -eq 1 ] || fail "full: not one line: $(cat err)"
grep -q '^myriad: .*checkpoint_000000.myr.*No space left' err || fail "full: $(cat err)"
grep -q 'checkpoint.*myr$' left && fail "full: half a checkpoint has the name of a whole one"
echo "full: exit code $code after $SECONDS s: $(grep '^myriad: ' err)"
