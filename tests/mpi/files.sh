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

# From a file, with ids in another order, types, masses and fields that only snapshots and checkpoints know.
"$MYRIAD" convert one/snapshot_00000.h5md plain.csv > out 2>&1 || fail "convert: $(cat out)"
awk -F, -v OFS=, '/^#/ { print; next } !head { head = 1; print $0, "spin[0]", "spin[1]", "age"; next }
    { $1 = 3000 - 3 * $1; $2 = $1 % 2; print $0, $1 * 0.5, NR / 7, -NR }' plain.csv > rich.csv
cat > rich.yaml <<'END'
units: {system: lj}
particles: {file: rich.csv}
species: [{name: A, epsilon: 1, sigma: 1}, {name: B, mass: 2, epsilon: 1, sigma: 0.9}]
interaction: {method: neighbour, cutoff: 2.5}
integrator: {dt: 0.005}
run: {steps: 60}
output: {diagnostics: ends, snapshots: 0.1, format: h5md, report: false}
END
"$MYRIAD" run rich.yaml --quiet --force --set output.directory=one 2> err || fail "a file on one rank: $(cat err)"
"$MYRIAD" info one/snapshot_00003.h5md > out || fail info
for what in 'spin\[2\]' 'ids *411 to 3000' 'type 1: 432'; do
    grep -q "$what" out || fail "no $what: $(cat out)"
done
cp one/snapshot_00002.h5md start.h5md # which every rank reads its rows of
sed 's/rich.csv/start.h5md/; s/steps: 60/steps: 30/' rich.yaml > start.yaml
"$MYRIAD" run start.yaml --quiet --set output.directory=from_start 2> err || fail "from a snapshot on one rank: $(cat err)"
readers=3
[ "$FLAVOUR" = mpich ] && readers=2 # ranks that wait keep their cores busy
on $readers run start.yaml --quiet --set output.directory=from_rows || fail "from a snapshot on ranks: $(cat out err)"
for file in from_start/snapshot_*.h5md; do
    cmp -s "$file" "from_rows/$(basename "$file")" || fail "$(basename "$file") of ranks that read rows is another"
done
numbers="2 5"
[ "$FLAVOUR" = mpich ] && numbers=2
for ranks in $numbers; do
    on "$ranks" run rich.yaml --quiet --force --set output.directory=many || fail "$ranks ranks: $(cat out err)"
    files=0
    for file in one/snapshot_*.h5md; do
        cmp -s "$file" "many/$(basename "$file")" || fail "$(basename "$file") of $ranks ranks is another"
        files=$((files + 1))
    done
    [ $files -eq 4 ] || fail "$files snapshots"
    echo "$ranks ranks: $files snapshots with the bytes of one rank"
done

if [ "$FLAVOUR" = openmpi ]; then # ranks of MPICH that wait keep their cores busy
    # on from a checkpoint: what particles carry is in it
    on 2 run rich.yaml --quiet --force --set output.directory=on --set run.steps=30 || fail "half of it: $(cat out err)"
    on 2 run --restart on --quiet --set run.steps=60 || fail "a restart: $(cat out err)"
    cmp -s one/snapshot_00003.h5md on/snapshot_00004.h5md || fail "the last snapshot after a restart is another"

    # the state before the energy went wrong, which every rank keeps of its particles
    wrong=(run in.yaml --quiet --force --set integrator.dt=0.02 --set run.energy_limit=1e-4 --set output.diagnostics=1)
    "$MYRIAD" "${wrong[@]}" --set output.directory=one 2> err && fail "the energy of one rank is right"
    on 2 "${wrong[@]}" --set output.directory=many && fail "the energy of 2 ranks is right"
    cmp -s one/last_good.h5md many/last_good.h5md || fail "last_good.h5md of 2 ranks is another, or there is none"
    echo "the last good state: the bytes of one rank"
fi

# ended_badly TEXT: not 0, soon, TEXT said once and by one, no snapshot with its name
ended_badly()
{
    local code=$?
    { [ $code -ne 0 ] && [ $code -lt 124 ]; } || fail "$1: exit code $code after $SECONDS s"
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
    timeout -k 5 $PATIENCE bash '$HERE/run.sh' $FLAVOUR 2 '$MYRIAD' run in.yaml --quiet --set output.directory=disk/run
    code=\$?
    ls disk/run > left
    exit \$code" > out 2> err < /dev/null
ended_badly 'snapshot_00000.h5md.*No space left'

# one that the second rank does not see; MPICH does not start in a namespace of its own
[ "$FLAVOUR" = mpich ] && exit 0
mkdir disk/run
SECONDS=0
timeout -k 5 $PATIENCE bash "$HERE/run.sh" "$FLAVOUR" 1 "$MYRIAD" run in.yaml --quiet --set output.directory=disk/run : -np 1 \
    unshare -rm bash -c "mount -t tmpfs none disk && exec '$MYRIAD' run in.yaml --quiet --set output.directory=disk/run" \
    > out 2> err < /dev/null
code=$?
ls disk/run > left
(exit $code)
ended_badly 'rank 1: cannot join in writing .*all ranks must see the same files'
