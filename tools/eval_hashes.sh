#!/bin/sh
# Prints the hash of one small evaluation of every kernel in every arithmetic, with `fixed` sums, a line each: two builds
# that print the same have the same loops. usage: eval_hashes.sh PROGRAM [OPTIONS of myriad eval]
# ARITHMETICS="portable" evaluates in these alone.
set -eu
myriad=$1
shift
"$myriad" info --json | awk '/"kernels"/ { on = 1 } /"accumulators"/ { on = 0 } on && /^      "name"/ { gsub(/[",]/, ""); print $2 }' |
    while read -r kernel; do
        for arithmetic in ${ARITHMETICS:-single mixed portable double}; do
            hash=$("$myriad" eval --kernel "$kernel" --arithmetic "$arithmetic" --accumulator fixed --model lattice --n 125 \
                --samples 0 --json --quiet "$@" 2> /dev/null | sed -n 's/^  "hash": "\([^"]*\)".*/\1/p' | head -n 1)
            echo "$kernel $arithmetic ${hash:-refused}"
        done
    done
