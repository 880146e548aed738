#!/bin/bash
# Every block of commands, YAML, C and Python in docs/ is tried, or left out with a reason that is printed: README.md and
# CONTRIBUTING.md are tried by readme.sh, complete inputs and the tutorials by test_documents.sh, the Python of README.md and
# python.md by python.doctest. Commands are shortened by the rules of try_command; a command without a rule is a failure.
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
# shellcheck disable=SC1091
. "$HERE/common.inc"
cd "$WORK" || exit 1
BUILD=$(dirname "$MYRIAD")
mkdir bin blocks
ln -s "$MYRIAD" bin/myriad
ln -s "$BUILD" build
for folder in examples tools tests include; do ln -s "$ROOT/$folder" "$folder"; done
cp "$ROOT/examples/"alanine.* . && cp -r "$ROOT/examples/pipelines" .
export PATH=$WORK/bin:$PATH OMP_NUM_THREADS=2 MYRIAD_CACHE=${MYRIAD_CACHE:-$WORK/cache}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
OTHER="about another program, whose test (tests/amuse, tests/nbody6) does it where that is"
tried=0

# left REASON COMMAND: says why something is not tried
left() { echo "not run, $1: $2"; }

# attempt COMMAND: runs it in this folder; it must end well
attempt()
{
    tried=$((tried + 1))
    timeout 100 bash -c "$1" >out 2>err </dev/null || fail "$PAGE: '$1' ends with $?: $(tail -n 3 err)"
}

# attempt_or SENTENCE COMMAND: where something is missing the command may fail, if it says that
attempt_or()
{
    tried=$((tried + 1))
    timeout 100 bash -c "$2" >out 2>err </dev/null || grep -q "$1" err || fail "$PAGE: '$2' ends with $?: $(tail -n 3 err)"
}

# bench_of COMMAND: suites are run by bench.sh; the suite and the options must exist
bench_of()
{
    local word before=
    tried=$((tried + 1))
    for word in ${1#*myriad bench }; do
        [[ $before = --[a-z]* && $word != --* ]] || grep -qE -- "(^|[ ,])$word([ ,.=]|$)" bench_help || fail "$PAGE: '$1': there is no $word"
        before=$word
    done
}

# on_ranks COMMAND: with two ranks
on_ranks()
{
    command -v mpirun.openmpi >/dev/null || { left "no mpirun.openmpi" "$1"; return; }
    attempt "$(sed -E 's/^mpirun -(np|n) [0-9]+( --bind-to core)?/mpirun.openmpi -np 2/' <<<"$1")"
}

# run_of COMMAND: `myriad run`, of a few particles and steps
run_of()
{
    case $1 in
    *phase_separation.yaml*) echo "$1 --set particles.n=4000 --set run.steps=2" ;;
    *turbulence*.yaml*) echo "$1 --set particles.n=512 --set run.steps=2 --force" ;;
    *cluster.yaml*) echo "${1/hash=1000/hash=10} --force" ;;
    *.html) echo "$1 --set output.directory=again" ;;
    *) echo "$1 --set run.steps=2" ;;
    esac
}

