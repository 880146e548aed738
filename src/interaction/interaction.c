/* interaction.c - creation of an interaction: the four choices, parameters, tables, exclusions. */
#include "interaction/interaction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "interaction/shared_run.h"

const myr_kernel_desc *myr_interaction_desc(const myr_interaction *f)
{
    return myr_kernel_registry_desc(f->context, f->kernel);
}

static myr_status choose_unknown(myr_context *context, const char *what, const char *typed, const char *(*next)(int k))
{
    const char *nearest = myr_nearest(typed, next);
    char list[MYR_MESSAGE_MAX] = "";
    for (int k = 0; next(k); k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? ", " : "", next(k));
    return myr_context_fail(context, MYR_ERROR_NAME, "there is no %s '%.200s'; %s%s%s", what, typed ? typed : "(null)",
                            nearest ? "did you mean '" : "there are: ", nearest ? nearest : list, nearest ? "'?" : "");
}

const char *myr_interaction_pair_length(int k)
{
    static const char *const name[MYR_PAIR_LENGTHS] = {[MYR_PAIR_CUTOFF] = "cutoff", [MYR_PAIR_INNER] = "inner"};
    return k >= 0 && k < MYR_PAIR_LENGTHS ? name[k] : NULL;
}

static void pair_free(myr_interaction *f)
{
    for (int k = 0; k < MYR_KERNEL_PAIR_MAX; k++) {
        free(f->pair[k]);
        f->pair[k] = NULL;
    }
    for (int k = 0; k < MYR_PAIR_LENGTHS; k++) {
        free(f->length[k]);
        f->length[k] = NULL;
    }
}

/* Changes the kernel: parameters with names known to both kernels are kept, tables and grids are discarded. */
static void choose_kernel(myr_interaction *f, int kernel)
{
    const myr_kernel_desc *old = f->kernel >= 0 ? myr_kernel_registry_desc(f->context, f->kernel) : NULL;
    const myr_kernel_desc *new = myr_kernel_registry_desc(f->context, kernel);
    double value[MYR_KERNEL_PARAMETERS] = {0};
    for (int k = 0; k < MYR_KERNEL_PARAMETERS && new->parameter[k].name; k++) {
        value[k] = new->parameter[k].value;
        for (int n = 0; old && n < MYR_KERNEL_PARAMETERS && old->parameter[n].name; n++)
            if (strcmp(old->parameter[n].name, new->parameter[k].name) == 0)
                value[k] = f->parameter[n];
    }
    memcpy(f->parameter, value, sizeof value);
    f->kernel = kernel;
    pair_free(f);
    f->types = 0;
    memset(f->grid, 0, sizeof f->grid);
    f->evaluated = 0;
    myr_method_forget(f);
}

myr_status myr_interaction_create(myr_context *context, const char *kernel, myr_interaction **interaction)
{
    if (!context || !interaction)
        return MYR_ERROR_ARGUMENT;
    *interaction = NULL;
    const int k = myr_kernel_registry_find(context, kernel);
    if (k < 0)
        return choose_unknown(context, "kernel", kernel, myr_catalogue_kernel_name);
    myr_interaction *f = calloc(1, sizeof *f);
    if (!f)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for an interaction");
    f->context = context;
    f->kernel = -1;
    f->isa = -1;
    f->accumulator = MYR_ACCUMULATOR_fixed;
    f->arithmetic = myr_catalogue_arithmetic("mixed");
    choose_kernel(f, k);
    *interaction = f;
    return MYR_OK;
}

void myr_interaction_destroy(myr_interaction **interaction)
{
    if (!interaction || !*interaction)
        return;
    pair_free(*interaction);
    free((*interaction)->offset);
    free((*interaction)->partner);
    free((*interaction)->subset);
    myr_near_destroy(&(*interaction)->near);
    myr_shared_run_free(*interaction);
    myr_method_free(*interaction);
    free(*interaction);
    *interaction = NULL;
}

