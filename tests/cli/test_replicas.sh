#!/bin/bash
# Replicas of one input: the bits of runs alone, a stop and a restart, exchange of temperatures, one that fails, and what
# is refused.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
here=$(cd "$(dirname "$0")/../.." && pwd)
cp "$here/examples/alanine.inpcrd" "$here/examples/alanine.prmtop" "$folder"
cd "$folder"
fail() { echo "FAILED: $*"; exit 1; }
last() { tail -n 1 "$1/hashes.csv"; }

cat > solo.yaml <<'EOF'
units: {system: amber}
particles: {file: alanine.inpcrd, topology: alanine.prmtop}
interaction: {kernel: ljc_sigmoidal, arithmetic: portable, accumulator: fixed}
minimise: {steps: 100}
integrator: {name: langevin, dt: 2 fs, temperature: 300 K, friction: 5 ps^-1, rigid: hydrogen}
run: {steps: 120, end: none}
output: {diagnostics: 0.1 ps, snapshots: none, hash: 40, report: false}
EOF
{ cat solo.yaml; echo 'replicas: {temperatures: [300 K, 310 K, 321 K]}'; } > plain.yaml
{ cat solo.yaml; echo 'replicas: {temperatures: [300 K, 310 K, 321 K], exchange: {every: 20}}'; } > swap.yaml

# a replica is the run that it would be alone
"$MYRIAD" run plain.yaml --quiet
"$MYRIAD" run solo.yaml --quiet --set integrator.seed=2 --set "integrator.temperature=310 K"
[ "$(last plain/0002)" = "$(last solo)" ] || fail "replica 2 has other bits than alone: $(last plain/0002), $(last solo)"
[ "$(last plain/0001)" != "$(last plain/0002)" ] || fail "replicas are alike"
[ "$(grep -c finished plain/sweep.csv)" = 3 ] || fail "sweep.csv"

# exchange, with the same bits again, and in two parts
"$MYRIAD" run swap.yaml --quiet
"$MYRIAD" run swap.yaml --quiet --set output.directory=again
[ "$(last swap/0003)" = "$(last again/0003)" ] || fail "exchange does not repeat"
grep -q '"every": 20' swap/exchange.json || fail "exchange.json"
grep -q '"round_trips"' swap/exchange.json || fail "round trips"
tried=$(grep '"tried"' swap/exchange.json | tr -dc '0-9\n' | paste -sd ' ')
[ "$tried" = "3 3 0" ] || fail "tried $tried"
grep -q '"seed": 1' swap/exchange.json || fail "the draws do not have the seed of the first replica"

# the draws follow the seed of the first replica; the page tells what was exchanged
{ sed 's/steps: 120/steps: 40/; s/report: false/report: true/; s/minimise: {steps: 100}/minimise: {steps: 20}/; s/langevin,/langevin, seed: 7,/' solo.yaml
  echo 'replicas: {temperatures: [300 K, 310 K, 321 K], exchange: {every: 20}}'; } > other.yaml
"$MYRIAD" run other.yaml --quiet
grep -q '"seed": 7' other/exchange.json || fail "exchanges do not have the seed 7"
grep -q '<h2>Replica exchange</h2>' other/sweep.html || fail "sweep.html does not show the exchange"
grep -q ' of 2 exchanges of neighbouring temperatures' other/sweep.html || fail "sweep.html has another number of exchanges"

# a replica that blows up is named, and the others go on
{ cat solo.yaml; echo 'replicas: {temperatures: [300 K, 9e7 K, 321 K]}'; } > wild.yaml
code=0; "$MYRIAD" run wild.yaml > wild.out 2>&1 || code=$?
[ $code = 1 ] || fail "exit code $code where a replica fails"
grep -q 'replica 2 has failed, the others go on' wild.out || fail "no replica named: $(cat wild.out)"
[ "$(grep -c finished wild/sweep.csv)" = 2 ] || fail "the others did not finish"

# what is refused
refuse() { # section, sentence
    { cat solo.yaml; echo "replicas: $1"; } > wrong.yaml
    if "$MYRIAD" run wrong.yaml --quiet --set output.directory=wrong > wrong.out 2>&1; then fail "accepted: $1"; fi
    grep -q "$2" wrong.out || fail "$1: $(cat wrong.out)"
}
refuse '{n: 2, temperatures: [300 K]}' 'has 1 value'
refuse '{exchange: {every: 10}}' 'their number is missing'
refuse '{n: 2, exchange: {each: 10}}' 'not of the form'
refuse '{n: 2, sseeds: [1, 2]}' 'no key'
refuse '{temperatures: [310 K, 300 K], exchange: {every: 10}}' 'do not increase'
{ cat plain.yaml; echo 'sweep: {integrator.seed: 1..2}'; } > both.yaml
if "$MYRIAD" run both.yaml --quiet > wrong.out 2>&1; then fail "both sections accepted"; fi
grep -q 'not both' wrong.out || fail "both: $(cat wrong.out)"

# stopped in the middle and continued
sed 's/steps: 120/steps: 1200/' swap.yaml > long.yaml
"$MYRIAD" run long.yaml --quiet
"$MYRIAD" run long.yaml --quiet --set output.directory=parts &
pid=$!
for _ in $(seq 100); do [ -s parts/0003/hashes.csv ] && [ "$(wc -l < parts/0003/hashes.csv)" -gt 4 ] && break; sleep 0.1; done
kill -TERM $pid 2> /dev/null || true
code=0; wait $pid || code=$?
if [ $code = 75 ]; then "$MYRIAD" run long.yaml --quiet --set output.directory=parts; elif [ $code != 0 ]; then fail "code $code"; fi
[ "$(last long/0002)" = "$(last parts/0002)" ] || fail "other bits after a stop: $(last long/0002), $(last parts/0002)"
cmp long/exchange.json parts/exchange.json || fail "other exchanges after a stop"
echo "replicas: fine (stopped with code $code)"
