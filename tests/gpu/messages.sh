#!/bin/bash
# What is said where a GPU cannot be had: no plug-in, no device, a list of devices that makes no sense, no memory. Backend
# auto takes the processor, and says so where there is a GPU that failed.
# shellcheck disable=SC1091
. "$(dirname "$0")/../cli/common.inc"

have_gpu()
{
    "$MYRIAD" eval --backend cuda -n 64 --quiet >/dev/null 2>"$WORK/why"
}

# no plug-in, under any name: told apart from no device
MYRIAD_CUDA_PLUGIN=/nonexistent/plugin.so expect 1 "/nonexistent/plugin.so" eval --backend cuda -n 64 --quiet
grep -q "plug-in could not be opened" "$WORK/err" || fail "does not say that the plug-in is missing: $(cat "$WORK/err")"
grep -q "backend simd" "$WORK/err" || fail "does not say what to do instead: $(cat "$WORK/err")"
# auto goes on without it, and has nothing to say: nobody asked for a GPU
MYRIAD_CUDA_PLUGIN=/nonexistent/plugin.so expect 0 "pairs" eval --backend auto -n 2048
grep -q GPU "$WORK/err" && fail "auto speaks of GPUs: $(cat "$WORK/err")"
MYRIAD_CUDA_PLUGIN=/nonexistent/plugin.so expect 0 "GPUs:" info
grep -A 1 "^GPUs:" "$WORK/out" | grep -q "plug-in could not be opened" || fail "info does not say why there is no GPU"
# a plug-in of another build: its kernels or their arguments are others
MYRIAD_CUDA_PLUGIN=$OTHER_CUDA_PLUGIN expect 1 "the plug-in found is of another version of Myriad" eval --backend cuda -n 64 --quiet

if [ "${MYRIAD_HAVE_CUDA:-0}" = 1 ] && ! have_gpu; then
    grep -q "GPU: looking for devices" "$WORK/why" || fail "no device: $(cat "$WORK/why")"
    grep -q "use backend simd" "$WORK/why" || fail "no device, and no advice: $(cat "$WORK/why")"
    expect 0 "pairs" eval --backend auto -n 2048
    "$MYRIAD" info --json >"$WORK/json"
    parses "$WORK/json" || fail "info --json is not JSON"
fi

if have_gpu; then
    MYRIAD_CUDA_DEVICES=0,99 expect 1 "MYRIAD_CUDA_DEVICES" eval --backend cuda -n 64 --quiet
    MYRIAD_CUDA_DEVICES=zero expect 1 "MYRIAD_CUDA_DEVICES" eval --backend cuda -n 64 --quiet
    MYRIAD_CUDA_MEMORY=1000 expect 1 "GPU:" eval --backend cuda -n 2048 --quiet
    grep -qi "memory" "$WORK/err" || fail "memory exhausted, not said: $(cat "$WORK/err")"
    MYRIAD_CUDA_MEMORY=1000 expect 0 "the processor goes on instead" eval --backend auto -n 2048
    [ "$(grep -c "goes on instead" "$WORK/err")" = 1 ] || fail "said more than once: $(cat "$WORK/err")"
    expect 0 "compute capability" info
fi
finish
