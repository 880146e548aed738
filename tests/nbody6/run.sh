#!/bin/bash
# Builds NBODY6++GPU, unmodified, with libgpunb in place of its CUDA objects, and moves a thousand stars for two time units.
# Needs its sources in $NBODY6_SOURCE (Nbody6PPGPU-beijing), gfortran, and nvcc, which its configure looks for; skipped without.
# usage: run.sh BUILD_DIR
set -eu
build=$(cd "$1" && pwd)

skip() { echo "skipped: $*"; exit 77; }
[ -n "${NBODY6_SOURCE:-}" ] || skip "NBODY6_SOURCE does not name the sources of NBODY6++GPU"
[ -x "$NBODY6_SOURCE/configure" ] || skip "there is no configure in $NBODY6_SOURCE"
command -v gfortran > /dev/null || skip "no gfortran"
cuda=${CUDA_HOME:-/usr/local/cuda}
[ -x "$cuda/bin/nvcc" ] || skip "no nvcc in $cuda"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$NBODY6_SOURCE/." "$work"
cd "$work"
./configure --disable-mpi --enable-simd=no --with-par=8k --with-cuda="$cuda" > configure.log 2>&1 || { tail configure.log; exit 1; }
# newer gfortrans refuse arguments of other types unless they are told not to
make -C build -j2 "EXTRAOBJ=$build/libgpunb.so" FFLAGS="-O1 -w -std=legacy -fallow-argument-mismatch -fPIC -mcmodel=medium -fopenmp \
    -I../extra_inc/nompi -I../include -D GPU -D OMP" nbody6++.gpu > make.log 2>&1 || { tail make.log; exit 1; }

sed 's/TCRIT=30.0/TCRIT=2.0/' examples/example_1k/1k.inp > 1k.inp
ulimit -s unlimited || ulimit -s 1000000 || true
LD_LIBRARY_PATH=$build:$cuda/lib64 OMP_STACKSIZE=512M build/nbody6++.gpu < 1k.inp > out 2> err || { tail out err; exit 1; }
# Relative errors of the energy; measured 1.0e-7 at the end, and 9.6e-8 with the forces of NBODY6 itself.
grep ADJUST out
awk '/ADJUST/ { for (k = 1; k < NF; k++) if ($k == "DETOT") { lines++; d = $(k + 1); if (d < 0) d = -d; if (!(d < 5e-7)) bad++ } }
    END { if (lines != 3 || bad) { print "energy not kept, or too few lines"; exit 1 } }' out
