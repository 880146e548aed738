#!/bin/bash
# Random command lines: no crash (exit code below 128), errors in one line. MYRIAD_FUZZ sets how many.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"
RANDOM=${MYRIAD_FUZZ_SEED:-20240}

words=(info eval bench --json --n --kernel --accumulator --arithmetic --method --backend --isa --threads --eps --seed
    --targets --samples --splits --repeat --param --types --softening --coincident --G --quiet --help -h -- - ""
    gravity lennard_jones ks hologram fixed narumi single double mixed portable direct ref simd auto scalar avx2 avx512
    plummer uniform lattice spline 0 1 2 7 64 300 -1 1e3 1e-3 0.01 nan inf -inf 9223372036854775807 1e400 eps=0.1 eps=
    '=1' eps=nan h=1 cutoff=2 dielectric=0 --n=5 --n= --eps=1 --json=0 "a b" $'\t' "'" '"' '%s%n' ../.. "é")

for ((k = 0; k < ${MYRIAD_FUZZ:-400}; k++)); do
    line=()
    # most lines start as a sensible small evaluation, so that they get past the parser
    ((RANDOM % 3)) && line=(eval --n $((RANDOM % 200)) --samples 4)
    for ((w = RANDOM % 6; w >= 0; w--)); do
        line+=("${words[RANDOM % ${#words[@]}]}")
    done
    [ "${line[0]}" = bench ] && continue # takes long; its arguments go through the same parser
    timeout 60 "$MYRIAD" "${line[@]}" >"$WORK/out" 2>"$WORK/err" </dev/null
    code=$?
    [ $code -lt 124 ] || fail "myriad ${line[*]@Q}: exit code $code"
    if [ $code -ne 0 ] && [ "${#line[@]}" -gt 0 ]; then
        grep -q '^myriad: ' "$WORK/err" || grep -q '^Usage' "$WORK/err" "$WORK/out" ||
            fail "myriad ${line[*]@Q}: exit code $code without a message"
    fi
done
finish
