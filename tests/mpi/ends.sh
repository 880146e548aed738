#!/bin/bash
# A rank that is killed or gives up takes the others with it, soon. usage: ends.sh FLAVOUR PROGRAM
set -u
flavour=$1 program=$2 here=$(dirname "$0")
for how in killed gives_up; do
    begin=$SECONDS
    said=$(timeout 300 bash "$here/run.sh" "$flavour" 4 "$program" $how 2> /dev/null)
    code=$?
    [ $code -eq 77 ] && exit 77
    [[ $said == *"0 of 4"* ]] || { echo "$how: the ranks did not meet: $said"; exit 1; }
    [ $code -ne 0 ] && [ $code -ne 124 ] || { echo "$how: exit code $code"; exit 1; }
    echo "$how: exit code $code after $((SECONDS - begin)) s"
done
