#!/bin/bash
# Every kernel by every method with a far field: the table of docs/fmm.md says which go together, and why the others do
# not. What goes together has the error that was asked for; bad requests are refused by all of them.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
TABLE=$HERE/../../docs/fmm.md
# shellcheck disable=SC1091
. "$HERE/common.inc"
cd "$WORK" || exit 1

# cell KERNEL COLUMN: what the table says
cell() { awk -F'|' -v name="\`$1\`" -v at="$2" 'index($2, name) && NF > 5 { sub(/^ */, "", $at); sub(/ *$/, "", $at)
    print $at }' "$TABLE"; }

kernels=$("$MYRIAD" info --json | awk '/"kernels"/ { on = 1 } /"accumulators"/ { on = 0 }
    on && /^      "name"/ { gsub(/[",]/, ""); print $2 }')
[ "$(echo "$kernels" | wc -l)" -ge 26 ] || fail "the kernels are not found: $kernels"
for kernel in $kernels; do
    at=3
    for method in fmm tree pseudo; do
        said=$(cell "$kernel" "$at")
        at=$((at + 1))
        case $said in
        no:*) expect 1 "${said#no: }" eval --kernel "$kernel" --method $method -n 50 ;;
        yes*)
            value hash -n 3000 --kernel "$kernel" --method $method --arithmetic mixed --tolerance 1e-3 --samples 0 >one
            errors=$(sed -n '/"error": {/,/}/s/.*": \([0-9.e-]*\),*$/\1/p' json)
            [ -n "$errors" ] || fail "$kernel by $method: no error was measured"
            for error in $errors; do # measured: up to 4e-4
                between 1e-9 "$error" 1e-3 || fail "$kernel by $method is off by $error"
            done
            ;;
        *) fail "$kernel is not in the table of docs/fmm.md, or says neither yes nor no: '$said'" ;;
        esac
    done
done

for method in fmm tree pseudo; do
    expect 1 "larger than 0" eval -n 100 --method $method --tolerance 0
    expect 1 "larger than 0" eval -n 100 --method $method --tolerance -1e-3
    expect 1 "below what single arithmetic can reach" eval -n 100 --method $method --tolerance 1e-9
    expect 1 "order = 40 is out of range" eval -n 100 --method $method --order 40
    expect 2 "finite number" eval -n 100 --method $method --tolerance nan
    expect 0 "" eval -n 100 --method $method --arithmetic portable
done
expect 1 "below what method pseudo can reach" eval -n 100 --method pseudo --arithmetic double --tolerance 1e-8
expect 1 "below what double arithmetic can reach" eval -n 100 --method tree --arithmetic double --tolerance 1e-15
expect 1 "goes up to 10" eval -n 100 --method tree --order 12
expect 1 "goes up to 10" eval -n 100 --method pseudo --order 12
finish
