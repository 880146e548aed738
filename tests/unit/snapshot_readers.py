"""Opens snapshots with readers that others wrote. usage: snapshot_readers.py READER FOLDER"""
import sys

import numpy as np

reader, folder = sys.argv[1:]
expected = np.loadtxt(folder + "/expected.txt", dtype=np.float64)
ids = np.loadtxt(folder + "/expected.txt", dtype=np.int64, usecols=0)
types = expected[:, 1].astype(int)
position, velocity, mass, number = expected[:, 2:5], expected[:, 5:8], expected[:, 8], expected[:, 9]
charge, strength, force = expected[:, 10], expected[:, 11], expected[:, 12]


def same(what, got, wanted):
    got = np.asarray(got)
    assert got.shape == wanted.shape, f"{what}: shape {got.shape}, expected {wanted.shape}"
    assert np.array_equal(got, wanted), f"{what}: values differ"


def rows(name):
    """The particles of each type in a file, as positions in `expected`."""
    if name == "stars":
        return {4: np.arange(len(ids))}
    return {t: np.flatnonzero(types == t) for t in (0, 2, 4)}


def check_h5py(h5py):
    for name in ("stars", "mixed"):
        with h5py.File(f"{folder}/{name}.hdf5", "r") as f:
            assert f["Header"].attrs["Time"] == 2.5
            assert sum(f["Header"].attrs["NumPart_Total"]) == len(ids)
            for t, r in rows(name).items():
                g = f[f"PartType{t}"]
                same("ids", g["ParticleIDs"][()], ids[r].astype(np.uint64))
                same("positions", g["Coordinates"][()], position[r])
                same("velocities", g["Velocities"][()], velocity[r])
                same("masses", g["Masses"][()], mass[r])
                same("own field", g["MyNumber"][:, 1], number[r])
                same("strengths", g["Strength"][:, 0], strength[r])
                assert g["Velocities"].attrs["unit"] == b"length time^-1"
                assert g["Charge"].attrs["description"] == b"electric charge"
            # the view for VTK shares the numbers: the same object, or a map without bytes of its own
            points = f["VTKHDF/Points"]
            assert points.is_virtual if name == "mixed" else points == f["PartType4/Coordinates"]
            same("points", points[()], position[np.concatenate(list(rows(name).values()))])
    with h5py.File(f"{folder}/frames.h5md", "r") as f:
        trajectory = f["particles/trajectory"]
        assert tuple(f["h5md"].attrs["version"]) == (1, 1)
        assert trajectory["position/value"].shape == (3, len(ids), 3)
        assert trajectory["position/time"] == trajectory["mass/time"]
        same("times", trajectory["position/time"][()], np.arange(3) / 3)
        same("edges", trajectory["box/edges/value"][2], np.diag([10, 20, 30.5]))
        same("masses", trajectory["mass/value"][1], mass)
        same("ids", trajectory["id"][()], ids)


def check_numpy():
    table = np.genfromtxt(folder + "/plain.csv", delimiter=",", names=True)
    same("x", table["x"], position[:, 0])
    same("mass", table["mass"], mass)
    same("own field", table["my_number1"], number)


def check_yt(yt):
    yt.set_log_level("error")
    for name in ("stars", "mixed"):
        ds = yt.load(f"{folder}/{name}.hdf5")
        assert float(ds.current_time.v) == 2.5
        assert (ds.domain_width.v > 0).all()  # its plots need a box
        everything = ds.all_data()
        for t, r in rows(name).items():
            part = f"PartType{t}"
            same("ids", everything[part, "ParticleIDs"].v, ids[r].astype(np.uint64))
            same("positions", everything[part, "Coordinates"].to("code_length").v, position[r])
            same("masses", everything[part, "Masses"].to("code_mass").v, mass[r])
        assert everything["all", "particle_mass"].size == len(ids)
        # a place in space: yt sorts and selects by itself
        ds = yt.load(f"{folder}/{name}.hdf5", bounding_box=[[-2, 2]] * 3)
        ball = ds.sphere([0, 0, 0], (0.9, "code_length"))
        t, r = 4, rows(name)[4]
        inside = (np.sum(position[r] ** 2, axis=1) <= 0.81).sum()
        assert int(ball["PartType4", "particle_ones"].sum()) == inside > 0


