#!/bin/bash
# gpu_box_bits.sh [BUILD [OUT]]: particles in a box have the same bits on GPU and processor in portable arithmetic. Whole
# runs with Verlet, Langevin and Nose-Hoover; fields, walls, springs and a barostat; a run that is reversed exactly; a
# checkpoint that goes from the processor to the GPU, to 2 and 4 ranks that share it, and back. Files are compared byte by
# byte. Inputs and results go to the folder OUT (default: a temporary one). Exit code 1 where bits differ, 77 without GPU.
#   N=62500 STEPS=10000                the runs
#   FIELD_N=4000 FIELD_STEPS=2000      fields, walls, springs, barostat, checkpoints
#   REVERSE_N=108 REVERSE_STEPS=1000000  steps in each direction
#   THREADS=                           of the processor (default: all but two)
#   CASES="runs fields moves reverse"  parts to make
# About a minute on 16 cores. An emulated GPU (tests/gpu/emulated) takes N=500 STEPS=60 FIELD_N=256 FIELD_STEPS=40
# REVERSE_STEPS=200, which takes minutes.
set -u
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-build}" && pwd) || exit 2
out=${2:-$(mktemp -d)}
mkdir -p "$out" && cd "$out" || exit 2
myriad=$build/myriad
export MYRIAD_CACHE=${MYRIAD_CACHE:-$build/test_cache} MYRIAD_CUDA_PLUGIN=${MYRIAD_CUDA_PLUGIN:-$build/libmyriad_cuda.so}
export MYRIAD_MPI_PLUGIN=${MYRIAD_MPI_PLUGIN:-$build/libmyriad_openmpi.so}
threads=${THREADS:-$(($(nproc) > 2 ? $(nproc) - 2 : 1))}
N=${N:-62500} STEPS=${STEPS:-10000} FIELD_N=${FIELD_N:-4000} FIELD_STEPS=${FIELD_STEPS:-2000}
REVERSE_N=${REVERSE_N:-108} REVERSE_STEPS=${REVERSE_STEPS:-1000000}
failed=0
"$myriad" info | grep -q "compute capability" || { echo "skipped: no GPU"; exit 77; }

say() { printf '[%3d s] %s\n' "$SECONDS" "$*"; }
wrong() { say "DIFFERENT: $*"; failed=$((failed + 1)); }

