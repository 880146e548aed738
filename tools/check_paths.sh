#!/bin/sh
# Checks that what the documents name is there: every path of the repository in a code span (`src/core/memory.h`) and every
# target of a link between pages. Spans with a placeholder (NAME, *, <, $) are left out.
# usage: check_paths.sh ROOT
set -u
cd "$1" || exit 2
bad=0 count=0

# names FILE: "TYPE PATH" per line; paths in spans count from the root, those of links from the folder of the page
names()
{
    awk '
        /^```/ { block = !block; next }
        block { next }
        {
            n = split($0, span, "`")
            for (k = 2; k <= n; k += 2) {
                words = split(span[k], word, " ")
                for (w = 1; w <= words; w++)
                    if (word[w] ~ /^(src|cli|tests|docs|tools|cmake|include|examples|bindings)\/[A-Za-z0-9_.\/-]*$/ &&
                        word[w] !~ /NAME/)
                        print "span", word[w]
            }
            text = $0
            while (match(text, /\]\([^)]*\)/)) {
                target = substr(text, RSTART + 2, RLENGTH - 3)
                text = substr(text, RSTART + RLENGTH)
                sub(/#.*/, "", target)
                if (target != "" && target !~ /^[a-z]+:/)
                    print "link", target
            }
        }' "$1"
}

for page in *.md docs/*.md docs/*/*.md; do
    [ -f "$page" ] || continue
    list=$(names "$page")
    while read -r kind path; do
        [ -n "$kind" ] || continue
        count=$((count + 1))
        base=.
        [ "$kind" = link ] && base=$(dirname "$page")
        [ -e "$base/$path" ] && continue
        echo "$page names $path, which is not there"
        bad=1
    done << END
$list
END
done
[ $count -gt 0 ] || { echo "check_paths: found no path"; exit 2; }
[ $bad -eq 0 ] && echo "check_paths: $count paths, all there"
exit $bad
