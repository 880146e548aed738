#!/bin/bash
# The sentences of SECURITY.md that no other test stands behind: what looking at a stranger's files leaves behind and
# starts, where a run writes, which plug-ins are opened, and what reaches the terminal.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.inc"
. "$HERE/input.inc"
cd "$WORK" || exit 1
export OMP_NUM_THREADS=2

mkdir stranger
cp "$HERE/../../examples/pipelines/gravity.pipe" stranger
cat >stranger/input.yaml <<'YAML'
particles: {model: plummer, n: 32}
interaction: {kernel: gravity.pipe}
integrator: {name: leapfrog, dt: 0.01}
run: {steps: 4}
output: {directory: stranger/results, snapshots: 0.02, checkpoint: 1}
YAML
"$MYRIAD" run stranger/input.yaml --quiet >out 2>err </dev/null || fail "the run: $(cat err)"

# Looking changes nothing and, but for a checkpoint with a pipeline in it, starts no compiler.
cat >compiler <<'SCRIPT'
#!/bin/sh
: >"${0%/*}/was_started"
for word; do
    case $word in
    */unit.so) stat -c %a "${word%/*}" >>"${0%/*}/modes" ;;
    esac
done
exec cc "$@"
SCRIPT
chmod +x compiler
listing()
{
    find stranger -exec stat -c '%n %s %Y %Z' {} + | sort
}
# looks ARGS...: a command that may not change the stranger's folder, with a cache of its own
looks()
{
    listing >before
    rm -rf was_started cache
    CC=$WORK/compiler MYRIAD_CACHE=$WORK/cache "$MYRIAD" "$@" >out 2>err </dev/null || fail "myriad $*: $(cat err)"
    listing >after
    cmp -s before after || fail "myriad $* has changed: $(diff before after)"
}
quietly()
{
    looks "$@"
    [ ! -e was_started ] || fail "myriad $* has started a compiler"
}
quietly report stranger/results --output page.html
quietly report stranger/results stranger/results --output two.html
listing >before
rm -rf was_started cache
CC=$WORK/compiler MYRIAD_CACHE=$WORK/cache timeout -s INT 2 "$MYRIAD" watch stranger/results >out 2>err </dev/null
if ! grep -q 'watch: http://127.0.0.1:' out err; then
    grep -q 'libmyriad_watch.so was not found' err || fail "watch: $(cat err)"
fi
listing >after
cmp -s before after || fail "watch has changed: $(diff before after)"
[ ! -e was_started ] || fail "watch has started a compiler"
quietly info stranger/results
for snapshot in stranger/results/snapshot_00000.*; do
    quietly info "$snapshot"
    quietly convert "$snapshot" "$WORK/copy.extxyz"
done
looks check stranger/input.yaml
for checkpoint in stranger/results/checkpoint_*.myr; do
    looks info "$checkpoint"
done

# The compiler is started without a shell, in a folder of one's own.
rm -rf cache modes
CC="$WORK/compiler -DUNUSED=1;:>$WORK/shell" MYRIAD_CACHE=$WORK/cache "$MYRIAD" eval --kernel stranger/gravity.pipe --n 16 \
    --quiet >out 2>err </dev/null || fail "a compiler with an argument: $(cat err)"
[ ! -e shell ] || fail "a shell has read the words of CC"
[ "$(sort -u modes)" = 700 ] || fail "folders of the compiler: $(cat modes)"

# The command line has the last word about where a run writes.
listing >before
"$MYRIAD" run stranger/input.yaml --set output.directory=mine --quiet >out 2>err </dev/null || fail "mine: $(cat err)"
listing >after
cmp -s before after || fail "output.directory on the command line: $(diff before after)"
[ -s mine/summary.json ] || fail "the results are not where they were wanted"
# And results are not replaced unless asked.
"$MYRIAD" run stranger/input.yaml --quiet >out 2>err </dev/null && fail "results were replaced without --force"
listing >after
cmp -s before after || fail "a run that was refused has changed: $(diff before after)"

