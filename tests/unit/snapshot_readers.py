"""Opens snapshots with readers that others wrote. usage: snapshot_readers.py h5py|numpy|yt|pynbody FOLDER"""
import sys

import numpy as np

reader, folder = sys.argv[1:]
expected = np.loadtxt(folder + "/expected.txt", dtype=np.float64)
ids = np.loadtxt(folder + "/expected.txt", dtype=np.int64, usecols=0)
types = expected[:, 1].astype(int)
position, velocity, mass, number = expected[:, 2:5], expected[:, 5:8], expected[:, 8], expected[:, 9]


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
                assert g["Velocities"].attrs["unit"] == b"length time^-1"


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


try:
    module = __import__(reader)
except ImportError:
    print(f"skipped: {reader} is not installed for {sys.executable}")
    sys.exit(77)
if reader == "numpy":
    check_numpy()
else:
    globals()["check_" + reader](module)
print(f"{reader} {module.__version__} reads what was written")