# input NAME N DENSITY TEMPERATURE STEPS INTEGRATOR [FURTHER LINES]: writes NAME.yaml, with a line of diagnostics in every
# tenth of the steps. dt is 1/256, so that times have few digits
input()
{
    local every
    every=$(awk -v s="$5" 'BEGIN { printf "%.17g", (s >= 10 ? int(s / 10) : 1) * 0.00390625 }')
    cat >"$1.yaml" <<END
units: {system: lj}
particles: {model: fcc, n: $2, density: $3, temperature: $4}
interaction: {method: neighbour, cutoff: 2.5, cut: ${cut:-truncated}, arithmetic: portable}
species: [{name: a, epsilon: 1, sigma: 1, mass: 1, fraction: 0.75}, {name: b, epsilon: 0.7, sigma: 0.9, mass: 2, fraction: 0.25}]
integrator: {$6}
run: {steps: $5}
output: {diagnostics: $every, snapshots: ends, format: csv, report: false, checkpoint: none}
END
    [ $# -lt 7 ] || printf '%s\n' "${@:7}" >>"$1.yaml"
}

# go NAME BACKEND THREADS [OPTIONS...]: a run, in the folder NAME_BACKEND
go()
{
    local name=$1 backend=$2 on=$3 began=$SECONDS
    shift 3
    "$myriad" run "$name.yaml" --quiet --force --threads "$on" --set output.directory="${name}_$backend" \
        --set backend.name="$backend" "$@" >"${name}_$backend.log" 2>&1 ||
        { echo "$name on $backend: $(tail -n 1 "${name}_$backend.log")" >>errors; return 1; }
    echo $((SECONDS - began)) >"${name}_$backend/took"
}

lists() { sed -n 's/.*"lists_built": \([0-9]*\).*/\1/p' "$1/summary.json"; }
last() { find "$1" -name 'snapshot_*.csv' | sort | tail -n 1; }

# same NAME: the runs on processor and GPU
same()
{
    local a=$1_simd b=$1_cuda file
    if [ ! -e "$a/summary.json" ] || [ ! -e "$b/summary.json" ]; then
        wrong "$1: $(grep "^$1 on" errors 2>/dev/null || echo "no result")"
        return
    fi
    for file in "$a"/snapshot_*.csv "$a/diagnostics.csv"; do
        cmp -s "$file" "$b/${file##*/}" || { wrong "$1: ${file##*/}"; return; }
    done
    say "$1: same bits, $(sha256sum <"$(last "$a")" | cut -c 1-16); $(lists "$a") lists on the processor ($(cat "$a/took") s)," \
        "$(lists "$b") on the GPU ($(cat "$b/took") s)"
}

bath="temperature: 1.44"
input verlet "$N" 0.8442 1.44 "$STEPS" "name: verlet, dt: 0.00390625"
input langevin "$N" 0.8442 1.44 "$STEPS" "name: langevin, dt: 0.00390625, $bath, friction: 1"
input nose_hoover "$N" 0.8442 1.44 "$STEPS" "name: nose_hoover, dt: 0.00390625, $bath, period: 0.5"
cut=smooth
input springs "$FIELD_N" 0.8 1.2 "$FIELD_STEPS" "name: langevin, dt: 0.00390625, temperature: 1.2, friction: 1" \
    "restraint: {stiffness: 20, species: b}" \
    "external: [{kind: uniform_field, acceleration_x: 0.1}, {kind: harmonic, omega_z: 0.1}]"
input film "$FIELD_N" 0.6 0.9 "$FIELD_STEPS" "name: nose_hoover, dt: 0.00390625, temperature: 0.9, period: 0.5" \
    "box: {x: auto, y: auto, z: open}" "walls: [{axis: z, kind: lj93, low: -30, high: 30, epsilon: 3, sigma: 1, cutoff: 3}]" \
    "external: [{kind: uniform_field, acceleration_z: -0.02}]"
input mirrors "$FIELD_N" 0.6 1.5 "$FIELD_STEPS" "name: verlet, dt: 0.00390625" \
    "box: {x: auto, y: auto, z: open}" "walls: [{axis: z, kind: reflecting, low: -15, high: 15}]"
input droplet "$FIELD_N" 0.8 0.7 "$FIELD_STEPS" "name: langevin, dt: 0.00390625, temperature: 0.7, friction: 0.1" \
    "box: {x: open, y: open, z: open}"
input pressure "$FIELD_N" 0.8 1.2 "$FIELD_STEPS" "name: berendsen, dt: 0.00390625, temperature: 1.2, period: 0.5" \
    "barostat: {pressure: 1, interval: 25, coupling: anisotropic}"
input moves "$FIELD_N" 0.8 1.2 "$FIELD_STEPS" "name: langevin, dt: 0.00390625, temperature: 1.2, friction: 1"
sed -i 's/checkpoint: none/checkpoint: 600/' moves.yaml
input back "$REVERSE_N" 0.6 1.5 $((2 * REVERSE_STEPS)) "name: verlet, dt: 0.00390625, exact_reverse: true"
turn=$(awk -v s="$REVERSE_STEPS" 'BEGIN { printf "%.17g", s * 0.00390625 }')
sed -i "s/^run: {/&reverse: $REVERSE_STEPS, /; s/snapshots: ends/snapshots: $turn/" back.yaml
runs="verlet langevin nose_hoover" fields="springs film mirrors droplet pressure"

# moved: from the processor to the GPU, to 2 and 4 ranks on it, and back, a fifth of the steps each
moved()
{
    local k=0 stage backend file
    go moves simd "$threads" || { wrong "$(tail -n 1 errors)"; return; }
    rm -rf relay
    for stage in 1 1 2 4 1; do
        k=$((k + 1))
        [ $k -eq 1 ] || [ $k -eq 5 ] && backend=simd || backend=cuda
        file=(--restart relay)
        [ $k -gt 1 ] || file=(moves.yaml --set output.directory=relay)
        file=(run "${file[@]}" --quiet --set "backend.name=$backend" --set run.steps=$((FIELD_STEPS * k / 5)))
        if [ $stage -gt 1 ]; then
            bash "$source/tests/mpi/run.sh" openmpi $stage "$myriad" "${file[@]}"
        else
            "$myriad" "${file[@]}"
        fi >"relay_$k.log" 2>&1 || { wrong "a checkpoint to $backend on $stage ranks: $(tail -n 1 "relay_$k.log")"; return; }
        grep -q "\"backend\": \"$backend\"" relay/run.json || { wrong "part $k of the relay was not on $backend"; return; }
    done
    if tail -n +2 "$(last moves_simd)" | cmp -s - <(tail -n +2 "$(last relay)"); then
        say "a checkpoint from processor to GPU, 2 ranks, 4 ranks, processor: same bits, $FIELD_STEPS steps"
    else
        wrong "a run that went from processor to GPU, ranks and back"
    fi
}

# turned FIRST LAST: the same positions, forces and images, velocities turned
turned()
{
    paste -d, <(grep -v '^#' "$1") <(grep -v '^#' "$2") | awk -F, '
        NR == 1 { n = NF / 2; for (k = 1; k <= n; k++) v[k] = $k ~ /^v[xyz]$/; next }
        { for (k = 1; k <= n; k++) { a = $k; b = $(k + n); if (v[k] && a + 0 != 0) a = substr(a, 1, 1) == "-" ? substr(a, 2) : "-" a
          if (a != b && !(v[k] && a + 0 == 0 && b + 0 == 0)) bad++ } }
        END { exit bad || NR < 2 }'
}

rm -f errors
for part in ${CASES:-runs fields moves reverse}; do
    case $part in
        # every run of the GPU beside that of the processor, to save time
        runs | fields)
            [ "$part" = runs ] && names=$runs || names=$fields
            for name in $names; do go "$name" cuda 1; done &
            for name in $names; do go "$name" simd "$threads"; done
            wait
            for name in $names; do same "$name"; done
            ;;
        moves) moved ;;
        reverse)
            go back cuda 1 &
            go back simd 1
            wait
            same back
            for backend in simd cuda; do
                if turned back_$backend/snapshot_00000.csv "$(last back_$backend)"; then
                    say "exact_reverse on $backend: $REVERSE_STEPS steps and as many back are the first state"
                else
                    wrong "exact_reverse on $backend: another state"
                fi
            done
            ;;
    esac
done
[ $failed -eq 0 ] && echo "the bits of the processor"
exit $((failed > 0))
