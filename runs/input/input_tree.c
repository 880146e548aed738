/* input_tree.c - the arena, the nodes and the errors of an input file. */
#include "input/input_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { CHUNK_BYTES = 1 << 16, ARENA_BYTES_MAX = 16 << 20 };

struct tree_chunk {
    tree_chunk *next;
    size_t used, size;
    _Alignas(16) char bytes[];
};

tree *tree_create(const char *name)
{
    tree *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->name = tree_copy(t, name, strlen(name));
    t->root = tree_new(t, TREE_MAP, 1, 1);
    if (!t->name || !t->root)
        tree_destroy(&t);
    return t;
}

void tree_destroy(tree **t)
{
    if (!*t)
        return;
    for (tree_chunk *c = (*t)->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(*t);
    *t = NULL;
}

/* Total size of the chunks, so that growth has a bound. */
static size_t tree_size(const tree *t)
{
    size_t size = 0;
    for (const tree_chunk *c = t->chunks; c; c = c->next)
        size += c->size;
    return size;
}

void *tree_allocate(tree *t, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > TREE_BYTES_MAX + 16)
        return NULL;
    tree_chunk *c = t->chunks;
    if (!c || c->size - c->used < bytes) {
        const size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        if (tree_size(t) + size > ARENA_BYTES_MAX)
            return NULL;
        c = calloc(1, sizeof *c + size);
        if (!c)
            return NULL;
        c->size = size;
        c->next = t->chunks;
        t->chunks = c;
    }
    void *at = c->bytes + c->used;
    c->used += bytes;
    return at;
}

char *tree_copy(tree *t, const char *text, size_t length)
{
    char *copy = tree_allocate(t, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

tree_node *tree_new(tree *t, tree_kind kind, int line, int column)
{
    if (t->nodes >= TREE_NODES_MAX)
        return NULL;
    tree_node *node = tree_allocate(t, sizeof *node);
    if (!node)
        return NULL;
    t->nodes++;
    node->kind = kind;
    node->line = line;
    node->column = column;
    return node;
}

void tree_append(tree_node *container, tree_node *member)
{
    if (container->last)
        container->last->next = member;
    else
        container->first = member;
    container->last = member;
}

tree_node *tree_find(const tree_node *map, const char *key)
{
    if (!map || map->kind != TREE_MAP)
        return NULL;
    for (tree_node *n = map->first; n; n = n->next)
        if (strcmp(n->key, key) == 0)
            return n;
    return NULL;
}

void tree_remove(tree_node *map, const char *key)
{
    tree_node *before = NULL;
    for (tree_node *n = map->first; n; before = n, n = n->next) {
        if (strcmp(n->key, key) != 0)
            continue;
        if (before)
            before->next = n->next;
        else
            map->first = n->next;
        if (map->last == n)
            map->last = before;
        return;
    }
}

/* Keeps the errors sorted by position; those of --set and of the file as a whole (line 0) come last. */
static void tree_add_error(tree *t, const char *origin, int line, int column, const char *format, va_list args)
{
    t->errors++;
    const int held = t->errors - 1 < TREE_ERRORS_MAX ? t->errors - 1 : TREE_ERRORS_MAX;
    if (held == TREE_ERRORS_MAX)
        return;
    int at = held;
    while (at > 0 && line > 0 &&
           (t->error[at - 1].line == 0 || t->error[at - 1].line > line ||
            (t->error[at - 1].line == line && t->error[at - 1].column > column)))
        at--;
    memmove(&t->error[at + 1], &t->error[at], (size_t)(held - at) * sizeof t->error[0]);
    tree_error *e = &t->error[at];
    e->line = line;
    e->column = column;
    int used;
    if (origin)
        used = snprintf(e->text, sizeof e->text, "%.120s: ", origin);
    else if (line > 0)
        used = snprintf(e->text, sizeof e->text, "%.120s:%d:%d: ", t->name, line, column);
    else
        used = snprintf(e->text, sizeof e->text, "%.120s: ", t->name);
    vsnprintf(e->text + used, sizeof e->text - (size_t)used, format, args);
    cli_plain(e->text);
}

void tree_fail(tree *t, int line, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tree_add_error(t, NULL, line, column, format, args);
    va_end(args);
}

void tree_fail_value(tree *t, const tree_node *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tree_add_error(t, node ? node->origin : NULL, node && !node->origin ? node->line : 0, node ? node->column : 0,
                   format, args);
    va_end(args);
}

void tree_fail_key(tree *t, const tree_node *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tree_add_error(t, node ? node->origin : NULL, node && !node->origin ? node->key_line : 0,
                   node ? node->key_column : 0, format, args);
    va_end(args);
}

void tree_report(const tree *t)
{
    for (int k = 0; k < t->errors && k < TREE_ERRORS_MAX; k++)
        messages_say(MYR_RUN_INPUT_ERROR, "%s", t->error[k].text);
    if (t->errors > TREE_ERRORS_MAX)
        messages_say(MYR_RUN_INPUT_ERROR, "%s: %d more error%s", t->name, t->errors - TREE_ERRORS_MAX,
                     myr_plural(t->errors - TREE_ERRORS_MAX));
}
