#!/bin/sh
# The tests and the examples need nothing beside the repository: none names a file outside it, an example names only files
# that are there, and no test is skipped because data is missing. The check is first seen to fail on small trees with one
# fault each.
# usage: self_contained.sh ROOT
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# outside ROOT: absolute paths but those of the system and those that are nowhere on purpose, paths that start with ../
# (those of CMake and of links are meant from the folder of their file), and the variable that named a folder of data
outside()
{
    grep -rnoIE "(^|[^A-Za-z0-9_.})\$/*-])/[A-Za-z]+/[A-Za-z0-9_]+" "$1/tests" "$1/examples" --exclude-dir=house |
        grep -vE ".:[0-9]+:.?/(bin|dev|proc|sys|tmp|nonexistent|nowhere)/|/usr/bin$"
    grep -rnIE "(^|[\"' =(:-])\.\./[A-Za-z]|MYRIAD_REFDATA" "$1/tests" "$1/examples" --exclude-dir=house \
        --exclude=CMakeLists.txt --exclude="*.md"
}

# skips ROOT: a test that is skipped a few lines after it has looked for a file, or says that data is not there
skips()
{
    find "$1/tests" -type f \( -name '*.c' -o -name '*.h' -o -name '*.sh' -o -name '*.inc' -o -name '*.py' \) ! -path '*/house/*' \
        -exec awk '
        FNR == 1 { looked = -9 }
        /fopen\(|access\(|source_file\(|\[ (! )?-[defrs] / { looked = FNR }
        /^}/ { looked = -9 }
        (/skip\(\)|(return|exit\(?) ?77/ && FNR - looked <= 4) || /[Ss]kip.*reference (data|file)|reference (data|file).*skip/ {
            printf "%s:%d: a test is skipped for missing data: %s\n", FILENAME, FNR, $0
        }' {} +
}

# missing ROOT: files that examples name
missing()
{
    for example in "$1"/examples/*.yaml; do
        [ -e "$example" ] || continue
        sed -n 's/^ *\(file\|topology\|table\|kernel\): *\([^ #]*\.[A-Za-z0-9]*\).*/\2/p' "$example" | while read -r name; do
            [ -e "$(dirname "$example")/$name" ] || echo "$example: $name is not beside it"
        done
    done
}

# check ROOT: prints what is wrong
check()
{
    outside "$1"
    skips "$1"
    missing "$1"
}

# fault PATH TEXT: a tree with this file must not pass
fault()
{
    rm -rf "$work/tree"
    mkdir -p "$work/tree/tests/unit" "$work/tree/examples"
    echo 'FILE *f = fopen(source_file("tests/data/a.csv"), "r");' >"$work/tree/tests/unit/test_good.c"
    printf 'particles:\n  file: a.csv # beside it\n' >"$work/tree/examples/good.yaml"
    touch "$work/tree/examples/a.csv"
    [ -z "$(check "$work/tree")" ] || { echo "a tree without faults does not pass: $(check "$work/tree")"; exit 1; }
    printf '%b\n' "$2" >"$work/tree/$1"
    [ -n "$(check "$work/tree")" ] || { echo "not found in $1: $2"; exit 1; }
}

fault tests/unit/test_a.c 'read("../data/a.csv");'
fault tests/unit/test_a.c 'read("/srv/data/a.csv");'
fault tests/unit/test_a.c 'getenv("MYRIAD_REFDATA")'
# shellcheck disable=SC2016
fault tests/unit/a.sh 'files=${DATA:-../shared}/a'
# shellcheck disable=SC2016
fault tests/unit/a.sh '[ -f "$data" ] || { echo "no $data"; exit 77; }'
fault tests/unit/test_a.c '    FILE *f = fopen(path, "r");\n    if (!f)\n        return 77;'
fault tests/unit/test_a.c '    if (access(path, F_OK) != 0)\n        skip();'
fault examples/a.yaml 'particles:\n  file: b.csv'
fault examples/a.yaml 'particles:\n  file: /home/me/a.csv'

found=$(check "$1")
[ -z "$found" ] && echo "tests and examples name nothing outside the repository" && exit 0
echo "$found"
exit 1
