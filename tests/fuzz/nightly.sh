#!/bin/bash
# Shares processor time out over all readers, one after the other at the lowest priority: the one that has had least is
# next, for a minute at a time. What they find and what they have had is kept from call to call.
# usage: nightly.sh MINUTES [PROGRAMS [STATE]]      fuzzes for so many minutes of the clock
#        nightly.sh keep [PROGRAMS [STATE]]         moves what the corpora have learned to tests/fuzz/corpus, below 1 MB
#   PROGRAMS  the folder of the fuzzers (build-fuzz/tests/fuzz; campaign.sh tells how to build them)
#   STATE     the folder of corpora, findings and times (fuzz-nights)
# FUZZ_READERS="dcd nemo" fuzzes these alone. Exit code 1 where something was found: STATE/NAME/found has the inputs.
set -u
[ $# -ge 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
programs=${2:-build-fuzz/tests/fuzz} state=${3:-fuzz-nights}
memory=2048   # MiB; a reader must not take more than the file can justify
slice=60      # seconds of the clock
room=50000    # bytes of the kept corpus of one reader
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 OMP_NUM_THREADS=1 LSAN_OPTIONS=suppressions=$here/leaks.supp
TIMEFORMAT='%U %S'

# readers: the names; fuzz_gadget_hdf5 gives any bytes to the HDF5 library itself and is not ours
readers()
{
    find "$programs" -maxdepth 1 -type f -name 'fuzz_*' ! -name fuzz_gadget_hdf5 -perm -u+x -printf '%f\n' | sed 's/^fuzz_//' |
        { if [ -n "${FUZZ_READERS:-}" ]; then grep -xF "$(echo "$FUZZ_READERS" | tr ' ' '\n')"; else cat; fi; } | sort
}
# had NAME: seconds of processor time so far
had() { cat "$state/$1/seconds" 2>/dev/null || echo 0; }
# poorest: the reader that has had least
poorest() { for name in $(readers); do echo "$(had "$name") $name"; done | sort -g | head -n 1 | cut -d ' ' -f 2; }

# begin NAME: its folders, the seeds of the harness and the corpus that is kept
begin()
{
    local work=$state/$1
    [ -d "$work/corpus" ] && return
    mkdir -p "$work/corpus" "$work/found" "$work/seeds"
    MYRIAD_FUZZ_SEEDS="$work/seeds" "$programs/fuzz_$1" >"$work/seeds.log" 2>&1 || echo "$1: no seeds" >&2
    [ "$1" = input ] && cp "$here"/../../examples/*.yaml "$work/seeds"
    cp "$here/corpus/$1"/* "$work/corpus" 2>/dev/null
    return 0
}
# one NAME: a slice of time
one()
{
    local work=$state/$1
    begin "$1"
    { time nice -n 19 "$programs/fuzz_$1" -max_total_time=$slice -rss_limit_mb=$memory -malloc_limit_mb=$memory -timeout=60 \
        -max_len=65536 -print_final_stats=1 -artifact_prefix="$work/found/" "$work/corpus" "$work/seeds" \
        >"$work/log" 2>&1; } 2>"$work/time"
    awk -v before="$(had "$1")" '{ printf "%.1f\n", before + $1 + $2 }' "$work/time" >"$work/seconds.new"
    mv "$work/seconds.new" "$work/seconds"
    awk -v before="$(cat "$work/runs" 2>/dev/null || echo 0)" '/^stat::number_of_executed_units/ { n = $2 } END { print before + n }' \
        "$work/log" >"$work/runs.new"
    mv "$work/runs.new" "$work/runs"
}
# keep NAME: the smallest inputs that cover what the corpus covers
keep()
{
    local to=$here/corpus/$1 merged size=0 file
    merged=$(mktemp -d)
    "$programs/fuzz_$1" -merge=1 -timeout=60 "$merged" "$state/$1/corpus" >"$state/$1/merge.log" 2>&1
    rm -rf "$to"
    mkdir -p "$to"
    while read -r bytes file; do
        size=$((size + bytes))
        [ $size -le $room ] || break
        cp "$file" "$to"
    done < <(find "$merged" -type f -printf '%s %p\n' | sort -n)
    rm -rf "$merged"
}

[ -n "$(readers)" ] || { echo "no fuzzers in $programs: configure with -DMYR_FUZZ=ON" >&2; exit 2; }
if [ "$1" = keep ]; then
    for name in $(readers); do [ -d "$state/$name/corpus" ] && keep "$name"; done
    du -sb "$here/corpus"
    exit
fi
end=$(($(date +%s) + $1 * 60))
while [ "$(date +%s)" -lt $end ]; do
    one "$(poorest)"
done
failed=0
printf '%-14s %14s %12s %8s\n' reader "CPU minutes" runs found
for name in $(readers); do
    found=$(find "$state/$name/found" -type f 2>/dev/null | wc -l)
    [ "$found" -eq 0 ] || failed=1
    printf '%-14s %14s %12s %8s\n' "$name" "$(had "$name" | awk '{ printf "%.1f", $1 / 60 }')" \
        "$(cat "$state/$name/runs" 2>/dev/null || echo 0)" "$found"
done
exit $failed
