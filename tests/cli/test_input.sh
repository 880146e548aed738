#!/bin/bash
# Input files: what is wrong, where, what was expected; overrides; explain; the reference page.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"

good='particles: {model: plummer, n: 8}\nrun: {steps: 0}\n'

# Unknown keys and sections, with position and nearest name.
refuses "t.yaml:1:1: there is no section 'partikles'" 'partikles: {}\n'"$good"
refuses "t.yaml:3:10: 'output' has no key 'snapshot'; 'myriad explain output' lists the keys; did you mean 'snapshots'?" \
    "$good"'output: {snapshot: 1}\n'
grep -q "did you mean 'snapshots'?" "$WORK/err" || fail "no suggestion: $(cat "$WORK/err")"
refuses "t.yaml:1:30: 'particles' has no key 'W0', nor has the model 'plummer'" 'particles: {model: plummer,  W0: 6, n: 8}\nrun: {steps: 0}\n'
refuses "t.yaml:4:3: 'integrator' has no key 'etta', nor has the integrator 'hermite4'" "$good"'integrator:\n  etta: 1\n'
grep -q "did you mean 'eta'?" "$WORK/err" || fail "no suggestion for a parameter: $(cat "$WORK/err")"
refuses "t.yaml:5:5: 'external' has no key 'massa', nor has the field 'point_mass'" \
    "$good"'external:\n  - kind: point_mass\n    massa: 1\n'

# Words, types, ranges.
refuses "t.yaml:1:20: particles.model cannot be 'plumer'" 'particles: {model: plumer, n: 8}\nrun: {steps: 0}\n'
refuses "t.yaml:1:33: particles.n is not a whole number" 'particles: {model: plummer, n:  8.5}\nrun: {steps: 0}\n'
refuses "t.yaml:1:32: particles.n is out of range; expected a whole number from 1" 'particles: {model: plummer, n: 0}\nrun: {steps: 0}\n'
refuses "t.yaml:3:14: run.end is a map; expected a time" 'particles: {model: plummer, n: 8}\nrun:\n  end:       {a: 1}\n'
refuses "t.yaml:2:12: run.end is a list" 'particles: {model: plummer, n: 8}\nrun: {end: [1]}\n'
refuses "t.yaml:2:12: run.end is wrong: 'soon' is not a number" 'particles: {model: plummer, n: 8}\nrun: {end: soon}\n'
refuses "t.yaml:2:12: run.end is wrong: '0x10' is not a number" 'particles: {model: plummer, n: 8}\nrun: {end: 0x10}\n'
refuses "t.yaml:2:12: run.end is wrong: 'nan' is not a number" 'particles: {model: plummer, n: 8}\nrun: {end: nan}\n'
refuses "t.yaml:2:12: run.end is not after the start" 'particles: {model: plummer, n: 8}\nrun: {end: -1}\n'
refuses "t.yaml:3:19: integrator.eta is out of range" "$good"'integrator: {eta: -1}\n'
refuses "t.yaml:3:9: 'output' is not a section" "$good"'output: 3\n'
refuses "t.yaml:3:11: 'external' is not a list" "$good"'external: {kind: nfw}\n'
refuses "t.yaml:4:5: the field has no 'kind'" "$good"'external:\n  - mass: 1\n'

# What belongs together.
refuses "t.yaml: there is no section 'particles'" 'run: {steps: 0}\n'
refuses "t.yaml:1:1: 'particles' says neither 'model' nor 'file'" 'particles: {n: 8}\nrun: {steps: 0}\n'
refuses "t.yaml:1:29: both particles.model and particles.file" 'particles: {model: plummer, file: x.csv, n: 3}\nrun: {steps: 0}\n'
refuses "t.yaml:1:20: particles.n is missing" 'particles: {model: plummer}\nrun: {steps: 0}\n'
refuses "t.yaml:2:1: 'run' says neither 'end' nor 'steps'" 'particles: {model: plummer, n: 8}\nrun: {threads: 1}\n'
refuses "t.yaml:3:23: the default integrator 'hermite4' needs a kernel that gives 'jerk', and 'gravity' does not; expected 'gravity_jerk', or leave" \
    "$good"'interaction: {kernel: gravity}\n'
refuses "t.yaml:3:23: the integrator 'hermite4' needs a kernel that gives 'jerk', and 'laplace' does not; expected 'name: leapfrog'" \
    "$good"'interaction: {kernel: laplace}\nintegrator: {name: hermite4}\n'
refuses "t.yaml:3:23: the default integrator 'hermite4' needs a kernel that gives 'jerk', and 'biot_savart' gives velocities; expected 'name: rk4'" \
    "$good"'interaction: {kernel: biot_savart}\n'
# Gravity is what 'auto' stands for, and not what moves these models. It can be asked for.
for model in fcc random; do
    refuses "t.yaml:1:20: nothing says how the particles interact, and the model '$model' makes particles in a box; expected 'method: neighbour' with 'epsilon' and 'sigma', in 'interaction' (or 'kernel: gravity_jerk'" \
        "particles: {model: $model, n: 32}\nrun: {steps: 0}\n"
    (cd "$WORK" && "$MYRIAD" check t.yaml --set interaction.kernel=gravity_jerk >out 2>err) ||
        fail "gravity of $model that was asked for: $(cat "$WORK/err")"
