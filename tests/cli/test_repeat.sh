#!/bin/bash
# myriad run report.html: the run is repeated in a new directory and told to have the same bits, or not; a page of a
# stranger writes nowhere else and is read within limits.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/run.inc"
cd "$WORK" || exit 1

# --- bodies on other threads, a box, a formula that a user wrote
cat >stars.yaml <<'END'
particles: {model: plummer, n: 200}
run: {end: 0.25, threads: 2}
output: {format: csv}
END
cat >gas.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 108, density: 0.5, thermal: 1}
species: [{name: A, mass: 1, sigma: 1, epsilon: 1}]
interaction: {method: neighbour, cutoff: 2}
integrator: {name: langevin, dt: 0.004, temperature: 1, friction: 1}
run: {steps: 50}
END
for name in stars gas; do
    run $name.yaml
    runs 0 $name/report.html --threads 1
    says "the bits agree with those of $name/report.html: the hash of the last particles is $(sed -n 's/.*"final_hash": "\(.*\)".*/\1/p' $name/run.json)"
    [ -e ${name}_again/summary.json ] || fail "no directory ${name}_again"
done
cmp -s stars/snapshot_00001.csv stars_again/snapshot_00001.csv || fail "other particles"
mkdir own && cp "$HERE"/../../examples/pipelines/*.pipe own/ && formula=$(cd own && ls -- *.pipe | head -n 1)
for pipe in own/*.pipe; do
    printf 'particles: {model: plummer, n: 50}\ninteraction: {kernel: %s}\nintegrator: {name: leapfrog, dt: 0.01}\nrun: {steps: 3}\n' "$pipe" >own.yaml
    "$MYRIAD" run own.yaml --quiet --force >out 2>err </dev/null && break
done
if [ -e own/report.html ]; then
    mv own/report.html page.html
    rm -rf own
    runs 0 page.html
    says "the bits agree"
    [ -e page_again/input.yaml ] || fail "no directory page_again"
else
    fail "no formula of the examples could be run, $formula neither: $(cat err)"
fi

# --- once more it is refused; with other eps the bits differ, which has an exit code of its own
runs 1 stars/report.html
says "holds a finished run; give --force"
runs 4 stars/report.html --set output.directory=other --set interaction.eps=0.1
says "the bits differ: the hash of the last particles is"
runs 0 stars/report.html --set output.directory=events --json
grep -q '"repeats": *true' out || fail "no event about the bits: $(tail -n 1 out)"

# --- a run that has not finished has no hash
run stars.yaml --set output.directory=cut --set run.steps=3 --force
"$MYRIAD" run stars.yaml --quiet --set output.directory=cut --set run.wall_time=0 --force >out 2>err
"$MYRIAD" report cut --quiet || fail "report of a run that has stopped"
runs 2 cut/report.html
says "has no hash of the last particles"

# --- pages of strangers
# page TEXT FILE: a page that carries TEXT
page() { printf '<!doctype html><script type="text/plain" id="myriad-run">%s</script>\n' "$(printf '%b' "$1" | base64 -w 0)" >"$2"; }
printf '<p>a page</p>' >none.html
runs 2 none.html
says "carries no run"
runs 1 missing.html
mkfifo pipe.html
runs 2 pipe.html
says "is not a file"
for text in '' 'myriad-run 1\n' 'myriad-run 2\nversion 1\nhash 0\nkernel 0\ninput 2\n{}' 'myriad-run 1\nversion 1\nhash 0\nkernel 0\ninput 999999999\n{}' \
    'myriad-run 1\nversion 1\nhash 0\nkernel 5\ninput 2\n{}' 'myriad-run 1\nversion 1\nhash 0\nkernel 0\ninput 3\na\0b' 'myriad-run 1\nversion 1\nhash 0\nkernel -1\ninput 2\n{}'; do
    page "$text" bad.html
    runs 2 bad.html
    says "is damaged"
done
{ printf '<script id="myriad-run">'; head -c 6000000 /dev/zero | tr '\0' A; printf '</script>'; } >bad.html
runs 2 bad.html
says "is damaged"
printf '<script id="myriad-run">bXlya?=</script>' >bad.html
runs 2 bad.html
says "is damaged"
# the directory that a page names is not used, nor that of its formula
up=..
input="particles: {model: plummer, n: 20}\nrun: {steps: 1}\noutput: {directory: $up/outside}\n"
mkdir -p inside && cd inside || exit 1
page "myriad-run 1\nversion 1\nhash 0123456789abcdef\nkernel 0\ninput $(printf '%b' "$input" | wc -c)\n$input" hers.html
runs 4 hers.html --quiet
says "the bits differ"
[ -e hers_again/summary.json ] && [ ! -e $up/outside ] || fail "a page has chosen the directory: $(ls ..)"
kernel="kernel $up/$up/outside\n"
input="particles: {model: plummer, n: 20}\ninteraction: {kernel: $up/$up/outside.pipe}\nintegrator: {name: leapfrog, dt: 0.1}\nrun: {steps: 1}\n"
page "myriad-run 1\nversion 1\nhash 0123456789abcdef\nkernel $(printf '%b' "$kernel" | wc -c)\ninput $(printf '%b' "$input" | wc -c)\n$kernel$input" formula.html
runs 2 formula.html
[ "$(cd .. && ls -d outside* 2>/dev/null)" = "" ] || fail "a page has written a file"
finish
