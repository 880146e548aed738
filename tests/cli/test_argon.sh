#!/bin/bash
# examples/argon.yaml: the crystal has melted when observables begin, and the report shows it.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
cd "$WORK" || exit 1
EXAMPLE=$HERE/../../examples/argon.yaml

# order FILE: |sum exp(i k x)|/N, root mean square over the four vectors k of the reflections (111) of 6 x 6 x 6 cells
order()
{
    awk -F, 'BEGIN { k = 6 * 2 * 3.14159265358979 / (864 / 0.020718) ^ (1 / 3) }
        /^#/ { next }
        !columns { columns = NF; for (c = 1; c <= NF; c++) column[$c] = c; next }
        {
            x = k * $column["x"]; y = k * $column["y"]; z = k * $column["z"]; n++
            phase[1] = x + y + z; phase[2] = x + y - z; phase[3] = x - y + z; phase[4] = y + z - x
            for (s in phase) { real[s] += cos(phase[s]); imaginary[s] += sin(phase[s]) }
        }
        END {
            for (s in phase) sum += (real[s] ^ 2 + imaginary[s] ^ 2) / n ^ 2
            print n == 864 ? sqrt(sum / 4) : -1
        }' "$1"
}

# The snapshots are one ps apart, and observables begin at 5 ps. A liquid of 864 atoms has 0.03 to 0.08, and what the
# example did before, with 190 K, has 0.31.
"$MYRIAD" run "$EXAMPLE" --quiet --set output.format=csv --set "run.end=6 ps" --threads 1 >out 2>err || fail "run: $(cat err)"
grep -q 'start: 5 ps' "$EXAMPLE" || fail "observables do not begin at 5 ps"
between 0.999 "$(order argon/snapshot_00000.csv)" 1.001 || fail "no crystal at the start: $(order argon/snapshot_00000.csv)"
for at in 5 6; do
    between 0 "$(order argon/snapshot_0000$at.csv)" 0.12 || fail "a crystal at $at ps: $(order argon/snapshot_0000$at.csv)"
done
if [ -s argon/report.html ]; then
    grep -q 'id="plot-order"' argon/report.html || fail "the report does not show the order of the crystal"
    # a thermostat changes the momentum: no error
    grep -q 'Change of momentum' argon/report.html || fail "the report does not show the momentum"
    grep -q 'omentum error' argon/report.html && fail "the report calls what a thermostat does an error"
    # a liquid has no order to lose
    "$MYRIAD" run "$EXAMPLE" --quiet --set "run.end=0.2 ps" --set "output.snapshots=0.1 ps" --set particles.model=random \
        --set particles.temperature="94.4 K" --set "minimise.steps=200" --set output.directory=liquid --threads 1 >out 2>err ||
        fail "run of a liquid: $(cat err)"
    [ -s liquid/report.html ] || fail "the liquid has no report"
    ! grep -q 'id="plot-order"' liquid/report.html || fail "the report of a liquid shows a crystal"
fi
finish
