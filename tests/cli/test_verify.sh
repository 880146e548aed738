#!/bin/bash
# output.hash and myriad verify: hashes do not change with threads, restarts and the order of checkpoints; a stretch is
# repeated with the same bits, and another one is told by the step at which it differs. The directory is only read.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1

# verifies CODE ARGS...: myriad verify with that exit code; the directory, the first argument, stays as it is
verifies()
{
    local code=$1 got before
    shift
    before=$(ls -la --time-style=full-iso "$1" 2>/dev/null)
    "$MYRIAD" verify "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$code" ] || fail "myriad verify $*: exit code $got, not $code: $(cat out err)"
    [ "$before" = "$(ls -la --time-style=full-iso "$1" 2>/dev/null)" ] || fail "myriad verify $* has written into $1"
}

cat >stars.yaml <<'END'
particles: {model: plummer, n: 200}
interaction: {eps: 0.01}
integrator: {name: hermite4}
run: {steps: 70}
output: {format: csv, hash: 20, report: false}
END
cat >gas.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 108, density: 0.5, thermal: 1}
species: [{name: A, mass: 1, sigma: 1, epsilon: 1}]
interaction: {method: neighbour, cutoff: 2}
integrator: {name: langevin, dt: 0.004, temperature: 1, friction: 1}
run: {steps: 50}
output: {hash: 7, report: false}
END
run stars.yaml --threads 1
run gas.yaml
[ "$(cut -d, -f1 stars/hashes.csv | tail -n +3 | paste -sd,)" = 0,20,40,60 ] || fail "lines: $(cat stars/hashes.csv)"
[ "$(head -n 2 stars/hashes.csv | tail -n 1)" = step,time,hash ] || fail "header: $(cat stars/hashes.csv)"

# --- repeated on other threads; a part of it; JSON
verifies 0 stars --threads 2
says "the bits agree: 4 hashes of stars up to step 60, repeated from step 0 on 1 rank with 2 threads"
verifies 0 gas --threads 2 --steps 15
says "the bits agree: 3 hashes of gas up to step 14, repeated from step 0"
verifies 0 gas --quiet
[ -s out ] && fail "--quiet: $(cat out)"
verifies 0 gas --json
parses out && grep -q '"agree": true' out && grep -q '"hashes": 8' out || fail "JSON: $(cat out)"

# --- the file does not depend on where a run was stopped and continued; it may be made longer, with other intervals
run stars.yaml --set output.directory=parts --set run.steps=33 --threads 2
run --restart parts --set run.steps=70
cmp -s stars/hashes.csv parts/hashes.csv || fail "a run in two parts: $(cat parts/hashes.csv)"
verifies 0 parts
says "up to step 60, repeated from step 33"
run --restart parts --set run.steps=90 --set output.hash=10
says_steps=$(cut -d, -f1 parts/hashes.csv | tail -n +3 | paste -sd,)
[ "$says_steps" = 0,20,40,60,70,80,90 ] || fail "with another interval: $says_steps"
verifies 0 parts
says "3 hashes of parts up to step 90, repeated from step 70"

# --- other bits: the last step that agrees and the first that does not are told, and a line that was damaged
# flip FILE STEP: changes the last digit of the hash of a step
flip()
{
    local digit
    digit=$(sed -n "s/^$2,.*\(.\)$/\1/p" "$1")
    sed -i "/^$2,/s/.$/$(printf %x $((15 - 0x$digit)))/" "$1"
}
cp -r stars other
flip other/hashes.csv 40
flip other/hashes.csv 60
verifies 4 other
says "the bits differ: those of step 20 agree, those of step 40 do not ("
verifies 4 other --json
grep -q '"agree": false' out && grep -q '"differs_step": 40' out || fail "JSON: $(cat out)"
cp -r stars line
flip line/hashes.csv 40
verifies 4 line
says "that of step 60 agrees again: the line between is damaged"
# one bit of one coordinate
awk 'BEGIN { print "x,y,z,vx,vy,vz,mass"; for (i = 0; i < 40; i++) printf "%.1f,%.2f,%.3f,0,0,0,0.025\n", i * 7 % 11 / 10, i * 5 % 13 / 13, i / 7 }' >a.csv
sed '7s/^[0-9.]*,/0.50000000000000011,/' a.csv >b.csv && sed -i '7s/^[0-9.]*,/0.5,/' a.csv
cmp -s a.csv b.csv && fail "the particles are the same"
for name in a b; do
    sed "s/^particles:.*/particles: {file: $name.csv}/" stars.yaml >from_$name.yaml
    run from_$name.yaml --set run.steps=20
done
cp from_b/checkpoint_000000.myr from_a/
verifies 4 from_a
says "the bits differ from the first hash on, that of step 0 ("

# --- where other bits are allowed, that is said
isa=$(isas | head -n 1)
if [ "$(isas | wc -l)" -gt 1 ]; then
    "$MYRIAD" verify stars --set backend.isa="$isa" >out 2>err
    says "arithmetic mixed promises equal bits on one backend and one instruction set"
    run stars.yaml --set output.directory=same --set interaction.arithmetic=portable --set run.steps=40
    verifies 0 same --set backend.isa="$isa"
    grep -q "promises" err && fail "portable arithmetic is told not to keep its bits: $(cat err)"
fi
run gas.yaml --set output.directory=plain --set interaction.accumulator=double --set interaction.arithmetic=double
verifies 0 plain
says "sums of accumulator double depend on their order"

# --- what cannot be verified
runs 0 stars.yaml --quiet --set output.directory=none --set output.hash=none
verifies 1 none
says "none has no hashes.csv, so that there is nothing to compare with; runs with output.hash = N write one"
verifies 1 nowhere
says "nowhere has no hashes.csv"
verifies 2 stars --set interaction.eps=1
says "a run that is verified can change run.threads, run.exchange, run.balance, backend.name, backend.isa"
cp -r stars bare
rm bare/checkpoint_*
verifies 1 bare
says "bare holds no checkpoint"
cp -r stars late
rm late/checkpoint_000000.myr
verifies 1 late
says "nothing can be repeated: the oldest checkpoint of late that can be used is of step 70, and its last hash of step 60"
cp -r stars hurt
printf X | dd of=hurt/checkpoint_000000.myr bs=1 seek=200 conv=notrunc status=none
verifies 1 hurt
says "going on to the one after it"
for text in '20,0.1,0123' '20,x,0123456789abcdef' '20,0.1,0123456789abcdef0' '0,0.1,0123456789abcdef' "$(head -c 500 /dev/zero | tr '\0' 7)"; do
    cp -r stars hurt2
    sed -i "4c$text" hurt2/hashes.csv
    verifies 1 hurt2
    says "hurt2/hashes.csv: line 4 is damaged"
    rm -r hurt2
done
cp -r stars begun # a last line that was being written
printf '80,1.5,0123' >>begun/hashes.csv
verifies 0 begun
mkdir -p odd && cp stars/checkpoint_* odd/ && mkfifo odd/hashes.csv
verifies 1 odd
says "is not a file of hashes"
: >bare/hashes.csv
verifies 1 bare
says "holds no hash yet"
finish
