#!/bin/bash
# each_kernel.sh PROGRAM KERNEL...: runs a conformance suite on the GPU, `PROGRAM cuda KERNEL` for every kernel, as many
# at a time as there are cores. Prints the largest of what the runs measured. Exit code 77 where there is no GPU.
program=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '%s\n' "$@" | xargs -P "${MYRIAD_GPU_JOBS:-$(nproc)}" -I{} \
    bash -c "\"$program\" cuda {} >\"$work/{}\" 2>&1; echo \$? >\"$work/{}.code\""

failed=0
for kernel in "$@"; do
    code=$(cat "$work/$kernel.code" 2>/dev/null)
    if [ "$code" = 77 ]; then
        grep -m 1 skipped "$work/$kernel"
        exit 77
    fi
    if [ "$code" != 0 ]; then
        echo "FAILED: $kernel (exit code $code)"
        grep -v -e '^on ' -e 'worst' "$work/$kernel" | tail -n 12
        failed=$((failed + 1))
    fi
done

# "single  worst 10.3, bar 20 (...); the sum alone 10.4, bar 20; in double 0, bar 0": the largest of each over the kernels
cat "$work"/* | awk '
    function most(k, x) { if (!(k in m) || x > m[k]) m[k] = x }
    / worst .*the sum alone/ {
        split($0, part, /worst |, bar|sum alone |in double /)
        if (!($1 in seen)) { seen[$1] = 1; order[++n] = $1 }
        most($1 "c", part[2] + 0); most($1 "s", part[4] + 0); most($1 "d", part[6] + 0)
    }
    /double arithmetic worst/ { most("double", $4 + 0); any = 1 }
    END {
        for (k = 1; k <= n; k++)
            printf "measured on the GPU: %-15s %.3g (2^-24 sum|f|); the sum alone %.3g; in double %.3g\n", order[k],
                m[order[k] "c"], m[order[k] "s"], m[order[k] "d"]
        if (any) printf "measured on the GPU: double arithmetic %.3g sum|f|\n", m["double"]
    }'
echo "$# kernels, $failed failed"
[ "$failed" -eq 0 ]
