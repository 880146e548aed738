#!/bin/bash
# gpu_check.sh OUT [BUILD [CMAKE OPTIONS...]]: everything about the GPU backend in one go: builds, runs the tests labelled
# gpu, compute-sanitizer and the benchmarks, and writes what they say to the directory OUT. The end is a short summary.
# A few minutes on 16 cores.
out=$(mkdir -p "${1:?say where to write}" && cd "$1" && pwd)
build=${2:-build-gpu}
shift $(($# > 2 ? 2 : $#))
source=$(cd "$(dirname "$0")/.." && pwd)
jobs=${JOBS:-$(nproc)}
begin=$SECONDS
summary=$out/summary.txt
: >"$summary"

say()
{
    echo "[$((SECONDS - begin)) s] $*" | tee -a "$summary"
}

# step NAME COMMAND...: its output goes to OUT/NAME.txt
step()
{
    local name=$1 code
    shift
    "$@" >"$out/$name.txt" 2>&1
    code=$?
    case $code in
        0) say "$name: good" ;;
        77) say "$name: skipped: $(tail -n 1 "$out/$name.txt")" ;;
        *) say "$name: FAILED ($code), see $name.txt: $(tail -n 1 "$out/$name.txt")" ;;
    esac
    return $code
}

generator=()
command -v ninja >/dev/null && [ ! -e "$build/CMakeCache.txt" ] && generator=(-G Ninja)
step configure cmake -S "$source" -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release "$@" || exit 1
step build cmake --build "$build" --parallel "$jobs" || exit 1
build=$(cd "$build" && pwd)
export MYRIAD_CACHE=$build/test_cache MYRIAD_CUDA_PLUGIN=$build/libmyriad_cuda.so
step info "$build/myriad" info
step bench_gpu timeout 150 "$build/myriad" bench gpu --quiet
step tests timeout 300 ctest --test-dir "$build" -L gpu --output-on-failure --parallel 4
# what the tests measured, for the tables of bars
"$build/tests/gpu/test_gpu_functions" >"$out/functions.txt" 2>&1
grep -h "measured on the GPU" "$build/Testing/Temporary/LastTest.log" >"$out/measured.txt" 2>/dev/null
step box_bits timeout 200 bash "$source/tools/gpu_box_bits.sh" "$build"
step sanitize timeout 120 bash "$source/tools/gpu_sanitize.sh" "$build"
step bench_direct timeout 90 "$build/myriad" bench direct --backend cuda --quiet
step bench_kernels timeout 90 "$build/myriad" bench kernels --backend cuda --quiet
step bench_accumulators timeout 60 "$build/myriad" bench accumulators --backend cuda --quiet

echo
grep -h -A 1 "^GPUs:" "$out/info.txt"
sed -n '/^Speeds on the GPU/,/^$/p' "$out/bench_gpu.txt"
sed -n '/^Plummer sphere/,$p' "$out/bench_gpu.txt"
grep -h -e "tests passed" -e "(Failed)" -e "(Skipped)" -e "(Timeout)" "$out/tests.txt"
cat "$out/measured.txt"
cat "$summary"
! grep -q FAILED "$summary"
