#!/bin/bash
# Every way that uses threads under clang's thread sanitizer, with four threads.
# usage: tools/thread_sanitizer.sh BUILD [WORK]
#   CC=clang cmake -B build-tsan -DMYR_SANITIZE=thread -DMYR_ONLY_ISAS=sse2 -DMYR_MPI=OFF -DMYR_USE_CUDA=OFF
#   cmake --build build-tsan --target myriad_cli myriad_watch
# Prints a line for each; exit code 1 where one races or fails, with the report in WORK/NAME.err (thread-sanitizer).
# libarcher tells the sanitizer what OpenMP synchronises; it comes with clang's OpenMP library. Molecules need vectors, whose
# loops are compiled at their first use, with the sanitizer, too. CASES=REGEX: those whose names match.
set -u
[ $# -ge 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
myriad=$(realpath "$1/myriad") build=$(realpath "$1") || exit 2
mkdir -p "${2:-thread-sanitizer}" && cd "${2:-thread-sanitizer}" || exit 2
archer=$(ldd "$myriad" | awk '/libomp\.so/ { print $3 }' | xargs -r realpath | xargs -r dirname)/libarcher.so
[ -e "$archer" ] || { echo "no libarcher.so beside the OpenMP library of $myriad: every barrier would be a race" >&2; exit 2; }
export OMP_TOOL_LIBRARIES=$archer MYRIAD_CUDA_PLUGIN=none TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66"
failed=0

# run_one NAME WORDS...: a command of the program, which is to end well and without a race
run_one()
{
    local name=$1 code races
    shift
    [[ $name =~ ^(${CASES:-.*})$ ]] || return
    setarch -R "$myriad" "$@" --threads 4 --quiet >"$name.out" 2>"$name.err"
    code=$?
    races=$(grep -c 'WARNING: ThreadSanitizer' "$name.err")
    printf '%-22s %3d races  exit code %d\n' "$name" "$races" $code
    [ "$code" -eq 0 ] && [ "$races" -eq 0 ] || failed=1
}
# evaluate NAME OPTIONS...: one evaluation, its error measured
evaluate() { run_one "$1" eval --isa scalar "${@:2}"; }
# simulate NAME CASE SETTINGS...: a case of tools/torture for a shorter time
simulate()
{
    local name=$1 case=$2 setting settings=()
    shift 2
    for setting; do settings+=(--set "$setting"); done
    run_one "$name" run "$here/torture/$case.yaml" --force --set output.directory="$name" "${settings[@]}"
}

evaluate direct --n 2000 --arithmetic mixed
evaluate direct_double --n 2000 --accumulator double --splits 5
evaluate jerk_binaries --n 2000 --kernel gravity_jerk --arithmetic portable --coincident 2
evaluate tree --n 6000 --method tree
evaluate fmm --n 6000 --method fmm
evaluate pseudo --n 6000 --method pseudo
evaluate vortex_fmm --model vortex_ring --n 5880 --kernel velocity_stretching --method fmm --tolerance 1e-4
simulate stars gravity run.end=0.05
simulate stars_leapfrog gravity integrator.name=leapfrog integrator.dt=0.001 interaction.method=tree run.end=0.01
simulate box box particles.n=4000 run.steps=40 observables.start=0.05
simulate vortex vortex run.end=0.2
simulate vortex_spreading vortex run.end=0.2 elements.diffusion=core_spreading
simulate mesh mesh run.end=0.2
run_one salt run "$here/../examples/molten_salt.yaml" --force --set output.directory=salt --set particles.n=216 --set run.end=none \
    --set run.steps=20 --set output.report=false
cat >vortex_mesh.yaml <<'END'
particles: {model: abc_flow, n: 12^3}
box: {x: 6.283185307179586, y: 6.283185307179586, z: 6.283185307179586}
interaction: {kernel: velocity_stretching, method: mesh, tolerance: 1e-3}
integrator: {name: rk3, dt: 0.05}
run: {steps: 3}
output: {report: false}
END
run_one vortex_mesh run vortex_mesh.yaml --force
run_one forced run "$here/../examples/forced_turbulence.yaml" --force --set output.directory=forced --set particles.n=12^3 --set run.end=none \
    --set run.steps=4 --set output.report=false
run_one forced_elements run vortex_mesh.yaml --force --set output.directory=forced_elements --set interaction.strengths=solved \
    --set interaction.viscosity=0.05 --set interaction.forcing=0.5 --set interaction.forced_waves=2.5
# molecules: alone, in generalised Born solvent with its surface, and replicas that exchange temperatures
run_one molecule run "$here/../examples/alanine.yaml" --force --set interaction.kernel=ljc_constant --set output.directory=molecule --set run.end=none --set run.steps=20 \
    --set output.report=false
run_one born run "$here/../examples/helix.yaml" --force --set output.directory=born --set minimise.steps=3 --set run.end=none \
    --set run.steps=5 --set output.report=false
cp "$here"/../examples/alanine.[ip]* .
cat >replicas.yaml <<'END'
units: {system: amber}
particles: {file: alanine.inpcrd, topology: alanine.prmtop, thermal: 300 K}
interaction: {kernel: ljc_constant}
solvent: {model: obc2}
integrator: {name: langevin, dt: 2 fs, temperature: 300 K, friction: 1 ps^-1, rigid: hydrogen}
run: {steps: 20}
output: {report: false}
replicas: {temperatures: [300 K, 316 K, 333 K, 351 K], exchange: {every: 5}}
END
run_one replicas run replicas.yaml --force
# with somebody who watches, or at least could: the page's thread beside those of the run
[ -e "$build/libmyriad_watch.so" ] &&
    run_one watched run "$here/torture/gravity.yaml" --force --set output.directory=watched --set run.end=0.1 --watch
exit $failed
