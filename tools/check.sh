#!/bin/sh
# Everything about the source that needs no run: format, static analysis, directions of includes, callers, symbols, documentation.
# usage: check.sh BUILD_DIR [JOBS [PART]]; runs all checks, then fails if one did. With a number PART cppcheck and clang's
# analyzer look at a sixth of the files (from number PART % 6 on) and at those that the last commit changed.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:-build} jobs=${2:-2} part=${3:-}
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

# The library, the program, the drop-in libraries; one unit stands for all, since they are the same text. The code for AMUSE
# needs headers that AMUSE makes.
tidied()
{
    sources 'src/*.c' 'runs/*.c' 'cli/*.c' 'bindings/*.c' |
        grep -vE -e '^src/backend/(unit|near_unit|expansion_unit|isa|short_range)\.c$' -e '^bindings/amuse/'
    echo "$build/gen/units/scalar/gravity_single_scalar.c"
}

# Those that cppcheck and clang's analyzer look at; the latter takes nine tenths of the time of clang-tidy.
analysed()
{
    [ -z "$part" ] && tidied && return
    tidied > "$build/tidy.list"
    {
        awk -v part="$part" 'NR % 6 == part % 6' "$build/tidy.list"
        git diff --name-only HEAD~1 2> /dev/null | grep -Fxf "$build/tidy.list"
    } | sort -u
}

# tidy [OPTIONS]: of the files that it reads the names of. A third of the states that clang looks at by itself take half the
# time (16 files: 15 s of 34); MYRIAD_TEST_LONG=1 asks for all.
tidy()
{
    states=75000
    [ -n "${MYRIAD_TEST_LONG:-}" ] && states=225000
    xargs -n 1 -P "$jobs" clang-tidy --quiet -p "$build" --warnings-as-errors='*' --extra-arg=-Xclang \
        --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=$states "$@" 2>> "$build/tidy.log"
}

check_tidy()
{
    : > "$build/tidy.log"
    analysed > "$build/analysed.list"
    tidy < "$build/analysed.list" || return 1
    # the other files without the analyzer; -w: warnings of clang itself are off, as they are beside it; those of gcc are
    # errors of the build
    [ -z "$part" ] || tidied | grep -vxFf "$build/analysed.list" | tidy '--checks=-clang-analyzer-*' --extra-arg=-w
}

check_cppcheck()
{
    analysed | grep -v '/gen/units/' > "$build/cppcheck.list"
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