done
refuses "t.yaml:2:13: nothing says how the particles interact, and the model 'fcc'" \
    'particles:\n  - {model: fcc, n: 32}\n  - {model: plummer, n: 8}\nrun: {steps: 0}\n'
for model in taylor_green abc_flow isotropic_turbulence; do
    refuses "t.yaml:1:20: nothing says how the particles interact, and the model '$model' makes a flow; expected 'method: spectral'" \
        "particles: {model: $model, n: 64}\nrun: {steps: 0}\n"
done
for model in vortex_ring leapfrogging_rings ring_collision; do
    refuses "t.yaml:1:20: nothing says how the particles interact, and the model '$model' makes vortex elements" \
        "particles: {model: $model, n: 294}\nrun: {steps: 0}\n"
done
refuses "t.yaml:3:23: nothing acts" "$good"'interaction: {kernel: none}\n'
refuses "t.yaml:1:19: cannot read 'no_such.csv'" 'particles: {file: no_such.csv}\nrun: {steps: 0}\n'

# Duplicates, and YAML itself.
refuses "t.yaml:4:3: 'end' is given twice; the first is in line 3" 'particles: {model: plummer, n: 8}\nrun:\n  end: 1\n  end: 2\n'
refuses "t.yaml:2:1: this is not YAML: tab character" 'run:\n\tend: 1\n'
refuses "t.yaml:1:6: aliases" 'run: *a\n'
refuses "t.yaml:1:1: the file is not a map" '[1, 2]\n'
refuses "t.yaml:3:1: a line begins with '?'" "$good"'? r:\t-'
refuses "t.yaml:3:1: a line begins with '?'" "$good"'  - ? r:\t- k\n'
refuses "t.yaml:3:1: byte 0xff is not text" "$good"'\xff\n'
refuses "t.yaml:3:1: bytes 0xe0 0x91 are not text" "$good"'\xe0\x91\xbe\n'
refuses "t.yaml:2:1: a second document" 'run: {steps: 0}\n---\nrun: {steps: 0}\n'
refuses "t.yaml:1:2: there is no section '?[31m'" '"\\x1b[31m": 1\n'
expect_code() { "$@" >"$WORK/out" 2>"$WORK/err" </dev/null; }
expect_code "$MYRIAD" check "$WORK/no_such.yaml"
[ $? -eq 2 ] && grep -q "no_such.yaml: No such file" "$WORK/err" || fail "a missing file: $(cat "$WORK/err")"

# All errors at once, in the order of the file; twenty at most.
{ echo 'particles: {model: plummer, n: 8}'; echo 'run: {steps: 0}'; for k in $(seq 25); do echo "bad$k: 1"; done; } >"$WORK/many.yaml"
expect_code "$MYRIAD" check "$WORK/many.yaml"
[ "$(wc -l <"$WORK/err")" -eq 21 ] || fail "not 20 errors and a count: $(wc -l <"$WORK/err") lines"
grep -q "5 more errors" "$WORK/err" || fail "errors are not counted"
[ "$(sed -n 's/.*many.yaml:\([0-9]*\):.*/\1/p' "$WORK/err" | sort -nc 2>&1)" = "" ] || fail "errors are not in order"

# --set: overrides, new sections, and its own errors.
printf 'particles: {model: plummer, n: 8}\nrun: {steps: 0}\nexternal:\n  - kind: point_mass\n' >"$WORK/good.yaml"
n=$("$MYRIAD" check "$WORK/good.yaml" --json --set particles.n=9 | sed -n 's/.*"particles": \([0-9]*\).*/\1/p')
[ "$n" = 9 ] || fail "--set particles.n=9 gave $n particles"
n=$("$MYRIAD" check "$WORK/good.yaml" --json --set integrator.name=leapfrog | sed -n 's/.*"kernel": "\(.*\)".*/\1/p')
[ "$n" = gravity ] || fail "leapfrog chose the kernel '$n'"
"$MYRIAD" check "$WORK/good.yaml" --quiet --set external.0.mass=2 || fail "--set external.0.mass=2"
refuses "--set run.stepz=1: 'run' has no key 'stepz'" "$good" --set run.stepz=1
refuses "--set run.steps=x: run.steps is not a whole number" "$good" --set run.steps=x
refuses "--set steps: expected section.key=value" "$good" --set steps
refuses "--set external.3.mass=1: expected section.key=value" "$good"'external:\n  - kind: point_mass\n' --set external.3.mass=1

# explain: keys, sections, members, parameters; the reference page is that of this program.
expect 0 "Default: auto" explain output.diagnostics
expect 0 "run.wall_time" explain run
expect 0 "particles.W0" explain king
expect 0 "integrator.eta" explain eta
expect 0 "Msun" explain units
expect 2 "did you mean 'plummer'" explain plumer
# all but the instruction sets, which differ from build to build
"$MYRIAD" explain --markdown | grep -v '^| `isa`' >"$WORK/input.md"
! grep -E '^\| `([a-z_]+)` .*explain [a-z]+\.\1' "$WORK/input.md" || fail "a key is explained by a pointer to its own explanation"
grep -v '^| `isa`' "$HERE/../../docs/input.md" | cmp -s "$WORK/input.md" - || fail "docs/input.md is not what 'myriad explain --markdown' prints: make it again"
for key in $("$MYRIAD" explain | awk '/^  / { print $1 }'); do
    "$MYRIAD" explain "$key" >/dev/null || fail "explain $key"
done
finish
