#!/bin/bash
# The bits of the far fields in portable arithmetic: single evaluations by fmm, tree and pseudo, and runs of a Plummer sphere
# and of a vortex ring by fmm, on every instruction set of every program with one and with two threads. All must have
# the same bits.
# usage: tools/far_bits.sh [--backend cuda] PROGRAM...     for example build/myriad build-arm/myriad
# --backend cuda: all of these on the GPU as well, with the bits of the first instruction set, which
# is the only one on the processor then unless ISAS names others.
# BODIES (100000), ELEMENTS (29988, a multiple of 49), STEPS (200) and ISAS set the sizes of the runs and the
# instruction sets. A program for 64-bit ARM runs in qemu-aarch64 on another machine, at a hundredth of the speed: give it
# BODIES=2000 ELEMENTS=490 STEPS=20. Exit code 1 where two hashes differ.
set -u
gpu=
[ "${1:-}" = --backend ] && { gpu=$2; shift 2; }
[ $# -ge 1 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 2; }
bodies=${BODIES:-100000} elements=${ELEMENTS:-29988} steps=${STEPS:-200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# runnable FILE: a program that runs here, in $myriad; 183 is ELF's number of 64-bit ARM
runnable()
{
    myriad=$(realpath "$1")
    [ -x "$myriad" ] || { echo "$1: no such program" >&2; exit 2; }
    [ "$(od -An -tu2 -j 18 -N 2 "$myriad" | tr -d ' ')" = 183 ] && [ "$(uname -m)" != aarch64 ] || return 0
    command -v qemu-aarch64 >/dev/null || { echo "$1 needs qemu-aarch64 (Debian: qemu-user)" >&2; exit 2; }
    printf '#!/bin/sh\nCC=aarch64-linux-gnu-gcc exec qemu-aarch64 "%s" "$@"\n' "$myriad" >"$work/myriad"
    chmod +x "$work/myriad"
    myriad=$work/myriad
}

# isas: the instruction sets that the program can use
isas()
{
    "$myriad" info --json | awk '/"isas"/ { on = 1 } /"models"/ { on = 0 }
        on && /"name"/ { gsub(/[",]/, ""); name = $2 } on && /"available": true/ { print name }'
}

# same CASE HASH: compares with the first hash of a case
same()
{
    [ -n "$2" ] || { echo "$1: no result: $(head -n 1 "$work/out")" >&2; failed=1; return; }
    [ -e "$work/$1" ] || echo "$2" >"$work/$1"
    [ "$(cat "$work/$1")" = "$2" ] || { failed=1; echo "    differs from $(cat "$work/$1")"; }
}

# evaluates CASE ARGUMENTS...: hash of one evaluation
evaluates()
{
    local name=$1 hash
    shift
    hash=$("$myriad" eval $machine --threads "$threads" --arithmetic portable --samples 0 --json --quiet "$@" \
        2>"$work/out" | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p')
    printf '%-20s %-10s %d threads  %-14s %s\n' "$program" "$isa" "$threads" "$name" "$hash"
    same "$name" "$hash"
}

# moves CASE N FIELD PARTICLES INTERACTION INTEGRATOR: hash of positions and a field at the ends of a run; potentials are
# diagnostics, in double arithmetic
moves()
{
    local name=$1 hash start
    start=$(date +%s)
    cat >"$work/in.yaml" <<END
particles: $4
interaction: $5
backend: {$chosen}
integrator: $6
run: {steps: $steps}
output: {snapshots: ends, fields: [position, $3], format: csv, directory: run, checkpoint: none, report: false, diagnostics: ends}
END
    rm -rf "$work/run"
    (cd "$work" && "$myriad" run in.yaml --force --quiet --threads $threads >out 2>&1) && hash=$(cat "$work"/run/snapshot_*.csv | sha256sum | cut -c 1-16)
    printf '%-20s %-10s %d threads  %-14s %s  %d particles, %d steps, %d s\n' "$program" "$isa" "$threads" "$name" \
        "${hash:-}" "$2" "$steps" $(($(date +%s) - start))
    same "$name" "${hash:-}"
}

# sets: instruction sets of the processor, and the GPU
sets()
{
    if [ -n "$gpu" ]; then
        echo "${ISAS:-$(isas | tail -n 1)} $gpu"
    else
        echo "${ISAS:-$(isas)}"
    fi
}

for program; do
    runnable "$program"
    for isa in $(sets); do
        machine="--isa $isa" chosen="isa: $isa"
        [ "$isa" = "$gpu" ] && machine="--backend $gpu" chosen="name: $gpu" THREADS=1
        for threads in ${THREADS:-1 2}; do
            for method in fmm tree pseudo; do
                evaluates "$method" --method $method --model plummer --n 5000 --kernel gravity_potential --tolerance 1e-4
            done
            evaluates elements --method fmm --model vortex_ring --n 1960 --kernel velocity_stretching --tolerance 1e-3
            moves plummer "$bodies" velocity "{model: plummer, n: $bodies}" \
                "{kernel: gravity, softening: spline, h: 0.01, method: fmm, tolerance: 1e-4, arithmetic: portable}" \
                "{name: leapfrog, dt: 0.001953125}"
            moves ring "$elements" strength "{model: vortex_ring, n: $elements}" \
                "{kernel: velocity_stretching, method: fmm, tolerance: 1e-3, arithmetic: portable}" "{name: ab2, dt: 0.005}"
        done
    done
done
[ $failed -eq 0 ] || { echo "portable arithmetic has different bits" >&2; exit 1; }
echo "the same bits everywhere"
