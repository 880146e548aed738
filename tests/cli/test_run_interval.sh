#!/bin/bash
# The automatic interval of diagnostics follows their cost: told, chosen once, recorded, kept by a restart. An interval
# of the user stays, and so does that of a small system.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1
export OMP_NUM_THREADS=1

interval() { sed -n 's/^  diagnostics: \([0-9.e-]*\).*/\1/p' "$1/input.yaml"; }
lines() { grep -vc '^[#t]' "$1/diagnostics.csv"; }

# A line costs as much as a step, and there would be one after every step.
cat >large.yaml <<'END'
particles: {model: plummer, n: 6000}
interaction: {eps: 0.01, method: tree}
integrator: {name: leapfrog, dt: 0.0078125}
run: {end: 1, wall_time: 0.01 s}
output: {snapshots: none, report: false}
END
runs 75 large.yaml --set output.directory=large
says "myriad: note: a line of diagnostics takes"
says "output.diagnostics = auto is now $(interval large)"
awk -v x="$(interval large)" 'BEGIN {k = log(x / 0.0078125) / log(2); exit !(k > 1.5 && k < 7.5 && k - int(k + 0.5) < 1e-9)}' ||
    fail "an interval of $(interval large)"
[ "$(lines large)" -eq 1 ] || fail "$(lines large) lines, of a run of one step"
chosen=$(interval large)
runs 0 --restart large --set run.steps=6 --set run.wall_time=none
grep -q "note: a line" err && fail "chosen again: $(cat err)"
[ "$(interval large)" = "$chosen" ] || fail "a restart changed $chosen to $(interval large)"
[ "$(lines large)" -eq 2 ] || fail "$(lines large) lines: $chosen is longer than six steps"

# What the user set stays.
runs 75 large.yaml --set output.directory=set --set output.diagnostics=0.0078125
grep -q "note: a line" err && fail "an interval of the user was changed: $(cat err)"
[ "$(interval set)" = 0.0078125 ] || fail "an interval of the user became $(interval set)"
[ "$(lines set)" -eq 2 ] || fail "$(lines set) lines, not one at the start and one after the step"

# Where all lines together take no time, there are 128 of them.
run large.yaml --set output.directory=small --set particles.n=20 --set interaction.method=direct --set run.wall_time=none
[ "$(interval small)" = 0.0078125 ] || fail "a small system has an interval of $(interval small)"
[ "$(lines small)" -eq 129 ] || fail "$(lines small) lines, not 129"

finish
