#!/bin/sh
# libg5.so, libg6.so and libsapporo.so export what their headers declare and nothing else, and every call has its name for Fortran.
# usage: symbols.sh HEADER_DIR LIBRARY_DIR
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# names HEADER: functions that it declares
names()
{
    sed 's|/\*.*\*/||' "$1" | tr '\n' ' ' | sed 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' |
        grep -oE '\bg[56](calc)?_[A-Za-z0-9_]+ ?\(' | tr -d ' (' | sort -u
}

complain()
{
    if [ -s "$2" ]; then
        echo "$1"
        sed 's/^/  /' "$2"
        status=1
    fi
}

for library in g5 g6; do
    names "$1/$library.h" > "$work/c"
    names "$1/${library}_fortran.h" > "$work/fortran"
    nm -D --defined-only "$2/lib$library.so" | awk '$2 == "T" || $2 == "W" { sub(/@.*/, "", $3); print $3 }' | sort -u > "$work/exported"
    [ "$(wc -l < "$work/exported")" -ge 80 ] || { echo "lib$library.so exports too little"; status=1; }
    sort -u "$work/c" "$work/fortran" > "$work/declared"
    comm -23 "$work/declared" "$work/exported" > "$work/bad"
    complain "declared and not exported by lib$library.so:" "$work/bad"
    comm -13 "$work/declared" "$work/exported" > "$work/bad"
    complain "exported by lib$library.so and not declared:" "$work/bad"
    grep -v message "$work/c" | tr '[:upper:]' '[:lower:]' | sed 's/$/_/' | sort -u > "$work/wanted"
    comm -23 "$work/wanted" "$work/fortran" > "$work/bad"
    complain "calls of $library.h without a name for Fortran:" "$work/bad"
done
# libsapporo.so: all of libg6.so, and the two calls of its own
for library in g6 sapporo; do
    nm -D --defined-only "$2/lib$library.so" | awk '$2 == "T" || $2 == "W" { sub(/@.*/, "", $3); print $3 }' | sort -u > "$work/$library"
done
printf 'get_device_count\nforce_j_particle_send\n' | sort - "$work/g6" | comm -3 - "$work/sapporo" > "$work/bad"
complain "differences of libsapporo.so from libg6.so:" "$work/bad"
nm -D --defined-only "$2/libgpunb.so" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort -u > "$work/exported"
sed 's|/\*.*\*/||' "$1/gpunb.h" | grep -oE '\bgpu(nb|pot)_[a-z_]* ?\(' | tr -d ' (' | sort -u > "$work/declared"
[ "$(wc -l < "$work/declared")" -ge 8 ] || { echo "gpunb.h declares too little"; status=1; }
comm -3 "$work/declared" "$work/exported" > "$work/bad"
complain "differences of gpunb.h and libgpunb.so:" "$work/bad"
[ $status -ne 0 ] || echo "headers and libraries agree"
exit $status
