#!/bin/bash
# The site of the documents is made without a warning, and none of its links is broken; a broken link would be noticed.
# Skipped where Debian's Sphinx, its reader of Markdown or its theme is missing.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
. "$HERE/../cli/common.inc"
for module in sphinx myst_parser furo; do
    /usr/bin/python3 -c "import $module" 2>/dev/null || { echo "no module $module in /usr/bin/python3: the site was not made"; exit 77; }
done
build=$(dirname "$MYRIAD")
[ -e "$build/fortran/myriad.f90" ] || fail "$build/fortran/myriad.f90 is not there: the build makes it with target fortran"
export OMP_NUM_THREADS=2 PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 "$ROOT/docs/site/make_site.py" "$build" "$WORK/site" --quick >"$WORK/out" 2>"$WORK/err" || fail "make_site.py: $(cat "$WORK/out" "$WORK/err")"
cat "$WORK/out"
html=$WORK/site/html
for page in docs/index docs/tutorials/stars docs/papers/004_vortices docs/reference/c/simulation docs/reference/python gallery/plummer; do
    [ -s "$html/$page.html" ] || fail "there is no page $page.html"
done
grep -q 'id="myr-simulation-create"' "$html/docs/reference/c/simulation.html" || fail "the C reference lacks myr_simulation_create"
grep -q '{table-of-csv}\|{gallery-of-reports}' -r "$html/docs" --include='*.html' && fail "a table or the gallery was not put in"

# The checks of links can fail: a file and a place that are not there.
mkdir "$WORK/broken" && echo '<p id="here"></p><a href="#here">a</a><a href="#nowhere">b</a><img src="none.png">' >"$WORK/broken/index.html"
found=$(cd "$ROOT/docs/site" && /usr/bin/python3 -c "import links, sys; print(*links.check(sys.argv[1]), sep='\n')" "$WORK/broken")
[ "$(grep -c 'there is no such' <<<"$found")" -eq 2 ] || fail "two broken links, noticed: $found"
finish
