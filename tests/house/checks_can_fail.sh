#!/bin/sh
# The checks of tools/ must be able to fail: each is given a small tree with one fault of its kind.
# usage: checks_can_fail.sh TOOLS_DIR
set -u
tools=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect RESULT WHAT COMMAND...: RESULT is pass or fail
expect()
{
    wanted=$1 what=$2
    shift 2
    if "$@" > "$work/log" 2>&1; then got=pass; else got=fail; fi
    if [ $got != "$wanted" ]; then
        echo "$what: expected to $wanted, did $got"
        sed 's/^/    /' "$work/log"
        failures=$((failures + 1))
    fi
}

# include_tree PATH TEXT: a small correct tree, and one more file
include_tree()
{
    rm -rf "$work/tree"
    mkdir -p "$work/tree/src/core" "$work/tree/src/method/tree" "$work/tree/src/method/fmm" "$work/tree/cli" "$work/tree/runs" "$work/tree/include/myriad"
    echo '#include "core/memory.h"' > "$work/tree/src/method/direct.c"
    echo '#include "args.h"' > "$work/tree/cli/main.c"
    touch "$work/tree/cli/args.h"
    echo "$2" > "$work/tree/$1"
}

include_tree src/core/good.c '#include "core/memory.h"'
expect pass "a correct tree" sh "$tools/check_includes.sh" "$work/tree"
include_tree src/core/bad.c '#include "method/direct.h"'
expect fail "core knows method" sh "$tools/check_includes.sh" "$work/tree"
include_tree src/method/fmm/good.c '#include "method/tree/octree.h"'
expect pass "a later room knows an earlier one" sh "$tools/check_includes.sh" "$work/tree"
include_tree src/method/tree/bad.c '#include "method/fmm/fmm.h"'
expect fail "an earlier room knows a later one" sh "$tools/check_includes.sh" "$work/tree"
include_tree src/core/bad.c '#  include  "../method/direct.h"'
expect fail "a path with .." sh "$tools/check_includes.sh" "$work/tree"
include_tree src/method/bad.c '#include <mpi.h>'
expect fail "MPI in method" sh "$tools/check_includes.sh" "$work/tree"
include_tree cli/bad.c '#include "core/memory.h"'
expect fail "the program knows the inside" sh "$tools/check_includes.sh" "$work/tree"
include_tree runs/bad.c '#include "args.h"'
expect fail "runs know the program" sh "$tools/check_includes.sh" "$work/tree"
include_tree include/myriad/bad.h '#include "core/memory.h"'
expect fail "a public header knows the inside" sh "$tools/check_includes.sh" "$work/tree"

# callers_tree TEXT: a header that declares two functions, their definitions, and a program with this text
callers_tree()
{
    rm -rf "$work/callers"
    mkdir -p "$work/callers/src/core" "$work/callers/cli" "$work/callers/tests"
    printf '/* A. */\nint myr_core_a(int x,\n    int y);\n/* B. */\nmyr_core *myr_core_b(void);\n' > "$work/callers/src/core/core.h"
    printf 'int myr_core_a(int x, int y)\n{\n    return x < y;\n}\n\nmyr_core *myr_core_b(void)\n{\n    return 0;\n}\n' > "$work/callers/src/core/core.c"
    printf 'int main(void)\n{\n    return myr_core_a(1, 2) || myr_core_b();\n}\n' > "$work/callers/tests/test.c"
    printf '%s\n' "$1" > "$work/callers/cli/main.c"
}

callers_tree "static int (*const table[])(int, int) = {
    myr_core_a,
};
int main(void)
{
    return table[0](1, 2) || myr_core_b();
}"
expect pass "functions that are called" sh "$tools/check_callers.sh" "$work/callers"
callers_tree "int main(void)
{
    return myr_core_b();
}"
expect fail "a function that tests alone call" sh "$tools/check_callers.sh" "$work/callers"
grep -q "core.h:2: myr_core_a has no caller" "$work/log" || { echo "the function without a caller is not named"; failures=$((failures + 1)); }
callers_tree "int main(void)
{
    /* myr_core_a is called
     * by myr_core_a() */
    return myr_core_b(); // myr_core_a
}"
expect fail "a function that comments alone name" sh "$tools/check_callers.sh" "$work/callers"

