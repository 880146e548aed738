#!/bin/sh
# Snapshots are opened by a reader that others wrote. usage: snapshot_readers.sh PROGRAM READER
# Skipped (77) where the reader is not installed, and then says so.
set -u
program=$1 reader=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$program" "$work" || exit $?
if [ "$reader" = lmp ] && ! command -v lmp > /dev/null; then
    echo "skipped: LAMMPS is not installed"
    exit 77
fi
# Debian's packages belong to Debian's Python; another one may come first in the path.
for python in /usr/bin/python3 python3; do
    "$python" -c "import numpy$([ "$reader" = lmp ] || echo ", $reader")" 2> /dev/null || continue
    MPLCONFIGDIR="$work" "$python" "$here/snapshot_readers.py" "$reader" "$work"
    exit $?
done
echo "skipped: no python3 here has $reader"
exit 77