# Links in a stranger's results lead nowhere: neither a run that is continued nor a report writes through them.
cat >linked.yaml <<'YAML'
particles: {model: plummer, n: 8, seed: 1}
run: {end: 0.125}
output: {directory: linked, snapshots: 0.0625, format: csv}
YAML
"$MYRIAD" run linked.yaml --quiet >out 2>err </dev/null || fail "linked: $(cat err)"
cp linked/diagnostics.csv precious
cp precious mine.csv
for name in diagnostics.csv run.json input.yaml snapshot_00003.csv checkpoint_000001.myr summary.json diagnostics.hdf5 x.pipe; do
    rm -rf again
    cp -r linked again
    rm -f again/$name
    ln -s "$WORK/mine.csv" again/$name
    "$MYRIAD" run --restart again --set run.end=0.25 --quiet >out 2>err </dev/null && fail "a run went on beside the link $name"
    grep -qF "again/$name is a link" err || fail "the link $name: $(cat err)"
    cmp -s mine.csv precious || fail "a run has written through the link $name"
done
# snapshots that are never written again may be links to where they were moved, and other names are nobody's
rm -rf again
cp -r linked again
mv again/snapshot_00000.csv moved.csv
ln -s "$WORK/moved.csv" again/snapshot_00000.csv
ln -s nowhere again/note
"$MYRIAD" run --restart again --set run.end=0.25 --quiet >out 2>err </dev/null || fail "a moved snapshot: $(cat err)"
rm again/report.html
ln -s "$WORK/mine.csv" again/report.html
"$MYRIAD" report again >out 2>err </dev/null && fail "a report was written through a link"
grep -qF "again/report.html is a link" err || fail "the link report.html: $(cat err)"
cmp -s mine.csv precious || fail "a report has written through a link"

# A plug-in that lies in the folder of a stranger's files is not opened.
if command -v cc >/dev/null; then
    printf '#include <stdio.h>\n__attribute__((constructor)) static void start(void) { fclose(fopen("%s/opened", "w")); }\n' \
        "$WORK" >plugin.c
    for name in cuda openmpi mpich nemo watch; do
        cc -shared -fPIC -o stranger/libmyriad_$name.so plugin.c || fail "no plug-in was made"
    done
    (cd stranger && "$MYRIAD" info >../out 2>../err && "$MYRIAD" eval --n 16 --backend cuda >../out 2>../err
        timeout -s INT 1 "$MYRIAD" watch results >../out 2>../err)
    [ ! -e opened ] || fail "a plug-in in the working folder was opened"
    (cd stranger && MYRIAD_CUDA_PLUGIN=./libmyriad_cuda.so "$MYRIAD" eval --n 16 --backend cuda >../out 2>../err)
    [ -e opened ] || [ ! -e "$(dirname "$MYRIAD")/libmyriad_cuda.so" ] || fail "the test's plug-in cannot be opened at all"
fi

# Names in files reach the terminal without the characters that steer it.
printf '2\nProperties=species:S:1:pos:R:3:\033[31mq:R:1\n\033[31mAr 0 0 0 1\nAr 1 1 1 2\n' >named.extxyz
"$MYRIAD" info named.extxyz >out 2>err </dev/null || fail "info named.extxyz: $(cat err)"
grep -q '?\[31mq' out || fail "info does not show the field: $(cat -v out)"
grep -q '?\[31mAr' err || fail "info does not name the species: $(cat -v err)"
printf 'x' >$'bad\033[31m.csv'
"$MYRIAD" info $'bad\033[31m.csv' >>out 2>>err </dev/null && fail "a damaged file was read"
LC_ALL=C grep -q $'\033' out err && fail "escape sequences reach the terminal: $(cat -v out err)"

# Every test that the page names is there.
root=$HERE/../..
for name in $(grep -o '`\(cli\|unit\|fuzz\|report\|watch\)\.[a-z0-9_]*`' "$root/SECURITY.md" | tr -d '`' | sort -u); do
    case $name in
    cli.*) [ -e "$root/tests/cli/test_${name#*.}.sh" ] ;;
    unit.*) [ -e "$root/tests/unit/test_${name#*.}.c" ] ;;
    watch.*) [ -e "$root/tests/watch/${name#*.}.sh" ] ;;
    report.*) [ -e "$root/tests/report/${name#*.}.sh" ] ;;
    fuzz.*) grep -q "myr_fuzz(${name#*.} \|foreach([a-z]* .*\b${name#*.}\b\|fuzz_${name#*.}\.c" "$root/tests/fuzz/CMakeLists.txt" ;;
    esac || fail "SECURITY.md names $name, which is no test"
done
finish
