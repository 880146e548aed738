#!/bin/bash
# A run with a far field on a GPU has a report, and its effective input can be run again.
# shellcheck disable=SC1091
. "$(dirname "$0")/../cli/common.inc"
"$MYRIAD" info >"$WORK/info"
grep -q "compute capability" "$WORK/info" || { echo "skipped: $(grep -A 1 "^GPUs:" "$WORK/info")"; exit 77; }

cat >"$WORK/far.yaml" <<'END'
particles: {model: plummer, n: 400}
interaction: {kernel: gravity, eps: 0.05, accumulator: single, arithmetic: single, method: fmm, tolerance: 1e-3}
integrator: {name: leapfrog, dt: 0.0078125}
run: {end: 0.03125}
output: {snapshots: ends}
backend: {name: cuda}
END
cd "$WORK" || exit 1
"$MYRIAD" run far.yaml >out 2>&1 || { cat out; echo "the run failed"; exit 1; }
[ -s far/report.html ] || { cat out; echo "there is no report"; exit 1; }
"$MYRIAD" run far/input.yaml --set output.directory=again >out 2>&1 ||
    { cat out; echo "the effective input cannot be run again"; exit 1; }
named=$(grep -c "\"backend\": \"cuda\"" far/run.json)
[ "$named" -ge 1 ] || { cat far/run.json; echo "run.json does not name the GPU"; exit 1; }
echo "a report, and a second run"