/* Chooses the kernel for a softening: "gravity_potential" with spline softening is gravity_potential_spline. */
static myr_status choose_softening(myr_interaction *f, const char *value)
{
    static const char suffix[] = "_spline";
    char name[64];
    const char *now = myr_interaction_desc(f)->name;
    const size_t length = strlen(now), tail = sizeof suffix - 1;
    const int splined = length > tail && strcmp(now + length - tail, suffix) == 0;
    const int want = value && strcmp(value, "spline") == 0;
    if (!want && !(value && strcmp(value, "plummer") == 0))
        return myr_context_fail(f->context, MYR_ERROR_NAME, "there is no softening '%s'; use plummer or spline",
                                value ? value : "(null)");
    if (want == splined)
        return MYR_OK;
    memcpy(name, now, length + 1);
    if (want)
        memcpy(name + length, suffix, sizeof suffix);
    else
        name[length - tail] = '\0';
    const int k = myr_catalogue_kernel(name);
    if (k < 0)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION, "kernel %s has no %s softening", now, value);
    choose_kernel(f, k);
    return MYR_OK;
}

typedef struct {
    const char *key;
    int (*find)(const char *name);
    const char *(*next)(int k);
    size_t member;
    int resets_grid;
} choice_row;

#define MEMBER(name) offsetof(myr_interaction, name)
static const choice_row choices[] = {
    {"kernel", myr_catalogue_kernel, myr_catalogue_kernel_name, MEMBER(kernel), 1},
    {"accumulator", myr_catalogue_accumulator, myr_catalogue_accumulator_name, MEMBER(accumulator), 1},
    {"arithmetic", myr_catalogue_arithmetic, myr_catalogue_arithmetic_name, MEMBER(arithmetic), 1},
    {"method", myr_catalogue_method, myr_catalogue_method_name, MEMBER(method), 0},
    {"backend", myr_catalogue_backend, myr_catalogue_backend_name, MEMBER(backend), 0},
    {"isa", myr_catalogue_isa, myr_catalogue_isa_name, MEMBER(isa), 0},
};

static const char *choice_key(int k)
{
    if (k == (int)(sizeof choices / sizeof *choices))
        return "softening";
    return k >= 0 && k < (int)(sizeof choices / sizeof *choices) ? choices[k].key : NULL;
}

static void choose_row(myr_interaction *f, const choice_row *row, int k)
{
    int *member = (int *)((char *)f + row->member);
    if (*member == k)
        return;
    if (row->member == MEMBER(kernel)) {
        choose_kernel(f, k);
        return;
    }
    *member = k;
    if (row->resets_grid)
        memset(f->grid, 0, sizeof f->grid);
    f->evaluated = 0;
    myr_method_forget(f);
}

myr_status myr_interaction_choose(myr_interaction *interaction, const char *key, const char *value)
{
    myr_interaction *f = interaction;
    if (!f)
        return MYR_ERROR_ARGUMENT;
    if (!key)
        return myr_context_fail(f->context, MYR_ERROR_ARGUMENT, "no key given for '%s'", value ? value : "(null)");
    if (strcmp(key, "softening") == 0)
        return choose_softening(f, value);
    for (size_t n = 0; n < sizeof choices / sizeof *choices; n++) {
        const choice_row *row = &choices[n];
        if (strcmp(key, row->key) != 0)
            continue;
        int k = !value                          ? -1
                : row->member == MEMBER(kernel) ? myr_kernel_registry_find(f->context, value)
                                                : row->find(value);
        if (k < 0 && row->member == MEMBER(isa) && value && strcmp(value, "auto") == 0) {
            f->isa = -1;
            return MYR_OK;
        }
        if (k < 0)
            return choose_unknown(f->context, row->key, value, row->next);
        choose_row(f, row, k);
        if (row->member == MEMBER(method))
            myr_method_chosen(f);
        return MYR_OK;
    }
    return choose_unknown(f->context, "choice", key, choice_key);
}

