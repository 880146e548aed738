#!/bin/bash
# The suites run, say what they reproduce, and give the figures that do not depend on the machine's speed.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"

for suite in accumulators kernels direct hermite fmm tree pseudo vortex turbulence mesh lj proteins; do
    fewer= # elements: those of the others take no second
    [ $suite = vortex ] && fewer="--max 3000"
    # shellcheck disable=SC2086
    "$MYRIAD" bench $suite --quick --quiet --json $fewer >"$WORK/$suite" 2>"$WORK/err" || fail "bench $suite: $(cat "$WORK/err")"
    parses "$WORK/$suite" || fail "bench $suite --json is not JSON"
done
for table in 000_fig_10_11 000_fig_12 001_table_1 001_fig_1 001_fig_2 002_table_2 002_table_3 fmm_errors fmm_parts fmm_scaling 004_fig_2_3 004_fig_5_6_10 004_images \
    003_lj lj_melt 003_algorithms 003_fig_8 000_system_1 001_table_2; do
    grep -q "\"$table\"" "$WORK"/{accumulators,kernels,direct,fmm,vortex,lj,proteins} || fail "no table $table"
done
if "$MYRIAD" info --json | grep -q fftw; then
    for table in 004_table_3_5 004_prediction; do
        grep -q "\"$table\"" "$WORK/turbulence" || fail "no table $table"
    done
    grep -q '"transform"' "$WORK/mesh" || fail "bench mesh has no phases"
fi
for key in pairs_per_s bound_fraction issue emitted; do
    grep -q "\"$key\"" "$WORK/kernels" || fail "rows have no $key"
done
expect 0 "Paper 002, Table 2" bench direct --quick --quiet
expect 0 "Paper 000, Fig. 12" bench accumulators --quick --quiet

command -v python3 >/dev/null || finish
python3 - "$WORK" <<'P' || FAILED=$((FAILED + 1))
import json, sys
table = {}
for suite in ("accumulators", "kernels", "direct", "lj", "proteins"):
    for t in json.load(open(f"{sys.argv[1]}/{suite}"))["tables"]:
        table[t["name"]] = t["rows"]
bad = 0
def check(ok, text):
    global bad
    if not ok:
        print("FAILED:", text)
        bad += 1
for row in table["002_table_2"]:  # the paper's columns: Chamomile no worse, the sequential sum within a factor 3
    check(row["chamomile"] <= row["paper_chamomile"], f"chamomile {row}")
    check(row["single"] <= 3 * row["paper_direct"], f"single {row}")
    check(row["fixed"] <= row["chamomile"], f"fixed {row}")
errors = {(r["accumulator"], r["arithmetic"]): r for r in table["000_fig_10_11"]}
check(len(errors) == 9, "rows A to G, chamomile, fixed")
for name in ("fixed", "narumi"):
    r = errors[name, "single"]
    check(r["offset_on_the_fly"] == 0 and r["offset_afterwards"] == 0, f"{name} has an offset: {r}")
# what the paper's text says of exclusion afterwards: A and D lose the forces, B and C do not
for name, lost in (("single", True), ("nitadori", True), ("double", False), ("takahashi", False)):
    check((errors[name, "single"]["error_afterwards"] >= 1e-3) == lost, f"{name} afterwards: {errors[name, 'single']}")
check(len(table["001_table_1"]) >= 20, "every kernel has a row")
check(all(r["pairs_per_s"] > 0 for r in table["001_table_1"]), "speeds are positive")
# everybody makes the same steps: temperatures agree, also with LAMMPS where it is there and truncates as we do
for name in ("003_lj", "lj_melt"):
    ours = [r["temperature"] for r in table[name] if r["code"] == "Myriad"]
    check(len(ours) == 5 and max(ours) - min(ours) < 1e-5 * ours[0], f"{name}: temperatures {ours}")
    check(all(r["mups"] > 0 and r["list_pairs"] > 0 for r in table[name] if r["code"] == "Myriad"), name)
for r in table["lj_melt"]:
    if r["code"].startswith("LAMMPS"):
        check(abs(r["temperature"] - table["lj_melt"][0]["temperature"]) < 1e-5, f"the melt of LAMMPS: {r}")
six = [r["temperature"] for r in table["003_algorithms"]]
check(len(six) == 6 and max(six) - min(six) < 1e-9, f"Algorithms 3 to 8 differ: {six}")
for r in table["000_system_1"]:  # molecules: no offset, and so no momentum, with sums in integers
    if r["accumulator"] in ("fixed", "narumi"):
        check(r["offset"] == 0 and r["momentum"] < 1e-14, f"a molecule is pushed: {r}")
check(len(table["000_system_1"]) == 18 and len(table["001_table_2"]) == 12, "rows of molecules")
sys.exit(bad > 0)
P
finish
