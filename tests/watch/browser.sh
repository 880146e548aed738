#!/bin/bash
# The live page in a real browser: frames change, pause holds, no complaints, and at the end it is the report; on a desk and
# on a phone in the dark. Skipped where Chromium is not installed (Debian: chromium).
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/../cli/common.inc"
for program in python3 "${CHROMIUM:-chromium}"; do
    command -v "$program" >/dev/null || { echo "$program is not installed: the live page was not opened in a browser"; exit 77; }
done
cd "$WORK" || exit 1
python3 "$HERE/browser.py" "$MYRIAD" || fail "browser.py"
finish
