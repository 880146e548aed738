#!/bin/bash
# All harnesses of a build for libFuzzer, side by side, each from its seeds for so many seconds.
# usage: campaign.sh SECONDS JOBS [BUILD_DIR [RESULTS_DIR]]
#   CC=clang cmake -B build-fuzz -DMYR_FUZZ=ON -DMYR_SANITIZE=fuzzer-no-link,address,undefined -DMYR_ONLY_ISAS=scalar
# Prints a table, and fails where a harness crashed, hung, leaked or took too much memory; what made it do so stays in
# RESULTS_DIR/NAME/found.
set -u
[ $# -ge 2 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 2; }
seconds=$1 jobs=$2 build=${3:-build-fuzz} results=${4:-fuzz-results}
here=$(cd "$(dirname "$0")" && pwd)
memory=2048 # MiB; a reader must not take more than the file can justify
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 OMP_NUM_THREADS=1
# libfyaml 0.7 forgets a buffer of its own where a quoted text has hundreds of quotes
export LSAN_OPTIONS=suppressions=$here/leaks.supp

# one HARNESS: seeds, then the fuzzer
one()
{
    local program=$1 name work
    name=$(basename "$program")
    work=$results/${name#fuzz_}
    mkdir -p "$work/corpus" "$work/found" "$work/seeds"
    MYRIAD_FUZZ_SEEDS="$work/seeds" "$program" >"$work/seeds.log" 2>&1
    echo $? >"$work/seeds.code"
    # the examples of input files are seeds too
    [ "$name" = fuzz_input ] && cp "$here"/../../examples/*.yaml "$work/seeds"
    "$program" -max_total_time="$seconds" -rss_limit_mb=$memory -malloc_limit_mb=$memory -timeout=20 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="$work/found/" "$work/corpus" "$work/seeds" >"$work/log" 2>&1 &
    local id=$!
    wait $id
    echo $? >"$work/code"
    rm -f "/dev/shm/myriad_fuzz_$id" # a fuzzer may end without cleaning up
}
export -f one
export here results seconds memory

# fuzz_gadget_hdf5 gives any bytes to the HDF5 library, which trusts them (1.10.8); fuzz_gadget makes whole files
programs=$(find "$build/tests/fuzz" -maxdepth 1 -type f -name 'fuzz_*' ! -name fuzz_gadget_hdf5 -perm -u+x | sort)
[ -n "$programs" ] || { echo "no harnesses in $build/tests/fuzz: configure with -DMYR_FUZZ=ON" >&2; exit 2; }
rm -rf "$results"
mkdir -p "$results"
echo "$programs" | xargs -P "$jobs" -I{} bash -c 'one {}'

failed=0
printf '%-14s %12s %10s %8s %8s %9s %8s  %s\n' harness runs "runs/s" coverage features "peak MiB" crashes exit
for program in $programs; do
    name=$(basename "$program")
    work=$results/${name#fuzz_}
    stat() { sed -n "s/^stat::$1: *//p" "$work/log" | tail -n 1; }
    last=$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$work/log" | tail -n 1)
    crashes=$(find "$work/found" -type f | wc -l)
    code=$(cat "$work/code")
    printf '%-14s %12s %10s %8s %8s %9s %8s  %s\n' "${name#fuzz_}" "$(stat number_of_executed_units)" \
        "$(stat average_exec_per_sec)" "$(echo "$last" | cut -d' ' -f2)" "$(echo "$last" | cut -d' ' -f4)" \
        "$(stat peak_rss_mb)" "$crashes" "$code"
    if [ "$code" -ne 0 ] || [ "$crashes" -ne 0 ] || [ "$(cat "$work/seeds.code")" -ne 0 ]; then
        failed=1
        grep -E -m 3 'ERROR|SUMMARY|broken:|runtime error' "$work/log" "$work/seeds.log" | sed 's/^/    /'
    fi
done
exit $failed
