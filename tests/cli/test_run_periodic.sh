#!/bin/bash
# Runs in a box whose images act: vortex elements of a flow that keeps its shape, restarts, and what is refused.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC1091
. "$HERE/common.inc"
# shellcheck disable=SC1091
. "$HERE/input.inc"
# shellcheck disable=SC1091
. "$HERE/run.inc"
cd "$WORK" || exit 1

refuse() { # TEXT ARGUMENTS
    text=$1
    shift
    "$MYRIAD" run "$@" --quiet >out 2>err </dev/null && fail "not refused: $*"
    grep -q "$text" err || fail "'$text' is not in: $(cat err)"
}

cat >abc.yaml <<'END'
particles: {model: abc_flow, n: 8^3}
interaction: {kernel: velocity_stretching, method: fmm, tolerance: 1e-4}
box: {x: 6.283185307179586, y: 6.283185307179586, z: 6.283185307179586}
integrator: {name: rk4, dt: 0.05}
run: {steps: 4}
output: {format: csv, report: false}
END
run abc.yaml
run abc.yaml --set output.directory=part --set run.steps=2
run --restart part --set run.steps=4
[ "$(tail -n 1 abc/diagnostics.csv)" = "$(tail -n 1 part/diagnostics.csv)" ] || fail "another flow after a restart"
# The images matter, and so does their number.
run abc.yaml --set interaction.images=32 --set output.directory=some
run abc.yaml --set box.x=open --set box.y=open --set box.z=open --set output.directory=open
[ "$(tail -n 1 abc/diagnostics.csv)" != "$(tail -n 1 some/diagnostics.csv)" ] || fail "32 images are all images"
[ "$(tail -n 1 abc/diagnostics.csv)" != "$(tail -n 1 open/diagnostics.csv)" ] || fail "images do nothing"

# The other methods with a far field give the same flow, as well as they were asked to (measured: 3e-6), and what they
# chose stands in the effective input.
strength() { awk -F, 'NR == 2 { for (k = 1; k <= NF; k++) if ($k == "total_strength") at = k } END { print $at }' "$1"; }
for method in fmm tree pseudo; do
    run abc.yaml --set particles.n=4^3 --set run.steps=1 --set interaction.method=$method --set output.directory=$method
    awk -v a="$(strength fmm/diagnostics.csv)" -v b="$(strength $method/diagnostics.csv)" \
        'BEGIN { d = a > b ? a - b : b - a; exit !(a > 500 && d < 1e-5 * a) }' ||
        fail "method $method: another flow: $(strength $method/diagnostics.csv)"
    grep -q "^  order: [0-9]" $method/input.yaml || fail "method $method: the order is not in the effective input"
    run $method/input.yaml --set output.directory=again --force
    cmp -s $method/diagnostics.csv again/diagnostics.csv || fail "method $method: another flow from the effective input"
done

refuse "equally long" abc.yaml --set box.x=7 --set output.directory=a
refuse "method: neighbour" abc.yaml --set interaction.method=direct --set interaction.tolerance=auto --set output.directory=b
refuse "number is even" abc.yaml --set interaction.images=7 --set output.directory=d
refuse "there is none" abc.yaml --set interaction.images=8 --set box.x=open --set box.y=open --set box.z=open \
    --set output.directory=c
finish
