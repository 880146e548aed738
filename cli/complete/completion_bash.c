/* completion_bash.c - the completion script of bash: two lists as functions, and one function that looks words up.
 *
 * It needs nothing of the package bash-completion. Readline cuts words at "=", so they are put together again first. */
#include "commands.h"
#include "complete/completion.h"
#include "input/keys.h"

static const char bash_begin[] = "# bash completion of myriad; written by: myriad completion bash\n"
                                 "\n"
                                 "# _myriad_options COMMAND: the options of a command\n"
                                 "_myriad_options()\n"
                                 "{\n"
                                 "    case $1 in\n";

static const char bash_between[] =
    "    esac\n"
    "}\n"
    "\n"
    "# _myriad_words COMMAND:OPTION, COMMAND:1 (the first operand), =KEY: what can stand there; @files, @directories,\n"
    "# @keys and words after it, or @anything. Nothing for an option without a value.\n"
    "_myriad_words()\n"
    "{\n"
    "    case $1 in\n";

static const char bash_end[] =
    "    esac\n"
    "}\n"
    "\n"
    "# _myriad_reply KIND WORDS...: fills COMPREPLY with what begins with $cur\n"
    "_myriad_reply()\n"
    "{\n"
    "    local kind=$1 key\n"
    "    case $kind in\n"
    "    @anything) return ;;\n"
    "    @files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return ;;\n"
    "    @directories) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); return ;;\n"
    "    @keys)\n"
    "        shift\n"
    "        if [[ $cur == *=* ]]; then\n"
    "            key=${cur%%=*} cut+=${cur%%=*}= cur=${cur#*=}\n"
    "            set -- $(_myriad_words \"=$key\") $(_myriad_words \"=particles.$key\")\n"
    "        else\n"
    "            compopt -o nospace 2>/dev/null\n"
    "            set -- \"${@/%/=}\"\n"
    "        fi ;;\n"
    "    esac\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$*\" -- \"$cur\")\n"
    "}\n"
    "\n"
    "_myriad()\n"
    "{\n"
    "    local cur cut= word joined= command operands=0 option= i\n"
    "    local -a words=()\n"
    "    COMPREPLY=()\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ ($word == = || $joined) && ${#words[@]} -gt 0 ]]; then\n"
    "            words[-1]+=$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "        joined=\n"
    "        [[ $word == = ]] && joined=1\n"
    "    done\n"
    "    cur=${words[-1]} command=${words[0]}\n"
    "    if [[ ${#words[@]} -eq 1 ]]; then\n"
    "        _myriad_reply $(_myriad_options '')\n"
    "        return\n"
    "    fi\n"
    "    for word in \"${words[@]:1:${#words[@]}-2}\"; do\n"
    "        if [[ $option ]]; then\n"
    "            option=\n"
    "        elif [[ $word == --*=* ]]; then\n"
    "            :\n"
    "        elif [[ $word == -* ]]; then\n"
    "            [[ $(_myriad_words \"$command:$word\") ]] && option=$word\n"
    "        else\n"
    "            operands=$((operands + 1))\n"
    "        fi\n"
    "    done\n"
    "    if [[ ! $option && $cur == --*=* ]]; then\n"
    "        option=${cur%%=*} cut=$option= cur=${cur#*=}\n"
    "    fi\n"
    "    if [[ $option ]]; then\n"
    "        _myriad_reply $(_myriad_words \"$command:$option\")\n"
    "    elif [[ $cur == -* ]]; then\n"
    "        _myriad_reply $(_myriad_options \"$command\")\n"
    "    else\n"
    "        _myriad_reply $(_myriad_words \"$command:$((operands + 1))\")\n"
    "    fi\n"
    "    # Where the user keeps words with = whole, readline wants them whole.\n"
    "    [[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=(\"${COMPREPLY[@]/#/$cut}\")\n"
    "}\n"
    "\n"
    "complete -F _myriad myriad\n";

static void bash_options(FILE *out, const args_table *table)
{
    fprintf(out, "    %s) echo", table->command);
    for (const args_option *o = table->options; o->name; o++)
        fprintf(out, " --%s", o->name);
    fprintf(out, " --help ;;\n");
}

/* Place: an option, or the number of an operand from 1. */
static void bash_value(FILE *out, const char *command, const char *place, completion_value value)
{
    static const char *const kinds[] = {[COMPLETE_ANYTHING] = " @anything",
                                        [COMPLETE_WORDS] = "",
                                        [COMPLETE_FILES] = " @files",
                                        [COMPLETE_DIRECTORIES] = " @directories",
                                        [COMPLETE_KEYS] = " @keys"};
    fprintf(out, "    %s:%s) echo%s", command, place, kinds[value.kind]);
    if (value.names)
        completion_names(out, value.names, " ");
    fprintf(out, " ;;\n");
}

static void bash_values(FILE *out, const args_table *table)
{
    for (const args_option *o = table->options; o->name; o++) {
        char place[128];
        const char letter = args_letter(table, o);
        snprintf(place, sizeof place, "--%s", o->name);
        if (letter)
            snprintf(place, sizeof place, "--%s | %s:-%c", o->name, table->command, letter);
        if (args_takes_word(o))
            bash_value(out, table->command, place, completion_of_option(table, o));
    }
    if (table->operand)
        bash_value(out, table->command, "1", completion_of_operand(table, 0));
    if (table->second)
        bash_value(out, table->command, "2", completion_of_operand(table, 1));
}

/* The words that keys of input files take. */
static void bash_keys(FILE *out)
{
    for (int k = 0; keys_full_name(k); k++) {
        if (!keys_full_word(k, 0))
            continue;
        fprintf(out, "    =%s) echo", keys_full_name(k));
        for (int n = 0; keys_full_word(k, n); n++)
            fprintf(out, " %s", keys_full_word(k, n));
        fprintf(out, " ;;\n");
    }
}

void completion_bash(FILE *out)
{
    fputs(bash_begin, out);
    fputs("    '') echo", out);
    completion_names(out, commands_name, " ");
    fputs(" --help --version ;;\n", out);
    for (int k = 0; commands_at(k); k++)
        if (commands_table(k))
            bash_options(out, commands_table(k));
    fputs(bash_between, out);
    for (int k = 0; commands_at(k); k++)
        if (commands_table(k))
            bash_values(out, commands_table(k));
    bash_keys(out);
    fputs(bash_end, out);
}
