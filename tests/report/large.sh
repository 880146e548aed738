#!/bin/bash
# How large a report of 100 000 particles in 200 snapshots is, what making it takes, and how soon it opens in headless
# Chromium. Not a test, since it measures time; 1.7 GB of snapshots go to a temporary folder.
set -eu
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >large.yaml <<'END'
particles: {model: plummer, n: 100000}
interaction: {kernel: none}
external: [{kind: logarithmic, core: 0.5}]
integrator: {name: leapfrog, dt: 0.02}
run: {end: 3.98}
output: {diagnostics: ends, snapshots: 0.02, report: false}
END
"$MYRIAD" run large.yaml --quiet
echo "$(find large -name 'snapshot_*' | wc -l) snapshots, $(du -sh large | cut -f 1)"
time "$MYRIAD" report large
for _ in 1 2 3; do
    python3 "$HERE/browser.py" large/report.html --screenshot page.png
done
