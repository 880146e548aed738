#!/bin/sh
# Checks and times the tree code and the pseudo-particle method on a GPU, in at most 140 s. usage: gpu_cells.sh [build]
set -u
build=${1:-build}
status=0
timeout 60 ctest --test-dir "$build" -R '^gpu\.far_cells$' --output-on-failure || status=1
timeout 55 "$build/myriad" bench tree --backend cuda --quiet || status=1
timeout 25 "$build/myriad" bench pseudo --backend cuda --quiet || status=1
exit $status
