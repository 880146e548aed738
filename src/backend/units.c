/* units.c - units of the library: those in the build, and those compiled on demand, owned by a context. */
#include "backend/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/unit_loader.h"

/* What is asked for: two equal keys name one unit. */
typedef struct {
    enum { UNIT_KERNEL, UNIT_INTERNAL, UNIT_NEAR, UNIT_SHORT_RANGE, UNIT_EXPANSION } kind;
    const myr_isa_table *isa;
    int arithmetic;
    int which; /* kernel, expansion or order (more than MYR_EXPANSION_DEGREES if separate); of short-range pairs 2 *
                  fixed + halo */
} unit_key;

/* Recipe of a unit. */
typedef struct {
    const char *what; /* description for the user */
    const char *file, *prefix;
    char words[128], macros[512];
    const char *flags; /* compiler flags in addition to those of the instruction set */
} unit_recipe;

/* Requested unit; `failed`: the message if it could not be loaded. */
typedef struct stored {
    unit_key key;
    const char *what; /* as in the recipe */
    myr_unit_order order;
    myr_unit_object object;
    char *failed;
    struct stored *next;
} stored;

typedef struct {
    stored *first;
    int warned; /* 1 = the warning about plain code instead of a faster instruction set was given */
} unit_store;

static void store_free(void *units)
{
    unit_store *store = units;
    for (stored *s = store->first, *next; s; s = next) {
        next = s->next;
        myr_unit_unload(&s->object);
        free(s->failed);
        free(s);
    }
    free(store);
}

static unit_store *store_of(myr_context *context)
{
    if (!context->units) {
        context->units = calloc(1, sizeof(unit_store));
        context->units_free = store_free;
    }
    return context->units;
}

/* Names in the notice before a compilation. */
typedef struct {
    myr_context *context;
    const char *what, *isa;
} unit_notice;

static void notify(void *user)
{
    const unit_notice *n = user;
    myr_context_notify(n->context, "compiling the loops of %s for %s; this happens once", n->what, n->isa);
}

/* Loads or compiles a unit that is new to the context, and stores the result. */
static void store_load(myr_context *context, stored *s)
{
    char message[MYR_MESSAGE_MAX / 2] = "";
    unit_notice notice = {context, s->what, s->key.isa->name};
    myr_unit_report report;
    if (!myr_unit_load(&s->order, notify, &notice, &s->object, &report, message, sizeof message))
        s->failed = strdup(message);
    if (report.warning[0])
        myr_context_warn(context, "the loops of %s were compiled, but not kept for the next time: %s", s->what,
                         report.warning);
}

/* The unit as it is in the store; null if it was never asked for. Evaluations come here every time: nothing is
 * formatted. */
static const stored *store_find(const myr_context *context, const unit_key *key)
{
    const unit_store *store = context->units;
    const stored *s = store ? store->first : NULL;
    while (s && (s->key.kind != key->kind || s->key.isa != key->isa || s->key.arithmetic != key->arithmetic ||
                 s->key.which != key->which))
        s = s->next;
    return s;
}

/* The loops of a unit in the store; null, with a message, if it could not be loaded. */
static const void *store_table(myr_context *context, const stored *s)
{
    if (!s->object.table)
        myr_context_fail(context, MYR_ERROR_UNAVAILABLE,
                         "the loops of %s for %s are not in this build and cannot be compiled: %s", s->what,
                         s->key.isa->name, s->failed ? s->failed : "no memory");
    return s->object.table;
}

/* Adds a unit that the store does not have. */
static const void *store_add(myr_context *context, const unit_key *key, const unit_recipe *r)
{
    char message[256];
    unit_store *store = store_of(context);
    stored *s = store ? calloc(1, sizeof *s) : NULL;
    if (!s) {
        myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the loops of %s", r->what);
        return NULL;
    }
    if (!myr_unit_order_make(r->file, r->macros, r->prefix, r->words, key->isa->name, key->arithmetic, &s->order,
                             message, sizeof message)) {
        myr_context_fail(context, MYR_ERROR_UNAVAILABLE, "%s: %s", r->what, message);
        free(s);
        return NULL;
    }
    strncat(s->order.flags, r->flags, sizeof s->order.flags - strlen(s->order.flags) - 1);
    s->key = *key;
    s->what = r->what;
    s->next = store->first;
    store->first = s;
    store_load(context, s);
    return store_table(context, s);
}

typedef struct {
    const char *name, *header;
} unit_kernel;

static const unit_kernel kernels[] = {
#define MYR_KERNEL(name, header) {#name, "kernel/" #header},
#include "kernel/kernels.def"
#undef MYR_KERNEL
};

/* Recipe of a unit compiled per kernel; `macros`: macros in addition to those of the kernel. */
static void kernel_recipe(const unit_kernel *kernel, const char *file, const char *prefix, const char *macros,
                          unit_recipe *r)
{
    *r = (unit_recipe){.what = kernel->name, .file = file, .prefix = prefix, .flags = ""};
    snprintf(r->words, sizeof r->words, "%s_", kernel->name);
    snprintf(r->macros, sizeof r->macros, "%s#define MYR_KERNEL %s\n#define MYR_KERNEL_FILE \"%s\"\n", macros,
             kernel->name, kernel->header);
}

