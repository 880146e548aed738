#!/bin/bash
# Paper 003, sections 4.5 and 5, on the cores of this machine: weak and strong scaling, hybrid against flat, the ways to
# exchange halos, and what copies of the program that know nothing of each other take when all cores are busy.
#
#   tools/bench_ranks.sh [--quick] PROGRAM RANKS FOLDER
#
# PROGRAM is `myriad`, RANKS the most ranks (the cores of the machine), FOLDER takes the results, one JSON file per run;
# tools/scaling.py FOLDER makes tables and a prediction of them. $MPIRUN: the launcher (mpirun). $ROUNDS: how often
# everything is run, in turn (3). $PER_RANK: particles of a rank (62500). $STEPS: of each of three stretches (250).
#
# $SUITE: direct, hermite, fmm or vortex instead of lj, methods that ranks share with all particles on each of them: strong
# scaling of $PARTICLES (65536; 4 ranks of fmm and vortex), weak scaling of fmm and vortex, hybrid, and copies.
set -u
quick=
[ "${1:-}" = --quick ] && { quick=--quick; shift; }
[ $# -eq 3 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 2; }
program=$(realpath "$1") most=$2 folder=$3
mpirun=${MPIRUN:-mpirun} rounds=${ROUNDS:-3} per_rank=${PER_RANK:-62500} steps=${STEPS:-250} suite=${SUITE:-lj}
[ -n "$quick" ] && per_rank=2048 rounds=1 steps=10
particles=65536 weak=1
case $suite in
lj) ;;
direct | hermite) steps=${STEPS:-0} weak= ;;
fmm) steps=${STEPS:-0} particles=$((4 * per_rank)) ;;
vortex) steps=${STEPS:-0} per_rank=${PER_RANK:-32768} particles=$((4 * per_rank)) ;;
*) echo "there is no suite $suite for ranks"; exit 2 ;;
esac
particles=${PARTICLES:-$particles}
[ -n "$quick" ] && [ "$suite" != lj ] && steps=2 particles=4096
given=(); [ "$steps" -gt 0 ] && given=(--steps "$steps")
mkdir -p "$folder" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_WAIT_POLICY=passive OMP_PROC_BIND=false
export OMPI_MCA_pml=${OMPI_MCA_pml:-ob1} OMPI_MCA_btl=${OMPI_MCA_btl:-self,vader} # memory that ranks share

# How ranks get cores of their own: the first way that this launcher and this machine know. T: threads of a rank.
bind=
for way in "--map-by slot:PE=T --bind-to core" "--use-hwthread-cpus --map-by slot:PE=T --bind-to hwthread" \
    "--bind-to none --oversubscribe" ""; do
    # shellcheck disable=SC2086
    if "$mpirun" ${way//T/1} -np "$most" true >/dev/null 2>&1; then
        bind=$way
        break
    fi
done
echo "launcher: $mpirun $bind"

# measure NAME ROUND RANKS THREADS SIZE PARTICLES [OPTIONS]; SIZE: --per-rank or --particles
measure()
{
    local name=$1 round=$2 ranks=$3 threads=$4 size=$5 particles=$6
    shift 6
    # shellcheck disable=SC2086
    OMP_NUM_THREADS=$threads timeout 600 "$mpirun" ${bind//T/$threads} -np "$ranks" "$program" bench "$suite" --json --quiet \
        $quick --threads "$threads" "$size" "$particles" "${given[@]}" "$@" \
        >"$folder/${name}_${ranks}_${threads}_$round.json" 2>"$folder/errors" </dev/null ||
        echo "$name on $ranks ranks failed: $(head -n 3 "$folder/errors")"
}

# copies ROUND SIZE PARTICLES: as many as there are cores, each by itself
copies()
{
    local k
    for k in $(seq 0 $((most - 1))); do
        timeout 600 taskset -c "$k" "$program" bench "$suite" --json --quiet $quick "$2" "$3" "${given[@]}" \
            >"$folder/copy_${k}_1_$1.json" 2>/dev/null </dev/null &
    done
    wait
}

strong()
{
    if [ "$suite" = lj ]; then
        measure strong "$1" "$2" 1 --per-rank $((per_rank * 4 / $2))
    else
        measure strong "$1" "$2" 1 --particles "$particles"
    fi
}

for round in $(seq "$rounds"); do
    for ((ranks = 1; ranks <= most; ranks *= 2)); do
        [ -n "$weak" ] && measure weak "$round" "$ranks" 1 --per-rank "$per_rank"
    done
    if [ "$most" -le "$(nproc)" ]; then
        if [ -n "$weak" ]; then copies "$round" --per-rank "$per_rank"; else copies "$round" --particles "$particles"; fi
    fi
    for ((ranks = 1; ranks <= most; ranks *= 2)); do
        strong "$round" "$ranks"
    done
    for ((threads = 2; threads <= most; threads *= 2)); do
        [ -n "$weak" ] || break
        measure hybrid "$round" $((most / threads)) "$threads" --per-rank $((per_rank * threads))
    done
    echo "round $round of $rounds is done after $SECONDS s"
done
[ "$suite" = lj ] && measure exchange 1 "$most" 1 --per-rank "$per_rank" --exchanges
echo "done after $SECONDS s"
