#!/bin/sh
# Builds fortran.f90 against the GRAPE libraries and runs it. usage: fortran.sh BUILD_DIR
# Exit code 77: skipped, there is no Fortran compiler.
set -eu
command -v gfortran > /dev/null || { echo "no gfortran: the Fortran calls were not tried"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Arguments of one call are arrays and elements of arrays, as in old programs.
gfortran -std=legacy -w -fallow-argument-mismatch -ffree-line-length-none -O1 -J "$work" "$here/fortran.f90" -o "$work/fortran" \
    -L "$1" -lg5 -lg6 -Wl,-rpath,"$1"
"$work/fortran"
