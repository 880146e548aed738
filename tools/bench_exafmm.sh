#!/bin/bash
# The fast multipole method beside exafmm-t (https://github.com/exafmm/exafmm-t) on the same points, on one core: times of
# a whole evaluation (tree and lists included, operators not) in processor seconds, and errors at 2000 points.
#
#   tools/bench_exafmm.sh PROGRAM FOLDER [N]
#
# PROGRAM is `myriad`, FOLDER holds the sources of exafmm-t, N (1000000) particles in a cube. Needs FFTW and LAPACK.
# $CASES: pairs P:ncrit of exafmm-t. The rows of Myriad are those of `myriad bench fmm` with the same N, on the same points.
set -u
[ $# -ge 2 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2; }
program=$(realpath "$1") folder=$(realpath "$2") n=${3:-1000000} tools=$(realpath "$(dirname "$0")")
cases=${CASES:-4:64 6:150 8:200}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
g++ -O3 -march=native -DEXAFMM_RSQRT_APPROX=1 -fopenmp -w -I"$folder/include" "$tools/bench_exafmm.cpp" -o bench_exafmm -lfftw3 -lfftw3f \
    -llapack -lblas || exit 1
"$program" init uniform -n "$n" -o points.csv --quiet || exit 1
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
for case in $cases; do
    ./bench_exafmm points.csv "${case%:*}" "${case#*:}" | grep '^exafmm-t'
done
"$program" bench fmm --threads 1 --min "$n" --max "$n" --quiet
