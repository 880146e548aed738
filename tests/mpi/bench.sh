#!/bin/bash
# `myriad bench lj` on ranks: parts that add up to the step, every way to exchange halos, and the tools that make tables
# and a prediction of it.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"
[ "$FLAVOUR" = mpich ] && { echo "skipped: once is enough"; exit 77; }
command -v python3 > /dev/null || { echo "skipped: no python3"; exit 77; }

mkdir results
"$MYRIAD" bench lj --quick --quiet --json --per-rank 2048 > results/weak_1_1_1.json || fail "one rank"
for ranks in 2 4; do
    exchanges=
    [ $ranks -eq 4 ] && exchanges=--exchanges
    on $ranks bench lj --quick --quiet --json --steps 40 $exchanges || fail "$ranks ranks: $(cat err)"
    cp out results/weak_${ranks}_1_1.json
done
cp out results/exchange_4_1_1.json
python3 - <<'END' || fail "the numbers of the bench"
import json
tables = {t["name"]: t["rows"] for t in json.load(open("results/weak_4_1_1.json"))["tables"]}
for row in tables["003_ranks"]:
    parts = sum(row[p + "_ms"] for p in ("force", "list", "communication", "idle", "rest"))
    assert row["ranks"] == 4 and row["n"] == 4 * 2048, row
    # the clock outside sees the orders of rank 0 as well, and on a busy machine more than those
    assert 0.3 * row["step_ms"] < parts < 1.2 * row["step_ms"], (parts, row)
    assert min(row[p + "_ms"] for p in ("force", "communication", "idle", "rest")) >= 0 and row["t_diff"] >= 0, row
    # measured: 1; two where a particle is faster than any in the step before, and while a pair is closer than any was
    assert 1 <= row["reductions"] <= 1.1, row
    assert row["kb_x"] + row["kb_y"] + row["kb_z"] > 9 and row["halo"] > 0, row
assert [r["exchange"] for r in tables["003_fig_17"]] == ["together", "oneway", "two_step", "pairwise"]
assert all(r["largest"] >= r["t_diff"] > 0 for r in tables["003_fig_19"]) and len(tables["003_fig_19"]) == 4
END
for suite in direct fmm; do # shared with all particles on each rank
    on 2 bench $suite --quick --quiet --json --particles 3000 || fail "$suite: $(cat err)"
    python3 - out $suite << 'END' || fail "$suite: $(cat out)"
import json, sys
row, = [t["rows"][0] for t in json.load(open(sys.argv[1]))["tables"] if t["name"] == "shared_ranks"]
assert (row["method"], row["ranks"], row["n"]) == (sys.argv[2], 2, 3000), row
assert row["shared"] == row["evaluations"] > 0 and row["step_ms"] >= row["fastest_ms"] > 0 and row["exchange_ms"] > 0, row
END
done
on 2 bench tree --quick && fail "bench tree on ranks"
grep -q 'lj, direct, hermite, fmm and vortex run on several' err || fail "bench tree: $(cat err)"
python3 "$HERE/../../tools/scaling.py" results > tables || fail "scaling.py"
grep -q 'PREDICTION, not measured beyond 4 ranks' tables || fail "no prediction: $(cat tables)"
echo "parts add up; tables and a prediction of them"
