#!/bin/sh
# Prints the hash of one small evaluation of every kernel in every arithmetic, with `fixed` sums, a line each: two builds
# that print the same have the same loops. usage: eval_hashes.sh PROGRAM [OPTIONS of myriad eval]
# ARITHMETICS="portable" evaluates in these alone; JOBS=8 evaluates so many at a time, which saves time where loops are
# compiled at their first use, most of all on a GPU.
set -eu
myriad=$1
shift
export myriad
"$myriad" info --json | awk -v arithmetics="${ARITHMETICS:-single mixed portable double}" '
    /"kernels"/ { on = 1 } /"accumulators"/ { on = 0 }
    on && /^      "name"/ { gsub(/[",]/, ""); n = split(arithmetics, a, " "); for (k = 1; k <= n; k++) print ++line, $2, a[k] }' |
    xargs -P "${JOBS:-1}" -n 3 sh -c '
        options=$1 line=$2 kernel=$3 arithmetic=$4
        eval "set -- $options"
        hash=$("$myriad" eval --kernel "$kernel" --arithmetic "$arithmetic" --accumulator fixed --model lattice --n 125 \
            --samples 0 --json --quiet "$@" 2> /dev/null | sed -n "s/^  \"hash\": \"\([^\"]*\)\".*/\1/p" | head -n 1)
        echo "$line $kernel $arithmetic ${hash:-refused}"' sh "$(for o; do printf "'%s' " "$o"; done)" |
    sort -n | cut -d " " -f 2-