try_command()
{
    local command=$1
    case $command in
    *" -- "*) left "a pattern of commands" "$command" ;;
    make\ -C* | "make "*"bindings/amuse"*) left "$OTHER" "$command" ;;
    "make "*" OLD=<"*) left "compares two commits, which check-abi builds" "$command" ;;
    "make "*)
        # shellcheck disable=SC2086 # a target may come with variables
        make -n -C "$ROOT" ${command#make } >out 2>err || fail "$PAGE: there is no '$command': $(tail -n 1 err)"
        ;;
    cmake\ --install* | "cd amuse/"* | "./configure "*) left "$OTHER" "$command" ;;
    "export "*) attempt "$command" ;;
    "mpirun "*cuda*) left "needs several GPUs; gpu.box_ranks does it" "$command" ;;
    "mpirun "*"bench "*) bench_of "$command" ;;
    "mpirun "*"run "*) on_ranks "$command --set run.steps=4 --force" ;;
    "mpirun "*) on_ranks "$command" ;;
    "myriad run --restart"*cuda*) left "continues the run above, which needs a GPU" "$command" ;;
    *"eval "*"--backend cuda"*) attempt_or GPU "${command/-n 1000000/-n 1000} --samples 0" ;;
    *"myriad bench "*) bench_of "$command" ;;
    "myriad "*cuda*) attempt_or GPU "${command/myriad run/myriad check}" ;;
    *"eval "*) attempt "$(sed -E 's/ (-n|--n) [0-9]+/ -n 2000/' <<<"$command") --samples 0" ;;
    "myriad run FILE --watch"*)
        attempt_or microhttpd "${command/FILE/liquid.yaml} --force" ;;
    "myriad watch DIR") left "serves until it is stopped; cli.watch starts and stops it" "$command" ;;
    "myriad run "*) attempt "$(run_of "$command")" ;;
    "myriad check "* | "myriad sweep "* | "myriad report "* | "myriad molecule "*) attempt "$command" ;;
    tools/* | [A-Z]*=*" tools/"* | *tests/fuzz/nightly.sh* | "nice "*tools/*)
        command=$(grep -oE '(tools|tests)/[a-z_/]+\.(sh|py)' <<<"$command" | head -n 1)
        [ -x "$ROOT/$command" ] || fail "$PAGE: there is no $command"
        left "takes minutes" "$1"
        ;;
    valgrind*) left "takes minutes; docs/reliability.md says what it found" "$command" ;;
    MYRIAD_GRAPE_BACKEND=*gpunb_time*) left "measures times; grape.gpunb_time runs it with fewer bodies" "$command" ;;
    "python3 examples/"*) left "python.example_hello does it" "$command" ;;
    "python3 -m myriad.ipi"*) left "waits for a server; python.ipi has one" "$command" ;;
    "python3 -m venv"* | venv/*) left "python.install does it" "$command" ;;
    "cc -O2 tests/python/overhead.c"* | *overhead.py*) left "measures times; python.cost runs a part" "$command" ;;
    "cc "*" -lcunbody"* | "cc program.c"* | "gfortran program.f"* | "cc -DCUNBODY_PIPELINE"*)
        left "a program of the reader; tests/grape and tests/cunbody compile such" "$command" ;;
    *) fail "$PAGE: no rule how to try '$command'" ;;
    esac
}

# --- inputs that the commands use ---------------------------------------------------------------------------------------

cat >cluster.yaml <<'END'
particles: {model: plummer, n: 64}
integrator: {name: leapfrog, dt: 0.03125}
run: {end: 1}
END
cp cluster.yaml liquid.yaml
cp pipelines/yukawa.pipe .
"$MYRIAD" bench --help >bench_help
mkdir results

# --- blocks: docs/a/b.md has the blocks blocks/a_b_1.LANGUAGE, ... ---------------------------------------------------------

split_page()
{
    awk -v to="$2" '
        /^```/ { if (kind == "") { kind = substr($0, 4); if (kind == "") kind = "text"; file = to "_" ++n "." kind }
                 else kind = ""; next }
        kind ~ /^(sh|yaml|c|python)$/ { print > file }' "$1"
}

commands_of() { sed 's/  *#.*$//; s/[ \t]*$//; /^$/d' "$1"; }

try_shell()
{
    local command file before
    # an input that the page shows before is what the commands read, with fewer particles and seeds
    before=$(find blocks -name "${PAGE}_*.yaml" | head -n 1)
    while read -r file <&4; do
        if [ -z "$before" ] || { [ -e "$file" ] && ! grep -q '^sweep:' "$before"; }; then continue; fi
        rm -rf "${file%.yaml}"
        sed -e 's/n: 1000/n: 32/; s/1\.\.64/1..4/; s/steps: 2000}/steps: 20}/' "$before" >"$file"
        grep -q '^integrator:' "$file" || echo 'integrator: {name: leapfrog, dt: 0.125}' >>"$file"
    done 4< <(grep -oE '(^| )[a-z_]+\.yaml' "$1" | tr -d ' ' | sort -u)
    while read -r command <&3; do
        try_command "$command"
    done 3< <(commands_of "$1")
}

# Sections of an input around a fragment: those that it lacks.
base_of()
{
    case $1 in
    *flows_*) cat "$WORK/blocks/flows_3.yaml" ;;
    *particles_*)
        grep -q '^output:' "$1" && cat "$ROOT/examples/solar_system.yaml"
        echo "units: {system: astronomical}"
        ;;
    *molecular_*)
        local system=lj density=0.8 cutoff=3 n=4000
        grep -q 'colloid' "$1" && density=1e-4 # its cutoff is 11
        grep -q '^walls:' "$1" && n=500 # between -10 and 10
        grep -q 'Angstrom\|[0-9] ps' "$1" && system=amber density=0.03 cutoff=9
        printf '%s\n' "units: {system: $system}" "particles: {model: fcc, n: $n, density: $density, temperature: 1}" \
            "interaction: {method: neighbour, cutoff: $cutoff}" "integrator: {name: verlet, dt: 0.001}"
        grep -q '^species:' "$1" || printf 'species: [{name: A, epsilon: 1, sigma: 1}]\n'
        ;;
    esac
    printf 'run: {steps: 1}\n'
}

# Complete inputs are run by test_documents.sh. Keys and values of fragments are checked, as parts of an input.
try_yaml()
{
    grep -q '^particles:' "$1" && grep -q '^integrator:' "$1" && return
    grep -q 'nemo:' "$1" && { left "needs plug-ins of NEMO" "$1"; return; }
    base_of "$1" | awk 'NR == FNR { if (/^[a-z_]+:/) has[$1] = 1; next } /^[a-z_]+:/ { on = !($1 in has); has[$1] = 1 } on' "$1" - >rest
    cat "$1" rest >fragment.yaml
    tried=$((tried + 1))
    "$MYRIAD" check fragment.yaml >out 2>err || grep -q 'No such file' err || fail "$PAGE: $(basename "$1"): $(cat err)"
}

# Statements of a function; what they do not declare has one of these names.
try_c()
{
    {
        (cd include && printf '#include <%s>\n' myriad/*.h)
        printf 'typedef int MPI_Comm;\nextern myr_context *context;\nextern myr_simulation **simulation;\nextern myr_ensemble *ensemble;\n'
        printf 'extern int64_t n, rounds;\nextern uint64_t seed;\nextern double end;\nvoid block(void);\nvoid block(void)\n{\n'
        sed 's/^\.\.\.$//' "$1"
        echo '}'
    } >block.c
    attempt "${CC:-cc} -std=c11 -fsyntax-only -Wall -Werror -Wno-maybe-uninitialized -Iinclude -Ibuild/gen block.c"
}

try_python()
{
    [ "$PAGE" = particles ] || { left "python.doctest does it" "$1"; return; }
    /usr/bin/python3 -c 'import h5py' 2>/dev/null || { left "no h5py" "$1"; return; }
    attempt "myriad run examples/solar_system.yaml --set 'run.end=20 d' --set 'output.trajectory=10 d' --quiet"
    attempt "/usr/bin/python3 -B $1"
}

for page in "$ROOT/docs/"*.md "$ROOT/docs/howto/"*.md "$ROOT/docs/papers/"*.md "$ROOT/docs/theory/"*.md; do
    PAGE=$(basename "$page" .md)
    split_page "$page" "blocks/$PAGE"
    for block in blocks/"$PAGE"_*; do
        case $block in
        *.sh) try_shell "$block" ;;
        *.yaml) try_yaml "$block" ;;
        *.c) try_c "$block" ;;
        *.python) try_python "$block" ;;
        esac
    done
done
[ "$tried" -ge 60 ] || fail "only $tried commands and blocks were tried"

# What is wrong is noticed: a command without a rule, one that fails, a key that does not exist, C that does not compile.
before=$FAILED
PAGE=wrong
printf 'perl -e 1\nmyriad check missing.yaml\n' >blocks/wrong_1.sh
printf 'output: {trajektory: 1}\n' >blocks/wrong_2.yaml
printf 'myr_context *context = myr_context_make();\n' >blocks/wrong_3.c
{ try_shell blocks/wrong_1.sh && try_yaml blocks/wrong_2.yaml && try_c blocks/wrong_3.c; } >wrong.out
[ $((FAILED - before)) -eq 4 ] || fail "of 4 mistakes $((FAILED - before)) were noticed: $(cat wrong.out)"
[ $((FAILED - before)) -eq 4 ] && FAILED=$before
echo "$tried commands and blocks tried"
finish
