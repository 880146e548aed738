#!/bin/bash
# Runs that are killed, starved and damaged until they finish, and must end with the bits of a run that nothing happened
# to.
# usage: tools/torture.sh HOURS [BUILD [STATE]]
#   HOURS  how long in all, over every call with the same STATE
#   BUILD  the folder of the program (build)
#   STATE  the folder of runs, counts and faults (torture); Ctrl-C stops, the same command continues
# Each file of tools/torture is one case. A life of a case is a run that is begun, harmed and restarted, on any number of
# threads and ranks, until it finishes; then its files are compared with those of the run without harm. Exit code 1 and a
# folder STATE/faults/N for every fault: bits that differ, a crash, a hang, a checkpoint that is lost, a restart that fails.
# TORTURE_LIVES=N ends after N lives; TORTURE_CASES="box mesh" takes these cases only; TORTURE_SEED=N draws other harm;
# TORTURE_INPUTS=FOLDER has other cases; TORTURE_ATTEMPTS=N harms a life less often.
set -u
[ $# -ge 1 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2; }
HERE=$(cd "$(dirname "$0")" && pwd)
MYRIAD=$(realpath "${2:-build}/myriad") || exit 2
mkdir -p "${3:-torture}/faults" && STATE=$(realpath "${3:-torture}") || exit 2
ALL=$(awk -v h="$1" 'BEGIN { printf "%.0f", 3600e3 * h }') # milliseconds
[ -x "$MYRIAD" ] || { echo "there is no program $MYRIAD: build it first" >&2; exit 2; }
export MYRIAD_CACHE=${MYRIAD_CACHE:-$STATE/cache} OMP_WAIT_POLICY=passive MYRIAD_CUDA_PLUGIN=none
ATTEMPTS=${TORTURE_ATTEMPTS:-25} # harmed attempts in one life; the next one is left alone, and must finish
INPUTS=$(realpath "${TORTURE_INPUTS:-$HERE/torture}")
. "$HERE/torture/harm.inc"

# --- counts, which outlive this process

declare -A count
save_counts()
{
    local key
    for key in "${!count[@]}"; do echo "$key ${count[$key]}"; done | sort >"$STATE/counts.new"
    mv "$STATE/counts.new" "$STATE/counts"
}
load_counts()
{
    local key value
    [ -e "$STATE/counts" ] && while read -r key value; do count[$key]=$value; done <"$STATE/counts"
}
# add KEY [NUMBER]
add() { count[$1]=$((${count[$1]:-0} + ${2:-1})); }
# get KEY
get() { echo "${count[$1]:-0}"; }

# fault TEXT: keeps what is there for a person to look at
fault()
{
    add faults
    local to
    to=$STATE/faults/$(get faults)
    mkdir -p "$to"
    cp -a run out err "$to" 2>/dev/null
    echo "$CASE, life $(($(get lives) + 1)), attempt $attempt, $harm, $threads threads, $ranks ranks: $*" | tee "$to/what" >>"$STATE/log"
    echo "FAULT $(get faults): $(cat "$to/what")"
}

# --- one attempt

checkpoints() { find run -maxdepth 1 -name 'checkpoint_*.myr' 2>/dev/null | sort; }
# below N: a random number from 0 to N - 1, also for N beyond 32768
below() { echo $(((RANDOM * 32768 + RANDOM) % $1)); }
# spread N: one from 1 to N whose logarithm is evenly distributed
spread() { awk -v n="$1" -v u="$(below 1000000)" 'BEGIN { printf "%d", exp(log(n + 1) * u / 1e6) }'; }

# compose: the run that goes on, or that begins
compose()
{
    if [ -n "$(checkpoints)" ]; then
        arguments=(run --restart run --quiet --threads "$threads")
        add restarts
    else
        arguments=(run in.yaml --force --set output.directory=run --quiet --threads "$threads")
        add begins
    fi
    line=("$MYRIAD" "${arguments[@]}")
    [ "$ranks" -gt 1 ] && line=(bash "$HERE/../tests/mpi/run.sh" openmpi "$ranks" "${line[@]}")
}

# allowed: whether this harm may end with $code; mpirun ends by signal 13 where ranks that it writes to have been killed
allowed()
{
    case $expected in
    *" $code "*) return 0 ;;
    *" 137 "*) [ "$ranks" -gt 1 ] && [ "$code" -eq 141 ] ;;
    *) return 1 ;;
    esac
}

# launcher_crashed: whether a segmentation fault is that of mpirun, as it ends after ranks were killed: its own trace is in `err`
launcher_crashed()
{
    [ "$ranks" -gt 1 ] && [[ $expected == *" 137 "* ]] && [ "$code" -eq 139 ] && grep -q 'mpirun[.]openmpi(+0x' err
}

# verdict BEFORE: what must hold whatever was done; BEFORE: the number of checkpoints at the beginning
verdict()
{
    add "exit.$code"
    launcher_crashed && { add launcher_crashes; code=137; }
    case $code in
    0) ;;
    124) fault "no end within $LIMIT s" ;;
    3 | 132 | 134 | 135 | 136 | 139) fault "exit code $code: $(tail -n 2 err)" ;;
    *) allowed || fault "exit code $code, not one of$expected: $(tail -n 2 err)" ;;
    esac
    [ "$1" -gt 0 ] && [ -z "$(checkpoints)" ] && fault "no checkpoint is left"
    return 0
}

