#!/bin/bash
# Two threads against one, on a machine whose cores other programs use as well: one spinning process per core.
#
#   tools/bench_busy.sh [--quiet] PROGRAM
#
# PROGRAM is `myriad`. Prints the median seconds of the steps with one and with two threads, and their ratio, for stars
# (direct sums, block steps, fmm) and for particles in a box. --quiet: without the spinning processes. $ROUNDS: how
# often everything is run, in turn (5). $OTHER: a second program, measured in turn with the first.
set -u
busy=1
[ "${1:-}" = --quiet ] && { busy=; shift; }
[ $# -eq 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }
program=$(realpath "$1") rounds=${ROUNDS:-5}
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
stars 256 4000 direct '{name: hermite4}' >block_256.yaml
stars 4096 400 direct '{name: hermite4}' >block_4096.yaml
stars 4096 10 fmm '{name: leapfrog, dt: 0.001}' >fmm_4096.yaml
stars 100000 1 fmm '{name: leapfrog, dt: 0.001}' >fmm_100000.yaml
box 256 4000 >box_256.yaml
box 4000 400 >box_4096.yaml
box 108000 20 >box_100000.yaml

# seconds PROGRAM CASE THREADS: of the steps, without start and outputs
seconds()
{
    "$1" run "$2.yaml" --threads "$3" --quiet --set output.directory=out --set output.diagnostics=ends \
        --set output.snapshots=none --set output.report=false --set output.checkpoint=none >log 2>&1 </dev/null ||
        { echo "$2: $(tail -n 1 log)" >&2; return 1; }
    sed -n 's/.*"step_seconds": \([0-9.e-]*\),.*/\1/p' out/summary.json
    rm -rf out
}

median() { sort -g "$1" | awk '{v[NR] = $1} END {print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2}'; }

if [ -n "$busy" ]; then
    for core in $(seq 0 $(($(nproc) - 1))); do
        taskset -c "$core" sh -c 'while :; do :; done' &
        spinning+=($!)
    done
fi
printf '%-12s %10s %10s %7s' case "1 thread" "2 threads" ratio
[ -n "${OTHER:-}" ] && printf ' %12s %7s' "other, 2" ratio
echo
for case in ${CASES:-direct_256 block_256 box_256 direct_4096 block_4096 fmm_4096 box_4096 fmm_100000 box_100000}; do
    rm -f one two other
    for _ in $(seq "$rounds"); do
        seconds "$program" "$case" 1 >>one
        seconds "$program" "$case" 2 >>two
        [ -n "${OTHER:-}" ] && seconds "$OTHER" "$case" 2 >>other
    done
    awk -v name="$case" -v one="$(median one)" -v two="$(median two)" \
        'BEGIN {printf "%-12s %10.4f %10.4f %7.2f", name, one, two, two / one}'
    [ -n "${OTHER:-}" ] && awk -v one="$(median one)" -v two="$(median other)" 'BEGIN {printf " %12.4f %7.2f", two, two / one}'
    echo
done
