#!/bin/bash
# Inputs in the documents, and the examples, run without a warning: every complete input of docs/*.md (one with particles and
# an integrator) makes a step, and so does every example. Notes about loops that are compiled, and about the automatic interval of
# diagnostics, ask for nothing. The tutorials are done from beginning to end: their inputs are saved under the names in their first
# lines, their commands and their Python run in that order.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
. "$HERE/common.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1

awk 'FNR == 1 { page = FILENAME; sub(/.*\//, "", page); sub(/\.md$/, "", page); block = n = 0 }
    /^```/ { block = $0 == "```yaml"; if (block) file = page "_" ++n ".yaml"; next }
    block { print > file }' "$ROOT"/docs/*.md
(cd "$ROOT/examples" && cp -r ./*.yaml alanine.[ip]* helix.[ip]* pipelines "$WORK")

tried=0
for input in *.yaml; do
    [[ $input == turbulence* ]] && continue # seconds each, and test_run_examples.sh has them
    grep -q '^particles:' "$input" && grep -q '^integrator:' "$input" || continue
    # far fields of 1e5 particles: as many as show an error beyond the tolerance
    n=$(sed -n 's/^particles:.* n: 100000}.*/20000/p' "$input")
    [ "$input" = phase_separation.yaml ] && n=4000 # a million are for a GPU
    runs 0 "$input" --set run.steps=1 --set output.report=false ${n:+--set particles.n=$n}
    grep 'note:\|WARNING\|not converged' out err | grep -v 'compiling the loops\|auto is now' >told && fail "$input: $(cat told)"
    tried=$((tried + 1))
done
# Turbulence: errors are measured again after 32 evaluations, when the flow has changed; smaller and 12 steps of three.
"$MYRIAD" info --json | grep -q fftw && runs 0 turbulence.yaml --set run.steps=12 --set output.report=false --set "particles.n=16^3" \
    --set particles.peak=2 --set interaction.reynolds=5
grep 'note:\|WARNING\|not converged' out err | grep -v 'compiling the loops\|auto is now' >told && fail "turbulence.yaml: $(cat told)"
[ "$tried" -ge 23 ] || fail "only $tried inputs were found"

# Each step of a tutorial is a line "KIND FILE": a command, a text of Python. A yaml block whose first line is "# NAME.yaml"
# is saved as that.
steps_of()
{
    awk -v into="$2" '
        /^```/ { kind = kind == "" ? substr($0, 4) : ""; file = ""; next }
        kind == "yaml" && file == "" { file = into "/" substr($0, 3) }
        kind == "python" && file == "" { file = into "/" ++n ".py"; print "python", n ".py" }
        kind == "sh" && NF { print "sh", $0 }
        file != "" { print > file }' "$1"
}

# do_tutorial PAGE: in a folder of its own, with `myriad` on the path and the examples beside it
do_tutorial()
{
    local page=$1 folder kind what count=0
    folder=$WORK/tutorial_$(basename "$page" .md)
    mkdir -p "$folder/bin"
    ln -s "$MYRIAD" "$folder/bin/myriad"
    ln -s "$ROOT/examples" "$folder/examples"
    steps_of "$page" "$folder" >"$folder/steps"
    while read -r kind what <&3; do
        if [ "$kind" = sh ]; then
            (cd "$folder" && PATH=$folder/bin:$PATH timeout 100 bash -c "$what" >out 2>err </dev/null) ||
                fail "$(basename "$page"): '$what': $(tail -n 3 "$folder/err")"
        elif [ -n "$PYTHON" ]; then
            (cd "$folder" && timeout 100 "$PYTHON" -B "$what" >out 2>err </dev/null) || fail "$(basename "$page"): $what: $(tail -n 3 "$folder/err")"
        fi
        count=$((count + 1))
    done 3<"$folder/steps"
    [ "$count" -gt 1 ] || fail "$(basename "$page") has $count commands"
}

# Python that can use the package of this build; none under the sanitizers, whose libraries it cannot load
PYTHON=""
PYTHONPATH=$(dirname "$MYRIAD")/python
export PYTHONPATH OMP_NUM_THREADS=2
for python in python3 /usr/bin/python3; do
    "$python" -B -c 'import myriad; myriad.model' 2>/dev/null && PYTHON=$python && break
done
[ -n "$PYTHON" ] || echo "the package of $PYTHONPATH cannot be imported: the Python of the tutorials was not run"
for page in "${ROOT}/docs/tutorials"/*.md; do
    do_tutorial "$page"
done

# A command that fails is noticed.
before=$FAILED
printf '```yaml\n# no.yaml\nparticles: {model: plumer}\n```\n```sh\nmyriad check no.yaml\ntrue\n```\n' >wrong.md
do_tutorial "$WORK/wrong.md" >wrong.out
[ $((FAILED - before)) -eq 1 ] || fail "of 1 wrong command $((FAILED - before)) were noticed: $(cat wrong.out)"
[ $((FAILED - before)) -eq 1 ] && FAILED=$before
finish
