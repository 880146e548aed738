#!/bin/bash
# The one hash of portable arithmetic: every kernel is evaluated with `fixed` sums in portable arithmetic on every
# instruction set of every program, and on the GPU where there is one; then a liquid moves with a thermostat. All must have
# the same bits.
# usage: tools/same_bits.sh PROGRAM...     for example build/myriad build-arm/myriad
# A program for 64-bit ARM runs in qemu-aarch64 on another machine. Prints a line for each, then the hash; exit code 1
# where two differ, with the kernels that do. ISAS="scalar" evaluates on these instruction sets alone, JOBS=8 so many kernels at a
# time.
set -u
[ $# -ge 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
first='' motion='' failed=0

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

# line NAME OPTIONS...: all kernels on one instruction set, and the hash of their hashes
line()
{
    local name=$1 hash
    shift
    ARITHMETICS=portable sh "$here/eval_hashes.sh" "$myriad" "$@" >"$work/hashes"
    hash=$(sha256sum <"$work/hashes" | cut -c 1-16)
    printf '%-28s %-12s %4d kernels  %s\n' "$program" "$name" "$(grep -cv refused "$work/hashes")" "$hash"
    if [ -z "$first" ]; then
        first=$hash
        cp "$work/hashes" "$work/first"
    elif [ "$hash" != "$first" ]; then
        failed=1
        diff "$work/first" "$work/hashes" | sed -n 's/^>/    differs:/p'
    fi
}

# moves: a run of each program, and the hash of its snapshots; it has to be that of the first program's
moves()
{
    local hash
    cat >"$work/in.yaml" <<'END'
units: {system: lj}
particles: {model: fcc, n: 256, density: 0.8, temperature: 1.4}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5, arithmetic: portable}
integrator: {name: langevin, dt: 0.005, temperature: 1, friction: 1}
run: {steps: 50}
output: {diagnostics: 0.05, snapshots: 0.125, format: csv, directory: run, checkpoint: none, report: false}
END
    (cd "$work" && rm -rf run && "$myriad" run in.yaml --force --quiet --threads 1 >out 2>&1) ||
        { echo "$program: no run: $(head -n 1 "$work/out")"; return; }
    hash=$(cat "$work"/run/snapshot_*.csv "$work/run/diagnostics.csv" | sha256sum | cut -c 1-16)
    printf '%-28s %-12s %4d steps    %s\n' "$program" "a liquid" 50 "$hash"
    motion=${motion:-$hash}
    [ "$hash" = "$motion" ] || failed=1
}

for program; do
    runnable "$program"
    for isa in ${ISAS:-$(isas)}; do
        line "$isa" --isa "$isa"
    done
    "$myriad" eval --backend cuda --n 2 --samples 0 --quiet >/dev/null 2>&1 && line GPU --backend cuda
    moves
done
[ -s "$work/first" ] && grep -qv refused "$work/first" || { echo "nothing was evaluated" >&2; exit 1; }
[ $failed -eq 0 ] || { echo "portable arithmetic has different bits" >&2; exit 1; }
echo "the same bits everywhere: $first"