# attempt_one: draws the harm, the threads and the ranks, and does it
attempt_one()
{
    local before begun
    RANDOM=$(((${TORTURE_SEED:-1} * 7919 + $(get attempts)) % 32768))
    add attempts
    threads=$((1 + RANDOM % 3)) ranks=$((1 + RANDOM % RANKS))
    [ "$ranks" -gt 1 ] && threads=$((1 + RANDOM % 2))
    harm=${HARMS[RANDOM % ${#HARMS[@]}]}
    [ "$attempt" -gt $ATTEMPTS ] && harm=none
    expected=" 1 " code=0
    before=$(checkpoints | wc -l)
    begun=$(date +%s%3N)
    "harm_$harm"
    add "harm.$harm"
    add "case.$CASE.attempts"
    add milliseconds $(($(date +%s%3N) - begun))
    verdict "$before"
    save_counts
}

# --- one life

# compare: bytes of the files that a run leaves, beside those with times or the number of restarts in them
compare()
{
    local file name bits
    for file in whole/*; do
        name=$(basename "$file")
        case $name in
        run.json | summary.json | input.yaml | diagnostics.hdf5 | checkpoint_*) continue ;;
        esac
        add files
        add bytes "$(stat -c %s "$file")"
        cmp -s "$file" "run/$name" && continue
        bits=$(cmp -l "$file" "run/$name" 2>/dev/null | awk '{ a = substr("000" $2, length($2) + 1); b = substr("000" $3, length($3) + 1)
            for (k = 1; k <= 3; k++) for (p = 1; p <= 4; p *= 2) n += int(substr(a, k, 1) / p) % 2 != int(substr(b, k, 1) / p) % 2 }
            END { print n + 0 }')
        bits=$((bits + 8 * ($(stat -c %s "$file") - $(stat -c %s "run/$name" 2>/dev/null || echo 0))))
        bits=${bits#-}
        add bits_lost $((bits > 0 ? bits : 1))
        fault "$name differs in $bits bits"
    done
    for file in run/*; do
        case $file in
        *.partial | run/snapshot_*) [ -e "whole/$(basename "$file")" ] || fault "$(basename "$file") is left over" ;;
        esac
    done
}

# whole_run: what a run without harm leaves, once for each case
whole_run()
{
    [ -e whole/summary.json ] && return
    rm -rf whole
    harm=none attempt=0 threads=1 ranks=1
    "$MYRIAD" run in.yaml --quiet --threads 1 --set output.directory=whole --set run.steps=1 >out 2>err || # fills the cache
        { cat err; exit 2; }
    SECONDS=0
    "$MYRIAD" run in.yaml --force --quiet --threads 1 --set output.directory=whole >out 2>err || { cat err; exit 2; }
    echo $((SECONDS + 1)) >took
}

# life NAME: a run of this case, harmed until it finishes
life()
{
    CASE=$1 attempt=0
    mkdir -p "$STATE/$CASE"
    cd "$STATE/$CASE" || exit 2
    cp "$INPUTS/$CASE.yaml" in.yaml
    cp "$HERE"/../examples/alanine.{inpcrd,prmtop} .
    RANKS=$(sed -n '1s/.*ranks: //p' in.yaml)
    RANKS=${RANKS:-1}
    [ "$RANKS" -gt 1 ] && ! command -v mpirun.openmpi >/dev/null && { add not_tried.ranks; RANKS=1; }
    whole_run
    TOOK=$(cat took)
    LIMIT=$((600 + 40 * TOOK)) # a busy machine is no fault
    [ -e attempt ] && attempt=$(cat attempt)
    while :; do
        attempt=$((attempt + 1))
        echo $attempt >attempt
        attempt_one
        [ $code -eq 0 ] && grep -q '"state": "finished"' run/run.json 2>/dev/null && break
        [ $attempt -le $ATTEMPTS ] || { fault "a restart without harm does not finish: $(tail -n 2 err)"; break; }
        [ "$(get milliseconds)" -lt "$ALL" ] || return 1
    done
    compare
    add lives
    add "case.$CASE.lives"
    echo "$(date +%T) $CASE: finished after $attempt attempts; $(get faults) faults so far" >>"$STATE/log"
    rm -rf run attempt
    save_counts
}

# --- all

# table: the counts, for people
table()
{
    local key
    awk -v s="$(get milliseconds)" 'BEGIN { printf "%.2f hours of attempts\n", s / 3600e3 }'
    echo "$(get lives) lives, $(get attempts) attempts, $(get begins) begins, $(get restarts) restarts, $(get kills) kills by signal 9"
    echo "$(get files) files with $(get bytes) bytes compared, $(get bits_lost) bits lost, $(get faults) faults"
    for key in $(printf '%s\n' "${!count[@]}" | grep -E '^(case|harm|damage|exit|not_tried)\.' | sort); do
        printf '  %-28s %8d\n' "$key" "${count[$key]}"
    done
}
stop()
{
    [ -n "${job:-}" ] && kill -9 "$job" "$(child "$job")" 2>/dev/null
    save_counts
    table
    echo "stopped; the same command continues"
    exit 130
}
trap stop INT TERM HUP

load_counts
read -r -a CASES <<<"${TORTURE_CASES:-$(basename -s .yaml "$INPUTS"/*.yaml | tr '\n' ' ')}"
lives=0
while [ "$(get milliseconds)" -lt "$ALL" ] && [ $lives -lt "${TORTURE_LIVES:-1000000000}" ]; do
    life "${CASES[$(get lives) % ${#CASES[@]}]}" || break
    lives=$((lives + 1))
done
save_counts
table
[ "$(get faults)" -eq 0 ]
