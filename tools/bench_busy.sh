#!/bin/bash
# Two threads against one, on a machine whose cores other programs use as well, and on a quiet one.
#
#   tools/bench_busy.sh [--quiet | --busy] PROGRAM
#
# PROGRAM is `myriad`. For stars (direct sums, block steps, fmm) and for particles in a box, medians of the seconds of the
# steps with one and with two threads. `busy`: beside one spinning process per core two threads may take 1.1 times the
# time of one. GPUs are left out. `quiet`: without them two threads may take 1.03 times the time of two that spin (OMP_WAIT_POLICY=active).
# Each line ends with "ok" or "above"; the exit code is 1 if one is above. $ROUNDS: how often everything is run, in turn
# (5). $CASES: names of cases. $OTHER: a second program, whose two threads take the place of those that spin.
set -u
parts="busy quiet"
case ${1:-} in --quiet | --busy) parts=${1#--}; shift ;; esac
[ $# -eq 1 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 2; }
program=$(realpath "$1") rounds=${ROUNDS:-5} other=${OTHER:-} above=0
other=${other:+$(realpath "$other")}
folder=$(mktemp -d) || exit 1
spinning=()
trap 'kill "${spinning[@]}" 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# stars N STEPS METHOD INTEGRATOR
stars()
{
    echo "particles: {model: plummer, n: $1}
interaction: {eps: 0.01, method: $3}
integrator: $4
run: {steps: $2}"
}

# box N STEPS
box()
{
    echo "particles: {model: fcc, n: $1, thermal: 1}
box: {density: 0.8}
species: [{name: A, epsilon: 1, sigma: 1}]
interaction: {kernel: lennard_jones, method: neighbour, cutoff: 2.5}
integrator: {name: verlet, dt: 0.002}
run: {steps: $2}"
}

stars 256 4000 direct '{name: leapfrog, dt: 0.001}' >direct_256.yaml
stars 4096 40 direct '{name: leapfrog, dt: 0.001}' >direct_4096.yaml
stars 100000 1 direct '{name: leapfrog, dt: 0.001}' >direct_100000.yaml
stars 256 4000 direct '{name: hermite4}' >block_256.yaml
stars 4096 400 direct '{name: hermite4}' >block_4096.yaml
stars 4096 10 fmm '{name: leapfrog, dt: 0.001}' >fmm_4096.yaml
stars 100000 1 fmm '{name: leapfrog, dt: 0.001}' >fmm_100000.yaml
box 256 4000 >box_256.yaml
box 4000 400 >box_4096.yaml
box 108000 20 >box_100000.yaml
all="direct_256 block_256 box_256 direct_4096 block_4096 fmm_4096 box_4096 direct_100000 fmm_100000 box_100000"

# seconds PROGRAM CASE THREADS: of the steps, without start and outputs
seconds()
{
    "$1" run "$2.yaml" --threads "$3" --quiet --set backend.name=simd --set output.directory=out \
        --set output.diagnostics=ends --set output.snapshots=none --set output.report=false --set output.checkpoint=none >log 2>&1 </dev/null ||
        { echo "$2: $(tail -n 1 log)" >&2; return 1; }
    sed -n 's/.*"step_seconds": \([0-9.e-]*\),.*/\1/p' out/summary.json
    rm -rf out
}

median() { sort -g "$1" | awk '{v[NR] = $1} END {print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2}'; }

# measure CASE PART: one line
measure()
{
    rm -f one two spin
    for _ in $(seq "$rounds"); do
        seconds "$program" "$1" 1 >>one
        seconds "$program" "$1" 2 >>two
        [ "$2" = busy ] && continue
        if [ -n "$other" ]; then seconds "$other" "$1" 2 >>spin; else OMP_WAIT_POLICY=active seconds "$program" "$1" 2 >>spin; fi
    done
    [ -s one ] && [ -s two ] || return 1
    awk -v name="$1" -v one="$(median one)" -v two="$(median two)" -v spin="$([ "$2" = busy ] || median spin)" 'BEGIN {
        printf "%-14s %10.4f %10.4f %9.2f", name, one, two, two / one
        if (spin != "") printf " %12.4f %10.3f", spin, two / spin
        is_ok = spin == "" ? two <= 1.1 * one : two <= 1.03 * spin
        print "  " (is_ok ? "ok" : "above")
        exit !is_ok }'
}

for part in $parts; do
    if [ "$part" = busy ]; then
        for core in $(seq 0 $(($(nproc) - 1))); do
            taskset -c "$core" sh -c 'while :; do :; done' &
            spinning+=($!)
        done
        printf '\nbusy: one spinning process on each of %s cores; the ratio may be 1.10\n' "$(nproc)"
        printf '%-14s %10s %10s %9s\n' case "1 thread" "2 threads" ratio
    else
        [ "${#spinning[@]}" -eq 0 ] || { kill "${spinning[@]}"; wait "${spinning[@]}" 2>/dev/null; spinning=(); }
        printf '\nquiet: load of the machine before: %s; the last ratio may be 1.03\n' "$(cut -d' ' -f1 /proc/loadavg)"
        printf '%-14s %10s %10s %9s %12s %10s\n' case "1 thread" "2 threads" ratio "$([ -n "$other" ] && echo other || echo spinning)" lost
    fi
    for case in ${CASES:-$all}; do
        measure "$case" "$part" || above=1
    done
done
exit $above
