#!/bin/bash
# What `myriad eval` reports: fields, known relations between them, every kernel and accumulator once.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"

expect 0 '"hash"' eval --n 500 --eps 0.1 --json
parses "$WORK/out" || fail "eval --json is not JSON"
for key in pairs seconds pairs_per_s max_rel_error rms_rel_error sum_error net_force hash; do
    grep -q "^  \"$key\": " "$WORK/out" || fail "eval --json has no $key"
done
for key in pairs seconds pairs_per_s max_rel_error rms_rel_error sum_error net_force hash; do
    expect 0 "$key" eval --n 100 --eps 0.1
done

[ "$(value pairs --n 1000 --eps 0.1)" = 1000000 ] || fail "1000 particles are 1000000 pairs"
[ "$(value pairs --n 1000 --eps 0.1 --targets 10)" = 10000 ] || fail "10 targets of 1000 are 10000 pairs"
[ "$(value targets --n 1000 --eps 0.1 --targets 0)" = 0 ] || fail "no targets"

# Errors: float pairs and exact sums stay near 2^-24 times a few (3e-8 measured); double arithmetic far below.
between 1e-9 "$(value rms_rel_error --n 4096 --eps 0.1)" 1.5e-7 || fail "rms error of fixed"
between 0 "$(value rms_rel_error --n 4096 --eps 0.1 --arithmetic double --accumulator double)" 1e-14 ||
    fail "rms error of double"
# A plain float sum is worse than the sum by bags, which is worse than fixed.
single=$(value sum_error --n 8192 --eps 0.1 --accumulator single --splits 1)
bags=$(value sum_error --n 8192 --eps 0.1 --accumulator chamomile --splits 1)
fixed=$(value sum_error --n 8192 --eps 0.1 --accumulator fixed)
between 0 "$bags" "$single" || fail "chamomile ($bags) should beat single ($single)"
between 0 "$fixed" "$bags" || fail "fixed ($fixed) should beat chamomile ($bags)"

# The net force is exactly 0 for the order-independent sums and not for a float sum.
for a in fixed narumi; do
    [ "$(value net_force --n 3000 --eps 0.05 --accumulator $a)" = 0 ] || fail "net force of $a is not 0"
done
[ "$(value net_force --n 3000 --eps 0.05 --accumulator single)" = 0 ] && fail "net force of single is 0: not measured?"

# The seed and the model matter; the same seed repeats.
h=$(value hash --n 300 --eps 0.1 --seed 1)
[ "$h" = "$(value hash --n 300 --eps 0.1 --seed 1)" ] || fail "the same seed gives another hash"
[ "$h" = "$(value hash --n 300 --eps 0.1 --seed 2)" ] && fail "another seed gives the same hash"
[ "$h" = "$(value hash --n 300 --eps 0.1 --model uniform)" ] && fail "another model gives the same hash"
[ "$h" = "$(value hash --n 300 --eps 0.1 --G 2)" ] && fail "G does not matter"

# Every kernel with every accumulator that its arithmetic allows; every model.
for k in $("$MYRIAD" info --json | awk '/"kernels"/ { on = 1 } /"accumulators"/ { on = 0 }
        on && /^      "name"/ { gsub(/[",]/, ""); print $2 }'); do
    for a in single double takahashi nitadori nitadori_large narumi chamomile fixed; do
        expect 0 '"hash"' eval --n 120 --model lattice --kernel "$k" --accumulator $a --samples 8 --json --quiet
    done
    expect 0 '"hash"' eval --n 120 --model uniform --kernel "$k" --samples 8 --json --quiet
done
finish
