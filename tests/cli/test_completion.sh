#!/bin/bash
# Shell completions and the man page: every command and option of --help is in all of them, and each shell that is
# installed completes words with its script.
# shellcheck disable=SC1091
. "$(dirname "$0")/common.inc"

for shell in bash zsh fish; do
    "$MYRIAD" completion $shell >"$WORK/$shell" || fail "completion $shell"
done
"$MYRIAD" manual >"$WORK/myriad.1" || fail "manual"
expect 2 "did you mean 'bash'" completion bsh
expect 0 "Usage: myriad completion SHELL" completion --help
expect 0 "Usage: myriad manual" manual --help

# has FILE WORD PATTERN: PATTERN (basic regular expression) is in FILE
has() { grep -q -- "$3" "$WORK/$1" || fail "$1 does not know $2"; }

# From --help, not from the tables: what a user can ask for is what must be there.
commands=$("$MYRIAD" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 9 ] || fail "--help lists too few commands: $commands"
options=0
for command in $commands; do
    has bash "$command" "^    $command) echo"
    has zsh "$command" "^        $command)"
    has fish "$command" "-a $command -d"
    has myriad.1 "$command" "^\\.SS \"myriad ${command}[ \"]"
    sed -n "/^        $command)\$/,/^            ;;/p" "$WORK/zsh" >"$WORK/zsh.command"
    sed -n "/^\\.SS \"myriad ${command}[ \"]/,/^\\.S[SH] /p" "$WORK/myriad.1" | tail -n +2 | sed 's/\\-/-/g' >"$WORK/man.command"
    for option in $("$MYRIAD" "$command" --help | sed -n 's/^  --\([A-Za-z0-9_-]*\).*/\1/p'); do
        options=$((options + 1))
        has bash "$command --$option" "^    $command) echo.* --$option "
        has zsh.command "$command --$option" "^ *'\\*\\{0,1\\}--${option}[=[]"
        has fish "$command --$option" "__myriad_in $command' -l $option "
        has man.command "$command --$option" "^\\(\\.B \\|.*\\\\fB\\)--$option\\(\$\\|\\\\fR\\)"
    done
done
[ "$options" -ge 50 ] || fail "only $options options were looked for"

# Every key of an input file is in the man page.
keys=$("$MYRIAD" explain | sed -n 's/^  \([a-z]*\) .*/\1/p' | while read -r section; do
    "$MYRIAD" explain "$section" | sed -n "s/^\\($section\\.[a-z_]*\\).*/\\1/p"; done)
for key in $keys; do
    has myriad.1 "$key" "^\\.B $key\$"
done
[ "$(wc -w <<<"$keys")" -ge 30 ] || fail "only these keys were looked for: $keys"

# bash: the function with the words of a command line, cut at "=" as readline does
# complete_bash WORDS...: what it offers for the last word
complete_bash()
{
    bash --norc -c 'source "$1"; shift; COMP_WORDBREAKS=" =" COMP_WORDS=(myriad "$@") COMP_CWORD=$#
        _myriad; printf "%s\n" "${COMPREPLY[@]}"' - "$WORK/bash" "$@" | sort | tr '\n' ' ' | sed 's/ $//'
}
# offers EXPECTED WORDS...
offers()
{
    local expected=$1 got
    shift
    got=$(complete_bash "$@")
    [ "$got" = "$expected" ] || fail "bash: myriad $*: offers '$got', not '$expected'"
}
mkdir -p "$WORK/in/folder"
: >"$WORK/in/file.yaml"
offers "eval explain" e
offers "--version" --v
offers "--kernel" eval --k
offers "hologram" eval --kernel hol
offers "hologram" eval --kernel = hol
offers "bash fish zsh" completion ""
offers "plummer" init plu
offers "plummer" init -n 5 plu
offers "" eval --n 5
offers "run.end= run.energy_limit=" run x.yaml --set run.en
offers "none" run x.yaml --set run.end = no
offers "fixed" run --set = interaction.accumulator = "fi"
offers "integrator.eta_start=" check --set integrator.eta_
offers "W0=" init king --set W0
cd "$WORK/in" || exit 1
offers "file.yaml folder" run ""
offers "folder" run --restart ""

# The same at a terminal, where util-linux has one to offer: what is typed, completed by TAB, reaches the program.
# typed SHELL TEXT EXPECTED
typed()
{
    local shell=$1 text=$2 expected=$3
    printf '%b' "$text" | timeout 60 script -qec "$shell" /dev/null >"$WORK/typed" 2>&1
    tr -d '\r' <"$WORK/typed" | grep -qF -- "$expected" ||
        fail "$shell: typing '$text' did not give '$expected': $(tail -n 20 "$WORK/typed")"
}
answer='myriad() { echo "got($*)"; }'
if command -v script >/dev/null; then
    typed "bash --norc -i" "$answer; source $WORK/bash\nmyriad ev\t--kern\thol\t\nexit\n" "got(eval --kernel hologram)"
    typed "bash --norc -i" "$answer; source $WORK/bash\nmyriad run --set run.end\tno\t\nexit\n" "got(run --set run.end=none)"
else
    echo "no script(1): bash was not tried at a terminal"
fi

if command -v zsh >/dev/null && command -v script >/dev/null; then
    zsh -n "$WORK/zsh" || fail "zsh does not like its script"
    start="$answer; autoload -Uz compinit; compinit -u -D; source $WORK/zsh\n"
    typed "zsh -f -i" "${start}myriad ev\t--kern\thol\t\nexit\n" "got(eval --kernel=hologram)"
    typed "zsh -f -i" "${start}myriad run --set run.end\tno\t\nexit\n" "got(run --set run.end=none)"
else
    echo "no zsh: not tried"
fi

if command -v fish >/dev/null; then
    # offers_fish EXPECTED LINE
    offers_fish()
    {
        local got
        got=$(HOME=$WORK fish --no-config -c "source $WORK/fish; complete -C '$2'" | cut -f 1 | sort | tr '\n' ' ' | sed 's/ $//')
        [ "$got" = "$1" ] || fail "fish: $2: offers '$got', not '$1'"
    }
    offers_fish "eval explain" "myriad e"
    offers_fish "hologram" "myriad eval --kernel hol"
    offers_fish "--kernel" "myriad eval --kern"
    offers_fish "run.end= run.end=none" "myriad run --set run.end"
    offers_fish "plummer" "myriad init plu"
    offers_fish "folder/" "myriad run --restart "
    offers_fish "file.yaml folder/" "myriad run f"
else
    echo "no fish: not tried"
fi

if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww -z "$WORK/myriad.1" 2>"$WORK/err" >&2
    [ -s "$WORK/err" ] && fail "groff warns: $(head -n 5 "$WORK/err")"
else
    echo "no groff: the man page was not formatted"
fi
if command -v man >/dev/null && command -v groff >/dev/null; then
    LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$WORK/myriad.1" >"$WORK/page" 2>"$WORK/err"
    [ -s "$WORK/err" ] && fail "man warns: $(head -n 5 "$WORK/err")"
    grep -q -- '--kernel NAME' "$WORK/page" || fail "man does not show --kernel NAME"
fi
finish
