#!/bin/sh
# demo.sh - what `make demo` shows: real evaluations with the program in build/, one line each.
#
# For each way to sum: speed, error against double arithmetic, error of the summing alone, net force, and whether the
# result has the same bits on one and on two threads, with the sources in one piece and cut into five.
set -eu
myriad=${MYRIAD:-build/myriad}
n=${DEMO_N:-8192}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# evaluate FILE OPTIONS...: one evaluation of the same stars into a JSON file
evaluate()
{
    file=$1
    shift
    "$myriad" eval --model plummer --n "$n" --kernel gravity --eps 0.01 --seed 1 --quiet --json "$@" >"$work/$file"
}

# get FILE KEY: one member of that file
get()
{
    sed -n "s/^  \"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$work/$1" | head -n 1
}

# row LABEL ACCUMULATOR ARITHMETIC [OPTIONS...]
row()
{
    label=$1 accumulator=$2 arithmetic=$3
    shift 3
    evaluate one --accumulator "$accumulator" --arithmetic "$arithmetic" --threads 1 --repeat 3 "$@"
    evaluate two --accumulator "$accumulator" --arithmetic "$arithmetic" --threads 2 --splits 5 --samples 0 "$@"
    same=no
    [ "$(get one hash)" = "$(get two hash)" ] && same=yes
    printf '%-26s %12.3g %12.1e %12.1e %12.1e   %-4s %s\n' "$label" "$(get one pairs_per_s)" "$(get one rms_rel_error)" \
        "$(get one sum_error)" "$(get one net_force)" "$same" "$(get one hash)"
}

echo "$("$myriad" --version): $n stars of a Plummer sphere, each attracted by every other ($(awk -v n="$n" \
    'BEGIN { printf "%.3g", n * n }') pairs),"
echo "one core, eps = 0.01. Each line is one way to sum the same contributions."
echo
printf '%-26s %12s %12s %12s %12s   %-4s %s\n' "accumulator" "pairs/s" "rms error" "sum error" "net force" "same" \
    "hash of the result"
for accumulator in single chamomile double takahashi nitadori nitadori_large narumi fixed; do
    row "$accumulator" "$accumulator" single
done
row "fixed, mixed positions" fixed mixed
row "fixed, double" fixed double
row "fixed, portable" fixed portable
portable=$(get one hash)
row "fixed, portable, plain C" fixed portable --backend ref
reference=$(get one hash)

echo
echo "rms error: against the same sum in double. sum error: of the summing alone, against the exact sum of the same"
echo "contributions. net force: |sum F| / sum |F|, zero by Newton's third law. same: whether 2 threads with the"
echo "sources in 5 pieces give the bits of 1 thread."
echo
echo "What it showed: a float sum (single) loses digits, and its bits depend on how the work is cut. fixed rounds each"
echo "contribution once and adds integers: the net force is exactly zero, and the bits stay the same however the work"
echo "is cut."
if [ "$portable" = "$reference" ]; then
    echo "In portable arithmetic, vector code and plain C gave the same hash, $portable."
else
    echo "In portable arithmetic, vector code and plain C should give the same hash and did not:" \
        "$portable, $reference." >&2
    exit 1
fi

# A simulation: from an input file to diagnostics, snapshots and a report.
run=${DEMO_RUN:-build/demo-run}
if "$myriad" check examples/cold_collapse.yaml --quiet --set run.steps=0; then # says why, where there is no libfyaml
    echo
    echo "And in motion: examples/cold_collapse.yaml with 1024 stars. A sphere at rest falls in on itself and swings out."
    "$myriad" run examples/cold_collapse.yaml --set particles.n=1024 --set run.end=2 --set output.snapshots=0.03125 \
        --set output.directory="$run" --force
    echo
    echo "The results are in $run: energies and radii in diagnostics.csv, stars in the snapshots, and the input with every"
    echo "default filled in. Continue with: $myriad run --restart $run --set run.end=4"
    echo
    echo "Open this page in a browser for plots, projections and a replay that you can turn:"
    echo "$run/report.html"
fi
