#!/bin/bash
# The package as users install it, offline: a wheel in a fresh virtual environment, and a package beside an installed Myriad.
# usage: install.sh PYTHON SOURCE BUILD CMAKE
set -eu
python=$1 source=$2 build=$3 cmake=$4
for module in pip wheel setuptools venv; do
    "$python" -c "import $module" 2> /dev/null || { echo "skipped: no module $module"; exit 77; }
done
"$python" -m pip --python "$python" --version > /dev/null 2>&1 || { echo "skipped: pip is older than 22.3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
# The tree without its build folders: pip writes beside setup.py.
mkdir "$work/source"
(cd "$source" && cp -r CMakeLists.txt CMakePresets.json cmake include src runs cli bindings docs CITATION.cff LICENSE setup.py \
    pyproject.toml "$work/source")

step() { echo "== $*"; }
# fresh NAME: an environment; in_it NAME ARGUMENTS...: pip for it. An environment that gets a pip of its own takes four seconds.
fresh() { "$python" -m venv --system-site-packages --without-pip "$work/$1"; }
in_it() { environment=$1; shift; "$python" -m pip --python "$work/$environment/bin/python" "$@"; }
cat > "$work/use.py" << 'END'
import os, sys, numpy, myriad as my
assert os.path.realpath(my.__file__).startswith(os.path.realpath(sys.prefix)), my.__file__
stars = my.model("plummer", n=100, seed=1)
g = my.Interaction("gravity", eps=0.1)
g.evaluate(stars)
assert stars.acceleration.shape == (100, 3)
try:
    my.model("plumer", n=3)
    sys.exit("no exception")
except my.errors.NameError as error:
    assert "did you mean" in str(error)
sim = my.Simulation(stars, g, dt=1 / 64)
sim.run(until=0.25)
print(my.__version__, f"{sim.particles.hash('position'):016x}")
END

step "a wheel with the libraries"
fresh one
MYRIAD_BUNDLE=1 MYRIAD_BUILD=$build in_it one wheel -q --no-build-isolation -w "$work/wheels" "$work/source"
case $(ls "$work/wheels") in
myriad-*-cp38-abi3-*.whl) ;;
*) echo "not a wheel for every Python"; exit 1 ;;
esac
in_it one install -q "$work"/wheels/*.whl
first=$(cd "$work" && "$work/one/bin/python" use.py)
maps=$(cd "$work" && "$work/one/bin/python" -c "import myriad; print(open('/proc/self/maps').read())" | grep -o '/.*libmyriad.*' | sort -u)
case $maps in
*"$build"*) echo "the wheel uses libraries of the build: $maps"; exit 1 ;;
esac
case $("$work/one/bin/python" -c "import myriad; print(myriad.info())") in
*"all loops built"*) (cd "$work" && "$work/one/bin/python" -B "$source/tests/python/loops.py") ;;
esac

step "a Python without NumPy"
"$python" -m venv --without-pip "$work/bare"
in_it bare install -q "$work"/wheels/*.whl
case $("$work/bare/bin/python" -c "import myriad" 2>&1 || true) in
*"ImportError: myriad needs NumPy and cffi, and $work/bare/bin/python has no module"*) ;;
*) echo "the package does not say what is missing"; exit 1 ;;
esac

step "a package beside an installed Myriad"
"$cmake" --install "$build" --prefix "$work/usr" > /dev/null
libdir=$(dirname "$(find "$work/usr" -name libmyriad_run.so)")
fresh two
PKG_CONFIG_PATH=$libdir/pkgconfig in_it two install -q --no-build-isolation "$work/source"
second=$(cd "$work" && "$work/two/bin/python" use.py)
for one in one two; do
    find "$work/$one" -path '*/myriad/*' -name _native.pyi | grep -q . || { echo "no type stubs in $one"; exit 1; }
done
if find "$work/two" -name 'libmyriad*' | grep .; then echo "the package has libraries of its own"; exit 1; fi
[ "$first" = "$second" ] || { echo "different: $first, $second"; exit 1; }
echo "$first"
