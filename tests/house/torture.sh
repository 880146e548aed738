#!/bin/bash
# tools/torture.sh: a life ends well and is counted, a call with the same folder continues the counts, and a program that
# loses bits is found out. usage: torture.sh TOOLS MYRIAD
tools=$1 myriad=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }
mkdir inputs good bad
cat >inputs/stars.yaml <<'END_OF_INPUT'
particles: {model: plummer, n: 64, seed: 5}
interaction: {eps: 0.0625}
run: {end: 1}
output: {diagnostics: 0.03125, snapshots: 0.25, format: csv, checkpoint: 0, report: false}
END_OF_INPUT
export TORTURE_INPUTS=$work/inputs TORTURE_ATTEMPTS=3 TORTURE_LIVES=1
ln -s "$myriad" good/myriad
"$myriad" run inputs/stars.yaml --set output.directory=try --set run.steps=1 --quiet 2>err || {
    grep -q libfyaml err && { echo "skipped: $(cat err)"; exit 77; }
    fail "$(cat err)"
}

for lives in 1 2; do
    bash "$tools/torture.sh" 1 good state >out 2>&1 || fail "life $lives: $(cat out state/log)"
    grep -q "^$lives lives, " out || fail "life $lives is not counted: $(cat out)"
    grep -q ' 0 bits lost, 0 faults$' out || fail "life $lives: $(cat out)"
done

# a program that changes a number of its diagnostics whenever a run ends; without harm, which would hit the script alone
cat >bad/myriad <<END_OF_PROGRAM
#!/bin/bash
"$myriad" "\$@"
code=\$?
case "\$*" in *directory=whole*) ;; *) [ \$code -eq 0 ] && [ -e run/diagnostics.csv ] && sed -i '\$s/1/3/' run/diagnostics.csv ;; esac
exit \$code
END_OF_PROGRAM
chmod +x bad/myriad
TORTURE_ATTEMPTS=0 bash "$tools/torture.sh" 1 bad state_bad >out 2>&1 && fail "bits that are lost are not found: $(cat out)"
grep -qE ', [1-9][0-9]* bits lost, [1-9][0-9]* faults$' out || fail "lost bits: $(cat out)"
[ -s state_bad/faults/1/what ] || fail "nothing is kept of a fault"
echo "all checks passed"
