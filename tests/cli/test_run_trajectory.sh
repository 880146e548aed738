#!/bin/bash
# trajectory.hdf5: names and time series of bodies in one file, whole at all times, the same after kills and restarts.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
cd "$WORK" || exit 1

cat >in.yaml <<'END'
units: {system: astronomical, length: AU, mass: Msun, time: yr}
particles: {model: solar_system}
integrator: {name: yoshida6, dt: 1 d}
run: {end: 400 d}
output: {directory: whole, trajectory: 10 d, snapshots: 100 d, format: csv, report: false}
END
"$MYRIAD" run in.yaml --quiet 2>err
if [ $? -ne 0 ]; then
    grep -q "output.trajectory needs HDF5" err && { echo "this build has no HDF5: skipped"; exit 77; }
    fail "in.yaml: $(cat err)"
fi
[ ! -s err ] || fail "words about names: $(cat err)"
[ "$(find whole -name '*trajectory*' | wc -l)" = 2 ] || fail "files: $(ls whole)"

# What a reader of HDF5 sees.
if python3 -c 'import h5py, numpy' 2>err; then
    python3 - >out 2>&1 <<'END' || fail "h5py: $(cat out)"
import csv, h5py, numpy
f = h5py.File("whole/trajectory.hdf5", "r")
names = list(f["name"].asstr())
assert names == ["Sun", "Mercury", "Venus", "Earth and Moon", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"], names
assert f.attrs["state"] == "finished" and f["time"].attrs["units"] == "yr" and f["position"].attrs["units"] == "AU"
assert f["velocity"].attrs["units"] == "AU yr^-1"
assert f["mass"][0] == 1 and f["mass"].attrs["units"] == "Msun" and abs(f["mass"][5] * 1047.3486 - 1) < 1e-12
time, position, velocity = f["time"][:], f["position"][:], f["velocity"][:]
assert position.shape == velocity.shape == (41, 9, 3), position.shape
assert (f["step"][:] == numpy.arange(0, 401, 10)).all()
assert abs(time * 365.25 - numpy.arange(0, 401, 10)).max() < 1e-9
for k in range(5):  # the same bits as in the snapshots
    rows = [row for row in csv.DictReader(line for line in open(f"whole/snapshot_{k:05}.csv") if line[0] != "#")]
    for b, row in enumerate(rows):
        assert [float(row[c]) for c in ("x", "y", "z")] == list(position[10 * k, b]), (k, b)
        assert [float(row[c]) for c in ("vx", "vy", "vz")] == list(velocity[10 * k, b]), (k, b)
earth = position[:, names.index("Earth and Moon")] - position[:, 0]
distance = numpy.linalg.norm(earth, axis=1)
assert 0.983 < distance.min() and distance.max() < 1.017, (distance.min(), distance.max())
assert f["particles/trajectory/position/value"] == f["position"]
END
fi
expect 0 "frame      40 of 41" info whole/trajectory.hdf5

# Particles of another run: the last frame.
printf 'units: {system: astronomical, length: AU, mass: Msun, time: yr}\nparticles: {file: whole/trajectory.hdf5}\nrun: {end: 500 d}\n' >next.yaml
"$MYRIAD" check next.yaml >out 2>err && grep -q "^particles    9" out || fail "on from a trajectory: $(cat err)"

# Chosen bodies, by name or id; the motion does not depend on it.
"$MYRIAD" run in.yaml --quiet --set output.directory=few --set "output.bodies=[Earth and Moon, 0]" 2>err || fail "few: $(cat err)"
expect 0 "particles  2; type 0: 2" info few/trajectory.hdf5
cmp -s whole/snapshot_00004.csv few/snapshot_00004.csv || fail "a trajectory changes the motion"
grep -qF 'bodies: [Earth and Moon, 0]' few/input.yaml || fail "the effective input: $(grep bodies few/input.yaml)"

# Stopped again and again, and killed: the same bytes in the end, and a whole file in between.
"$MYRIAD" run in.yaml --quiet --set output.directory=parts --set run.wall_time=0 2>err
for k in 1 2 3; do
    expect 0 "h5md" info parts/trajectory.hdf5
    head -c 700 /dev/zero >>parts/trajectory.rows # a frame and a half after the checkpoint
    "$MYRIAD" run --restart parts --quiet --set run.wall_time=0 2>err
    [ $? -eq 75 ] || fail "stop $k: $(cat err)"
done
"$MYRIAD" run --restart parts --quiet --set run.wall_time=none 2>err || fail "on from the stops: $(cat err)"
cmp -s whole/trajectory.hdf5 parts/trajectory.hdf5 || fail "other bytes after stops"
kills=0
"$MYRIAD" run in.yaml --quiet --set output.directory=killed --set run.wall_time=0 2>err
for k in 1 2 3 4; do
    "$MYRIAD" run --restart killed --quiet --set run.wall_time=none --set output.checkpoint=0 >out 2>err &
    id=$!
    for _ in $(seq 500); do # until there are some frames more
        [ "$(stat -c %s killed/trajectory.rows)" -gt $((4480 * k)) ] && break
        [ -e killed/summary.json ] && break
        sleep 0.01
    done
    kill -9 $id 2>err && kills=$((kills + 1))
    wait $id 2>err
    expect 0 "h5md" info killed/trajectory.hdf5
done
[ -e killed/summary.json ] || "$MYRIAD" run --restart killed --quiet --set run.wall_time=none 2>err || fail "after kills: $(cat err)"
[ "$kills" -gt 0 ] || fail "nothing was killed"
cmp -s whole/trajectory.hdf5 killed/trajectory.hdf5 || fail "other bytes after $kills kills"

# A frame that does not fit on the disk: a checkpoint, and the same bytes when there is room again.
quiet=(--quiet --set output.snapshots=none --set output.diagnostics=ends)
"$MYRIAD" run in.yaml "${quiet[@]}" --set output.directory=room 2>err || fail "room: $(cat err)"
(ulimit -f 12 && "$MYRIAD" run in.yaml "${quiet[@]}" --set output.directory=full 2>err)
[ $? -eq 1 ] && grep -q "full/trajectory.rows cannot be written: File too large" err || fail "a full disk: $(cat err)"
grep -q '"state": "failed"' full/run.json || fail "state after a full disk: $(cat full/run.json)"
"$MYRIAD" run --restart full --quiet 2>err || fail "on from a full disk: $(cat err)"
cmp -s room/trajectory.hdf5 full/trajectory.hdf5 || fail "other bytes after a full disk"

# A finished run that goes on has the frames of both; one whose frames are gone says so.
"$MYRIAD" run --restart parts --quiet --set run.end="420 d" 2>err || fail "on from the end: $(cat err)"
expect 0 "frame      42 of 43" info parts/trajectory.hdf5
rm few/trajectory.rows
"$MYRIAD" run --restart few --quiet --set run.end="420 d" 2>err
[ $? -eq 1 ] && grep -q "few/trajectory.rows is not there or has less than the 41 frames" err || fail "no frames: $(cat err)"
"$MYRIAD" run --restart few --quiet --set run.end="420 d" --set output.trajectory=none 2>err || fail "without frames: $(cat err)"

# Frames stay where a run goes on without, and are gone on with later.
"$MYRIAD" run --restart parts --quiet --set run.end="430 d" --set output.trajectory=none 2>err || fail "without: $(cat err)"
"$MYRIAD" run --restart parts --quiet --set run.end="450 d" --set output.trajectory="10 d" 2>err || fail "with again: $(cat err)"
expect 0 "frame      45 of 46" info parts/trajectory.hdf5

# A body that has merged with another has no place any more.
printf 'x,y,z,vx,vy,vz,mass,name\n0,0,0,0,0,0,1,A\n1,0,0,-1,0,0,1e-3,B\n9,0,0,0,0,0,1e-3,C\n' >three.csv
printf 'particles: {file: three.csv}\nrun: {end: 1, merge_distance: 0.1}\noutput: {directory: three, trajectory: 0.125, report: false}\n' >three.yaml
"$MYRIAD" run three.yaml --quiet 2>err || fail "merging: $(cat err)"
"$MYRIAD" info three/trajectory.hdf5 >out 2>&1
python3 -c 'import h5py, numpy' 2>err && { python3 - >out 2>&1 <<'END' || fail "merging: $(cat out)"; }
import h5py, numpy
f = h5py.File("three/trajectory.hdf5", "r")
lost = numpy.isnan(f["position"][:, :, 0])
assert list(f["name"].asstr()) == ["A", "B", "C"] and not lost[0].any()
assert not lost[:, 2].any() and lost[-1].sum() == 1, lost
assert sorted(f["mass"][:2]) == [0, 1.001], f["mass"][:]
END

# What does not go together.
base='particles: {model: plummer, n: 8}\nrun: {steps: 0}\n'
refuses "t.yaml:3:37: output.bodies has 'Sun', which is neither the name nor the id of a body; the names are: none" \
    "$base"'output: {trajectory: 1, bodies:     [Sun]}\n'
refuses "t.yaml:3:18: output.bodies is given without output.trajectory" "$base"'output: {bodies: [1]}\n'
refuses "t.yaml:2:22: a trajectory of 10001 bodies is too large" \
    'particles: {model: plummer, n: 10001}\noutput: {trajectory: 1}\ninteraction: {kernel: gravity, method: tree}\nintegrator: {name: leapfrog, dt: 1}\nrun: {steps: 0}\n'
refuses "t.yaml:2:22: output.trajectory is for bodies" \
    'particles: {model: fcc, n: 32}\noutput: {trajectory: 1}\ninteraction: {method: neighbour, epsilon: 1, sigma: 1}\nrun: {steps: 0}\n'
expect 0 "time series" explain output.trajectory

finish
