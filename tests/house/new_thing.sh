#!/bin/sh
# `make new-kernel NAME=x` and the same for accumulators, integrators, models and formats: what each writes builds, is in
# the tables and passes its test. Everything is done in a copy of the source tree, which is removed; of the kernels the
# copy builds gravity and the new one, for one instruction set.
# usage: new_thing.sh SOURCE_DIR CMAKE C_COMPILER
set -eu
source=$1 cmake=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "new_thing: $1"
    exit 1
}

mkdir "$work/tree"
if git -C "$source" rev-parse --git-dir > /dev/null 2>&1; then
    # shellcheck disable=SC2016
    (cd "$source" && git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c \
        'for f; do [ ! -f "$f" ] || printf "%s\0" "$f"; done' sh) > "$work/files"
    tar -C "$source" --null -T "$work/files" -cf - | tar -C "$work/tree" -xf -
else
    tar -C "$source" --exclude='./build*' -cf - . | tar -C "$work/tree" -xf -
fi
cd "$work/tree"

for kind in kernel accumulator integrator model format; do
    make -s "new-$kind" NAME="try_$kind" > "$work/log" 2>&1 || { cat "$work/log"; fail "make new-$kind"; }
    grep -q "\`try_$kind\`" README.md || fail "README.md does not name try_$kind"
    grep -q "\`try_$kind\`" CHANGELOG.md || fail "CHANGELOG.md does not name try_$kind"
    if make -s "new-$kind" NAME="try_$kind" > /dev/null 2>&1; then
        fail "new-$kind writes over what is there"
    fi
done
for name in "" Big a-b gravity; do
    if make -s new-kernel NAME="$name" > /dev/null 2>&1; then
        fail "the name '$name' is taken for a kernel"
    fi
done

for table in src/kernel/kernels.def src/kernel/expansions.def src/interaction/operation_counts.def; do
    sed -E '/^MYR_(KERNEL|OPERATIONS|EXPANSION)\(/{/\((gravity|try_kernel),/!d;}' $table > "$work/table"
    cp "$work/table" $table
done
unset CFLAGS
"$cmake" -S . -B build -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
    -DMYR_WERROR=ON -DMYR_ONLY_ISAS=scalar -DMYR_USE_CUDA=OFF -DMYR_MPI=OFF -DMYR_USE_HDF5=OFF -DMYR_USE_FFTW=OFF \
    -DMYR_USE_FYAML=OFF -DMYR_USE_XXHASH=OFF > "$work/log" 2>&1 || { tail -20 "$work/log"; fail "cmake"; }
tests="physics_try_kernel unit_try_accumulator physics_try_integrator physics_try_model unit_formats_try_format"
targets=$(for test in $tests; do echo "test_$test"; done)
# shellcheck disable=SC2086
"$cmake" --build build --parallel 2 --target $targets > "$work/log" 2>&1 || { tail -20 "$work/log"; fail "build"; }
for test in $tests; do
    "build/tests/test_$test" > "$work/log" 2>&1 || { cat "$work/log"; fail "$test"; }
done
echo "new_thing: five kinds written, built and tested"
