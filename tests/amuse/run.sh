#!/bin/sh
# Builds AMUSE's GPU worker of ph4, unmodified, against an installed copy of a build, and runs it beside ph4's own forces;
# then the community code myriad, with AMUSE's tools.
# Needs AMUSE's sources in $AMUSE_SOURCE, an MPI, python3 with numpy, h5py, mpi4py and docutils; skipped without.
# usage: run.sh CMAKE BUILD_DIR
set -eu
cmake=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)

skip() { echo "skipped: $*"; exit 77; }
[ -n "${AMUSE_SOURCE:-}" ] || skip "AMUSE_SOURCE does not name the sources of AMUSE"
[ -d "$AMUSE_SOURCE/src/amuse_ph4" ] || skip "there is no src/amuse_ph4 in $AMUSE_SOURCE"
command -v mpicxx > /dev/null || skip "no mpicxx"
python=/usr/bin/python3
"$python" -c 'import numpy, h5py, mpi4py, docutils' 2> /dev/null || skip "$python lacks numpy, h5py, mpi4py or docutils"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { echo "== $*"; }
# must LOG COMMAND...: prints the log if the command fails
must()
{
    log=$work/$1.log
    shift
    "$@" > "$log" 2>&1 || { tail -n 40 "$log"; echo "failed: $*"; exit 1; }
}

step "a virtual environment with AMUSE's framework and Myriad"
"$python" -m venv --system-site-packages "$work/env"
must install "$cmake" --install "$build" --prefix "$work/env"
libdir=$(dirname "$(find "$work/env" -name libsapporo.so)")
mkdir "$work/amuse"
for part in support lib/stopcond src/amuse src/amuse_ph4; do
    mkdir -p "$work/amuse/$(dirname "$part")"
    cp -R "$AMUSE_SOURCE/$part" "$work/amuse/$part"
done
echo "$work/amuse/src" > "$("$work/env/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/amuse.pth"
printf '#!%s\nimport sys\nfrom amuse.rfi.gencode import amusifier\nsys.exit(amusifier())\n' "$work/env/bin/python" \
    > "$work/env/bin/amusifier"
chmod +x "$work/env/bin/amusifier"
# shellcheck disable=SC1091
. "$work/env/bin/activate"
export PKG_CONFIG_PATH="$libdir/pkgconfig:$work/env/lib/pkgconfig" LD_LIBRARY_PATH="$libdir:$work/env/lib"
export LDFLAGS="-L$libdir" LIBRARY_PATH="$libdir" # --libs of pkg-config reach AMUSE's link line without their -L
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=yes

step "workers of ph4"
must stopcond make -C "$work/amuse/lib/stopcond" install
must ph4 make -C "$work/amuse/src/amuse_ph4" ph4_worker ph4_sapporo_worker

step "256 stars"
cd "$work"
must ph4_run python "$here/ph4.py"
grep "energy errors" "$work/ph4_run.log"

step "the community code myriad"
cp -R "$here/../../bindings/amuse/amuse_myriad" "$work/code"
must worker make -C "$work/code" CFLAGS="-O2 -Werror" install
must myriad python "$here/myriad.py"
grep -E "^(Ran|OK)" "$work/myriad.log"
