#!/bin/bash
# The machine code of a loop that is compiled on demand is that of the build: one unit per instruction set, every loop of
# it. usage: same_loops.sh PROGRAM KERNEL ARITHMETIC ISA=OBJECT...; OBJECT: the unit as MYR_UNITS=all compiles it.
set -u
myriad=$1 kernel=$2 arithmetic=$3
shift 3
command -v objdump > /dev/null || { echo "skipped: no objdump"; exit 77; }
"$myriad" info | grep -q 'loops built on demand' || { echo "skipped: this build compiles nothing on demand"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MYRIAD_CUDA_PLUGIN=none
unset MYRIAD_BEST_ISA

# code FILE: instructions of all loops in the order of their names, jumps as offsets from the loop, without the addresses of constants
code()
{
    objdump -d --no-show-raw-insn "$1" | awk '
        /^[0-9a-f]+ <.*>:$/ { on = index($2, "<myr_loop_") == 1; name = $2; n = 0; next }
        on && /^ +[0-9a-f]+:/ { sub(/^ +[0-9a-f]+:[ \t]*/, ""); printf "%s %06d\t%s\n", name, n++, $0 }
        on && /^$/ { on = 0 }' | sort |
        sed -E 's/-?0x[0-9a-f]+\(%rip\).*/(%rip)/; s/(j[a-z]+|call) +[0-9a-f]+ </\1 </; s/ +#.*//; s/[ \t]+$//' |
        sed -E 's/ [0-9]{6}\t/\t/' | grep -vE '\t(nop|xchg +%ax,%ax|data16|cs nop)'
}

compared=0
for pair in "$@"; do
    isa=${pair%%=*} object=${pair#*=}
    rm -rf "$work/cache"
    if ! MYRIAD_CACHE=$work/cache "$myriad" eval --kernel "$kernel" --arithmetic "$arithmetic" --isa "$isa" --n 20 \
        --samples 0 --quiet > /dev/null 2> "$work/err"; then
        grep -q 'this machine has no' "$work/err" && continue
        cat "$work/err"
        exit 1
    fi
    [ "$(ls "$work/cache"/*.so | wc -l)" -eq 1 ] || { echo "$isa: not one unit was compiled"; exit 1; }
    code "$work/cache"/*.so > "$work/demand"
    code "$object" > "$work/built"
    lines=$(wc -l < "$work/built")
    [ "$lines" -gt 500 ] || { echo "$isa: only $lines lines of machine code in $object"; exit 1; }
    cmp -s "$work/demand" "$work/built" || { echo "$isa: the machine code differs"; diff "$work/demand" "$work/built" | head; exit 1; }
    compared=$((compared + 1))
done
[ "$compared" -gt 0 ] || { echo "no instruction set was compared"; exit 1; }
echo "$kernel in $arithmetic arithmetic: the same machine code for $compared instruction sets"
