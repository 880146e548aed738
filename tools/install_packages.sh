#!/bin/sh
# Installs the Debian packages that a task still lacks; does nothing where all is there.
# usage: install_packages.sh build|python|docs|test|check|abi|arm
# As root or through sudo; otherwise it prints the one command to run, and goes on where what is missing is optional.
set -u

missing="" # packages to install
fatal=""   # those of them without which the task cannot go on

# need KIND PACKAGE COMMAND...: PACKAGE is missing where COMMAND fails. KIND: must, or may (the task does with less).
need()
{
    kind=$1 package=$2
    shift 2
    "$@" > /dev/null 2>&1 && return
    missing="$missing $package"
    [ "$kind" = must ] && fatal="$fatal $package"
}

has() { command -v "$1"; }
has_compiler() { command -v "${CC:-cc}" || command -v gcc || command -v clang; }
has_headers() { echo '#include <stdio.h>' | "${CC:-cc}" -E -x c -; }
has_cmake() # 3.25 or later
{
    command -v cmake && cmake --version | awk 'NR == 1 { split($3, v, "."); exit !(v[1] > 3 || (v[1] == 3 && v[2] >= 25)) }'
}
has_module() { pkg-config --exists "$1" || echo "#include <$2>" | "${CC:-cc}" -E -include stdarg.h -include stddef.h -include setjmp.h -include stdint.h -x c -; }

has_arm() { test -e "/usr/lib/aarch64-linux-gnu/pkgconfig/$1.pc"; }
has_python_headers() { test -e "$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h"; }
has_python() { /usr/bin/python3 -c "import $1"; } # Debian's own

find_missing()
{
    missing="" fatal=""
    need must gcc has_compiler
    need must libc6-dev has_headers
    need must cmake has_cmake
    need may ninja-build has ninja
    need may pkg-config has pkg-config
    need may libxxhash-dev has_module libxxhash xxhash.h
    need may libhdf5-dev has_module hdf5-serial hdf5.h
    need may libfftw3-dev has_module fftw3 fftw3.h
    need may libfyaml-dev has_module libfyaml libfyaml.h
    need may libmicrohttpd-dev has_module libmicrohttpd microhttpd.h # the live page of a run
    need may libopenmpi-dev has mpicc.openmpi # runs on many ranks
    need may openmpi-bin has mpirun.openmpi
    case $1 in
    build) ;;
    python)
        need must python3 has python3
        need must python3-dev has_python_headers
        need must python3-cffi has_python cffi
        need must python3-numpy has_python numpy
        ;;
    docs)
        need must python3 has python3
        need must python3-cffi has_python cffi # the Fortran module is made from the declarations of the Python package
        need must python3-numpy has_python numpy
        need must python3-dev has_python_headers
        need must python3-sphinx has_python sphinx
        need must python3-myst-parser has_python myst_parser
        need must furo has_python furo
        ;;
    test)
        need must libcmocka-dev has_module cmocka cmocka.h
        need may libmpfr-dev has_module mpfr mpfr.h
        need may g++ has c++
        need may valgrind has valgrind
        need may strace has strace # system calls that fail, and kills at system calls
        need may python3 has python3
        need may python3-dev has_python_headers # the package of bindings/python
        need may python3-cffi has_python cffi
        need may python3-numpy has_python numpy
        need may python3-ase has_python ase # its calculators, beside ours
        need may mypy has mypy # types of the Python package
        need may python3-nbclient has_python nbclient # notebooks of examples/notebooks
        need may python3-ipykernel has_python ipykernel
        need may python3-matplotlib has_python matplotlib
        need may python3-mpi4py has_python mpi4py
        need may python3-pip has_python pip
        need may python3-wheel has_python wheel
        need may python3-setuptools has_python setuptools
        need may python3-venv has_python ensurepip
        need may chromium has chromium # the report in a browser: 32 s and 414 MB the first time
        need may wrk has wrk # the live page under load, 0.2 MB
        need may slowhttptest has slowhttptest
        need may python3-h5py has_python h5py
        need may python3-sphinx has_python sphinx # the site of the documents
        need may python3-myst-parser has_python myst_parser
        need may furo has_python furo
        need may groff-base has groff
        need may lammps has lmp # 80 MB: its files, and runs that start from them
        need may gfortran has gfortran
        need may zsh has zsh
        need may fish has fish
        need may libmpich-dev has mpicc.mpich
        need may mpich has mpirun.mpich
        ;;
    check)
        need must clang-format has clang-format
        need must clang-tidy has clang-tidy
        need must cppcheck has cppcheck
        need may shellcheck has shellcheck
        ;;
    abi) need must abigail-tools has abidiff ;;
    arm) # libraries of the other architecture beside those of this one
        need must gcc-aarch64-linux-gnu has aarch64-linux-gnu-gcc
        need must libc6-dev-arm64-cross test -d /usr/aarch64-linux-gnu/include
        need must qemu-user has qemu-aarch64
        need must libcmocka-dev:arm64 has_arm cmocka
        need must libmpfr-dev:arm64 has_arm mpfr
        need may libfyaml-dev:arm64 has_arm libfyaml
        need may libfftw3-dev:arm64 has_arm fftw3
        need may libxxhash-dev:arm64 has_arm libxxhash
        ;;
    *)
        echo "usage: $0 build|python|docs|test|check|abi|arm" >&2
        exit 2
        ;;
    esac
}

# as_root WORDS...: fails where there is no way to become root
as_root()
{
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo -n "$@"
    fi
}
apt_get() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"; }

install_missing()
{
    command -v apt-get > /dev/null || return 1
    [ "$(id -u)" -eq 0 ] || sudo -n true 2> /dev/null || return 1
    echo "Installing$missing"
    case $missing in
    *:arm64*) as_root dpkg --add-architecture arm64 ;;
    esac
    # shellcheck disable=SC2086 # several words are wanted
    apt_get install -y --no-install-recommends $missing > /dev/null 2>&1 && return
    apt_get update > /dev/null 2>&1
    # One by one: an optional package that cannot be had must not keep away the others.
    for package in $missing; do
        apt_get install -y --no-install-recommends "$package" > /dev/null
    done
}

find_missing "$1"
[ -z "$missing" ] && exit 0
install_missing
find_missing "$1"
[ -z "$missing" ] && exit 0

echo "Missing packages; install them with:" >&2
echo "    sudo apt-get install -y$missing" >&2
if [ -n "$fatal" ]; then
    echo "Cannot go on without:$fatal" >&2
    exit 1
fi
echo "Going on without them." >&2