const char *myr_interaction_choice(const myr_interaction *interaction, const char *key)
{
    const myr_interaction *f = interaction;
    if (!f || !key)
        return NULL;
    if (strcmp(key, "kernel") == 0)
        return myr_interaction_desc(f)->name;
    if (strcmp(key, "accumulator") == 0)
        return myr_catalogue_accumulator_name(f->accumulator);
    if (strcmp(key, "arithmetic") == 0)
        return myr_catalogue_arithmetic_name(f->arithmetic);
    if (strcmp(key, "method") == 0)
        return myr_catalogue_method_name(f->method);
    const myr_isa_table *isa =
        myr_interaction_isa(f, f->evaluated ? (double)f->last.targets * (double)f->last.sources : 0);
    if (isa && strcmp(key, "isa") == 0)
        return isa->name;
    return isa && strcmp(key, "backend") == 0 ? isa->backend : NULL;
}

myr_status myr_interaction_allow_negative_masses(myr_interaction *interaction, int allowed)
{
    if (!interaction)
        return MYR_ERROR_ARGUMENT;
    interaction->negative_masses = allowed != 0;
    return MYR_OK;
}

static int parameter_find(const myr_interaction *f, const char *name)
{
    const myr_kernel_desc *d = myr_interaction_desc(f);
    for (int k = 0; name && k < MYR_KERNEL_PARAMETERS && d->parameter[k].name; k++)
        if (strcmp(d->parameter[k].name, name) == 0)
            return k;
    return -1;
}

static void parameter_list(const myr_kernel_desc *d, char *list, size_t size)
{
    list[0] = '\0';
    for (int k = 0; k < MYR_KERNEL_PARAMETERS && d->parameter[k].name; k++) {
        if (k)
            strncat(list, ", ", size - strlen(list) - 1);
        strncat(list, d->parameter[k].name, size - strlen(list) - 1);
    }
    if (!list[0])
        strncat(list, "none", size - 1);
}

myr_status myr_interaction_set(myr_interaction *interaction, const char *parameter, double value)
{
    if (!interaction)
        return MYR_ERROR_ARGUMENT;
    const int k = parameter_find(interaction, parameter), of_method = myr_method_parameter(parameter);
    const myr_kernel_desc *d = myr_interaction_desc(interaction);
    if (k < 0 && of_method >= 0)
        return myr_method_set(interaction, of_method, value);
    if (k < 0) {
        char list[256];
        parameter_list(d, list, sizeof list);
        return myr_context_fail(interaction->context, MYR_ERROR_NAME, "kernel %s has no parameter '%s'; it has: %s",
                                d->name, parameter ? parameter : "(null)", list);
    }
    const myr_kernel_parameter *p = &d->parameter[k];
    if (!(value >= p->lower && value <= p->upper))
        return myr_context_fail(interaction->context, MYR_ERROR_VALUE, "%s = %g is out of range; %s must be %g to %g",
                                p->name, value, p->text, p->lower, p->upper);
    interaction->parameter[k] = value;
    return MYR_OK;
}

double myr_interaction_get(const myr_interaction *interaction, const char *parameter)
{
    const int k = interaction ? parameter_find(interaction, parameter) : -1;
    const int of_method = interaction && k < 0 ? myr_method_parameter(parameter) : -1;
    if (of_method >= 0)
        return myr_method_get(interaction, of_method);
    return k < 0 ? NAN : interaction->parameter[k];
}

static myr_status pair_check(myr_interaction *f, const char *name, int types, const double *values)
{
    for (int a = 0; a < types; a++)
        for (int b = 0; b < types; b++) {
            const double x = values[a * (int64_t)types + b], y = values[b * (int64_t)types + a];
            if (!isfinite(x))
                return myr_context_fail(f->context, MYR_ERROR_NONFINITE, "%s of types %d and %d is %g", name, a, b, x);
            if (x != y)
                return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                        "%s must be symmetric: types %d, %d have %g but %d, %d have %g", name, a, b, x,
                                        b, a, y);
        }
    return MYR_OK;
}

enum { PAIR_TYPES_MAX = 4096 };

