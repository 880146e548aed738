#!/bin/bash
# Methods that ranks share (Hermite blocks, fmm, vortex elements, molecules): a signal to a rank, a rank that is killed, a
# checkpoint that is damaged, a disk that is full; the run goes on from its checkpoints on other numbers of ranks with the
# bits of one that nothing happened to. And sets that hardly can be shared: all mass in one leaf, fewer particles than ranks.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"
# shellcheck source=methods.inc disable=SC1091
. "$HERE/methods.inc"

tail='run: {steps: 100000000}
output: {diagnostics: ends, snapshots: none, format: csv, report: false, checkpoint: 0.02}'
cat > hermite.yaml <<END
particles: {model: plummer, n: 60}
interaction: {eps: 0.01}
integrator: {name: hermite4}
$tail
END
cat > fmm.yaml <<END
particles: {model: plummer, n: 300}
interaction: {eps: 0.01, method: fmm, tolerance: 1e-3}
integrator: {name: leapfrog, dt: 0.0009765625}
$tail
END
cat > vortex.yaml <<END
particles: {model: vortex_ring, n: 180, layers: 1, core: 0.3}
interaction: {kernel: velocity_stretching_transposed, viscosity: 0.0005}
integrator: {name: rk3, dt: 0.0009765625}
$tail
END
alanine_with "$tail" > molecule.yaml

