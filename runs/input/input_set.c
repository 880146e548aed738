/* input_set.c - `--set section.key=value`: what the command line changes in the tree of the file. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/input_tree.h"

/* A list "[a, b]" of words, or one scalar. */
static tree_node *set_value(tree *t, const char *text, const char *origin)
{
    const size_t length = strlen(text);
    const int list = length >= 2 && text[0] == '[' && text[length - 1] == ']';
    tree_node *node = tree_new(t, list ? TREE_LIST : TREE_SCALAR, 0, 0);
    if (!node)
        return NULL;
    node->origin = origin;
    if (!list) {
        node->text = tree_copy(t, text, length);
        return node->text ? node : NULL;
    }
    const char *p = text + 1, *end = text + length - 1;
    while (p < end) {
        const char *comma = memchr(p, ',', (size_t)(end - p));
        const char *stop = comma ? comma : end;
        while (p < stop && isspace((unsigned char)*p))
            p++;
        const char *last = stop;
        while (last > p && isspace((unsigned char)last[-1]))
            last--;
        tree_node *item = tree_new(t, TREE_SCALAR, 0, 0);
        if (!item || !(item->text = tree_copy(t, p, (size_t)(last - p))))
            return NULL;
        item->origin = origin;
        tree_append(node, item);
        p = stop + 1;
    }
    return node;
}

/* The entry of a list that "0.mass" names; *key becomes "mass". Null if there is none. */
static tree_node *set_entry(const tree_node *list, const char **key)
{
    char *end;
    long index = strtol(*key, &end, 10);
    if (end == *key || *end != '.' || index < 0)
        return NULL;
    *key = end + 1;
    tree_node *entry = list->first;
    for (; entry && index > 0; index--)
        entry = entry->next;
    return entry;
}

/* The map that a path before its last word names, made where it is missing; null with an error at `at` if it cannot be.
 */
static tree_node *set_section(tree *t, const char *path, const tree_node *at)
{
    const char *dot = strchr(path, '.');
    char *section = tree_copy(t, path, (size_t)(dot - path));
    tree_node *node = section ? tree_find(t->root, section) : NULL;
    if (!node && section && (node = tree_new(t, TREE_MAP, 0, 0))) {
        node->origin = at->origin;
        node->key = section;
        node->line = node->key_line = at->key_line;
        node->column = node->key_column = at->key_column;
        tree_append(t->root, node);
    }
    const char *key = dot + 1;
    if (node && node->kind == TREE_LIST) /* external.0.mass */
        node = set_entry(node, &key);
    if (section && (!node || node->kind != TREE_MAP || strchr(key, '.'))) {
        tree_fail_key(t, at,
                      at->origin ? "expected section.key=value, or external.0.key=value with the number of a field in "
                                   "the file"
                                 : "expected section.key, or external.0.key with the number of a field in the file");
        return NULL;
    }
    return node;
}

void tree_put(tree *t, const char *path, const tree_node *value)
{
    const char *dot = strrchr(path, '.');
    tree_node *section = dot && dot != path && dot[1] ? set_section(t, path, value) : NULL;
    tree_node *copy = section ? tree_new(t, value->kind, value->line, value->column) : NULL;
    if (!copy) {
        if (section)
            tree_fail(t, 0, 0, "no memory for the value of %.60s", path);
        return;
    }
    *copy = *value;
    copy->next = NULL;
    copy->key = dot + 1;
    tree_remove(section, copy->key);
    tree_append(section, copy);
}

void tree_set(tree *t, const char *assignment)
{
    const size_t room = strlen(assignment) + 8;
    char *origin = tree_allocate(t, room);
    const char *equals = strchr(assignment, '=');
    if (!origin) {
        tree_fail(t, 0, 0, "--set: the text is too long");
        return;
    }
    snprintf(origin, room, "--set %s", assignment);
    char *path = equals ? tree_copy(t, assignment, (size_t)(equals - assignment)) : NULL;
    char *dot = path ? strrchr(path, '.') : NULL;
    if (!dot || dot == path || !dot[1]) {
        tree_fail_value(t, &(tree_node){.origin = origin}, "expected section.key=value");
        return;
    }
    tree_node *section = set_section(t, path, &(tree_node){.origin = origin});
    tree_node *value = section ? set_value(t, equals + 1, origin) : NULL;
    if (!value) {
        if (section)
            tree_fail(t, 0, 0, "--set: the value is too long");
        return;
    }
    value->key = dot + 1;
    tree_remove(section, value->key);
    tree_append(section, value);
}
