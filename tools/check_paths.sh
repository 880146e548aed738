#!/bin/sh
# Checks that what the documents name is there: every path of the repository in a code span (`src/core/memory.h`), every
# function or type of the library (`myr_context_create`), every function that a table (| `function` | `file` |) or an item
# (`file`: `function`) puts into a file, and every target of a link between pages. Spans with a
# placeholder (NAME, noun, *, <, $) are left out.
# usage: check_paths.sh ROOT
set -u
cd "$1" || exit 2
bad=0 count=0

known=$(mktemp)
trap 'rm -f "$known"' EXIT
grep -rhow --include='*.[ch]' --include='*.def' 'myr_[a-z0-9_]*' include src bindings 2> /dev/null | sort -u > "$known"

# names FILE: "TYPE NAME" per line; paths in spans count from the root, those of links from the folder of the page
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
                    if (word[w] ~ /^(src|runs|cli|tests|docs|tools|cmake|include|examples|bindings)\/[A-Za-z0-9_.\/-]*$/ &&
                        word[w] !~ /NAME/)
                        print "span", word[w]
                    else if (match(word[w], /^myr_[a-z0-9_]+/) && word[w] !~ /NAME|noun|\*|\.\.\./)
                        print "name", substr(word[w], 1, RLENGTH)
            }
            if (match($0, /^\| `[a-z0-9_]+` \| `[a-z0-9_\/]+\.[ch]` \|$/)) {
                split($0, span, "`")
                print "in", span[2] "@" span[4]
            }
            if (match($0, /`[a-z0-9_\/]+\.[ch]`: `[a-z0-9_]+`/)) {
                split(substr($0, RSTART), span, "`")
                print "in", span[4] "@" span[2]
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

for page in $(find . -name '*.md' ! -path './build*' ! -path './.*/*' | sort); do
    grep -nE '^(<<<<<<<|>>>>>>>) ' "$page" && { echo "$page holds both sides of a merge"; bad=1; }
    list=$(names "$page")
    while read -r kind path; do
        [ -n "$kind" ] || continue
        count=$((count + 1))
        base=.
        [ "$kind" = link ] && base=$(dirname "$page")
        [ "$kind" = in ] && grep -qw "${path%@*}" "${path#*@}" 2> /dev/null && continue
        [ "$kind" = name ] && grep -qx "$path" "$known" && continue
        [ -e "$base/$path" ] && continue
        echo "$page names $path, which is not there"
        bad=1
    done << END
$list
END
done
# Pictures name files without their folder.
for picture in $(find docs -name '*.svg' 2> /dev/null | sort); do
    for file in $(grep -oE '[a-z0-9_]+(/[a-z0-9_]+)*\.(c|h|def)\b' "$picture" | sort -u); do
        count=$((count + 1))
        [ -n "$(find ./src ./runs ./cli ./include -path "*/$file" 2> /dev/null)" ] && continue
        echo "$picture names $file, which is not there"
        bad=1
    done
done
[ $count -gt 0 ] || { echo "check_paths: found no name"; exit 2; }
[ $bad -eq 0 ] && echo "check_paths: $count names, all there"
exit $bad
