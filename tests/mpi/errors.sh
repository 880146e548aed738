#!/bin/bash
# What is wrong is said once, by one of the ranks, and all end with an exit code, soon. $MYRIAD is the program,
# $MYRIAD_LIBRARY the shared library that it uses, $FLAVOUR the MPI.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}") MYRIAD_LIBRARY=$(realpath "${MYRIAD_LIBRARY:-build/libmyriad.so}")
HERE=$(cd "$(dirname "$0")" && pwd)
FLAVOUR=${FLAVOUR:-openmpi} PLUGIN=$(dirname "$MYRIAD_LIBRARY")/libmyriad_$FLAVOUR.so
. "$HERE/../cli/common.inc"
cd "$WORK" || exit 1
command -v "mpirun.$FLAVOUR" >/dev/null || { echo "skipped: no mpirun.$FLAVOUR"; exit 77; }

cat >in.yaml <<'END'
particles: {model: fcc, n: 2048, density: 0.8, temperature: 1}
interaction: {kernel: lennard_jones, method: neighbour, accumulator: fixed, epsilon: 1, sigma: 1, cutoff: 2.5}
integrator: {name: verlet, dt: 0.002}
run: {steps: 20}
output: {snapshots: none, report: false}
END

cat >plummer.yaml <<'END'
particles: {model: plummer, n: 100}
run: {end: 0.1}
output: {report: false}
END

cat >vortices.yaml <<'END'
particles: {model: isotropic_turbulence, n: 4^3}
box: {x: 6.283185307179586, y: 6.283185307179586, z: 6.283185307179586}
interaction: {kernel: velocity_stretching, method: mesh, tolerance: 1e-3, arithmetic: double, accumulator: double}
integrator: {name: rk3, dt: 0.1}
run: {steps: 2}
output: {report: false}
END

# refused TEXT MPIRUN_ARGUMENTS...: wants TEXT once, in one line of our own, an exit code that is not 0, and no hang
refused()
{
    local text=$1 got
    shift
    timeout 120 bash "$HERE/run.sh" "$FLAVOUR" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -ne 0 ] && [ "$got" -ne 124 ] || fail "$*: exit code $got"
    [ "$(cat out err | grep -cF -- "$text")" -eq 1 ] || fail "$*: '$text' is not there once: $(cat out err)"
    [ "$(cat out err | grep -v '^myriad: note: ' | grep -c -e '^myriad: ' -e '^[^ ]*\.yaml:' -e '^--set ')" -eq 1 ] || fail "$*: not one line: $(cat out err)"
}

# command line and input: the same on all, said by one
refused "there is no option --wrong" 3 "$MYRIAD" run --wrong
refused "nothere.yaml: No such file" 3 "$MYRIAD" run nothere.yaml

# built without this MPI, and started as several
MYRIAD_MPI_PLUGIN=$WORK/nowhere.so refused "the plug-in could not be opened" 3 "$MYRIAD" run in.yaml
refused "rank 1: MPI: the plug-in could not be opened" \
    1 "$MYRIAD" run in.yaml : -np 1 env MYRIAD_MPI_PLUGIN="$WORK/nowhere.so" "$MYRIAD" run in.yaml
[ -e in ] && fail "something was run all the same: $(ls in)"

# one rank has another input, or another program
sed 's/dt: 0.002/dt: 0.001/' in.yaml >other.yaml
refused "rank 1: the input is not that of rank 0: 'dt: 0.001" \
    1 "$MYRIAD" run in.yaml --set output.directory=in : -np 1 "$MYRIAD" run other.yaml --set output.directory=in
refused "rank 2: elsewhere/other.yaml: No such file" \
    2 "$MYRIAD" run in.yaml : -np 1 "$MYRIAD" run elsewhere/other.yaml
version=$("$MYRIAD" --version | sed 's/myriad //')
sed "s/$version/$(echo "$version" | tr 0-9 1-90)/g" "$MYRIAD_LIBRARY" >changed.so
refused "but rank 0 runs Myriad $version" \
    1 "$MYRIAD" run in.yaml : -np 1 env LD_PRELOAD="$WORK/changed.so" MYRIAD_MPI_PLUGIN="$PLUGIN" "$MYRIAD" run in.yaml

# what several ranks cannot do
if [ "$FLAVOUR" = openmpi ]; then # ranks of the other that wait keep the cores busy
    refused "cannot be cut for 11 ranks" 11 "$MYRIAD" run in.yaml --set particles.n=108
fi
MYRIAD_CUDA_PLUGIN=$WORK/nowhere.so refused "GPU: the plug-in could not be opened" 2 "$MYRIAD" run plummer.yaml --set backend.name=cuda
refused "method mesh runs on one rank, and 2 were started" 2 "$MYRIAD" run vortices.yaml
refused "bench tree runs on one rank" 2 "$MYRIAD" bench tree --quick
refused "accumulator double sums in an order" 2 "$MYRIAD" run in.yaml --force --set interaction.accumulator=double

# stars that are not the same on all ranks
mkdir here there
"$MYRIAD" init plummer -n 100 -o here/stars.csv && sed '50s/1/2/' here/stars.csv >there/stars.csv
sed 's/model: plummer, n: 100/file: stars.csv/' plummer.yaml | tee here/stars.yaml >there/stars.yaml
refused "rank 1: the particles are not those of rank 0, bit by bit" \
    1 bash -c "cd here && '$MYRIAD' run stars.yaml" : -np 1 bash -c "cd there && '$MYRIAD' run stars.yaml"
head -n 50 here/stars.csv >there/stars.csv
refused "rank 1: 49 particles here, and 100 on rank 0" \
    1 bash -c "cd here && '$MYRIAD' run stars.yaml --force" : -np 1 bash -c "cd there && '$MYRIAD' run stars.yaml --force"

# a step that cannot be made: the run says so, and is not taken for one that goes on
refused "step 1 at time 0: particle" 2 "$MYRIAD" run in.yaml --quiet --force --set integrator.dt=0.5
grep -q '"state": "failed"' in/run.json || fail "run.json of a broken run: $(grep state in/run.json)"
[ -s in/diagnostics.csv ] || fail "no diagnostics of a broken run"

# more threads than cores: a note by one, and none where they fit or nobody wants to hear of it
cores=$(getconf _NPROCESSORS_ONLN)
notes() { bash "$HERE/run.sh" "$FLAVOUR" "$@" 2>&1 </dev/null | grep -c "^myriad: note: .*threads* each take turns on the $cores core"; }
notes 2 "$MYRIAD" run in.yaml --force --set run.steps=1 --threads "$cores" >said
[ "$(cat said)" = 1 ] || fail "2 ranks with $cores threads each: $(cat said) notes"
notes 2 "$MYRIAD" run in.yaml --force --set run.steps=1 --threads "$cores" --quiet >said
[ "$(cat said)" = 0 ] || fail "a note in spite of --quiet"
if [ "$cores" -ge 2 ]; then
    notes 2 "$MYRIAD" run in.yaml --force --set run.steps=1 --threads $((cores / 2)) >said
    [ "$(cat said)" = 0 ] || fail "a note where all threads have a core"
fi
finish
