#!/bin/bash
# Checkpoints in parts: one that is damaged in the part of one rank is used by nobody, and is named once with section and
# bytes; more particles than a part has room for go from one rank to three.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"

cat > in.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 500, density: 0.8, temperature: 1}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5}
integrator: {name: langevin, dt: 0.005, temperature: 1, friction: 1}
run: {steps: 100}
output: {diagnostics: ends, snapshots: ends, format: csv, report: false, checkpoint: 0.001}
END

# last DIRECTORY PATTERN: the newest file of a series
last() { find "$1" -name "$2" | sort | tail -n 1; }

# --- a flipped bit in the last of three parts

on 3 run in.yaml --quiet --set output.directory=run || fail "3 ranks: $(cat out err)"
newest=$(last run 'checkpoint_*.myr')
at=$(($(stat -c %s "$newest") * 3 / 4))
byte=$(od -An -tu1 -j $at -N 1 "$newest")
printf "%b" "\\x$(printf %x $((byte ^ 4)))" | dd of="$newest" bs=1 seek=$at conv=notrunc status=none
"$MYRIAD" info "$newest" > out 2> err && fail "info takes a damaged checkpoint"
grep -qE "is damaged in section 'particles 2' \(bytes [0-9]+ to [0-9]+\)" err || fail "info: $(cat err)"

on 2 run --restart run --quiet --set run.steps=200 || fail "a restart on 2 ranks: $(cat out err)"
[ "$(grep -c "rank 1: checkpoint '.*' is damaged in section 'particles 2'" err)" -eq 1 ] || fail "not said once: $(cat err)"
grep -q 'going back to the one before it' err || fail "nothing is said of the one before: $(cat err)"
"$MYRIAD" run in.yaml --quiet --set output.directory=whole --set run.steps=200 || fail "the whole run"
cmp -s "$(last whole 'snapshot_*.csv')" "$(last run 'snapshot_*.csv')" || fail "a restart from the one before ends elsewhere"
echo "damaged: $(grep 'rank 1: checkpoint' err)"

# --- two parts of one rank, and three ranks

[ "$FLAVOUR" = mpich ] && exit 0 # ranks that wait keep their cores busy
large=(--quiet --set output.checkpoint=none --set output.snapshots=ends --set particles.n=70304)
"$MYRIAD" run in.yaml "${large[@]}" --set output.directory=large --set run.steps=2 || fail "a large box"
[ "$("$MYRIAD" info "$(last large 'checkpoint_*.myr')" | grep -c 'particles  70304; type 0: 70304')" -eq 1 ] ||
    fail "info of a large box: $("$MYRIAD" info "$(last large 'checkpoint_*.myr')")"
on 3 run --restart large --quiet --set run.steps=4 || fail "a large box on 3 ranks: $(cat out err)"
"$MYRIAD" run in.yaml "${large[@]}" --set output.directory=large_whole --set run.steps=4 || fail "all of a large box"
cmp -s "$(last large_whole 'snapshot_*.csv')" "$(last large 'snapshot_*.csv')" || fail "a large box ends elsewhere"
echo "two parts of one rank: the same bits on three"
