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

# --- a note where digits were lost that need not be, from `run` and from `check`; none with the defaults
cat >binaries.yaml <<'END'
particles: {model: plummer, n: 256, seed: 4, binary_fraction: 0.02, binary_smallest: 1.0e-5, binary_largest: 2.0e-5}
interaction: {kernel: gravity_jerk}
integrator: {name: hermite4}
run: {steps: 2}
output: {report: false}
END
# notes SETTING TEXT: the note that goes with it; TEXT "" = none
notes()
{
    for command in run check; do
        "$MYRIAD" $command binaries.yaml ${1:+--set interaction.$1} >out 2>err </dev/null || fail "$command $1: $(cat err)"
        grep -q "note: the jerk has an error of .*: $2" err || [ -z "$2" ] || fail "$command $1 does not say '$2': $(cat err)"
        [ -n "$2" ] || ! grep -q "has an error of" err || fail "$command: $(cat err)"
        rm -rf binaries
    done
    grep -q "^error  *acceleration [0-9.e-]* (relative rms" out || fail "check prints no error: $(cat out)"
}
notes "" "" # rms 5.8e-8, 3.5e-7
notes accumulator=narumi "the sums lose digits" # 4.5e-3, 0.97
notes arithmetic=single "positions are rounded" # 1.1e-3, 1.7e-3
"$MYRIAD" check binaries.yaml --json --set interaction.arithmetic=single >out 2>err || fail "check --json: $(cat err)"
is "$(awk '/"jerk"/ { on = 1 } on && sub(/.*"rms": /, "") { print $1 + 0; exit }' out)" 4e-4 8e-3 "rms of the jerk from check"
"$MYRIAD" check binaries.yaml --quiet --set interaction.arithmetic=single >out 2>&1 || fail "check --quiet: $(cat out)"
[ -s out ] && fail "check --quiet is not: $(cat out)"

# --- steps follow the motion, not rounding: with the defaults as many as in double arithmetic while orbits are the same
# (4082 and 4081). A jerk lost to a grid takes ten times as many.
printf 'particles: {model: plummer, n: 128, seed: 4}\nrun: {end: 2}\noutput: {report: false}\n' >steps.yaml
run steps.yaml --set output.directory=defaults
run steps.yaml --set output.directory=double --set interaction.arithmetic=double --set interaction.accumulator=double
is "$(awk -v a="$(number defaults summary.json steps)" -v b="$(number double summary.json steps)" 'BEGIN { print a / b }')" \
    0.95 1.05 "steps with the defaults over those in double arithmetic"
is "$(number defaults summary.json steps)" 3900 4300 "steps with the defaults"

# --- nothing of forces that are small because they cancel: a cold crystal (rms 2.6e-3, rounding 32)
cat >crystal.yaml <<'END'
particles: {model: fcc, n: 500, density: 1, temperature: 1.0e-6}
interaction: {kernel: lennard_jones, method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5}
integrator: {name: verlet, dt: 0.001}
run: {steps: 10}
output: {report: false}
END
runs 0 crystal.yaml
is "$(number crystal run.json rms)" 1e-5 1 "the error of forces in a cold crystal"
grep -q "has an error of" err && fail "a crystal: $(cat err)"

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

# --- far fields in open space: the error of all forces together is that of the method (2.5e-5, 3.2e-5), below the
# tolerance; that of each relative to its own is larger (3.3e-5), because some are small
cat >far.yaml <<'END'
particles: {model: plummer, n: 4000, seed: 3}
interaction: {kernel: gravity, method: fmm, tolerance: 1e-4, arithmetic: single}
integrator: {name: leapfrog, dt: 0.001}
run: {steps: 1}
END
runs 0 far.yaml
norm=$(number far run.json norm)
is "$norm" 1e-6 1e-4 "the error of all forces of a far field"
is "$(awk -v a="$norm" -v b="$(number far run.json acceleration)" 'BEGIN { print a / b }')" 0.3 3 "the error over that of the method"
grep -q "<th>of all together</th>" far/report.html || fail "the report of a far field does not show the error of all"
is "$(number far run.json rms)" "$norm" 1.5e-4 "the error of each force of a far field"
# --- a note where steps were too long for the energy; none with the defaults, and none where nothing is conserved
cat >three.yaml <<'END'
particles: {model: pythagorean}
run: {end: 2}
output: {report: false}
END
{ cat three.yaml; echo 'external: [{kind: tidal, mass: 20, distance: 10, rate: 1}, {kind: tidal, mass: 20, distance: 10, rate: 2}]'; } >turns.yaml
# energy_note INPUT TEXT SETTINGS...: what the note of a run ends with; "" = there is none
energy_note()
{
    local input=$1 text=$2 setting settings=()
    shift 2
    for setting; do settings+=(--set "$setting"); done
    "$MYRIAD" run "$input.yaml" --force "${settings[@]}" >out 2>err </dev/null || fail "$input $*: $(cat err)"
    [ -n "$text" ] || ! grep -q "note: the energy" err || fail "$input $*: $(cat err)"
    [ -z "$text" ] || grep -q "note: the energy, which the motion conserves, has been off by [0-9.e+]* of its start: $text\$" err ||
        fail "$input $* does not say '$text': $(cat err)"
}
energy_note three "" # 8.7e-6
energy_note three "use a smaller integrator.eta than 1" integrator.eta=1 # 0.43
energy_note three "use a smaller integrator.dt than 0.1, or a smaller interaction.tolerance" integrator.name=leapfrog integrator.dt=0.1 \
    interaction.method=tree # 3200
energy_note turns "" integrator.eta=1
finish
