#!/bin/bash
# examples/mpi/groups.c: an ensemble on groups of ranks has the same bits for any number of ranks. usage: groups.sh PROGRAM
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"
program=$1
export MYRIAD_SHARE_PAIRS=1 # evaluations of 256 stars are shared

# group RANKS GROUPS
group() { timeout 300 bash "$HERE/run.sh" "$FLAVOUR" "$1" "$program" "$2" > "out_$1_$2" 2> err < /dev/null || fail "$1 ranks, $2 groups: $(cat err)"; }
group 2 2
[ "$(wc -l < out_2_2)" -eq 2 ] || fail "two groups: $(cat out_2_2)"
[ "$(sort -u -k3 out_2_2 | wc -l)" -eq 2 ] || fail "both seeds give the same: $(cat out_2_2)"
group 2 1
cmp -s out_2_1 <(head -n 1 out_2_2) || fail "one group of two: $(cat out_2_1 out_2_2)"
[ "$FLAVOUR" = mpich ] && exit 0 # ranks that wait keep their cores busy
group 3 2
cmp -s out_3_2 out_2_2 || fail "three ranks: $(cat out_3_2 out_2_2)"
timeout 300 bash "$HERE/run.sh" "$FLAVOUR" 2 "$program" 3 > out 2> err < /dev/null && fail "three groups of two ranks"
grep -q "with G from 1 to P" err || fail "three groups: $(cat err)"
exit 0