mkdir -p "$work/doc"
printf '/* What it does. */\nMYR_API int myr_a(int x,\n                  int y);\nMYR_API int myr_b(void);\n' > "$work/doc/a.h"
expect pass "documented functions" sh "$tools/check_documentation.sh" "$work/doc"
printf '/* About something else. */\n\nMYR_API int myr_c(void);\n' > "$work/doc/b.h"
expect fail "a function without documentation" sh "$tools/check_documentation.sh" "$work/doc"

mkdir -p "$work/pages/docs" "$work/pages/src/core"
touch "$work/pages/docs/input.md"
echo 'void myr_memory_free(void *p);' > "$work/pages/src/core/memory.h"
echo 'See `src/core/memory.h`, `src/core/NAME.h`, `myr_memory_free(p)` and [input](docs/input.md#units).' > "$work/pages/README.md"
expect pass "paths that are there" sh "$tools/check_paths.sh" "$work/pages"
echo 'See `src/core/no_such_file.h`.' > "$work/pages/docs/a.md"
expect fail "a path that is not there" sh "$tools/check_paths.sh" "$work/pages"
echo 'See [input](docs/input.md).' > "$work/pages/docs/a.md"
expect fail "a link that leads nowhere" sh "$tools/check_paths.sh" "$work/pages"
echo '| `myr_memory_free` | `src/core/memory.h` |' > "$work/pages/docs/a.md"
expect pass "a function in its file" sh "$tools/check_paths.sh" "$work/pages"
echo '| `free_memory` | `src/core/memory.h` |' > "$work/pages/docs/a.md"
expect fail "a function that is not in its file" sh "$tools/check_paths.sh" "$work/pages"
echo 'See `myr_memory_lose()`.' > "$work/pages/docs/a.md"
expect fail "a function that does not exist" sh "$tools/check_paths.sh" "$work/pages"

# library C_TEXT: the text as both kinds of library, with every function visible; its headers are in $work/api
library()
{
    printf '%s\n' "$1" > "$work/lib.c"
    cc -fPIC -shared -o "$work/lib.so" "$work/lib.c" && cc -c -o "$work/lib.o" "$work/lib.c" &&
        rm -f "$work/lib.a" && ar qc "$work/lib.a" "$work/lib.o"
}

mkdir -p "$work/api"
printf '#define MYR_API\n/* . */\nMYR_API const char *myr_a(int x,\n    int y);\n' > "$work/api/a.h"
if command -v cc > /dev/null; then
    library 'const char *myr_a(int x, int y) { return x < y ? "" : 0; }'
    expect pass "a clean library" sh "$tools/check_symbols.sh" "$work/api" "$work/lib.so" "$work/lib.a"
    library 'const char *myr_a(int x, int y) { return x < y ? "" : 0; } void helper(void) {}'
    expect fail "a name without the prefix" sh "$tools/check_symbols.sh" "$work/api" "$work/lib.so" "$work/lib.a"
    library 'const char *myr_a(int x, int y) { return x < y ? "" : 0; } void myr_b(void) {}'
    expect fail "an export that no header declares" sh "$tools/check_symbols.sh" "$work/api" "$work/lib.so" "$work/lib.a"
    library '#include <stdlib.h>
const char *myr_a(int x, int y) { if (x < y) exit(1); return 0; }'
    expect fail "a library that ends the process" sh "$tools/check_symbols.sh" "$work/api" "$work/lib.so" "$work/lib.a"
    library 'void myr_b(void) {}'
    expect fail "a declaration without an export" sh "$tools/check_symbols.sh" "$work/api" "$work/lib.so" "$work/lib.a"
fi

[ $failures -eq 0 ] && echo "every check fails where it should"
exit $((failures > 0))
