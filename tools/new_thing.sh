#!/bin/sh
# Begins a kernel, an accumulator, an integrator, a model or a file format: writes its file, its lines in the tables, a
# test of a known answer, its name in README.md and a line in CHANGELOG.md. What is written builds and passes its test;
# then replace the example by your own. `make new-kernel NAME=x` runs this from the top of the source tree.
# usage: new_thing.sh kernel|accumulator|integrator|model|format NAME
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"

fail()
{
    echo "new_thing.sh: $1" >&2
    exit 1
}

[ $# -eq 2 ] || fail "usage: new_thing.sh kernel|accumulator|integrator|model|format NAME"
kind=$1 name=$2
echo "$name" | grep -Eqx '[a-z][a-z0-9_]{0,30}' || fail "NAME must be a word of small letters, digits and _: '$name'"

case $kind in
kernel) file=src/kernel/$name.h test=tests/physics/test_$name.c row=Kernels ;;
accumulator) file=src/accumulator/$name.h test=tests/unit/test_$name.c row=Accumulators ;;
integrator) file=src/integrator/$name.c test=tests/physics/test_$name.c row=Integrators ;;
model) file=src/model/$name.c test=tests/physics/test_$name.c row=Models ;;
format) file=src/io/$name.c test=tests/unit/test_formats_$name.c row="File formats" ;;
*) fail "'$kind' is none of kernel, accumulator, integrator, model, format" ;;
esac
for path in "$file" "$test"; do
    [ ! -e "$path" ] || fail "$path is there already"
done
if grep -Eq "^MYR_[A-Z_]+\(${name}[,)]" src/kernel/kernels.def src/accumulator/*.def src/integrator/integrators.def \
    src/model/models.def src/io/formats.def; then
    fail "a table has the name '$name' already"
fi

# from_template TEMPLATE FILE: @NAME@ is the name, @GUARD@ the same in capitals
from_template()
{
    guard=$(echo "$name" | tr '[:lower:]' '[:upper:]')
    sed "s/@NAME@/$name/g; s/@GUARD@/$guard/g" "tools/new/$1" > "$2"
    if command -v clang-format > /dev/null; then
        clang-format -i "$2"
    fi
    echo "wrote  $2"
}

# into FILE LINE: at the end of a table
into()
{
    echo "$2" >> "$1"
    echo "added to $1: $2"
}

# edit FILE PROGRAM: by sed; fails if nothing changes
edit()
{
    sed "$2" "$1" > "$1.new"
    if cmp -s "$1" "$1.new"; then
        rm "$1.new"
        fail "$1 is not laid out as expected; nothing was added there"
    fi
    cat "$1.new" > "$1"
    rm "$1.new"
    echo "changed $1"
}

from_template "$kind.${file##*.}.in" "$file"
from_template "${kind}_test.c.in" "$test"
case $kind in
kernel)
    into src/kernel/kernels.def "MYR_KERNEL($name, $name.h)"
    into src/interaction/operation_counts.def "/* dx 3, r2 3, sum 1 */"
    into src/interaction/operation_counts.def "MYR_OPERATIONS($name, 12, 31, 7 + RSQRT)"
    ;;
accumulator)
    into src/accumulator/loops.def "MYR_ACC_LOOP($name, FD)"
    into src/accumulator/accumulators.def "MYR_ACCUMULATOR($name, $name, \"-\", FD, \"contributions summed in double\")"
    # the bars of the conformance suite: those of `double`, which the example is
    edit tests/conformance/test_conformance.c \
        "s/^    {\"double\", \(.*\)},\$/&\n    {\"$name\", \1},/"
    ;;
integrator) into src/integrator/integrators.def "MYR_INTEGRATOR($name)" ;;
model) into src/model/models.def "MYR_MODEL($name)" ;;
format) into src/io/formats.def "MYR_FORMAT($name)" ;;
esac
edit README.md "s/^| $row | /&\`$name\`, /"
edit CHANGELOG.md "0,/^### Added/s//&\n- $(echo "$kind" | sed 's/^./\U&/') \`$name\`: TODO, what it is for./"

cat << END

Builds and passes as it is. Next:
  1. replace the example in $file, and the known answer in $test
  2. say what it is for in CHANGELOG.md, and find its place in README.md
  3. make && build/myriad explain --markdown > docs/input.md
  docs/howto/$kind.md tells the rest.
END
