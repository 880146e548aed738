#!/bin/bash
# The C example of README.md is examples/hello.c, and the commands that README.md shows run.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"
root=$(cd "$(dirname "$0")/../.." && pwd)

awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$root/README.md" >"$WORK/readme.c"
cmp -s "$WORK/readme.c" "$root/examples/hello.c" || fail "the example in README.md is not examples/hello.c"

# Lines that start with "build/myriad" in a shell block.
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on && /^build\/myriad/' "$root/README.md" >"$WORK/commands"
[ -s "$WORK/commands" ] || fail "README.md shows no commands"
MYRIAD=$(realpath "$MYRIAD")
cd "$WORK" || exit 1 # some write files
while read -ra words; do
    for word in "${words[@]}"; do
        case $word in examples/*) [ -e "$root/$word" ] || fail "README.md names $word, which is not there" ;; esac
    done
    case ${words[1]} in
    info | eval | init | convert) expect 0 "" "${words[@]:1}" ;;
    *) expect 0 "Usage: myriad ${words[1]}" "${words[1]}" --help ;; # takes long; has tests of its own
    esac
done <"$WORK/commands"
finish
