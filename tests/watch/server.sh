#!/bin/bash
# The live page of a run, asked by a program: token, Host, Origin, frames, pause, 200 connections, broken requests, the
# same bits with and without somebody who looks; `myriad watch`. Skipped without Python.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/../cli/common.inc"
command -v python3 >/dev/null || { echo "python3 is not installed: the live page was not asked"; exit 77; }
cd "$WORK" || exit 1
python3 "$HERE/watch.py" "$MYRIAD" || fail "watch.py"
finish
