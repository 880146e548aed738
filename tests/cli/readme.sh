#!/bin/bash
# What README.md and CONTRIBUTING.md print is true: every command runs, the C example is examples/hello.c, and the table of
# README.md names what the program has, no more and no less.
#
# Commands are the lines of shell blocks and the code spans that begin with a command. Each is run as printed, in a folder
# with links to build/ and examples/, or shortened by the rules of run_command. A command without a rule is a failure.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"
root=$(cd "$(dirname "$0")/../.." && pwd)
MYRIAD=$(realpath "$MYRIAD")
build=$(dirname "$MYRIAD")
cd "$WORK" || exit 1
ln -s "$build" build
ln -s "$root/examples" examples
ln -s "$root/tools" tools
# Several ranks on whatever cores there are, perhaps as root.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMP_NUM_THREADS=1

# commands_of PAGE: the commands that a page prints, one a line, without comments
commands_of()
{
    awk '
        /^```/ { shell = $0 == "```sh"; block = !block; next }
        block && shell && NF { print; next }
        !block {
            n = split($0, span, "`")
            for (k = 2; k <= n; k += 2)
                if (span[k] ~ /^([A-Z_]+=[^ ]* )*(make|cmake|ctest|mpirun|cc|sh|bash|python3|source|build\/[a-z_\/]+|tools\/[a-z_]+\.(sh|py)|tests\/[a-z_\/]+\.(sh|py)) /)
                    print span[k]
        }' "$1" | sed 's/  *#.*$//; s/[ \t]*$//'
}

# attempt PAGE COMMAND: runs it in this folder
attempt()
{
    timeout 100 bash -c "$2" >out 2>err </dev/null || fail "$1: '$2' ends with $?: $(tail -n 3 err)"
}

# run_command PAGE COMMAND
run_command()
{
    local page=$1 command=$2 target
    case $command in
    make\ * | *=*\ make\ *) # builds, tests or installs everything: the target must exist
        target=${command#*make }
        # shellcheck disable=SC2086 # a target may come with variables
        make -n -C "$root" $target >out 2>err || fail "$page: there is no 'make $target': $(tail -n 1 err)"
        ;;
    "cmake --preset "*" && cmake --build "*) # another build of everything: the preset must exist
        target=${command#cmake --preset }
        (cd "$root" && cmake --list-presets) | grep -qF "\"${target%% *}\"" || fail "$page: no preset in '$command'"
        ;;
    "ctest --test-dir build "*) # tests are not run by a test: some must match
        bash -c "$command -N" >out 2>err
        grep -q 'Total Tests: [1-9]' out || fail "$page: '$command' matches no test"
        ;;
    "mpirun "*)
        command -v mpirun.openmpi >/dev/null || { echo "not run, no mpirun.openmpi: $command"; return; }
        # under the address sanitizer what MPI itself does not free is not looked for
        ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" attempt "$page" "${command/mpirun/mpirun.openmpi} --set run.steps=5"
        ;;
    "build/myriad run --restart "*) attempt "$page" "$command --set run.steps=10" ;;
    "build/myriad run "*) attempt "$page" "$command --set run.steps=5" ;;
    "build/myriad bench "*) attempt "$page" "${command/ --quick/} --quick" ;;
    "tools/same_bits.sh "*) # on plain C; conformance.bits and make test-arm have the other instruction sets
        ISAS=scalar attempt "$page" "${command/ build-arm*/}"
        grep -qxF "$(tail -n 1 out)" "$root/README.md" || fail "$page prints another hash than $(tail -n 1 out)"
        ;;
    "build/"* | "tools/"*) attempt "$page" "$command" ;;
    *) fail "$page: no rule how to try '$command'" ;;
    esac
}

check_page()
{
    local page=$1 command
    commands_of "$page" >"$WORK/commands"
    [ -s "$WORK/commands" ] || fail "$page shows no commands"
    while read -r command <&3; do
        run_command "$(basename "$page")" "$command"
    done 3<"$WORK/commands"
}

# row NAME PROGRAM'S NAMES...: the names in code spans of a row of README.md's table are those of the program
row()
{
    local name=$1
    shift
    printf '%s\n' "$@" | sort >has
    grep "^| $name |" "$root/README.md" | grep -o '`[a-z0-9_]*`' | tr -d '`' | sort >says
    [ -s says ] || fail "README.md has no row '$name'"
    diff has says >out || fail "row '$name' of README.md differs from the program (<: program, >: README): $(grep '^[<>]' out)"
}

# names SECTION: the names of a list in `myriad info --json`
names()
{
    "$MYRIAD" info --json | awk -v section="  \"$1\": [" 'index($0, section) == 1 { on = 1; next } /^  \]/ { on = 0 }
        on && /^      "name":/ { gsub(/[",]/, ""); print $2 }'
}

# choices KEY: the names that a key of an input file may have
choices()
{
    "$MYRIAD" explain "$1" | sed -n 's/^ *Expected: one of: \(.*\)\.$/\1/p' | tr -d ,
}

awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$root/README.md" >readme.c
cmp -s readme.c "$root/examples/hello.c" || fail "the example in README.md is not examples/hello.c"

# The table of the demo: the bits of portable arithmetic are the same on every machine.
printed=$(sed -n 's/^fixed, portable .* \([0-9a-f]\{16\}\)$/\1/p' "$root/README.md")
hash=$(value hash --model plummer --n 8192 --kernel gravity --eps 0.01 --seed 1 --samples 0 --accumulator fixed --arithmetic portable)
[ "$printed" = "$hash" ] || fail "README.md prints the hash '$printed' of fixed sums in portable arithmetic, and it is '$hash'"

# shellcheck disable=SC2046 # several words are wanted
{
    row Kernels $(names kernels)
    row Accumulators $(names accumulators)
    row Models $(names models)
    row "File formats" $(names formats)
    row Methods $(choices interaction.method)
    row Integrators $(choices integrator.name)
    row Benchmarks $("$MYRIAD" bench --help | sed -n '/^SUITE/,/^$/p' | tr -s ' \n' ' ' | sed 's/.*one of: \(.*\) all $/\1/')
}
check_page "$root/README.md"
check_page "$root/CONTRIBUTING.md"

# The test itself can fail: a page whose every command is wrong.
before=$FAILED
cat >wrong.md <<'END'
`make no-such-target` `ctest --test-dir build -R conformance.no_such_test` `cmake --preset nothing && cmake --build x`
```sh
build/myriad eval --no-such-option
build/myriad run examples/no_such_input.yaml   # missing
perl -e 1
```
END
check_page "$WORK/wrong.md" >wrong.out
[ $((FAILED - before)) -eq 6 ] || fail "of 6 wrong commands $((FAILED - before)) were noticed: $(cat wrong.out)"
[ $((FAILED - before)) -eq 6 ] && FAILED=$before
finish
