#!/bin/sh
# The molecules of examples/ are what tools/make_alanine.py makes.
# usage: alanine.sh PYTHON ROOT
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" "$2/tools/make_alanine.py" "$work" || exit 1
for name in alanine.prmtop alanine.inpcrd helix.prmtop helix.inpcrd; do
    cmp "$work/$name" "$2/examples/$name" || { echo "make it again: tools/make_alanine.py examples"; exit 1; }
done
