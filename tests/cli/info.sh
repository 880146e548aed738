#!/bin/bash
# What `myriad info`, --help and --version say.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"

expect 0 "myriad 0." --version
expect 0 "Usage: myriad COMMAND" --help
expect 0 "Usage: myriad info" info --help
expect 0 "Usage: myriad eval" eval --help
expect 0 "Usage: myriad bench" bench --help
expect 0 "gravity" info
expect 0 '"order_independent": true' info --json
parses "$WORK/out" || fail "info --json is not JSON"

# Everything that the issue names can be seen.
for word in gravity gravity_potential gravity_jerk laplace lennard_jones ljc_constant ljc_linear ljc_sigmoidal \
    biot_savart stretching velocity_stretching velocity_stretching_transposed velocity_stretching_mixed sph_density sph_force bem_single bem_double hologram ks \
    single double takahashi nitadori nitadori_large narumi chamomile fixed \
    mixed portable direct ref simd scalar plummer uniform lattice; do
    grep -q "\"name\": \"$word\"" "$WORK/out" || fail "info --json does not list $word"
done

# --help lists every option of eval that the issue asks for, and the names that can be chosen.
"$MYRIAD" eval --help >"$WORK/help"
for option in model n kernel accumulator arithmetic method backend isa threads eps seed targets samples json quiet; do
    grep -q -- "^  --$option" "$WORK/help" || fail "eval --help does not list --$option"
done
grep -q chamomile "$WORK/help" || fail "eval --help does not list the accumulators"

"$MYRIAD" >/dev/null 2>&1
[ $? -eq 2 ] || fail "myriad without a command must exit with 2"
finish
