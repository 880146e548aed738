#!/bin/bash
# Bad arguments: one line that says what is wrong and what would be right, exit code 2 (1 where the work failed).
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"

# Unknown names, with the nearest one.
expect 2 "did you mean 'eval'" evla
expect 2 "did you mean 'gravity'" eval --kernel gravty
expect 2 "did you mean 'takahashi'" eval --accumulator takahasi
expect 2 "did you mean 'portable'" eval --arithmetic portabel
expect 2 "did you mean 'plummer'" eval --model plumer
expect 2 "did you mean 'direct'" eval --method drect
expect 2 "did you mean 'simd'" eval --backend smid
expect 2 "did you mean 'scalar'" eval --isa scaler
expect 2 "did you mean --accumulator" eval --acumulator fixed
expect 2 "did you mean --json" info --jsno
expect 2 "did you mean 'kernels'" bench kernel
expect 2 "there is no option --zzzzzzzz" eval --zzzzzzzz
expect 2 "there is no kernel 'qqqqqqqq'" eval --kernel qqqqqqqq
expect 2 "there is no command 'qqqqqqqq'" qqqqqqqq
expect 2 "there is no kernel ''" eval --kernel ""

# Values.
expect 2 "--n cannot be -5" eval --n -5
expect 2 "whole number" eval --n 12x
expect 2 "whole number" eval --n ""
expect 2 "whole number" eval --n 99999999999999999999999
expect 2 "whole number" eval --n 1e-3
expect 2 "needs a value" eval --n
expect 2 "finite number" eval --eps nan
expect 2 "finite number" eval --eps inf
expect 2 "--eps cannot be -1" eval --eps -1
expect 2 "finite number" eval --eps x
expect 2 "finite number" eval --G nan
expect 2 "--threads cannot be -1" eval --threads -1
expect 2 "--threads cannot be 100000" eval --threads 100000
expect 2 "--types cannot be 0" eval --types 0
expect 2 "takes no value" eval --json=1
expect 2 "was not expected" eval 5
expect 2 "was not expected" bench kernels direct
expect 2 "say which SUITE" bench
expect 2 "only 10 particles" eval --n 10 --targets 11
expect 2 "name=value" eval --param eps
expect 2 "needs a number" eval --param eps=x
expect 2 "" eval --param epss=1
expect 1 "" eval --param eps=nan
expect 1 "memory" eval --n 1000000000000000
expect 1 "" eval --arithmetic double --accumulator narumi --n 10

# Counts at the edge.
expect 0 '"pairs": 0' eval --n 0 --json
expect 0 '"pairs": 1' eval --n 1 --json
[ "$(value net_force --n 1)" = 0 ] || fail "one body has no net force"
for n in 2 3 15 16 17 31 33 65; do
    [ "$(value pairs --n $n)" = $((n * n)) ] || fail "n = $n"
    between 0 "$(value rms_rel_error --n $n --eps 0.1)" 1e-6 || fail "error for n = $n"
done

# Whole numbers as in inputs.
[ "$(value n --n 1e3 --samples 0)" = 1000 ] || fail "--n 1e3"
[ "$(value n --n 8^3 --samples 0)" = 512 ] || fail "--n 8^3"
for n in 1.5 1e30 8^ ^3 0x10 1e; do
    expect 2 'needs a whole number' eval --n $n
done

# Bodies at the same place without softening are skipped and counted: 3 pairs, each in both directions.
[ "$(value skipped --n 100 --coincident 3)" = 6 ] || fail "coincident bodies were not counted"
expect 0 'particles 0 and 99, 1 and 98, 2 and 97' eval --n 100 --coincident 3
[ "$(value coincident_pairs --n 100 --coincident 3)" = 3 ] || fail "coincident bodies were not counted in pairs"
[ "$(value skipped --n 100 --coincident 3 --eps 0.1)" = 0 ] || fail "softened coincident bodies were skipped"
between 0 "$(value max_rel_error --n 100 --coincident 3 --samples 100)" 1e-5 || fail "coincident bodies: error"
finish
