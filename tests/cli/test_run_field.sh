#!/bin/bash
# Flows on meshes in files: snapshots of a flow hold vorticity and second invariant and are image data for VTK; both
# methods start from them, and from plain arrays of a velocity or a vorticity.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1
for feature in fftw hdf5; do
    "$MYRIAD" info --json | grep -q $feature || { echo "skipped: this build has no $feature"; exit 77; }
done

# same A B WHAT: within 1e-13 relative
same() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d * d <= 1e-26 * a * a) }' || fail "$3: $1 is not $2"; }

cat >cube.yaml <<'END'
particles: {model: taylor_green, n: 8^3}
interaction: {method: spectral, viscosity: 0.05}
integrator: {name: rk4, dt: 0.1}
run: {end: 1}
output: {snapshots: 0.5, report: false}
END
run cube.yaml

# A run that starts from the snapshot in the middle ends as the one that wrote it.
cat >again.yaml <<'END'
particles: {file: cube/snapshot_00001.hdf5}
interaction: {method: spectral, viscosity: 0.05}
integrator: {name: rk4, dt: 0.1}
run: {end: 1}
output: {report: false}
END
run again.yaml
same "$(column cube kinetic_energy)" "$(column again kinetic_energy)" "K of a run from a snapshot"

# Vortex elements from the same snapshot: as many, and with the vorticity of the flow.
cat >elements.yaml <<'END'
particles: {file: cube/snapshot_00001.hdf5, field_overlap: 1.1}
interaction: {kernel: velocity_stretching_transposed, viscosity: 0.05}
integrator: {name: rk4, dt: 0.1}
run: {steps: 1}
output: {format: csv, report: false}
END
run elements.yaml
[ "$(column elements elements)" = 512 ] || fail "elements: $(column elements elements)"
awk -F, '/^#/ { next } !c { for (k = 1; k <= NF; k++) if ($k == "core") c = k; next }
    NR > 3 && ($c < 0.8639 || $c > 0.8640) { exit 1 }' elements/snapshot_00000.csv || fail "cores: $(sed -n 4p elements/snapshot_00000.csv)"

# What a file does not have is said.
"$MYRIAD" run again.yaml --set particles.velocity=nothing --set output.directory=no >out 2>err && fail "an array that is not there"
grep -q "has no array 'nothing'" err || fail "an array that is not there: $(cat err)"

# h5py reads what was written, and writes what others would.
for python in /usr/bin/python3 python3 ''; do
    [ "$python" ] && "$python" -c 'import numpy, h5py' 2>/dev/null && break
done
[ "$python" ] || { echo "no python3 here has h5py: plain arrays were not tried"; finish; }
"$python" - <<'END' || fail "h5py does not find what VTK wants"
import h5py, numpy as np
with h5py.File("cube/snapshot_00001.hdf5") as f:
    v = f["VTKHDF"]
    assert v.attrs["Type"] == b"ImageData" and tuple(v.attrs["Version"]) == (1, 0), "type and version"
    assert tuple(v.attrs["WholeExtent"]) == (0, 7, 0, 7, 0, 7), "extent"
    assert np.allclose(v.attrs["Origin"], -np.pi) and np.allclose(v.attrs["Spacing"], np.pi / 4), "place"
    assert tuple(v.attrs["Direction"]) == (1, 0, 0, 0, 1, 0, 0, 0, 1), "axes"
    u, w, second = (v["PointData"][k][()] for k in ("Velocities", "Vorticity", "SecondInvariant"))
    assert u.shape == w.shape == (8, 8, 8, 3) and second.shape == (8, 8, 8), "shapes"
    assert "Strength" not in v["PointData"], "elements of the start"
    k = np.fft.fftfreq(8, 1 / 8)
    k[4] = 0
    axis = {0: 2, 1: 1, 2: 0}  # x is the last
    slope = lambda a, c: np.fft.ifft(np.fft.fft(a, axis=axis[c]) * 1j * k.reshape([-1 if d == axis[c] else 1 for d in range(3)]), axis=axis[c]).real
    g = [[slope(u[..., i], j) for j in range(3)] for i in range(3)]
    for c in range(3):
        d, e = (c + 1) % 3, (c + 2) % 3
        assert np.abs(g[e][d] - g[d][e] - w[..., c]).max() < 1e-13, "vorticity"
    assert np.abs(sum(g[i][j] * g[j][i] for i in range(3) for j in range(3)) - second).max() < 1e-13, "invariant"
    with h5py.File("velocity.h5", "w") as to:
        to["u"], to["v"], to["w"] = u[..., 0], u[..., 1], u[..., 2]
    with h5py.File("vorticity.h5", "w") as to:
        to["fields/rotation"] = np.moveaxis(w, 3, 0)
    with h5py.File("image.vtkhdf", "w") as to:
        to.create_group("VTKHDF/PointData")["velocity"] = u
        to["VTKHDF"].attrs.create("Type", b"ImageData", dtype="S9")
        for name in ("Version", "WholeExtent", "Origin", "Spacing", "Direction"):
            to["VTKHDF"].attrs[name] = v.attrs[name]
END
run again.yaml --set particles.file=velocity.h5 --set run.start=0.5 --set output.directory=plain
same "$(column cube kinetic_energy)" "$(column plain kinetic_energy)" "K of a run from u, v and w"
run again.yaml --set particles.file=vorticity.h5 --set particles.vorticity=fields/rotation --set run.start=0.5 --set output.directory=turning
same "$(column cube kinetic_energy)" "$(column turning kinetic_energy)" "K of a run from a vorticity"
run again.yaml --set particles.file=image.vtkhdf --set run.start=0.5 --set output.directory=image
same "$(column cube kinetic_energy)" "$(column image kinetic_energy)" "K of a run from image data"
run elements.yaml --set particles.file=vorticity.h5 --set particles.vorticity=fields/rotation --set output.directory=turned
grep -v '^#' elements/snapshot_00000.csv | awk -F, 'NR > 1 { s += $5 * $5 + $NF * $NF } END { print s }' >a
grep -v '^#' turned/snapshot_00000.csv | awk -F, 'NR > 1 { s += $5 * $5 + $NF * $NF } END { print s }' >b
same "$(cat a)" "$(cat b)" "elements from a vorticity"
finish
