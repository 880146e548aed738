/* model_spec.c - description of a model: parameters and options with defaults and bounds.
 *
 * The parameter list of a model is its own table followed by the shared groups, without shared parameters that its own
 * names hide. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "model/model.h"

static const struct {
    unsigned with; /* MYR_WITH_... flag that includes the group; 0 = all models */
    const myr_model_group *group;
} groups[] = {
    {MYR_WITH_MASSES, &myr_masses_group}, {MYR_WITH_SCALES, &myr_scales_group},     {0, &myr_centre_group},
    {MYR_WITH_MOTION, &myr_motion_group}, {MYR_WITH_BINARIES, &myr_binaries_group},
};

enum { GROUPS = sizeof groups / sizeof groups[0], SPEC_LIST = MYR_MESSAGE_MAX / 2 };

/* Parameter group g of a model; null if the model does not use the group. */
static const myr_model_group *spec_group(const myr_model_kind *kind, int g)
{
    return !groups[g].with || (kind->with & groups[g].with) ? groups[g].group : NULL;
}

static int spec_hidden(const myr_model_kind *kind, const char *name)
{
    for (const myr_model_parameter_entry *own = kind->param; own->info.name; own++)
        if (strcmp(own->info.name, name) == 0)
            return 1;
    return 0;
}

/* Parameter n of the list; null past the last. */
static const myr_model_parameter_entry *spec_parameter(const myr_model_kind *kind, int n)
{
    if (!kind || n < 0)
        return NULL;
    const myr_model_parameter_entry *p = kind->param;
    for (; p->info.name; p++)
        if (n-- == 0)
            return p;
    for (int g = 0; g < GROUPS; g++) {
        const myr_model_group *group = spec_group(kind, g);
        for (p = group ? group->param : NULL; p && p->info.name; p++)
            if (!spec_hidden(kind, p->info.name) && n-- == 0)
                return p;
    }
    return NULL;
}

static const myr_option_info *spec_option(const myr_model_kind *kind, int n)
{
    if (!kind || n < 0)
        return NULL;
    for (const myr_option_info *o = kind->option; o->name; o++)
        if (n-- == 0)
            return o;
    for (int g = 0; g < GROUPS; g++) {
        const myr_model_group *group = spec_group(kind, g);
        for (const myr_option_info *o = group ? group->option : NULL; o && o->name; o++)
            if (n-- == 0)
                return o;
    }
    return NULL;
}

const myr_parameter_info *myr_model_parameter(int k, int n)
{
    const myr_model_parameter_entry *p = spec_parameter(myr_model_kind_at(k), n);
    return p ? &p->info : NULL;
}

const char *myr_model_dimension(int k, int n)
{
    const myr_model_parameter_entry *p = spec_parameter(myr_model_kind_at(k), n);
    return p ? p->dimension : NULL;
}

const myr_option_info *myr_model_option(int k, int n)
{
    return spec_option(myr_model_kind_at(k), n);
}

/* Appends a word to a comma-separated list; a word that does not fit is omitted. */
static void spec_list(char list[SPEC_LIST], const char *word)
{
    const size_t used = strlen(list);
    if (used + strlen(word) + 3 < SPEC_LIST)
        snprintf(list + used, SPEC_LIST - used, "%s%s", used ? ", " : "", word);
}

/* Error message for an unknown name, with the list of names and a suggestion; next(kind, n) returns name n, null past
 * the last. */
static myr_status spec_unknown(const myr_model_spec *spec, const char *what, const char *typed,
                               const char *(*next)(const myr_model_kind *kind, int n))
{
    char list[SPEC_LIST] = "";
    const char *name;
    for (int n = 0; (name = next(spec->kind, n)); n++)
        spec_list(list, name);
    return myr_context_fail(spec->context, MYR_ERROR_NAME, "model '%s' has no %s '%s'; it has: %s",
                            spec->kind->info.name, what, typed ? typed : "(null)", *list ? list : "none");
}

static const char *spec_parameter_name(const myr_model_kind *kind, int n)
{
    const myr_model_parameter_entry *p = spec_parameter(kind, n);
    return p ? p->info.name : NULL;
}

static const char *spec_option_name(const myr_model_kind *kind, int n)
{
    const myr_option_info *o = spec_option(kind, n);
    return o ? o->name : NULL;
}

