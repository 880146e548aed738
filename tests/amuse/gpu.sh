#!/bin/bash
# AMUSE's GPU worker of ph4, its sources unmodified, against libsapporo on a GPU: on machines with nothing but a compiler and a
# Python with NumPy, without MPI and without a network.
#   gpu.sh pack AMUSE FOLDER            where AMUSE's sources and Debian's python3-docutils are: what the test needs, to be carried
#   gpu.sh run FOLDER BUILD [PYTHON]    builds the worker of ph4 and runs 256 and 4096 stars beside ph4's own forces
# MYRIAD_GRAPE_BACKEND=auto runs it without a GPU; the default is cuda.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

pack()
{
    local from=$1 to=$2 docutils
    docutils=$(/usr/bin/python3 -c 'import docutils, os; print(os.path.dirname(docutils.__file__))')
    mkdir -p "$to/lib" "$to/python" "$to/src"
    cp -R "$from/lib/stopcond" "$to/lib"
    cp -R "$from/src/amuse" "$from/src/amuse_ph4" "$to/src"
    # only Python is needed of what the codes share, and no tests
    find "$to/src/amuse/community" -type f ! -name '*.py' -delete
    rm -rf "$to/src/amuse/test" "$to/src/amuse_ph4/tests" "$to/src"/amuse_ph4/src/*.in
    cp -RL "$docutils" "$(dirname "$docutils")/roman.py" "$to/python"
    find "$to" -name __pycache__ -prune -exec rm -rf {} +
    du -sh "$to"
}

run()
{
    local carried build python=
    carried=$(cd "$1" && pwd)
    build=$(cd "$2" && pwd)
    for name in "${3:-python3}" /usr/bin/python3; do
        [ -n "$python" ] || ! "$name" -c 'import numpy' 2> /dev/null || python=$name
    done
    [ -n "$python" ] || { echo "no Python with NumPy: name one"; return 2; }
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cp -R "$carried/src" "$carried/lib" "$work"
    export PYTHONPATH="$work/src:$carried/python" PYTHONDONTWRITEBYTECODE=1
    local ph4=$work/src/amuse_ph4
    local flags="-O2 -w -I$here/one_rank -I$work/lib/stopcond"
    {
        make -C "$ph4/src" libph4.a libph4gpu.a CXX="g++ -fPIC" MPICXX="g++ -fPIC" MPICC=gcc CFLAGS="$flags"
        gcc $flags -c "$work/lib/stopcond/stopcond.c" -o "$work/stopcond.o"
        cd "$ph4"
        for kind in h c; do
            "$python" -c 'import sys; from amuse.rfi.gencode import amusifier; sys.exit(amusifier())' --type=$kind interface.py \
                ph4Interface -o ph4_worker.${kind/c/cc}
        done
        g++ $flags -DNOMPI -I. -c ph4_worker.cc -o ph4_worker.o # speaks to AMUSE through a socket
        g++ $flags -I. -c interface.cc -o interface.o
        g++ ph4_worker.o interface.o "$work/stopcond.o" src/libph4.a -o ph4_worker
        g++ ph4_worker.o interface.o "$work/stopcond.o" src/libph4gpu.a -L"$build" -lsapporo -Wl,-rpath,"$build" \
            -o ph4_sapporo_worker
    } > "$work/log" 2>&1 || { tail -n 40 "$work/log"; return 1; }
    export MYRIAD_GRAPE_BACKEND=${MYRIAD_GRAPE_BACKEND:-cuda}
    cd "$work"
    printf '[channel]\ninitialize_mpi=False\n' > amuserc # workers are started as they are, not by mpiexec
    for n in ${STARS:-256 4096}; do
        "$python" "$here/ph4.py" $n > "$work/log" 2>&1 || { tail -n 30 "$work/log"; return 1; }
        grep "stars:" "$work/log"
    done
}

command=${1:?pack or run}
shift
case $command in
pack | run) "$command" "$@" ;;
*) echo "pack or run, not $command"; exit 2 ;;
esac
