/* keys_names.c - every key of an input file as it is written after --set, for the shell completions. */
#include <stdio.h>
#include <string.h>

#include "input/keys.h"

enum { FULL_MAX = 512, FULL_LENGTH = 64 };

/* A key, and the words that its value can be (from one of two kinds of lists), where it takes words. */
typedef struct {
    char name[FULL_LENGTH];
    const char *(*names)(int k);
    const char *const *words;
} full_key;

static full_key full[FULL_MAX];
static int full_count;

/* Members share parameters: each name is listed once. */
static void full_add(const char *section, const char *name, const char *(*names)(int k), const char *const *words)
{
    full_key key = {.names = names, .words = words};
    snprintf(key.name, sizeof key.name, "%s.%s", section, name);
    for (int k = 0; k < full_count; k++)
        if (strcmp(full[k].name, key.name) == 0)
            return;
    if (full_count < FULL_MAX)
        full[full_count++] = key;
}

static void full_add_member(keys_owner owner, const char *section, const char *member)
{
    for (int n = 0; keys_parameter(owner, member, n); n++)
        full_add(section, keys_parameter(owner, member, n)->name, NULL, NULL);
    for (int n = 0; keys_option(owner, member, n); n++)
        full_add(section, keys_option(owner, member, n)->name, NULL, keys_option(owner, member, n)->word);
}

static void full_fill(void)
{
    for (int id = 0; id < KEYS; id++)
        full_add(keys_at((key_id)id)->section, keys_at((key_id)id)->name, keys_at((key_id)id)->names, NULL);
    for (int o = 0; o < KEYS_OWNERS; o++) {
        const keys_owner_info *owner = keys_owner_at((keys_owner)o);
        for (int k = 0; owner->member(k); k++)
            full_add_member((keys_owner)o, owner->section, owner->member(k));
    }
}

const char *keys_full_name(int k)
{
    if (full_count == 0)
        full_fill();
    return k >= 0 && k < full_count ? full[k].name : NULL;
}

const char *keys_full_word(int k, int n)
{
    if (!keys_full_name(k))
        return NULL;
    if (full[k].names)
        return full[k].names(n);
    return full[k].words ? full[k].words[n] : NULL;
}

const char *keys_particles_name(int k)
{
    static const char section[] = "particles.";
    int seen = 0;
    for (int n = 0; keys_full_name(n); n++)
        if (strncmp(full[n].name, section, strlen(section)) == 0 && seen++ == k)
            return full[n].name + strlen(section);
    return NULL;
}
