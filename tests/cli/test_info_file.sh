#!/bin/bash
# myriad info FILE: what is in particle files, checkpoints and directories of runs.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"
cd "$WORK" || exit 1

cat >a.csv <<'END'
id,type,x,y,z,vx,vy,vz,mass,jerk[0],jerk[1],jerk[2],colour
# time = 2.5
# box_x = 10
# unit_length_in_m = 3.0856775814913673e19
7,0,1,2,3,4,5,6,0.5,0,0,nan,1
9,4,-1,2,3,4,5,-6.25,1.5,0,inf,0,2
-3,4,1,2,3.5,4,5,6,0.5,0,0,7,3
END
expect 0 "particles  3; type 0: 1, type 4: 2" info a.csv
for words in "csv: comma-separated text" "time       2.5" "box        10 x 0 x 0" "length 3.085677581e+19 m" \
    "ids        -3 to 9" "position\[3\] *-1 *3.5 *0  length " "jerk\[3\] *0 *7 *2  length time^-3 *time derivative" \
    "colour *1 *3 *0  ?"; do
    grep -q "$words" "$WORK/out" || fail "info a.csv does not say '$words': $(cat "$WORK/out")"
done
"$MYRIAD" info a.csv --json --quiet >out 2>err || fail "info --json: $(cat err)"
parses out || fail "info --json is not JSON"
for words in '"kind": "snapshot"' '"format": "csv"' '"particles": 3' '"4": 2' '"least_id": -3' '"not_finite": 2' \
    '"unit": "length time^-1"' '"frames": 1'; do
    grep -qF "$words" out || fail "info --json does not say $words"
done

# every format that can be written
for f in gadget2 gadget2_float tipsy tipsy_native nemo; do
    "$MYRIAD" convert a.csv "a.$f" --to $f --quiet || fail "convert to $f"
    expect 0 "format     $f:" info "a.$f"
    expect 0 "type 4: 2" info "a.$f" --format $f
done

# what a format can hold
expect 0 "eps              32    length             softening length" info --format tipsy
expect 0 "keeps      ids, types, time" info --format tipsy
expect 0 "loses      box, origin, units, frames" info --format tipsy
expect 0 "any; these have names of their own" info --format nemo
"$MYRIAD" info --json | awk '/"formats"/ { on = 1 } on && /"name"/ { gsub(/[",]/, ""); print $2 }' >names
[ "$(wc -l <names)" -ge 7 ] || fail "info --json lists too few formats"
while read -r f; do
    expect 0 '"stored"' info --format "$f" --json
    parses "$WORK/out" || fail "info --format $f --json is not JSON"
done <names

# checkpoints and directories of runs
if "$MYRIAD" --help | grep -q '^  run ' && "$MYRIAD" run --help >/dev/null; then
    cat >run.yaml <<'END'
particles: {model: figure_eight}
run: {steps: 4}
output: {directory: results}
END
    if "$MYRIAD" run run.yaml --quiet >out 2>&1; then
        expect 0 "snapshots" info results
        expect 0 "particles  3" info results
        expect 0 '"kind": "run"' info results --json
        parses "$WORK/out" || fail "info --json of a run is not JSON"
        for checkpoint in results/checkpoint_*.myr; do
            expect 0 "steps      4 of" info "$checkpoint"
            expect 0 '"kind": "checkpoint"' info "$checkpoint" --json
            parses "$WORK/out" || fail "info --json of a checkpoint is not JSON"
            head -c 200 "$checkpoint" >cut.myr
            expect 1 "cut.myr" info cut.myr
        done
    elif ! grep -q libfyaml out; then
        fail "run: $(cat out)"
    fi
fi

mkdir empty
expect 1 "is not the directory of a run" info empty
expect 1 "cannot read 'none'" info none
: >nothing
expect 1 "is empty" info nothing
head -c 300 /dev/zero >zeros
expect 1 "is in no format that can be read" info zeros
expect 2 "did you mean 'nemo'?" info a.nemo --format nmeo
expect 1 "has no frame 5" info a.nemo --frame 5
expect 1 "at byte 0: an item of NEMO was expected" info a.csv --format nemo
finish
