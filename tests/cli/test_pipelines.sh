#!/bin/bash
# Kernels that users write: myriad eval --kernel FILE.pipe, kernel: FILE.pipe in an input, the cache of compiled loops,
# and what is said where something is missing or wrong. Needs a C compiler (exit code 77 where there is none).
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.inc"
${CC:-cc} --version >/dev/null 2>&1 || { echo "no C compiler"; exit 77; }
examples=$here/../../examples/pipelines
shared=$MYRIAD_CACHE # of all tests
export TMPDIR=$WORK/tmp
mkdir "$TMPDIR"

# entries: what is in the cache besides its lock
entries()
{
    find "$MYRIAD_CACHE" -type f ! -name lock 2>/dev/null | wc -l
}

# --- from nothing: compiled once, found again, whole ---
export MYRIAD_CACHE=$WORK/cache
gravity=(--kernel "$examples/gravity.pipe" --eps 0.01 --n 500 --samples 0)
[ "$(value compiled "${gravity[@]}")" = 1 ] || fail "the first time was not compiled"
[ "$(entries)" = 1 ] || fail "not one entry in the cache: $(ls "$MYRIAD_CACHE")"
[ "$(value compiled "${gravity[@]}")" = 0 ] || fail "the second time was compiled again"
echo "second start from the cache: $(value compile_seconds "${gravity[@]}") s"
[ "$(value hash "${gravity[@]}")" = "$(value hash --kernel gravity --eps 0.01 --n 500 --samples 0)" ] ||
    fail "gravity.pipe does not have the bits of kernel gravity"
entry=$(find "$MYRIAD_CACHE" -name '*.so')
printf 'x' | dd of="$entry" bs=1 seek=5000 conv=notrunc 2>/dev/null
[ "$(value compiled "${gravity[@]}")" = 1 ] || fail "a damaged entry was used"
[ "$(value compiled "${gravity[@]}")" = 0 ] || fail "a damaged entry was not replaced"
[ -z "$(ls "$TMPDIR")" ] || fail "left in TMPDIR: $(ls "$TMPDIR")"

# --- as fast as the library's: instructions of the loops, not seconds ---
if command -v objdump >/dev/null; then
    isa=$(value isa "${gravity[@]}")
    count()
    {
        objdump -d --no-show-raw-insn --disassemble="myr_loop_$2_single_${isa}_$3_many" "$1" | grep -cE '^ +[0-9a-f]+:'
    }
    for accumulator in single fixed; do
        own=$(count "$(find "$MYRIAD_CACHE" -name '*.so')" my_gravity $accumulator)
        library=$(count "$(dirname "$MYRIAD")/libmyriad.so" gravity $accumulator)
        echo "$isa, $accumulator: $own instructions of a user's gravity, $library of the library's"
        if [ "$library" -gt 10 ]; then
            between 10 "$own" "$(awk -v n="$library" 'BEGIN { print n / 0.9 }')" || fail "the loop is longer than the library's"
        fi
    done
fi

# --- two at once on an empty cache, and one that is killed ---
export MYRIAD_CACHE=$WORK/two
for k in 1 2; do
    "$MYRIAD" eval --json --quiet "${gravity[@]}" >"$WORK/two.$k" 2>&1 &