/* Table of a parameter per pair of types; null if the kernel has none of that name. */
static double **pair_find(myr_interaction *f, const char *parameter)
{
    const myr_kernel_desc *d = myr_interaction_desc(f);
    for (int k = 0; parameter && k < MYR_KERNEL_PAIR_MAX && d->pair[k]; k++)
        if (strcmp(d->pair[k], parameter) == 0)
            return &f->pair[k];
    for (int k = 0; parameter && d->pair[0] && myr_kernel_cutoff(d) >= 0 && k < MYR_PAIR_LENGTHS; k++)
        if (strcmp(myr_interaction_pair_length(k), parameter) == 0)
            return &f->length[k];
    return NULL;
}

myr_status myr_interaction_set_pair(myr_interaction *interaction, const char *parameter, int types,
                                    const double *values)
{
    myr_interaction *f = interaction;
    if (!f || !values)
        return MYR_ERROR_ARGUMENT;
    const myr_kernel_desc *d = myr_interaction_desc(f);
    double **table = pair_find(f, parameter);
    if (!table)
        return myr_context_fail(f->context, MYR_ERROR_NAME, "kernel %s has no parameter '%s' per pair of types",
                                d->name, parameter ? parameter : "(null)");
    if (types < 1 || types > PAIR_TYPES_MAX)
        return myr_context_fail(f->context, MYR_ERROR_VALUE, "%d types asked for; give 1 to %d", types, PAIR_TYPES_MAX);
    const myr_status status = pair_check(f, parameter, types, values);
    if (status)
        return status;
    const int64_t entries = (int64_t)types * types;
    double *copy = myr_memory_zeros(entries, sizeof *copy);
    if (!copy)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for a table of %d types", types);
    memcpy(copy, values, (size_t)entries * sizeof *copy);
    /* a different number of types discards all tables */
    if (f->types != types)
        pair_free(f);
    free(*table);
    *table = copy;
    f->types = types;
    return MYR_OK;
}

static myr_status exclusions_check(myr_interaction *f, int64_t n, const int64_t *offset, const int64_t *partner)
{
    if (offset[0] != 0)
        return myr_context_fail(f->context, MYR_ERROR_VALUE, "the first offset must be 0, not %lld",
                                (long long)offset[0]);
    for (int64_t i = 0; i < n; i++)
        if (offset[i + 1] < offset[i])
            return myr_context_fail(f->context, MYR_ERROR_VALUE, "offsets must not fall: target %lld", (long long)i);
    if (!partner && offset[n] > 0)
        return myr_context_fail(f->context, MYR_ERROR_ARGUMENT, "a list of %lld exclusions must not be null",
                                (long long)offset[n]);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = offset[i]; e < offset[i + 1]; e++)
            if (partner[e] < 0 || (e > offset[i] && partner[e] <= partner[e - 1]))
                return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                        "the partners of target %lld must be sorted, different and not negative",
                                        (long long)i);
    return MYR_OK;
}

myr_status myr_interaction_set_exclusions(myr_interaction *interaction, int64_t n, const int64_t *offset,
                                          const int64_t *partner, myr_exclusion_mode mode)
{
    myr_interaction *f = interaction;
    if (!f)
        return MYR_ERROR_ARGUMENT;
    if (n < 0 || (int)mode < MYR_EXCLUDE_ON_THE_FLY || mode > MYR_EXCLUDE_BY_PROCESSOR)
        return myr_context_fail(f->context, MYR_ERROR_ARGUMENT,
                                "exclusions need n >= 0 targets and one of the three modes; n is %lld, the mode %d",
                                (long long)n, (int)mode);
    const myr_status status = offset ? exclusions_check(f, n, offset, partner) : MYR_OK;
    if (status)
        return status;
    free(f->offset);
    free(f->partner);
    f->offset = f->partner = NULL;
    f->excluded_targets = n;
    f->exclusion_mode = mode;
    if (!offset)
        return MYR_OK;
    f->offset = myr_memory_zeros(n + 1, sizeof *f->offset);
    f->partner = myr_memory_zeros(offset[n], sizeof *f->partner);
    if (!f->offset || !f->partner)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for %lld exclusions", (long long)offset[n]);
    memcpy(f->offset, offset, (size_t)(n + 1) * sizeof *offset);
    if (offset[n])
        memcpy(f->partner, partner, (size_t)offset[n] * sizeof *partner);
    return MYR_OK;
}

