#!/bin/bash
# Every way that uses threads under clang's thread sanitizer, with four threads.
# usage: tools/thread_sanitizer.sh BUILD [WORK]
#   CC=clang cmake -B build-tsan -DMYR_SANITIZE=thread -DMYR_ONLY_ISAS=scalar -DMYR_MPI=OFF -DMYR_USE_CUDA=OFF
#   cmake --build build-tsan --target myriad_cli myriad_watch
# Prints a line for each; exit code 1 where one races or fails, with the report in WORK/NAME.err (thread-sanitizer).
# libarcher tells the sanitizer what OpenMP synchronises; it comes with clang's OpenMP library. Molecules are not among
# them: they need vectors, whose loops take long to compile here.
set -u
[ $# -ge 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
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
# with somebody who watches, or at least could: the page's thread beside those of the run
[ -e "$build/libmyriad_watch.so" ] &&
    run_one watched run "$here/torture/gravity.yaml" --force --set output.directory=watched --set run.end=0.1 --watch
exit $failed