# third NAME: there is the third checkpoint, or a later one: only the last two are kept
third()
{
    local newest
    newest=$(find "$1" -name 'checkpoint_*.myr' 2> /dev/null | sort | tail -n 1)
    newest=${newest##*_}
    [ -n "$newest" ] && [ "$((10#${newest%.myr}))" -ge 2 ]
}

# begins NAME: two ranks in the background, until the third checkpoint; $launcher, and the processes in $rank_pid
begins()
{
    local pid rank
    timeout -k 5 $PATIENCE bash "$HERE/run.sh" "$FLAVOUR" 2 "$MYRIAD" run "$1.yaml" --quiet --force > first.out 2> first.err < /dev/null &
    launcher=$!
    until_it $launcher third "$1" || fail "$1: no checkpoint: $(cat first.out first.err)"
    rank_pid=()
    for pid in $(pgrep -f "$MYRIAD run $1.yaml --quiet --force"); do
        rank=$(tr '\0' '\n' < "/proc/$pid/environ" 2> /dev/null | sed -nE 's/^(OMPI_COMM_WORLD_RANK|PMI_RANK)=//p')
        [ "$(readlink "/proc/$pid/cwd")" = "$WORK" ] && [ -n "$rank" ] && rank_pid[rank]=$pid
    done
    [ ${#rank_pid[@]} -eq 2 ] || fail "$1: found ${#rank_pid[@]} ranks"
}

steps() { "$MYRIAD" info "$1" | sed -n 's/^  steps *\([0-9]*\) .*/\1/p'; }

# goes_on NAME RANKS: from the last checkpoint that is whole, on so many ranks, to the bits of a run that nothing happened to
goes_on()
{
    local end=$(($(steps "$3") + 20))
    [ "$end" -gt 20 ] || fail "$1: $3 is not whole"
    on "$2" run --restart "$1" --set run.steps=$end --set output.snapshots=ends || fail "$1: a restart on $2: $(cat out err)"
    cat out err > restarted
    "$MYRIAD" run "$1.yaml" --quiet --force --set output.directory=whole --set run.steps=$end --set output.checkpoint=none \
        --set output.snapshots=ends 2> err || fail "$1: the whole run: $(cat err)"
    cmp -s "$(last whole 'snapshot_*')" "$(last "$1" 'snapshot_*')" || fail "$1: a restart on $2 ranks ends elsewhere"
}

kinds="hermite fmm vortex molecule"
[ "$FLAVOUR" = mpich ] && kinds="hermite fmm" # ranks that wait keep their cores busy
for kind in $kinds; do
    # --- a signal to the rank that only follows
    begins $kind
    until_it $launcher catches "${rank_pid[1]}" USR2 || fail "$kind: the rank has no handler"
    kill -USR2 "${rank_pid[1]}"
    wait $launcher
    code=$?
    [ $code -eq 75 ] || fail "$kind: stopped with exit code $code: $(cat first.out first.err)"
    grep -q '"reason": "stopped by SIGUSR2"' $kind/run.json || fail "$kind: $(grep '"reason"' $kind/run.json)"
    goes_on $kind 1 "$(last $kind 'checkpoint_*.myr')"

    # --- a rank that is killed, and then the last checkpoint is damaged
    rm -rf $kind
    begins $kind
    kill -9 "${rank_pid[1]}"
    wait $launcher
    code=$?
    { [ $code -ne 0 ] && [ $code -ne 124 ]; } || fail "$kind: killed, exit code $code"
    [ -e $kind/summary.json ] && fail "$kind: the run says that it has finished"
    newest=$(last $kind 'checkpoint_*.myr')
    before=$(find $kind -name 'checkpoint_*.myr' | sort | tail -n 2 | head -n 1)
    at=$(($(stat -c %s "$newest") / 2))
    byte=$(od -An -tu1 -j $at -N 1 "$newest")
    printf "%b" "\\x$(printf %x $((byte ^ 4)))" | dd of="$newest" bs=1 seek=$at conv=notrunc status=none
    goes_on $kind 2 "$before"
    grep -q 'going back to the one before it' restarted || fail "$kind: nothing is said of the one before: $(cat restarted)"

    # --- a disk that is full for rank 0, which writes all files
    if [ -n "${FULL_DISK:-}" ]; then
        rm -rf $kind log
        timeout -k 5 $PATIENCE bash "$HERE/run.sh" "$FLAVOUR" 2 env LD_PRELOAD="$FULL_DISK" MYRIAD_FULL_RANK=0 \
            MYRIAD_FULL_FILE=checkpoint_000002 MYRIAD_FULL_LOG="$WORK/log" "$MYRIAD" run $kind.yaml --quiet > out 2> err < /dev/null
        code=$?
        [ -e log ] || fail "$kind: rank 0 writes no checkpoint: $(cat out err)"
        { [ $code -ne 0 ] && [ $code -lt 124 ]; } || fail "$kind: a full disk, exit code $code"
        [ "$(cat out err | grep -c '^myriad: ')" -eq 1 ] || fail "$kind: not one line: $(cat out err)"
        grep -qE "^myriad: .*checkpoint_000002.*: No space left on device" err || fail "$kind: $(cat err)"
        goes_on $kind 1 $kind/checkpoint_000001.myr
    fi
    echo "$kind: stopped, killed, damaged, full: on with the same bits"
done

# --- all mass in one leaf (bodies at nearly one place, one far away), and fewer bodies than ranks
awk 'BEGIN { print "x,y,z,vx,vy,vz,mass"; srand(3)
    for (i = 0; i < 40; i++) printf "%.17g,%.17g,%.17g,0,0,0,0.025\n", 1e-3 * rand(), 1e-3 * rand(), 1e-3 * rand()
    print "1e6,0,0,0,0,0,1e-9" }' > leaf.csv
head -n 3 leaf.csv > two.csv
ranks=3
[ "$FLAVOUR" = mpich ] && ranks=2
for name in leaf two; do
    for method in direct fmm tree pseudo; do
        cat > $name.yaml <<END
particles: {file: $name.csv}
interaction: {eps: 0.01, method: $method}
integrator: {name: leapfrog, dt: 0.0009765625}
run: {steps: 4}
output: {diagnostics: ends, snapshots: ends, format: csv, report: false}
END
        "$MYRIAD" run $name.yaml --quiet --force --set output.directory=whole 2> err || fail "$name, $method: $(cat err)"
        on $ranks run $name.yaml --force || fail "$name, $method on $ranks ranks: $(cat out err)"
        cmp -s "$(last whole 'snapshot_*')" "$(last $name 'snapshot_*')" || fail "$name, $method: other bits on $ranks ranks"
    done
done
echo "one leaf, two bodies: the same bits on $ranks ranks"
