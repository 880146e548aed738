#!/bin/sh
# Checks the names that the library brings into a program.
# usage: check_symbols.sh INCLUDE_DIR libmyriad.so libmyriad.a [libmyriad_run.so]
#   libmyriad.so and libmyriad_run.so export exactly the functions that the public headers mark MYR_API
#   every global symbol of libmyriad.a starts with myr_
#   the last shared library neither prints, nor ends the process, nor handles signals
set -eu
include=$1 shared=$2 static=$3 run=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A declaration may take several lines: join them, and take the name before the parenthesis.
cat "$include"/*.h | grep -v '^#' | tr '\n' ' ' | grep -oE 'MYR_API [^;(]*\(' | sed -E 's/.*[ *]([A-Za-z0-9_]+)\($/\1/' | sort -u > "$work/declared"
# The version node (MYRIAD_0) is an absolute symbol: A.
for library in "$shared" ${run:+"$run"}; do nm -D --defined-only "$library"; done | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u > "$work/exported"
nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | sort -u > "$work/global"

status=0
complain()
{
    if [ -s "$2" ]; then
        echo "$1" >&2
        sed 's/^/  /' "$2" >&2
        status=1
    fi
}
if [ ! -s "$work/exported" ] || [ ! -s "$work/global" ]; then
    echo "check_symbols: no symbols found" >&2
    exit 2
fi
grep -v '^myr_' "$work/exported" > "$work/bad" || true
complain "$shared exports names without the prefix myr_:" "$work/bad"
comm -13 "$work/declared" "$work/exported" > "$work/bad"
complain "$shared exports what no public header declares:" "$work/bad"
comm -23 "$work/declared" "$work/exported" > "$work/bad"
complain "public headers declare what $shared does not export:" "$work/bad"
# A named critical section of OpenMP is a symbol that no C program can write; its name is ours.
grep -vE '^(\.gomp_critical_user_)?myr_' "$work/global" > "$work/bad" || true
complain "$static has global names without the prefix myr_:" "$work/bad"
# What prints, ends the process or handles signals, and has no place in a library.
nm -D --undefined-only "${run:-$shared}" | awk '{ sub(/@.*/, "", $2); print $2 }' |
    grep -xE 'stdout|stderr|v?printf|__v?printf_chk|puts|putchar|perror|_?exit|abort|signal|sigaction|raise|kill' > "$work/bad" || true
complain "${run:-$shared} uses what a library must not:" "$work/bad"
[ $status -ne 0 ] || echo "check_symbols: $(wc -l < "$work/exported") functions exported, $(wc -l < "$work/global") global symbols, all myr_*"
exit $status
