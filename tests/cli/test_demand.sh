#!/bin/bash
# Hot loops that are compiled at their first use: with a cold cache and a warm one, without a compiler or with one that
# fails, with a cache that cannot be used, and with many programs that start at once.
. "$(dirname "$0")/common.inc"
unset MYRIAD_BEST_ISA
export MYRIAD_CACHE="$WORK/cache"
asked=(--json --kernel gravity_spline --model plummer --n 100 --seed 1 --samples 0 --threads 1)

# hash ENVIRONMENT...: the hash of one evaluation in that environment; what it says is in $WORK/said
hash()
{
    env "$@" "$MYRIAD" eval "${asked[@]}" >"$WORK/json" 2>"$WORK/said" || fail "$*: $(cat "$WORK/said")"
    sed -n 's/^  "hash": "\([^"]*\)".*/\1/p' "$WORK/json" | head -n 1
}
# says WHAT COUNT TEXT: TEXT stands in that many lines of what was said
says()
{
    local lines
    lines=$(grep -cF -- "$3" "$WORK/said")
    [ "$lines" -eq "$2" ] || fail "$1: '$3' in $lines lines, not $2: $(cat "$WORK/said")"
}
same() { [ "$2" = "$3" ] || fail "$1: hash $2, not $3"; }

plain=$("$MYRIAD" eval "${asked[@]}" --isa scalar 2>/dev/null | sed -n 's/^  "hash": "\([^"]*\)".*/\1/p' | head -n 1)
if "$MYRIAD" info | grep -q 'all loops built'; then
    hash CC=false >/dev/null
    says "a build with all loops" 0 "compiling"
    says "a build with all loops" 0 "plain code"
    [ -e "$MYRIAD_CACHE" ] && fail "a build with all loops writes into the cache"
    [ "$FAILED" -eq 0 ] && echo "a build with all loops compiles nothing" && exit 0
    exit 1
fi

# a cold cache, then a warm one; of eight programs that start at once one compiles
best=$(hash CC=cc)
says "a cold cache" 1 "compiling the loops of gravity_spline"
[ "$best" != "$plain" ] || fail "the best instruction set has the bits of plain code: nothing is tested here"
same "a warm cache" "$(hash CC=cc)" "$best"
says "a warm cache" 0 "compiling"
rm -rf "$MYRIAD_CACHE"
for k in 1 2 3 4 5 6 7 8; do
    "$MYRIAD" eval "${asked[@]}" >"$WORK/json$k" 2>"$WORK/said$k" &
done
wait
cat "$WORK"/said? >"$WORK/said"
says "eight at once" 1 "compiling"
[ "$(cat "$WORK"/json? | grep -c "\"hash\": \"$best\"")" -eq 8 ] || fail "eight at once: not the same bits"

# no compiler, one that fails, one that is killed: plain code with one warning; a good one works afterwards
rm -rf "$MYRIAD_CACHE"
printf '#!/bin/sh\ncase "$*" in *--version*) echo killed; exit 0;; esac\nkill -9 $$\n' >"$WORK/killed"
printf '#!/bin/sh\ncase "$*" in *--version*) echo failing; exit 0;; esac\nfor last; do :; done\necho x: error: no\nexit 1\n' >"$WORK/failing"
chmod +x "$WORK/killed" "$WORK/failing"
for cc in /nonexistent/cc "$WORK/failing" "$WORK/killed"; do
    same "CC=$cc" "$(hash CC="$cc")" "$plain"
    says "CC=$cc" 1 "plain code runs instead of"
done
says "a compiler that is killed" 1 "exit code 137"
same "a compiler that works again" "$(hash CC=cc)" "$best"
CC=/nonexistent/cc expect 1 "cannot be compiled" eval --kernel gravity_jerk_spline --isa "$(isas | tail -n 1)" --n 10

# CC with arguments, no home directory
same "CC with arguments" "$(hash CC='cc -pipe')" "$best"
same "no home" "$(hash -u HOME -u XDG_CACHE_HOME -u MYRIAD_CACHE)" "$best"
says "no home" 1 "not kept for the next time"

# a cache that cannot be written, that is full, that is damaged
touch "$WORK/file"
same "an unusable cache" "$(hash MYRIAD_CACHE="$WORK/file/cache")" "$best"
says "an unusable cache" 1 "not kept for the next time"
if mkdir "$WORK/small" && mount -t tmpfs -o size=16k,mode=700 tmpfs "$WORK/small" 2>/dev/null; then
    same "a full cache" "$(hash MYRIAD_CACHE="$WORK/small")" "$best"
    says "a full cache" 1 "not kept for the next time"
    ls "$WORK/small"/*.so >/dev/null 2>&1 && fail "a full cache holds an entry"
    umount "$WORK/small"
fi
for damage in 'truncate -s 1000' 'dd bs=1 seek=5000 count=64 conv=notrunc status=none if=/dev/urandom of='; do
    for entry in "$MYRIAD_CACHE"/*.so; do
        case $damage in dd*) $damage"$entry" ;; *) $damage "$entry" ;; esac
    done
    same "damage by ${damage%% *}" "$(hash CC=cc)" "$best"
    says "damage by ${damage%% *}" 1 "compiling"
done

# a machine with a lesser processor uses its own loops from the same cache
slower=$(hash MYRIAD_BEST_ISA=avx2)
says "a lesser processor" "$(grep -c avx2 <<<"$(isas)")" "for avx2"
same "the better one beside it" "$(hash CC=cc)" "$best"
[ -n "$slower" ] || fail "a lesser processor: no result"

# a run goes on with the instruction set that it began with, or says how to go on without
cat >"$WORK/stars.yaml" <<END
particles: {model: plummer, n: 64, seed: 2}
interaction: {kernel: gravity, eps: 0.05}
integrator: {name: leapfrog, dt: 0.01}
run: {steps: 4}
output: {directory: $WORK/run, report: false}
END
"$MYRIAD" run "$WORK/stars.yaml" --quiet >"$WORK/said" 2>&1 || fail "a run: $(cat "$WORK/said")"
export MYRIAD_BEST_ISA=scalar
"$MYRIAD" run --restart "$WORK/run" --set run.steps=8 >"$WORK/out" 2>"$WORK/said" </dev/null && fail "a restart without its instruction set"
says "a restart without its instruction set" 1 "the run used the instruction set"
says "a restart without its instruction set" 1 "backend.isa"
"$MYRIAD" run --restart "$WORK/run" --set run.steps=8 --set backend.isa=auto --quiet >"$WORK/said" 2>&1 ||
    fail "a restart with another instruction set: $(cat "$WORK/said")"
unset MYRIAD_BEST_ISA

[ "$FAILED" -eq 0 ] && echo "loops on demand: all as it should be"
exit $((FAILED > 0))
