#!/bin/bash
# The Python package on a machine whose Python has NumPy but no cffi and no network: a GPU node, say. cffi is built there.
#   python_elsewhere.sh pack FOLDER [CFFI]   on a machine with Debian's python3-cffi, python3-pycparser, python3-ply and libffi-dev:
#                                            what is to be carried. CFFI: cffi's sources; without it Debian's (apt-get source)
#   python_elsewhere.sh run FOLDER BUILD [PYTHON] [-- CMAKE OPTIONS...]
#                                            there: builds cffi for PYTHON (python3) and the package for it in BUILD, and runs the tests
#                                            of arrays on a GPU (tests/python/device.py) and of the package's cost and pickling
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)

pack()
{
    local to from=${2:-} packages=/usr/lib/python3/dist-packages
    to=$(mkdir -p "$1" && cd "$1" && pwd)
    if [ -z "$from" ]; then
        (cd "$to" && apt-get source --download-only python-cffi > /dev/null && tar xf python-cffi_*.orig.tar.gz && rm python-cffi_*)
        from=$(echo "$to"/cffi-*)
    fi
    [ -d "$from/src" ] && from=$from/src # since 1.16
    cp -R "$from/c" "$from/cffi" "$packages/pycparser" "$packages/ply" "$to"
    cp "$(cc -print-file-name=libffi_pic.a)" /usr/include/"$(cc -print-multiarch)"/ffi*.h "$to/c"
    rm -rf "$to"/cffi-* "$to"/c/libffi_*64
    find "$to" -name __pycache__ -prune -exec rm -rf {} +
    du -sh "$to"
}

run()
{
    local carried build python=python3 include jobs
    carried=$(cd "$1" && pwd)
    build=$(mkdir -p "$2" && cd "$2" && pwd)
    shift 2
    [ $# -gt 0 ] && [ "$1" != -- ] && { python=$1; shift; }
    [ "${1:-}" = -- ] && shift
    jobs=${JOBS:-$(nproc)}
    python=$("$python" -c 'import sys; print(sys.executable)')
    include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
    if [ ! -e "$include/Python.h" ]; then
        echo "no Python.h in $include: cffi cannot be built for $python; the C consumer of device arrays instead"
        cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release "$@" > "$build.log" && cmake --build "$build" --parallel "$jobs" >> "$build.log"
        ctest --test-dir "$build" -R '^gpu.device_array' --output-on-failure
        return
    fi
    cc -O2 -shared -fPIC -w -D_GNU_SOURCE -I"$include" -I"$carried/c" "$carried/c/_cffi_backend.c" "$carried/c/libffi_pic.a" \
        -o "$carried/_cffi_backend.so"
    export PYTHONPATH=$carried PYTHONDONTWRITEBYTECODE=1
    "$python" -c 'import cffi, numpy, sys; print("Python", sys.version.split()[0], "cffi", cffi.__version__, "NumPy", numpy.__version__)'
    cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release -DMYR_PYTHON="$python" "$@" > "$build.log"
    cmake --build "$build" --parallel "$jobs" --target python >> "$build.log" 2>&1 || { tail -n 30 "$build.log"; return 1; }
    export PYTHONPATH=$PYTHONPATH:$build/python MYRIAD_CACHE=${MYRIAD_CACHE:-$build/test_cache}
    [ -e "$build/libmyriad_cuda.so" ] && export MYRIAD_CUDA_PLUGIN=$build/libmyriad_cuda.so
    "$python" -c 'import myriad as my; print(my.__version__, my.gpus())'
    local method failed=0
    for method in direct fmm; do
        echo "== arrays on a GPU, $method"
        DEVICE_METHOD=$method "$python" "$source/tests/python/device.py" -v || failed=1
    done
    # the program, beside which test_particles looks at models
    local tests=test_cost
    cmake --build "$build" --parallel "$jobs" --target program >> "$build.log" 2>&1 && export MYRIAD=$build/myriad &&
        tests="test_particles $tests"
    for test in $tests; do
        echo "== $test"
        "$python" "$source/tests/python/$test.py" || failed=1
    done
    return $failed
}

command=${1:?pack or run}
shift
case $command in
pack | run) "$command" "$@" ;;
*) echo "pack or run, not $command"; exit 2 ;;
esac
