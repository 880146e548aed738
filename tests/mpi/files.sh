#!/bin/bash
# Snapshots that ranks write together have the bytes of those of one rank; where one of them cannot write, all end with
# its message and no file is left.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"

cat > in.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 864, density: 0.8, temperature: 1}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5}
integrator: {dt: 0.005}
run: {steps: 60}
output: {diagnostics: ends, snapshots: 0.1, format: h5md, report: false}
END
if ! "$MYRIAD" run in.yaml --quiet --set output.directory=one 2> err; then
    grep -q h5md err && { echo "skipped: this build has no HDF5: $(cat err)"; exit 77; }
    fail "one rank: $(cat err)"
fi
numbers="2 5"
[ "$FLAVOUR" = mpich ] && numbers=2
for ranks in $numbers; do
    on "$ranks" run in.yaml --quiet --force --set output.directory=many || fail "$ranks ranks: $(cat out err)"
    files=0
    for file in one/snapshot_*.h5md; do
        cmp -s "$file" "many/$(basename "$file")" || fail "$(basename "$file") of $ranks ranks is another"
        files=$((files + 1))
    done
    [ $files -eq 4 ] || fail "$files snapshots"
    echo "$ranks ranks: $files snapshots with the bytes of one rank"
done

# ended_badly TEXT: not 0, soon, TEXT said once and by one, no snapshot with its name
ended_badly()
{
    local code=$?
    { [ $code -ne 0 ] && [ $code -lt 124 ] && [ $SECONDS -le 10 ]; } || fail "$1: exit code $code after $SECONDS s"
    [ "$(grep -c '^myriad: ' err)" -eq 1 ] || fail "$1: not one line: $(cat err)"
    grep -qE "^myriad: .*$1" err || fail "$1: $(cat err)"
    grep -q 'snapshot.*h5md$' left && fail "$1: a snapshot was left: $(cat left)"
    echo "exit code $code after $SECONDS s: $(grep '^myriad: ' err)"
}

mkdir disk
if ! unshare -rm mount -t tmpfs -o size=64k none disk 2> /dev/null; then
    echo "disks: not tried, as none can be mounted here"
    exit 0
fi

# a full one: a snapshot needs 100 kB
SECONDS=0
unshare -rm bash -c "mount -t tmpfs -o size=64k none disk || exit 0
    timeout -k 5 30 bash '$HERE/run.sh' $FLAVOUR 2 '$MYRIAD' run in.yaml --quiet --set output.directory=disk/run
    code=\$?
    ls disk/run > left
    exit \$code" > out 2> err < /dev/null
ended_badly 'snapshot_00000.h5md.*No space left'

# one that the second rank does not see; MPICH does not start in a namespace of its own
[ "$FLAVOUR" = mpich ] && exit 0
mkdir disk/run
SECONDS=0
timeout -k 5 30 bash "$HERE/run.sh" "$FLAVOUR" 1 "$MYRIAD" run in.yaml --quiet --set output.directory=disk/run : -np 1 \
    unshare -rm bash -c "mount -t tmpfs none disk && exec '$MYRIAD' run in.yaml --quiet --set output.directory=disk/run" \
    > out 2> err < /dev/null
code=$?
ls disk/run > left
(exit $code)
ended_badly 'rank 1: cannot join in writing .*all ranks must see the same files'