/* Index of a name in a list, or -1. */
static int spec_find(const myr_model_kind *kind, const char *typed,
                     const char *(*next)(const myr_model_kind *kind, int n))
{
    const char *name;
    for (int n = 0; typed && (name = next(kind, n)); n++)
        if (strcmp(name, typed) == 0)
            return n;
    return -1;
}

static const char *spec_model_name(int k)
{
    const myr_model_kind *kind = myr_model_kind_at(k);
    return kind ? kind->info.name : NULL;
}

myr_status myr_model_spec_create(myr_context *context, const char *model, myr_model_spec **spec)
{
    if (!context || !spec)
        return MYR_ERROR_ARGUMENT;
    *spec = NULL;
    const int k = myr_model_find(model);
    if (k < 0) {
        const char *near = myr_nearest(model, spec_model_name);
        return myr_context_fail(context, MYR_ERROR_NAME, "there is no model '%s'%s%s%s", model ? model : "(null)",
                                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    myr_model_spec *made = calloc(1, sizeof *made);
    if (!made)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the description of a model");
    made->context = context;
    made->kind = myr_model_kind_at(k);
    const myr_model_parameter_entry *p;
    for (int n = 0; (p = spec_parameter(made->kind, n)); n++)
        made->value[n] = p->info.value;
    const myr_option_info *o;
    for (int n = 0; (o = spec_option(made->kind, n)); n++)
        made->word[n] = o->word[0];
    *spec = made;
    return MYR_OK;
}

void myr_model_spec_destroy(myr_model_spec **spec)
{
    if (!spec || !*spec)
        return;
    myr_table_free(&(*spec)->table);
    free(*spec);
    *spec = NULL;
}

myr_status myr_model_spec_read_table(myr_model_spec *spec, const char *path)
{
    if (!spec || !path)
        return MYR_ERROR_ARGUMENT;
    if (!spec->kind->takes_table)
        return myr_context_fail(spec->context, MYR_ERROR_NAME, "model '%s' takes no table", spec->kind->info.name);
    myr_table_free(&spec->table);
    return myr_table_read(spec->context, path, &spec->table);
}

const myr_table *myr_model_spec_table(const myr_model_spec *spec)
{
    return &spec->table;
}

const char *myr_model_spec_name(const myr_model_spec *spec)
{
    return spec ? spec->kind->info.name : NULL;
}

myr_status myr_model_spec_set(myr_model_spec *spec, const char *parameter, double value)
{
    if (!spec)
        return MYR_ERROR_ARGUMENT;
    const int n = spec_find(spec->kind, parameter, spec_parameter_name);
    if (n < 0)
        return spec_unknown(spec, "parameter", parameter, spec_parameter_name);
    const myr_parameter_info *p = &spec_parameter(spec->kind, n)->info;
    if (!(value >= p->lower && value <= p->upper))
        return myr_context_fail(spec->context, MYR_ERROR_VALUE, "%s of model '%s' cannot be %g; it is from %g to %g",
                                p->name, spec->kind->info.name, value, p->lower, p->upper);
    spec->value[n] = value;
    return MYR_OK;
}

double myr_model_spec_get(const myr_model_spec *spec, const char *parameter)
{
    const int n = spec ? spec_find(spec->kind, parameter, spec_parameter_name) : -1;
    return n < 0 ? NAN : spec->value[n];
}

myr_status myr_model_spec_choose(myr_model_spec *spec, const char *option, const char *word)
{
    if (!spec)
        return MYR_ERROR_ARGUMENT;
    const int n = spec_find(spec->kind, option, spec_option_name);
    if (n < 0)
        return spec_unknown(spec, "option", option, spec_option_name);
    const myr_option_info *o = spec_option(spec->kind, n);
    char list[SPEC_LIST] = "";
    for (int w = 0; o->word[w]; w++) {
        if (word && strcmp(o->word[w], word) == 0) {
            spec->word[n] = o->word[w];
            return MYR_OK;
        }
        spec_list(list, o->word[w]);
    }
    return myr_context_fail(spec->context, MYR_ERROR_NAME, "%s of model '%s' cannot be '%s'; it is one of: %s", o->name,
                            spec->kind->info.name, word ? word : "(null)", list);
}

const char *myr_model_spec_chosen(const myr_model_spec *spec, const char *option)
{
    const int n = spec ? spec_find(spec->kind, option, spec_option_name) : -1;
    return n < 0 ? NULL : spec->word[n];
}
