#!/bin/sh
# Everything about the source that needs no run: format, static analysis, directions of includes, callers, symbols, documentation.
# usage: check.sh BUILD_DIR [JOBS]; runs all checks, then fails if one did.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:-build} jobs=${2:-2}
failed=""

# run NAME COMMAND...
run()
{
    name=$1
    shift
    echo "== $name"
    "$@" || failed="$failed $name"
}

sources() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r f; do [ -f "$f" ] && echo "$f"; done; }

check_format() { sources '*.c' '*.h' '*.cu' | xargs clang-format --dry-run -Werror; }

# The library, the program, the drop-in libraries; one unit stands for all, since they are the same text. A third of the
# states that clang looks at by itself take half the time (16 files: 15 s of 34); MYRIAD_TEST_LONG=1 asks for all.
check_tidy()
{
    states=75000
    [ -n "${MYRIAD_TEST_LONG:-}" ] && states=225000
    {
        sources 'src/*.c' 'runs/*.c' 'cli/*.c' 'bindings/*.c' | grep -vE '^src/backend/(unit|near_unit|expansion_unit|isa|short_range)\.c$'
        echo "$build/gen/units/scalar/gravity_single_scalar.c"
    } | xargs -n 1 -P "$jobs" clang-tidy --quiet -p "$build" --warnings-as-errors='*' --extra-arg=-Xclang \
        --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=$states 2> "$build/tidy.log"
}

check_cppcheck()
{
    sources 'src/*.c' 'runs/*.c' 'cli/*.c' 'bindings/*.c' | grep -vE '^src/backend/(unit|near_unit|expansion_unit|isa|short_range)\.c$' > "$build/cppcheck.list"
    cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability --inline-suppr -j "$jobs" \
        --suppress=missingInclude --suppress=missingIncludeSystem --suppress=unmatchedSuppression \
        -Iinclude -Isrc -I"$build/gen" --file-list="$build/cppcheck.list"
}

check_shell() { command -v shellcheck > /dev/null || { echo "no shellcheck: skipped"; return 0; }; sources '*.sh' .ci/run | xargs shellcheck --severity=warning; }

run format check_format
run tidy check_tidy
run cppcheck check_cppcheck
run shellcheck check_shell
run includes sh tools/check_includes.sh .
run callers sh tools/check_callers.sh .
run documentation sh tools/check_documentation.sh include/myriad
run paths sh tools/check_paths.sh .
run symbols sh tools/check_symbols.sh include/myriad "$build/libmyriad.so" "$build/libmyriad.a" "$build/libmyriad_run.so"

if [ -n "$failed" ]; then
    echo "make check: failed:$failed" >&2
    exit 1
fi
echo "make check: all passed"
