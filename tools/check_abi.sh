#!/bin/sh
# Compares the binary interface of the libraries between two tags or commits with abidiff (Debian: abigail-tools).
# usage: check_abi.sh OLD NEW      exit code 0 if NEW can replace OLD, or only adds to it
set -eu
cd "$(dirname "$0")/.."
command -v abidiff > /dev/null || { echo "abidiff is not installed (Debian: abigail-tools)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
k=0
for commit in "$1" "$2"; do
    k=$((k + 1))
    mkdir "$work/$k"
    git archive "$commit" | tar -x -C "$work/$k"
    cmake -S "$work/$k" -B "$work/$k/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-g -DMYR_UNITS=demand -DMYR_BUILD_TESTS=OFF \
        -DMYR_USE_CUDA=OFF > "$work/log" 2>&1 && cmake --build "$work/$k/build" -j "${JOBS:-$(nproc)}" --target myriad myriad_run >> "$work/log" 2>&1 ||
        { tail -n 20 "$work/log"; exit 2; }
done
status=0
for library in libmyriad libmyriad_run; do
    echo "== $library"
    code=0
    abidiff --headers-dir1 "$work/1/include" --headers-dir2 "$work/2/include" "$work/1/build/$library.so" "$work/2/build/$library.so" || code=$?
    [ $((code & 8)) -eq 0 ] && [ $((code & 3)) -eq 0 ] || status=1 # 8: incompatible; 1, 2: abidiff could not tell
done
exit $status
