#!/bin/sh
# Checks that every function in the public headers comes with documentation: a comment that ends on the line before its
# declaration, or before the block of declarations without a blank line that it belongs to.
# usage: check_documentation.sh INCLUDE_DIR
set -u
awk '
    FNR == 1 { documented = 0 }
    /^MYR_API/ {
        count++
        if (!documented) { printf "%s:%d: no comment before: %s\n", FILENAME, FNR, $0; bad = 1 }
    }
    /^[ \t]*$/ || /^#/ { documented = 0 }
    /\*\/[ \t]*$/ { documented = 1 }
    END {
        if (bad) exit 1
        if (!count) { print "check_documentation: found no MYR_API function"; exit 2 }
        printf "check_documentation: %d functions, all documented\n", count
    }' "$1"/*.h