def check_pynbody(pynbody):
    s = pynbody.load(folder + "/stars.hdf5")
    assert len(s) == len(ids)
    same("positions", s["pos"].view(np.ndarray), position)
    same("masses", s["mass"].view(np.ndarray), mass)
    assert abs(s["pos"].units.ratio("kpc") - 1) < 1e-6
    assert abs(s["vel"].units.ratio("km s**-1") - 1) < 1e-6


def check_vtk(vtk):
    from vtk.util.numpy_support import vtk_to_numpy

    for name in ("stars", "mixed"):
        file, order = f"{folder}/{name}.hdf5", np.concatenate(list(rows(name).values()))
        source = vtk.vtkHDFReader()
        assert source.CanReadFile(file)
        source.SetFileName(file)
        source.Update()
        grid = source.GetOutput()
        assert grid.GetNumberOfPoints() == grid.GetNumberOfCells() == len(ids)
        assert grid.GetCell(len(ids) - 1).GetPointId(0) == len(ids) - 1
        data = grid.GetPointData()
        same("points", vtk_to_numpy(grid.GetPoints().GetData()), position[order])
        same("velocities", vtk_to_numpy(data.GetArray("Velocities")), velocity[order])
        same("own field", vtk_to_numpy(data.GetArray("MyNumber"))[:, 1], number[order])
        same("ids", vtk_to_numpy(data.GetArray("ParticleIDs")).astype(np.int64), ids[order])
        if name == "mixed":
            same("types", vtk_to_numpy(data.GetArray("type")).astype(int), types[order])
        assert grid.GetFieldData().GetArray("TimeValue").GetValue(0) == 2.5


    # the points of a mesh are an image
    source = vtk.vtkHDFReader()
    source.SetFileName(f"{folder}/mesh.hdf5")
    source.Update()
    image = source.GetOutput()
    assert image.GetClassName() == "vtkImageData" and image.GetDimensions() == (4, 4, 4)
    u = vtk_to_numpy(image.GetPointData().GetArray("Velocities"))
    for i in range(64):
        same("place", np.array(image.GetPoint(i)), -1 + 0.5 * (u[i] - [0, 1, 2]) / 10)


def check_ase(ase):
    import ase.io

    atoms = ase.io.read(folder + "/plain.xyz")
    same("positions", atoms.positions, position)
    same("types", atoms.arrays["type"], types)
    same("ids", atoms.arrays["id"].astype(np.int64), ids)
    same("own field", atoms.arrays["my_number"][:, 1], number)
    same("strengths", atoms.arrays["strength"][:, 0], strength)
    same("charges", atoms.get_initial_charges(), charge)
    assert atoms.info["time"] == 2.5 and not atoms.pbc.any()
    frames = ase.io.read(folder + "/frames.xyz", index=":")
    assert len(frames) == 3
    for k, atoms in enumerate(frames):
        same("x", atoms.positions[:, 0], position[:, 0] + k)
        same("cell", atoms.cell[()], np.diag([10, 20, 30.5]))
        assert atoms.info["time"] == k / 3 and atoms.pbc.all()
    atoms = ase.io.read(folder + "/atoms.data", format="lammps-data", style="charge")
    same("positions", atoms.positions, position)
    same("charges", atoms.arrays["mmcharges"].ravel(), charge)
    assert tuple(atoms.arrays["travel"][7]) == (0, -3, 0)
    same("cell", atoms.cell[()], np.diag([2.5, 2.25, 2.125]))
    same("types", atoms.numbers, np.arange(len(ids)) % 2 + 1)


