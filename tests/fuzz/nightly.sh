#!/bin/bash
# Shares processor time out over all readers at the lowest priority: the one that has had least is next, for a minute at a
# time. What they find and what they have had is kept from call to call.
# usage: nightly.sh MINUTES [PROGRAMS [STATE]]      fuzzes for so many minutes of the clock
#        nightly.sh keep [PROGRAMS [STATE]]         moves what the corpora have learned to tests/fuzz/corpus, below 1 MB
#        nightly.sh table [PROGRAMS [STATE]]        what every reader has had and found so far
#   PROGRAMS  the folder of the fuzzers (build-fuzz/tests/fuzz; campaign.sh tells how to build them)
#   STATE     the folder of corpora, findings and times (fuzz-nights)
# FUZZ_JOBS=16 runs so many at once; FUZZ_READERS="dcd nemo" fuzzes these alone; FUZZ_MORE="input csv" gives these three
# times as much as the others. A reader that has failed ten times is left alone. Exit code 1 where something was found:
# STATE/NAME/found has the inputs, STATE/NAME/failed.* what was said about them.
set -u
[ $# -ge 1 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
programs=${2:-build-fuzz/tests/fuzz} state=${3:-fuzz-nights}
memory=2048   # MiB; a reader must not take more than the file can justify
slice=60      # seconds of the clock
room=50000    # bytes of the kept corpus of one reader, and the number of its files: replay.c takes up to 512
files=300
most=10       # failures of one reader
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 OMP_NUM_THREADS=1 LSAN_OPTIONS=suppressions=$here/leaks.supp
TIMEFORMAT='%U %S'
# The sanitizers of clang 14 do not start reliably where addresses are drawn from more than 2^28 places.
fixed=()
setarch -R true 2>/dev/null && fixed=(setarch -R)

# readers: the names; fuzz_gadget_hdf5 gives any bytes to the HDF5 library itself and is not ours
readers()
{
    find "$programs" -maxdepth 1 -type f -name 'fuzz_*' ! -name fuzz_gadget_hdf5 -perm -u+x -printf '%f\n' | sed 's/^fuzz_//' |
        { if [ -n "${FUZZ_READERS:-}" ]; then grep -xF "$(echo "$FUZZ_READERS" | tr ' ' '\n')"; else cat; fi; } | sort
}
# count NAME KIND: a number that is kept, 0 in the beginning
count() { cat "$state/$1/$2" 2>/dev/null || echo 0; }
# add NAME KIND NUMBER
add()
{
    awk -v before="$(count "$1" "$2")" -v more="$3" 'BEGIN { printf "%.12g\n", before + more }' >"$state/$1/$2.new"
    mv "$state/$1/$2.new" "$state/$1/$2"
}
# locked WORDS...: one at a time among the jobs of this call
locked() { ( flock 9; "$@" ) 9>>"$state/lock"; }

# poorest: the reader that has had least, slices that are under way counted as if they were over
poorest()
{
    local name weight
    for name in $(readers); do
        [ "$(count "$name" failures)" -lt $most ] || continue
        weight=1
        case " ${FUZZ_MORE:-} " in *" $name "*) weight=3 ;; esac
        echo "$(count "$name" seconds) $(count "$name" under_way) $weight $name"
    done | awk -v slice=$slice '{ print ($1 + $2 * slice) / $3, $4 }' | sort -g | head -n 1 | cut -d ' ' -f 2
}
# begin NAME: its folders, the seeds of the harness and the corpus that is kept
begin()
{
    local work=$state/$1
    [ -d "$work/corpus" ] && return
    mkdir -p "$work/corpus" "$work/found" "$work/seeds"
    MYRIAD_FUZZ_SEEDS="$work/seeds" "${fixed[@]}" "$programs/fuzz_$1" >"$work/seeds.log" 2>&1 || echo "$1: no seeds" >&2
    [ "$1" = input ] && cp "$here"/../../examples/*.yaml "$work/seeds"
    cp "$here/corpus/$1"/* "$work/corpus" 2>/dev/null
    return 0
}
# take: the name of the reader that is next
take()
{
    local name
    name=$(poorest)
    [ -n "$name" ] || return
    begin "$name"
    add "$name" under_way 1
    echo "$name"
}
# give NAME LOG TIME CODE: counts what a slice has done
give()
{
    add "$1" under_way -1
    add "$1" seconds "$(awk 'END { print $1 + $2 }' "$3")"
    add "$1" runs "$(awk '/^stat::number_of_executed_units/ { n = $2 } END { print n + 0 }' "$2")"
    if [ "$4" -ne 0 ]; then
        add "$1" failures 1
        mv "$2" "$state/$1/failed.$(count "$1" failures)"
    fi
    rm -f "$2" "$3"
}
# one NAME SECONDS: a slice of time
one()
{
    local work=$state/$1 log=$state/$1/log.$BASHPID took=$state/$1/time.$BASHPID code process
    { time {
        nice -n 19 "${fixed[@]}" "$programs/fuzz_$1" -max_total_time="$2" -rss_limit_mb=$memory -malloc_limit_mb=$memory -timeout=60 \
            -max_len=65536 -print_final_stats=1 -artifact_prefix="$work/found/" "$work/corpus" "$work/seeds" >"$log" 2>&1 &
        process=$!
        wait $process
        code=$?
    }; } 2>"$took"
    rm -f "/dev/shm/myriad_fuzz_$process" # a fuzzer may end without cleaning up
    locked give "$1" "$log" "$took" $code
}
# job: slices until the time is over
job()
{
    local name left
    while left=$((end - $(date +%s))) && [ $left -gt 0 ]; do
        name=$(locked take)
        [ -n "$name" ] || return
        one "$name" $((left < slice ? left : slice))
    done
}
# keep NAME: the smallest inputs that cover what the corpus covers
keep()
{
    local to=$here/corpus/$1 merged size=0 number=0 bytes file
    merged=$(mktemp -d)
    "${fixed[@]}" "$programs/fuzz_$1" -merge=1 -timeout=60 "$merged" "$state/$1/corpus" >"$state/$1/merge.log" 2>&1
    rm -rf "$to"
    mkdir -p "$to"
    while read -r bytes file; do
        size=$((size + bytes)) number=$((number + 1))
        { [ $size -gt $room ] || [ $number -gt $files ]; } && break
        cp "$file" "$to"
    done < <(find "$merged" -type f -printf '%s %p\n' | sort -n)
    rm -rf "$merged"
}
# table: what every reader has had; 1 where something was found
table()
{
    local name found failed=0
    printf '%-14s %14s %12s %8s\n' reader "CPU minutes" runs found
    for name in $(readers); do
        found=$(find "$state/$name/found" -type f 2>/dev/null | wc -l)
        [ "$found" -eq 0 ] && [ "$(count "$name" failures)" -eq 0 ] || failed=1
        printf '%-14s %14s %12s %8s\n' "$name" "$(count "$name" seconds | awk '{ printf "%.1f", $1 / 60 }')" \
            "$(count "$name" runs)" "$found"
    done
    return $failed
}

[ -n "$(readers)" ] || { echo "no fuzzers in $programs: configure with -DMYR_FUZZ=ON" >&2; exit 2; }
mkdir -p "$state"
case $1 in
keep)
    for name in $(readers); do
        [ "$(jobs -r | wc -l)" -lt "${FUZZ_JOBS:-1}" ] || wait -n
        [ -d "$state/$name/corpus" ] && keep "$name" &
    done
    wait
    du -sb "$here/corpus"
    exit
    ;;
table)
    table
    exit
    ;;
esac
rm -f "$state"/*/under_way # of a call that was killed
end=$(awk -v minutes="$1" -v now="$(date +%s)" 'BEGIN { printf "%d", now + 60 * minutes }')
for ((k = 0; k < ${FUZZ_JOBS:-1}; k++)); do job & done
wait
table
