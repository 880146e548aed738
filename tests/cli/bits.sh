#!/bin/bash
# What is promised about bits: the hash of `fixed` does not depend on threads or splits, on any instruction set; in
# portable arithmetic it does not depend on the instruction set either.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"

same=
for isa in $(isas); do
    for arithmetic in single mixed portable double; do
        want=$(value hash --n 1000 --eps 0.01 --arithmetic $arithmetic --isa "$isa" --threads 1 --samples 0)
        for threads in 2 3 5 8; do
            got=$(value hash --n 1000 --eps 0.01 --arithmetic $arithmetic --isa "$isa" --threads $threads --samples 0)
            [ "${got:-none}" = "$want" ] || fail "$isa, $arithmetic: $threads threads give $got, 1 gives $want"
        done
        for splits in 1 3 7; do
            got=$(value hash --n 1000 --eps 0.01 --arithmetic $arithmetic --isa "$isa" --splits $splits --samples 0)
            [ "$got" = "$want" ] || fail "$isa, $arithmetic: $splits splits give $got, not $want"
        done
        [ $arithmetic = portable ] && same="$same $want"
    done
done
[ "$(distinct "$same")" -eq 1 ] || fail "portable hashes differ between instruction sets: $same"

# Other kernels and narumi, more briefly.
for kernel in gravity_jerk lennard_jones ljc_sigmoidal biot_savart sph_force hologram; do
    same=
    for isa in $(isas); do
        want=$(value hash --model lattice --n 700 --kernel $kernel --arithmetic portable --isa "$isa" --threads 1 --samples 0)
        got=$(value hash --model lattice --n 700 --kernel $kernel --arithmetic portable --isa "$isa" --threads 3 --samples 0)
        [ "${got:-none}" = "$want" ] || fail "$kernel, $isa: 3 threads give $got, 1 gives $want"
        same="$same $want"
    done
    [ "$(distinct "$same")" -eq 1 ] || fail "$kernel: portable hashes differ: $same"
done
one=$(value hash --n 1000 --eps 0.01 --accumulator narumi --threads 1 --samples 0)
[ "$one" = "$(value hash --n 1000 --eps 0.01 --accumulator narumi --threads 5 --samples 0)" ] || fail "narumi and threads"

# The test can fail: a float sum depends on how the sources are split.
[ "$(value hash --n 1000 --eps 0.01 --accumulator single --splits 1 --samples 0)" = \
  "$(value hash --n 1000 --eps 0.01 --accumulator single --splits 3 --samples 0)" ] && fail "single does not depend on splits"
finish
