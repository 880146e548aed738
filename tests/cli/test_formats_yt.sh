#!/bin/bash
# yt, a reader that others wrote, opens the GADGET-2 and Tipsy files that convert writes, and finds every bit.
# Skipped (77) where yt is not installed, and then says so.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"
cd "$WORK" || exit 1

# Debian's packages belong to Debian's Python; another one may come first in the path.
python=""
for candidate in /usr/bin/python3 python3; do
    "$candidate" -c "import numpy, yt" 2>/dev/null && { python=$candidate; break; }
done
[ -n "$python" ] || { echo "skipped: no python3 here has yt"; exit 77; }

cat >make.py <<'END'
import numpy as np

# gas, dark matter and stars in turn; numbers that a float holds, since that is what yt reads
rng = np.random.default_rng(1)
n = 300
types = np.array([0, 1, 4])[np.arange(n) % 3]
values = rng.uniform(-1, 1, (n, 10))
values[:, 6:] = np.abs(values[:, 6:]) + 0.5
values = values.astype("f4").astype("f8")
values[types != 0, 7:] = 0
names = "id,type,x,y,z,vx,vy,vz,mass,internal_energy,density,smoothing_length"
with open("a.csv", "w") as f:
    f.write(names + "\n# time = 2.5\n")
    for i in range(n):
        f.write(f"{1000 - i},{types[i]}," + ",".join("%.17g" % x for x in values[i]) + "\n")
END
cat >check.py <<'END'
import numpy as np
import yt

yt.set_log_level("error")
table = np.genfromtxt("a.csv", delimiter=",", names=True)


def column(rows, *names):
    return np.column_stack([table[n][rows] for n in names])


def check(ds, kinds):
    assert float(ds.current_time.v) == 2.5, ds.current_time
    everything = ds.all_data()
    for kind, type_ in kinds.items():
        rows = np.flatnonzero(table["type"] == type_)
        order = np.argsort(everything[kind, ds.ids].v)
        rows = rows[np.argsort(table["id"][rows])]
        for name, wanted in (
            (ds.ids, table["id"][rows]),
            ("Coordinates", column(rows, "x", "y", "z")),
            ("Velocities", column(rows, "vx", "vy", "vz")),
            ("Mass", table["mass"][rows]),
        ) + ((("Density", table["density"][rows]),) if type_ == 0 else ()):
            got = everything[kind, name].v[order]
            assert got.shape == wanted.shape and np.array_equal(got, wanted), f"{ds} {kind} {name}"


ds = yt.load("a.g2", bounding_box=[[-2, 2]] * 3)
ds.ids = "ParticleIDs"
check(ds, {"Gas": 0, "Halo": 1, "Stars": 4})
for name in ("a.tipsy", "a.tipsy_native"):
    ds = yt.load(name)
    ds.ids = "iord"
    check(ds, {"Gas": 0, "DarkMatter": 1, "Stars": 4})
print(f"yt {yt.__version__} reads what was written")
END
export MPLCONFIGDIR="$WORK"
"$python" make.py || fail "the particles cannot be made"
"$MYRIAD" convert a.csv a.g2 --strict >/dev/null || fail "convert to GADGET-2"
for f in tipsy tipsy_native; do
    "$MYRIAD" convert a.csv a.$f --strict --field position --field velocity --field mass --field density >/dev/null ||
        fail "convert to Tipsy"
done
"$python" check.py 2>err || fail "$(tail -n 3 err)"
finish
