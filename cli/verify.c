/* verify.c - `myriad verify DIR`: repeats a stretch of a run and says whether it has the same bits. */
#include "run/run_verify.h"

#include <stddef.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "rank_roles.h"
#include "run_main.h"

typedef struct {
    run_options run;
    int64_t steps;
    run_verified result;
} verify_options;

#define AT(field) offsetof(verify_options, field)
static const args_option verify_table[] = {
    {"set", ARGS_LIST, AT(run.set), "KEY=VALUE",
     "how it is computed here: backend.name, backend.isa, run.threads, run.exchange or run.balance; may be repeated",
     NULL, 0, 0},
    {"steps", ARGS_INTEGER, AT(steps), "N", "repeat at most N steps", NULL, 1, 1e15},
    {"threads", ARGS_INTEGER, AT(run.threads), "T", "threads (run.threads)", NULL, 1, 4096},
    {"json", ARGS_FLAG, AT(run.json), NULL, "print JSON", NULL, 0, 0},
    {"quiet", ARGS_FLAG, AT(run.quiet), NULL, "print errors only", NULL, 0, 0},
    {0},
};
#undef AT

static const args_table verify_args = {
    .command = "verify",
    .text =
        "Repeats a run from the oldest checkpoint in DIR, on whatever is at hand: other threads, under mpirun on "
        "other\n"
        "ranks, with --set backend.name=cuda on a GPU; and compares the particles with the hashes that the run wrote\n"
        "(output.hash). Says whether all bits agree, or at which hash they first differ. DIR is only read.\n\n"
        "Exit codes: 0 the bits agree; 1 failed, also where there is no hash or no checkpoint before it; 2 the "
        "command\n"
        "line is wrong; 3 a step cannot be made here; 4 the bits differ; 75 stopped by a signal.",
    .operand = "DIR",
    .operand_text = "the directory of the run",
    .operand_offset = offsetof(verify_options, run.restart),
    .keys = keys_full_name,
    .options = verify_table,
};

static void print_json(const myr_run *r, const run_verified *v)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_text(&w, "directory", r->directory);
    json_integer(&w, "from_step", v->from);
    json_integer(&w, "to_step", v->to);
    json_integer(&w, "hashes", v->compared);
    json_boolean(&w, "agree", v->differs < 0);
    json_integer(&w, "ranks", myr_ranks_count(r->context));
    json_integer(&w, "threads", myr_context_threads(r->context));
    if (v->differs >= 0) {
        json_integer(&w, "differs_step", v->differs);
        json_text(&w, "hash", v->here);
        json_text(&w, "hash_of_run", v->there);
    }
    json_text(&w, "note", v->note[0] ? v->note : NULL);
    json_finish(&w);
}

static void print_agreement(const myr_run *r, const run_verified *v)
{
    const int ranks = myr_ranks_count(r->context), threads = myr_context_threads(r->context);
    printf(
        "the bits agree: %lld hash%s of %s up to step %lld, repeated from step %lld on %d rank%s with %d thread%s%s\n",
        (long long)v->compared, v->compared == 1 ? "" : "es", r->directory, (long long)v->to, (long long)v->from, ranks,
        myr_plural(ranks), threads, myr_plural(threads), ranks > 1 ? " each" : "");
}

static int verify(myr_run *r, void *user)
{
    verify_options *o = user;
    run_verified *v = &o->result;
    const int code = run_verify(r, o->steps > 0 ? o->steps : INT64_MAX, v);
    if (ranks_follows(r->context) || (code != CLI_OK && code != RUN_DIFFERS) || v->compared == 0)
        return code;
    if (o->run.json)
        print_json(r, v);
    else if (!code && !o->run.quiet)
        print_agreement(r, v);
    return code;
}

int cli_verify(int argc, char **argv)
{
    verify_options o = {.run = {.words = argc, .word = argv}};
    switch (args_parse(&verify_args, argc, argv, &o)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    return run_together(&o.run, verify, &o);
}
