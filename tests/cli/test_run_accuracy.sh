#!/bin/bash
# What a run says about itself at its end: the energies of its end and of its start, and the measured error of the
# forces of particles in a box, of molecules and of far fields with images, in run.json and in the report.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
EXAMPLES=$HERE/../../examples
# shellcheck disable=SC1091
. "$HERE/common.inc"
# shellcheck disable=SC1091
. "$HERE/run.inc"
cd "$WORK" || exit 1

# number DIRECTORY FILE NAME: a member of a JSON file
number() { sed -n "s/^ *\"$3\": \([-0-9.e+]*\),*\$/\1/p" "$1/$2" | head -1; }

# --- energies: the Pythagorean problem with a long step, whose energy changes
cat >two.yaml <<'END'
particles: {model: pythagorean}
interaction: {kernel: gravity}
integrator: {name: leapfrog, dt: 0.05}
run: {steps: 20}
output: {diagnostics: 0.05, report: false}
END
run two.yaml
first=$(awk -F, '!/^#/ && !c { for (k = 1; k <= NF; k++) if ($k == "energy") c = k; next } !/^#/ { print $c; exit }' two/diagnostics.csv)
for pair in "energy $(column two energy)" "energy_start $first"; do
    is "$(awk -v a="$(number two summary.json "${pair% *}")" -v b="${pair#* }" 'BEGIN { print a - b }')" -1e-12 1e-12 \
        "${pair% *} in summary.json minus that of the diagnostics"
done
[ "$first" != "$(column two energy)" ] || fail "the energy does not change"

# --- forces in a box: double arithmetic leaves rounding errors, single ones of 1e-6 (measured 2.6e-14, 9e-7)
for row in "double 1e-15 1.3e-13" "single 1e-7 4.5e-6"; do
    set -- $row
    run "$EXAMPLES/argon.yaml" --set run.steps=10 --set run.end=none --set interaction.arithmetic="$1" \
        --set interaction.accumulator=double --set output.directory="box_$1"
    is "$(number "box_$1" run.json rms)" "$2" "$3" "the error of forces in a box in $1 arithmetic"
    grep -q "<td>force</td>" "box_$1/report.html" || fail "the report of a box does not show the error"
    grep -q "Not measured" "box_$1/report.html" && fail "the report of a box says that nothing was measured"
    is "$(number "box_$1" summary.json energy_start)" -1e5 1e5 "the energy in a bath at the start"
done

# --- forces of a molecule (measured 8.5e-8)
run "$EXAMPLES/alanine.yaml" --set run.steps=10 --set run.end=none --set interaction.arithmetic=mixed \
    --set output.directory=molecule
is "$(number molecule run.json rms)" 1e-9 4e-7 "the error of the forces of a molecule"
grep -q "<td>force</td>" molecule/report.html || fail "the report of a molecule does not show the error"

# --- far fields with images: the page has what the method measured (3e-6)
cat >abc.yaml <<'END'
particles: {model: abc_flow, n: 8^3}
interaction: {kernel: velocity_stretching, method: fmm, tolerance: 1e-4}
box: {x: 6.283185307179586, y: 6.283185307179586, z: 6.283185307179586}
integrator: {name: rk4, dt: 0.05}
run: {steps: 1}
END
runs 0 abc.yaml
grep -q "is off by" out err && fail "the flow of docs/fmm.md exceeds its tolerance: $(cat err)"
grep -q "<td>stretching</td>" abc/report.html || fail "the report of a flow in a box does not show the error"
finish
