#!/bin/bash
# Sweeps and replicas of stars with backend cuda move together on a GPU: results and bits of each run alone, whatever it
# differs in; a run that cannot begin is named, and a sweep that was stopped goes on.
# shellcheck disable=SC1091
. "$(dirname "$0")/../cli/common.inc"

"$MYRIAD" info >"$WORK/info"
grep -q "compute capability" "$WORK/info" || { echo "skipped: $(grep -A 1 "^GPUs:" "$WORK/info")"; exit 77; }
cd "$WORK" || exit 1

cat >stars.yaml <<'Y'
particles: {model: plummer, n: 24}
interaction: {arithmetic: portable}
integrator: {name: hermite4}
backend: {name: cuda}
run: {end: 0.0625}
output: {diagnostics: 0.03125, snapshots: none}
sweep: {particles.seed: 1..2, interaction.eps: [0.02, 0.05]}
Y
hashes() { grep -ho '"final_hash": "[0-9a-f]*"' "$@"; }

"$MYRIAD" sweep stars.yaml >out 2>&1 || fail "sweep: $(cat out)"
grep -q '4 runs on a GPU, 1 block of 128 threads each' out || fail "the runs did not move together: $(cat out)"
for k in 1 4; do
    "$MYRIAD" sweep stars.yaml --only $k --quiet --set output.directory=alone || fail "run $k alone"
    [ "$(hashes stars/000$k/run.json)" = "$(hashes alone/000$k/run.json)" ] || fail "run $k has other bits alone"
    cmp -s <(cut -d, -f1-4 stars/000$k/diagnostics.csv) <(cut -d, -f1-4 alone/000$k/diagnostics.csv) || fail "run $k has another table"
done
"$MYRIAD" sweep stars.yaml --jobs 2 --force --quiet --set backend.name=simd --set output.directory=jobs || fail "processes"
[ "$(hashes stars/000?/run.json)" = "$(hashes jobs/000?/run.json)" ] || fail "processes on the processor have other bits"

# replicas, other numbers of bodies, and one whose bodies coincide
sed -e '/^sweep/d' -e 's/n: 24/n: 20/' stars.yaml >three.yaml
echo 'replicas: {n: 3}' >>three.yaml
"$MYRIAD" run three.yaml >out 2>&1 || fail "replicas: $(cat out)"
grep -q '3 replicas on a GPU' out || fail "the replicas did not move together: $(cat out)"
printf 'id,mass,x,y,z,vx,vy,vz\n1,1,0,0,0,0,0,0\n2,1,0,0,0,0,0,0\n3,1,1,0,0,0,0.5,0\n' >same.csv
printf 'id,mass,x,y,z,vx,vy,vz\n1,1,0,0,0,0,0,0\n2,1,0,1,0,0,0,0\n3,1,1,0,0,0,0.5,0\n' >apart.csv
sed -e '/^sweep/d' -e '/^particles/d' stars.yaml >files.yaml
printf 'particles: {file: apart.csv}\nsweep: {particles.file: [apart.csv, same.csv]}\n' >>files.yaml
"$MYRIAD" sweep files.yaml >out 2>&1
[ $? -eq 1 ] || fail "a sweep with a run that fails: $(cat out)"
[ -f files/0001/summary.json ] || fail "the other run did not go on: $(cat out)"
finish
