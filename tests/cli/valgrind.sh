#!/bin/bash
# Small runs under valgrind: no read of anything uninitialised or freed, nothing leaked. (valgrind knows no AVX-512; the
# library sees that and takes AVX2.)
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"
command -v valgrind >/dev/null || { echo "no valgrind: skipped"; exit 77; }
ldd "$MYRIAD" | grep -q libasan && { echo "valgrind and the sanitizers exclude each other: skipped"; exit 77; }

# The thread stacks that the OpenMP runtime keeps are "possibly lost"; only definite leaks count.
clean()
{
    valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
        "$MYRIAD" "$@" >"$WORK/out" 2>"$WORK/err" || fail "valgrind myriad $*: $(cat "$WORK/err")"
}

clean info
clean eval --model plummer --n 203 --accumulator fixed --threads 2 --samples 8 --quiet
clean eval --model lattice --n 130 --kernel lennard_jones --accumulator single --threads 1 --samples 8 --quiet
clean eval --model uniform --n 64 --targets 3 --kernel biot_savart --arithmetic double --accumulator double --threads 1 --quiet
clean eval --model plummer --n 97 --kernel gravity_jerk --arithmetic mixed --isa scalar --threads 1 --quiet
finish
