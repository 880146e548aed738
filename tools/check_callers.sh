#!/bin/sh
# Finds functions that a header of src/ declares and nobody calls: neither the library, nor the program, nor the bindings.
# A call by tests alone does not count: what only tests call does nothing for a user. usage: check_callers.sh [source tree]
#
# A declaration or definition is a line that begins at its first column with a type and names the function before a
# parenthesis; any other mention outside of comments is a call, or a place in a table.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2

files() { find "$@" -type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.cu' -o -name '*.cuh' -o -name '*.in' \) 2>/dev/null | sort; }

# shellcheck disable=SC2046 # names of source files have no spaces
bad=$(awk '
    # The line without comments; inside: a comment goes on.
    function code(line,    at, end)
    {
        if (inside) {
            end = index(line, "*/")
            if (!end) return ""
            line = substr(line, end + 2)
            inside = 0
        }
        while ((at = index(line, "/*"))) {
            end = index(substr(line, at), "*/")
            if (!end) { inside = 1; return substr(line, 1, at - 1) }
            line = substr(line, 1, at - 1) " " substr(line, at + end + 1)
        }
        sub(/\/\/.*/, "", line)
        return line
    }
    FNR == 1 { inside = 0 }
    {
        line = code($0)
        declares = line ~ /^[A-Za-z]/ && line !~ /^(typedef|return|else)/
        first = 1
        while (match(line, /myr_[a-z0-9_]+/)) {
            name = substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
            if (declares && first && line ~ /^\(/) {
                if (FILENAME ~ /^src\/.*\.h$/ && $0 !~ /^static/)
                    declared[name] = FILENAME ":" FNR
                first = 0
            } else
                called[name] = 1
        }
    }
    END { for (name in declared) if (!(name in called)) print declared[name] ": " name " has no caller" }
' $(files src runs cli bindings) | sort)

if [ -n "$bad" ]; then
    echo "$bad" >&2
    echo "check_callers: call these functions, or delete them" >&2
    exit 1
fi
echo "check_callers: every function that a header of src/ declares is called"