done
wait
compiled=$(cat "$WORK/two.1" "$WORK/two.2" | grep -c '"compiled": 1')
[ "$compiled" = 1 ] || fail "two at once compiled $compiled times: $(cat "$WORK/two.1" "$WORK/two.2")"
[ "$(grep -h '"hash"' "$WORK/two.1" "$WORK/two.2" | sort -u | wc -l)" = 1 ] || fail "two at once do not agree"
[ "$(entries)" = 1 ] || fail "two at once left: $(ls "$MYRIAD_CACHE")"
export MYRIAD_CACHE=$WORK/killed
"$MYRIAD" eval --quiet "${gravity[@]}" >/dev/null 2>&1 &
pid=$!
for k in $(seq 100); do # the compiler is at work once its folder has the texts
    ls "$TMPDIR"/*/unit.c >/dev/null 2>&1 && break
    sleep 0.02
done
kill -9 $pid
wait $pid 2>/dev/null
[ "$(entries)" = 0 ] || fail "a killed compilation left: $(ls "$MYRIAD_CACHE")"
rm -rf "${TMPDIR:?}"/*

# --- what is missing: cache, compiler, what the compiler needs ---
MYRIAD_CACHE=/dev/null/cache expect 0 "hash" eval "${gravity[@]}"
grep -q "not kept for the next time: cannot make /dev/null/cache: Not a directory; set MYRIAD_CACHE" "$WORK/err" ||
    fail "nothing said about a cache that cannot be made: $(cat "$WORK/err")"
export MYRIAD_CACHE=$WORK/none
CC=/nonexistent/cc expect 1 "the C compiler '/nonexistent/cc' cannot be run; install one" eval "${gravity[@]}"
CC='cc -include /nonexistent.h' expect 1 "the C compiler 'cc -include /nonexistent.h' failed" eval "${gravity[@]}"
CC="sh -c 'touch $WORK/pwned'" expect 1 "cannot be run" eval "${gravity[@]}"
[ ! -e "$WORK/pwned" ] || fail "CC went through a shell"
[ "$(entries)" = 0 ] || fail "failures left entries: $(ls "$MYRIAD_CACHE")"
CC=/nonexistent/cc expect 0 "hash" eval --n 100 # the library's own kernels need none
expect 1 "nowhere.pipe: No such file or directory" eval --kernel nowhere.pipe
expect 2 "gravityy" eval --kernel gravityy

# --- broken texts: the user's own file and line ---
printf 'i: x[3], j: x[3] m, out: a[3]\nfloat r2 = 1;\nout.a[0] += r3;\n' >"$WORK/undeclared.pipe"
expect 1 "$WORK/undeclared.pipe:3:13: 'r3' is not declared" eval --kernel "$WORK/undeclared.pipe"
printf 'i: x[3], j: x[3] m, out: a[3]\nwhile (1 > 0) out.a[0] += 1;\n' >"$WORK/endless.pipe"
expect 1 "endless.pipe:2:1: 'while': only loops with known bounds" eval --kernel "$WORK/endless.pipe"
printf 'i: x[3], j: x[3] m, out: a[3]\nout.a[0] += exp(j.m;\n' >"$WORK/syntax.pipe"
expect 1 "syntax.pipe:2:20: expected ')'" eval --kernel "$WORK/syntax.pipe"
head -c 3000 /dev/urandom >"$WORK/noise.pipe"
expect 1 "noise.pipe" eval --kernel "$WORK/noise.pipe"
printf 'i: x[3], j: x[3] luck, out: a[3]\nout.a[0] += j.luck;\n' >"$WORK/gravity.pipe"
expect 2 "the library has a kernel 'gravity' of its own" eval --kernel "$WORK/gravity.pipe"
[ "$(entries)" = 0 ] || fail "broken texts left entries"

# --- runs: the same bits as the library's kernel, and after a restart without the file ---
export MYRIAD_CACHE=$shared
if "$MYRIAD" info | grep -q xxhash && "$MYRIAD" check /dev/null 2>&1 | grep -qv libfyaml; then
    mkdir "$WORK/inputs"
    cp "$examples/gravity.pipe" "$WORK/inputs/mine.pipe"
    for kernel in mine.pipe gravity; do
        cat >"$WORK/inputs/$kernel.yaml" <<EOF
particles: {model: plummer, n: 100, seed: 3}
interaction: {kernel: $kernel, eps: 0.05}
integrator: {name: leapfrog, dt: 0.01}
run: {end: 0.1}
output: {directory: $WORK/$kernel, report: false}
EOF
        expect 0 "finished at time 0.1" run "$WORK/inputs/$kernel.yaml"
    done
    rm "$WORK/inputs/mine.pipe" "$WORK/mine.pipe/my_gravity.pipe"
    for kernel in mine.pipe gravity; do
        expect 0 "finished at time 0.2" run --restart "$WORK/$kernel" --set run.end=0.2
    done
    cmp <(cut -d, -f1-20 "$WORK/mine.pipe/diagnostics.csv") <(cut -d, -f1-20 "$WORK/gravity/diagnostics.csv") ||
        fail "a run with gravity.pipe is not that with kernel gravity"
    cp "$examples/gravity.pipe" "$WORK/mine.pipe/my_gravity.pipe"
    expect 0 "" check "$WORK/mine.pipe/input.yaml" # the effective input names its copy
    cp "$examples/gravity.pipe" "$WORK/inputs/mine.pipe"
    sed 's/eps: 0.05/softness: 0.05/' "$WORK/inputs/mine.pipe.yaml" >"$WORK/inputs/bad.yaml"
    "$MYRIAD" check "$WORK/inputs/bad.yaml" 2>&1 | grep -q "nor has the kernel 'my_gravity'" ||
        fail "a parameter that the pipeline does not have passed"
    # a declared cutoff goes with method neighbour, in runs too: the bits of a direct sum in everything but the
    # potential energy (columns 6 and 8 to 10), whose doubles are summed in another order, and the number of pairs
    # evaluated (column 4)
    for method in neighbour direct; do
        cat >"$WORK/inputs/$method.yaml" <<EOF
particles: {model: plummer, n: 300, seed: 3}
interaction: {kernel: $examples/morse.pipe, method: $method, accumulator: fixed, rc: 0.3, D: 0.01}
integrator: {name: leapfrog, dt: 0.01}
run: {end: 0.03}
output: {directory: $WORK/$method, report: false}
EOF
        expect 0 "finished at time 0.03" run "$WORK/inputs/$method.yaml"
    done
    cmp <(cut -d, -f1-3,5,7,11- "$WORK/neighbour/diagnostics.csv") <(cut -d, -f1-3,5,7,11- "$WORK/direct/diagnostics.csv") ||
        fail "a run with method neighbour is not that with method direct"
    paste -d, <(cut -d, -f6,8 "$WORK/neighbour/diagnostics.csv") <(cut -d, -f6,8 "$WORK/direct/diagnostics.csv") |
        awk -F, 'NR > 2 { for (k = 1; k < 3; k++) if (($k - $(k + 2))^2 > 1e-24 * $k^2) bad = 1 } END { exit bad || NR < 4 }' ||
        fail "the energy of a run with method neighbour is not that with method direct"
    # and it looks at fewer pairs than all 90000, and at all within the cutoff
    python3 - "$WORK/neighbour/run.json" "$WORK/direct/run.json" <<'EOF' || fail "run.json does not tell the pairs looked at"
import json, sys
near = json.load(open(sys.argv[1]))["near"]
assert 300 < near["pairs_within"] <= near["pairs_looked_at"] < 90000 / 2, near
assert "near" not in json.load(open(sys.argv[2]))
EOF
    expect 0 "finished at time 0.05" run --restart "$WORK/neighbour" --set run.end=0.05
    sed 's/kernel: [^,]*/kernel: gravity/; s/, rc: 0.3, D: 0.01//' "$WORK/inputs/neighbour.yaml" >"$WORK/inputs/bad.yaml"
    "$MYRIAD" check "$WORK/inputs/bad.yaml" 2>&1 | grep -q "bad.yaml:2:.*kernel gravity has no cutoff" ||
        fail "method neighbour without a cutoff: $("$MYRIAD" check "$WORK/inputs/bad.yaml" 2>&1)"
    echo 'nonsense;' >"$WORK/inputs/mine.pipe"
    "$MYRIAD" check "$WORK/inputs/mine.pipe.yaml" 2>&1 | grep -q "mine.pipe.yaml:2:23: .*/mine.pipe:1:1: 'nonsense' is not" ||
        fail "a broken pipeline in an input: $("$MYRIAD" check "$WORK/inputs/mine.pipe.yaml" 2>&1)"
fi
finish