const myr_unit *myr_units_kernel(myr_context *context, const myr_isa_table *isa, int kernel, int arithmetic)
{
    const unit_key key = {UNIT_KERNEL, isa, arithmetic, kernel};
    unit_recipe r;
    if (isa->units[kernel][arithmetic])
        return isa->units[kernel][arithmetic];
    const stored *s = store_find(context, &key);
    if (s)
        return store_table(context, s);
    kernel_recipe(&kernels[kernel], "backend/unit.c", "myr_unit_", "", &r);
    return store_add(context, &key, &r);
}

const myr_unit *myr_units_internal(myr_context *context, const myr_isa_table *isa, int internal)
{
    static const unit_kernel all[] = {
#define MYR_INTERNAL_KERNEL(name, header) {#name, "kernel/" #header},
#include "kernel/internal.def"
#undef MYR_INTERNAL_KERNEL
    };
    const unit_key key = {UNIT_INTERNAL, isa, MYR_ARITHMETIC_PORTABLE, internal};
    unit_recipe r;
    if (isa->internal[internal])
        return isa->internal[internal];
    const stored *s = store_find(context, &key);
    if (s)
        return store_table(context, s);
    kernel_recipe(&all[internal], "backend/unit.c", "myr_unit_", "#define MYR_BAG_OF_REALS\n", &r);
    return store_add(context, &key, &r);
}

const myr_near_unit *myr_units_near(myr_context *context, const myr_isa_table *isa, int expansion, int arithmetic)
{
    static const unit_kernel all[] = {
#define MYR_EXPANSION(name, header) {#name, "kernel/" #header},
#include "kernel/expansions.def"
#undef MYR_EXPANSION
    };
    const unit_key key = {UNIT_NEAR, isa, arithmetic, expansion};
    unit_recipe r;
    if (isa->nears[expansion][arithmetic])
        return isa->nears[expansion][arithmetic];
    const stored *s = store_find(context, &key);
    if (s)
        return store_table(context, s);
    kernel_recipe(&all[expansion], "backend/near_unit.c", "myr_near_", "", &r);
    return store_add(context, &key, &r);
}

const myr_short_range_unit *myr_units_short_range(myr_context *context, const myr_isa_table *isa, int arithmetic,
                                                  int fixed, int halo)
{
    unit_recipe r = {.what = "short-range pairs",
                     .file = "backend/short_range.c",
                     .prefix = "myr_short_range_",
                     .flags = " -fopenmp-simd"};
    const unit_key key = {UNIT_SHORT_RANGE, isa, arithmetic, 2 * (fixed != 0) + (halo != 0)};
    if (isa->windows[arithmetic] || arithmetic == MYR_ARITHMETIC_MIXED)
        return isa->windows[arithmetic];
    const stored *s = store_find(context, &key);
    if (s)
        return store_table(context, s);
    snprintf(r.macros, sizeof r.macros, "#define MYR_ONLY_FIXED %d\n#define MYR_ONLY_HALO %d\n", fixed != 0, halo != 0);
    return store_add(context, &key, &r);
}

const myr_expansion_ops *myr_units_expansion(myr_context *context, const myr_isa_table *isa, int form, int order)
{
    static const struct {
        int arithmetic;
        const char *prefix, *macros;
    } forms[MYR_EXPANSION_FORMS] = {
        [MYR_EXPANSION_FLOAT] = {MYR_ARITHMETIC_SINGLE, "myr_expansion_", ""},
        [MYR_EXPANSION_DOUBLE] = {MYR_ARITHMETIC_DOUBLE, "myr_expansion_", ""},
        [MYR_EXPANSION_PORTABLE_FLOAT] = {MYR_ARITHMETIC_PORTABLE, "myr_expansion_", ""},
        [MYR_EXPANSION_PORTABLE_DOUBLE] = {MYR_ARITHMETIC_DOUBLE, "myr_expansion_separate_", "#define MYR_SEPARATE\n"},
    };
    unit_recipe r = {
        .what = "expansions", .file = "backend/expansion_unit.c", .prefix = forms[form].prefix, .flags = ""};
    if (isa->expansion[form])
        return isa->expansion[form];
    const int straight = order >= MYR_EXPANSION_STRAIGHT_FIRST && order <= MYR_EXPANSION_STRAIGHT_LAST;
    const int only = straight ? order : 0, separate = form == MYR_EXPANSION_PORTABLE_DOUBLE;
    const unit_key key = {UNIT_EXPANSION, isa, forms[form].arithmetic, only + separate * MYR_EXPANSION_DEGREES};
    const stored *s = store_find(context, &key);
    if (s)
        return store_table(context, s);
    snprintf(r.macros, sizeof r.macros, "%s#define MYR_ONLY_ORDER %d\n", forms[form].macros, only);
    return store_add(context, &key, &r);
}

const myr_isa_table *myr_units_fall_back(myr_context *context, const myr_isa_table *isa)
{
    unit_store *store = store_of(context);
    if (store && !store->warned) {
        store->warned = 1;
        myr_context_warn(context, "%s; plain code runs instead of %s, several times slower", context->message,
                         isa->name);
    }
    return myr_backend_isa(0);
}
