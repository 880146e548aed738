#!/bin/bash
# Inputs in the documents, and the examples, run without a warning: every complete input of docs/*.md (one with particles and
# an integrator) makes a step, and so does every example. Notes about loops that are compiled, and about the automatic interval of
# diagnostics, ask for nothing.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
. "$HERE/common.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1

awk 'FNR == 1 { page = FILENAME; sub(/.*\//, "", page); sub(/\.md$/, "", page); block = n = 0 }
    /^```/ { block = $0 == "```yaml"; if (block) file = page "_" ++n ".yaml"; next }
    block { print > file }' "$ROOT"/docs/*.md
(cd "$ROOT/examples" && cp -r ./*.yaml alanine.[ip]* pipelines "$WORK")

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
[ "$tried" -ge 16 ] || fail "only $tried inputs were found"
finish