def check_MDAnalysis(mda):
    # it holds single precision
    u = mda.Universe(folder + "/frames.h5md")
    assert u.trajectory.n_frames == 3 and u.atoms.n_atoms == len(ids)
    for k, step in enumerate(u.trajectory):
        # nm become Angstrom, kJ/mol/nm become kJ/mol/Angstrom
        assert np.allclose(step.positions[:, 0], 10 * (position[:, 0] + k), rtol=2e-7, atol=0)
        assert np.allclose(step.velocities, 10 * velocity, rtol=2e-7, atol=0)
        assert np.allclose(step.forces[:, 0], force / 10, rtol=2e-7, atol=0)
        same("box", step.dimensions, np.array([100, 200, 305, 90, 90, 90], dtype=np.float32))
        assert step.has_forces and abs(step.time - k / 3) < 1e-12
    # positions alone, and a dump with velocities: the numbers as they are, in the order of ids
    for name in ("frames.dcd", "frames.lammpstrj"):
        u = mda.Universe.empty(len(ids), trajectory=True)
        u.load_new(f"{folder}/{name}", format="LAMMPSDUMP" if name.endswith("trj") else "DCD")
        assert u.trajectory.n_frames == 3
        for k, step in enumerate(u.trajectory):
            assert np.allclose(step.positions[:, 0], position[:, 0] + k, rtol=2e-7, atol=0)
            same("box", step.dimensions, np.array([10, 20, 30.5, 90, 90, 90], dtype=np.float32))
            if name.endswith("dcd"):
                assert abs(step.time - k / 3) < 1e-6  # ps
            else:
                assert np.allclose(step.velocities, velocity, rtol=2e-7, atol=0)
    # units that have no name there: the numbers as they are
    u = mda.Universe.empty(len(ids), trajectory=True)
    u.load_new(folder + "/plain.h5md", format="H5MD", convert_units=False)
    same("positions", u.atoms.positions, position.astype(np.float32))
    assert u.trajectory.ts.time == 2.5 and u.dimensions is None


def check_lmp():
    """LAMMPS reads the atoms and writes them out again; and reads a dump of ours."""
    import subprocess

    script = f"""
units lj
atom_style charge
read_data {folder}/atoms.data
pair_style zero 0.5
pair_coeff * *
write_dump all custom {folder}/back.dump id type mass q x y z vx vy vz ix iy iz modify format float %.17g sort id
read_dump {folder}/one.lammpstrj 0 x y z vx vy vz box yes replace yes
write_dump all custom {folder}/again.dump id type x y z vx vy vz modify format float %.17g sort id
"""
    done = subprocess.run(["lmp", "-log", "none", "-screen", "none"], input=script, text=True, cwd=folder)
    assert done.returncode == 0
    table = np.loadtxt(folder + "/back.dump", skiprows=9)
    inside = (position >= [-1.125, -1.0625, -1]).all() and (position < [1.375, 1.1875, 1.125]).all()
    assert inside, "the test's own box is too small"
    same("ids", table[:, 0], np.arange(len(ids)) + 1.0)
    same("types", table[:, 1], np.arange(len(ids)) % 2 + 1.0)
    same("masses", table[:, 2], np.where(np.arange(len(ids)) % 2, 39.948, 15.9994))
    same("charges", table[:, 3], charge)
    same("positions", table[:, 4:7], position)
    same("velocities", table[:, 7:10], velocity)
    assert table[7, 11] == -3 and np.count_nonzero(table[:, 10:13]) == 1
    table = np.loadtxt(folder + "/again.dump", skiprows=9)
    same("x of a dump", table[:, 2], position[:, 0] + 0.125)


if reader == "lmp":
    check_lmp()
    print("lmp reads what was written")
    sys.exit(0)
try:
    module = __import__(reader)
except ImportError:
    print(f"skipped: {reader} is not installed for {sys.executable}")
    sys.exit(77)
if reader == "numpy":
    check_numpy()
else:
    globals()["check_" + reader](module)
version = module.vtkVersion.GetVTKVersion() if reader == "vtk" else module.__version__
print(f"{reader} {version} reads what was written")
