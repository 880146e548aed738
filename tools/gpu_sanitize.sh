#!/bin/bash
# gpu_sanitize.sh BUILD [direct|boxes|all]: compute-sanitizer (memcheck, racecheck) over small cases on the GPU. direct:
# both shapes of the loop, exclusions in three ways, tables of types, lists of targets, streaming, an integrator. boxes:
# particles in a box with all integrators, sums and arithmetics, fields, walls, springs, barostats, a minimisation, lists
# that are checked, two ranks. JOBS (8) run side by side; LIMIT (60) seconds for each. Exit code 77 where it cannot be run.
build=$(cd "${1:-build}" && pwd) || exit 2
kinds=${2:-all}
source=$(cd "$(dirname "$0")/.." && pwd)
command -v compute-sanitizer >/dev/null || { echo "skipped: compute-sanitizer is not on the path"; exit 77; }
"$build/myriad" info | grep -q "compute capability" || { echo "skipped: no GPU"; exit 77; }
export MYRIAD_CACHE=${MYRIAD_CACHE:-$build/test_cache}
export MYRIAD_MPI_PLUGIN=${MYRIAD_MPI_PLUGIN:-$build/libmyriad_openmpi.so}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
runs=0

# checked NUMBER TOOL COMMAND...: a command under compute-sanitizer, which must have no findings
checked()
{
    local number=$1 tool=$2 log=$work/$1.log began=$SECONDS
    shift 2
    if ! timeout "${LIMIT:-60}" compute-sanitizer --tool "$tool" --error-exitcode 9 "$@" >"$log" 2>&1 ||
        ! grep -q -e "ERROR SUMMARY: 0 errors" -e "RACECHECK SUMMARY: 0 hazards" "$log" ||
        grep -e "ERROR SUMMARY:" -e "RACECHECK SUMMARY:" "$log" | grep -qv -e ": 0 errors" -e ": 0 hazards"; then
        touch "$work/$number.failed"
        printf 'FAILED: %s\n%s\n' "$tool: $*" "$(tail -n 15 "$log")"
    else
        echo "clean in $((SECONDS - began)) s: $tool: ${*#"$work/"}"
    fi
}

# clean TOOL COMMAND...: starts it, when fewer than JOBS run
clean()
{
    while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-8}" ]; do wait -n; done
    runs=$((runs + 1))
    checked $runs "$@" &
}

cat >"$work/plummer.yaml" <<'Y'
particles: {model: plummer, n: 300}
interaction: {eps: 0.01}
backend: {name: cuda}
integrator: {name: hermite4}
run: {end: 0.03125}
output: {report: false}
Y

# box NAME SETTINGS... [-- LINES...]: an input of particles in a box, changed by settings of the command line
cases=()
box()
{
    local name=$1
    cat >"$work/$name.yaml" <<'Y'
units: {system: lj}
particles: {model: fcc, n: 500, density: 0.8, temperature: 1.5}
species: [{name: a, epsilon: 1, sigma: 1, mass: 1, fraction: 0.75}, {name: b, epsilon: 0.7, sigma: 0.9, mass: 2, fraction: 0.25}]
interaction: {method: neighbour, cutoff: 2.5}
integrator: {dt: 0.005}
backend: {name: cuda}
run: {steps: 20}
output: {diagnostics: 0.05, snapshots: ends, format: csv, report: false}
Y
    shift
    : >"$work/$name.set"
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        printf '%s\n' --set "$1" >>"$work/$name.set"
        shift
    done
    [ $# -lt 2 ] || printf '%s\n' "${@:2}" >>"$work/$name.yaml"
    cases+=("$name")
}
box verlet interaction.arithmetic=single
box exact interaction.arithmetic=portable integrator.exact_reverse=true run.reverse=10
box langevin interaction.cut=spline interaction.inner=2 integrator.name=langevin integrator.temperature=1.5 \
    integrator.friction=1 interaction.accumulator=single -- "restraint: {stiffness: 20, species: b}" \
    "external: [{kind: uniform_field, acceleration_x: 0.1}, {kind: harmonic, omega_z: 0.3}]"
box chain integrator.name=nose_hoover integrator.temperature=1.5 interaction.accumulator=double \
    interaction.arithmetic=double -- "barostat: {pressure: 1, interval: 3, coupling: anisotropic}"
box scaling integrator.name=berendsen integrator.temperature=1.5 integrator.remove_drift=4 interaction.check=true
box walls integrator.name=langevin integrator.temperature=1.5 integrator.friction=1 -- "box: {x: auto, y: open, z: open}" \
    "walls: [{axis: z, kind: lj93, low: -7, high: 7, epsilon: 2, sigma: 1}, {axis: y, kind: reflecting, low: -6, high: 6}]"
box minimum interaction.cut=smooth interaction.check=true -- "minimise: {steps: 40}"

for tool in memcheck racecheck; do
    if [ "$kinds" != boxes ]; then
        eval=("$tool" "$build/myriad" eval --backend cuda --quiet -n)
        clean "${eval[@]}" 777 --accumulator fixed
        clean "${eval[@]}" 8500 --accumulator single --arithmetic single
        clean "${eval[@]}" 700 --kernel ljc_constant --accumulator narumi --arithmetic single
        clean "${eval[@]}" 700 --kernel gravity_jerk --arithmetic portable
        clean "${eval[@]}" 700 --kernel sph_density --accumulator double --arithmetic double
        clean "${eval[@]}" 700 --targets 3
        clean "${eval[@]}" 5000 --method fmm --tolerance 1e-4 --kernel gravity_potential --accumulator fixed
        clean "${eval[@]}" 5000 --method fmm --tolerance 1e-3 --kernel gravity_jerk --accumulator single
        clean "${eval[@]}" 4096 --method fmm --tolerance 1e-2 --kernel velocity_stretching --model isotropic_turbulence
        MYRIAD_CUDA_MEMORY=200000 clean "${eval[@]}" 3000
        MYRIAD_CUDA_DEVICES=0,0 clean "${eval[@]}" 3000
        clean "$tool" "$build/myriad" run "$work/plummer.yaml" --set "output.directory=$work/$tool"
        [ ! -x "$build/tests/test_conformance_exclusions" ] ||
            clean "$tool" "$build/tests/test_conformance_exclusions" cuda lennard_jones
    fi
    if [ "$kinds" != direct ]; then
        for name in "${cases[@]}"; do
            mapfile -t set <"$work/$name.set"
            clean "$tool" "$build/myriad" run "$work/$name.yaml" --quiet "${set[@]}" --threads 1 \
                --set "output.directory=$work/${tool}_$name"
        done
        command -v mpirun.openmpi >/dev/null &&
            clean "$tool" --target-processes all bash "$source/tests/mpi/run.sh" openmpi 2 "$build/myriad" run \
                "$work/verlet.yaml" --quiet --set "output.directory=$work/${tool}_ranks"
    fi
done
wait
failed=$(find "$work" -name '*.failed' | wc -l)
[ "$failed" -eq 0 ] || { echo "compute-sanitizer: $failed of $runs runs FAILED"; exit 1; }
echo "compute-sanitizer: $runs runs are clean"