myr_status myr_interaction_tune(myr_interaction *interaction, const char *key, int64_t value)
{
    myr_interaction *f = interaction;
    if (!f || !key)
        return MYR_ERROR_ARGUMENT;
    if (value < 0)
        return myr_context_fail(f->context, MYR_ERROR_VALUE, "tuning %s = %lld is negative", key, (long long)value);
    if (strcmp(key, "splits") == 0)
        f->splits = value;
    else if (strcmp(key, "bag") == 0)
        f->bag = value;
    else if (strcmp(key, "careful") == 0)
        f->careful = value != 0;
    else if (strcmp(key, "unroll") == 0)
        f->unroll = (int)(value < 100 ? value : 99);
    else
        return myr_context_fail(f->context, MYR_ERROR_NAME,
                                "there is no tuning '%s'; use splits, bag, careful or unroll", key);
    return MYR_OK;
}

static int output_find(const myr_interaction *f, const char *name)
{
    const myr_kernel_desc *d = myr_interaction_desc(f);
    for (int k = 0; name && k < MYR_KERNEL_OUTPUT_FIELDS && d->output[k].name; k++)
        if (strcmp(d->output[k].name, name) == 0)
            return k;
    return -1;
}

static myr_status output_unknown(const myr_interaction *f, const char *name)
{
    return myr_context_fail(f->context, MYR_ERROR_NAME, "kernel %s has no output '%s'", myr_interaction_desc(f)->name,
                            name ? name : "(null)");
}

myr_status myr_interaction_set_scale(myr_interaction *interaction, const char *output, int exponent)
{
    if (!interaction)
        return MYR_ERROR_ARGUMENT;
    const int k = output_find(interaction, output);
    if (k < 0)
        return output_unknown(interaction, output);
    int low, high;
    const int mantissa = interaction->arithmetic == myr_catalogue_arithmetic("double") ? 52 : 23;
    myr_scale_limits(interaction->accumulator, mantissa, &low, &high);
    if (exponent < low || exponent > high)
        return myr_context_fail(interaction->context, MYR_ERROR_VALUE, "exponent %d is out of range: %d to %d",
                                exponent, low, high);
    interaction->grid[k] = (myr_grid){exponent, 1, 1};
    return MYR_OK;
}

myr_status myr_interaction_scale(const myr_interaction *interaction, const char *output, int *exponent)
{
    if (!interaction || !exponent)
        return MYR_ERROR_ARGUMENT;
    const int k = output_find(interaction, output);
    if (k < 0)
        return output_unknown(interaction, output);
    if (!interaction->grid[k].known)
        return myr_context_fail(interaction->context, MYR_ERROR_VALUE,
                                "no scale yet: accumulator %s needs none, or nothing was evaluated",
                                myr_catalogue_accumulator_name(interaction->accumulator));
    *exponent = interaction->grid[k].exponent;
    return MYR_OK;
}

myr_status myr_interaction_last(const myr_interaction *interaction, myr_evaluation *evaluation)
{
    if (!interaction || !evaluation)
        return MYR_ERROR_ARGUMENT;
    if (!interaction->evaluated)
        return myr_context_fail(interaction->context, MYR_ERROR_VALUE, "nothing was evaluated yet");
    *evaluation = interaction->last;
    return MYR_OK;
}

myr_status myr_interaction_net(const myr_interaction *interaction, const char *output, int component, double *net)
{
    if (!interaction || !net)
        return MYR_ERROR_ARGUMENT;
    const int k = output_find(interaction, output);
    const myr_kernel_desc *d = myr_interaction_desc(interaction);
    if (k < 0 || component < 0 || component >= d->output[k].components)
        return output_unknown(interaction, output);
    if (!interaction->evaluated)
        return myr_context_fail(interaction->context, MYR_ERROR_VALUE, "nothing was evaluated yet");
    for (int n = 0; n < k; n++)
        component += d->output[n].components;
    *net = interaction->net[component];
    return MYR_OK;
}
