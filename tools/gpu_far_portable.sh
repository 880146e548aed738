#!/bin/bash
# Far fields of a GPU in portable arithmetic: the bits of the processor, and their cost beside mixed and single arithmetic.
# usage: tools/gpu_far_portable.sh BUILD     for example build; about two minutes on an H200 with 16 cores
# Exit code 1 where bits differ.
set -u
[ $# -eq 1 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 2; }
myriad=$1/myriad
failed=0

# hash ARGUMENTS...: of one evaluation in portable arithmetic
hash()
{
    "$myriad" eval --arithmetic portable --samples 0 --json --quiet "$@" | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p'
}

# same NAME ARGUMENTS...: processor and GPU
same()
{
    local name=$1 here there
    shift
    here=$(hash --backend simd "$@")
    there=$(hash --backend cuda "$@")
    printf '%-28s %s %s\n' "$name" "$here" "$there"
    [ -n "$here" ] && [ "$here" = "$there" ] || { echo "    the bits differ"; failed=1; }
}

# cost NAME ARGUMENTS...: seconds of an evaluation after the first, which compiles, by the clock of the GPU and by part
cost()
{
    local name=$1
    shift
    for arithmetic in single mixed portable; do
        printf '%-16s %-9s ' "$name" "$arithmetic"
        "$myriad" eval --backend cuda --method fmm --accumulator fixed --arithmetic $arithmetic --samples 0 --repeat 3 --json \
            --quiet "$@" | tr -d ' \n' | sed -n 's/.*"seconds":{\([^}]*\)}.*/\1/p' | tr -d '"'
    done
}

for n in 31 100000; do
    same "plummer $n" --method fmm --model plummer --n $n --kernel gravity_potential --tolerance 1e-4
done
same "jerk" --method fmm --model plummer --n 30000 --kernel gravity_jerk --tolerance 1e-3
same "expansions in double" --method fmm --model plummer --n 30000 --kernel gravity_potential --tolerance 1e-6
same "elements" --method fmm --model vortex_ring --n 29988 --kernel velocity_stretching --tolerance 1e-3
BODIES=${BODIES:-20000} ELEMENTS=${ELEMENTS:-9996} STEPS=${STEPS:-50} \
    timeout 80 "$(dirname "$0")/far_bits.sh" --backend cuda "$myriad" || failed=1
cost "plummer 1e6" --model plummer --n 1000000 --kernel gravity_potential --tolerance 1e-4
exit $failed
