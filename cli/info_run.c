/* info_run.c - the state of a run from its directory: what run.json says, and whether the process that wrote it is
 * still there. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "info.h"
#include "input/input_tree.h"
#include "results_lock.h"

enum { FACTS_PATH = 1024, INFO_LINE = 1024 + 512 };

/* Member of the map at the top; null if there is none. */
static const char *fact(const tree *t, const char *name)
{
    const tree_node *node = tree_find(t->root, name);
    const int is_null = node && node->kind == TREE_SCALAR && !node->quoted && strcmp(node->text, "null") == 0;
    return node && node->kind == TREE_SCALAR && !is_null ? node->text : NULL;
}

/* 1 if the process is there, 0 if it is not, -1 where nobody can tell: the lock decides, and without locks the process
 * of that number on this host. */
static int is_alive(const char *directory, const results_writer *stated)
{
    results_writer writer, self;
    const int held = results_lock_test(directory, &writer);
    results_writer_self(&self);
    if (held >= 0)
        return held;
    if (strcmp(stated->host, self.host) != 0)
        return -1;
    return kill((pid_t)stated->process, 0) == 0 || errno == EPERM;
}

static void print_state(const char *state, const char *reason, const results_writer *stated, json_writer *w)
{
    if (w) {
        json_text(w, "state", state);
        json_text(w, "reason", reason);
        if (stated->process) {
            json_text(w, "host", stated->host);
            json_integer(w, "process", stated->process);
        }
        return;
    }
    char line[INFO_LINE] = "";
    size_t used =
        (size_t)snprintf(line, sizeof line, "%.64s%s%.1024s", state, reason ? ": " : "", reason ? reason : "");
    if (stated->process)
        snprintf(line + used, sizeof line - used, " (process %ld on %s)", stated->process, stated->host);
    printf("  %-10s %s\n", "state", cli_plain(line));
}

int info_run_state(const char *directory, json_writer *w)
{
    char path[FACTS_PATH];
    results_writer stated = {0};
    tree *facts = NULL;
    int known = (size_t)snprintf(path, sizeof path, "%s/run.json", directory) < sizeof path &&
                access(path, R_OK) == 0 && tree_can_parse() && (facts = tree_create(path)) &&
                tree_load(facts, path) == 0 && facts->errors == 0;
    const char *state = known ? fact(facts, "state") : NULL, *reason = known ? fact(facts, "reason") : NULL;
    if (state && fact(facts, "host") && fact(facts, "process")) {
        snprintf(stated.host, sizeof stated.host, "%s", fact(facts, "host"));
        stated.process = strtol(fact(facts, "process"), NULL, 10);
    }
    known = state != NULL;
    if (known && stated.process && strcmp(state, "running") == 0 && is_alive(directory, &stated) == 0) {
        state = "dead";
        reason = "the process ended without saying so";
    }
    if (known)
        print_state(state, reason, &stated, w);
    tree_destroy(&facts);
    return known;
}
