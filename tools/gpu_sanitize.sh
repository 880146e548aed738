#!/bin/bash
# gpu_sanitize.sh BUILD: compute-sanitizer (memcheck, racecheck) over small evaluations on the GPU: both shapes of the
# loop, exclusions in three ways, tables of types, lists of targets, streaming. Exit code 77 where it cannot be run.
build=${1:-build}
command -v compute-sanitizer >/dev/null || { echo "skipped: compute-sanitizer is not on the path"; exit 77; }
"$build/myriad" eval --backend cuda -n 64 --quiet >/dev/null 2>&1 || { echo "skipped: no GPU"; exit 77; }
export MYRIAD_CACHE=${MYRIAD_CACHE:-$build/test_cache}
failed=0

# clean TOOL PROGRAM ARGS...: a run that must be clean
clean()
{
    local tool=$1 out
    shift
    if ! out=$(timeout 60 compute-sanitizer --tool "$tool" --error-exitcode 9 "$@" 2>&1) ||
        ! grep -q -e "ERROR SUMMARY: 0 errors" -e "RACECHECK SUMMARY: 0 hazards" <<<"$out"; then
        echo "FAILED: $tool: $*"
        tail -n 15 <<<"$out"
        failed=$((failed + 1))
    fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/plummer.yaml" <<'Y'
particles: {model: plummer, n: 300}
interaction: {eps: 0.01}
backend: {name: cuda}
integrator: {name: hermite4}
run: {end: 0.03125}
output: {report: false}
Y
for tool in memcheck racecheck; do
    eval=("$tool" "$build/myriad" eval --backend cuda --quiet -n)
    clean "${eval[@]}" 777 --accumulator fixed
    clean "${eval[@]}" 8500 --accumulator single --arithmetic single
    clean "${eval[@]}" 700 --kernel ljc_constant --accumulator narumi --arithmetic single
    clean "${eval[@]}" 700 --kernel gravity_jerk --arithmetic portable
    clean "${eval[@]}" 700 --kernel sph_density --accumulator double --arithmetic double
    clean "${eval[@]}" 700 --targets 3
    MYRIAD_CUDA_MEMORY=200000 clean "${eval[@]}" 3000
    MYRIAD_CUDA_DEVICES=0,0 clean "${eval[@]}" 3000
    clean "$tool" "$build/myriad" run "$work/plummer.yaml" --set "output.directory=$work/$tool"
    [ ! -x "$build/tests/test_conformance_exclusions" ] ||
        clean "$tool" "$build/tests/test_conformance_exclusions" cuda lennard_jones
done
[ $failed -eq 0 ] && echo "compute-sanitizer: clean"
exit $((failed > 0))
