#!/bin/bash
# Builds and runs a slice of the tests in a tree under the sanitizers: tests of the library and of the command line, those
# whose number in the list is PART modulo SLICES. Only their programs are built, beside the library and the program.
# usage: tools/asan_slice.sh BUILD PART SLICES [JOBS]
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 2; }
build=$1 part=$2 slices=$3 jobs=${4:-$(nproc)}
mapfile -t tests < <(ctest --test-dir "$build" -N -R '^(unit|conformance|physics|cli)[.]' -E '^cli[.](bench|bits)$' |
    sed -n 's/^ *Test *#[0-9]*: //p' | awk -v part="$part" -v of="$slices" 'NR % of == part % of')
[ ${#tests[@]} -gt 0 ] || { echo "no test is in slice $part of $slices of $build" >&2; exit 1; }
known=$(cmake --build "$build" --target help)
targets=(program)
for plugin in myriad_watch myriad_openmpi myriad_mpich; do # what tests of the command line use
    grep -qE "^([.]{3} )?$plugin(:|\$)" <<<"$known" && targets+=("$plugin")
done
for test in "${tests[@]}"; do
    grep -qE "^([.]{3} )?test_${test/./_}(:|\$)" <<<"$known" && targets+=("test_${test/./_}")
done
echo "${#tests[@]} tests under the sanitizers: ${tests[*]}"
cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"
ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1 ctest --test-dir "$build" --output-on-failure --parallel "$jobs" \
    -R "^($(IFS='|'; echo "${tests[*]//./[.]}"))\$"
