/* units.c - units of the library: those in the build, and those compiled on demand, owned by a context. */
#include "backend/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/unit_loader.h"

/* Recipe of a unit. */
typedef struct {
    const char *what; /* description for the user */
    const char *file, *prefix;
    char words[128], macros[512];
    const char *flags; /* compiler flags in addition to those of the instruction set */
} unit_recipe;

/* Requested unit; `failed`: the message if it could not be loaded. */
typedef struct stored {
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
static void store_load(myr_context *context, stored *s, const unit_recipe *r, const myr_isa_table *isa)
{
    char message[MYR_MESSAGE_MAX / 2] = "";
    unit_notice notice = {context, r->what, isa->name};
    myr_unit_report report;
    if (!myr_unit_load(&s->order, notify, &notice, &s->object, &report, message, sizeof message))
        s->failed = strdup(message);
    if (report.warning[0])
        myr_context_warn(context, "the loops of %s were compiled, but not kept for the next time: %s", r->what,
                         report.warning);
}

static const void *store_get(myr_context *context, const myr_isa_table *isa, int arithmetic, const unit_recipe *r)
{
    char message[256];
    myr_unit_order order;
    unit_store *store = store_of(context);
    if (!myr_unit_order_make(r->file, r->macros, r->prefix, r->words, isa->name, arithmetic, &order, message,
                             sizeof message)) {
        myr_context_fail(context, MYR_ERROR_UNAVAILABLE, "%s: %s", r->what, message);
        return NULL;
    }
    strncat(order.flags, r->flags, sizeof order.flags - strlen(order.flags) - 1);
    stored *s = store ? store->first : NULL;
    while (s && (strcmp(s->order.symbol, order.symbol) != 0 || strcmp(s->order.text, order.text) != 0))
        s = s->next;
    if (!s && store && (s = calloc(1, sizeof *s))) {
        s->order = order;
        s->next = store->first;
        store->first = s;
        store_load(context, s, r, isa);
    }
    if (!s || !s->object.table)
        myr_context_fail(context, s ? MYR_ERROR_UNAVAILABLE : MYR_ERROR_MEMORY,
                         "the loops of %s for %s are not in this build and cannot be compiled: %s", r->what, isa->name,
                         s && s->failed ? s->failed : "no memory");
    return s ? s->object.table : NULL;
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
    unit_recipe r;
    if (isa->units[kernel][arithmetic])
        return isa->units[kernel][arithmetic];
    kernel_recipe(&kernels[kernel], "backend/unit.c", "myr_unit_", "", &r);
    return store_get(context, isa, arithmetic, &r);
}

const myr_unit *myr_units_internal(myr_context *context, const myr_isa_table *isa, int internal)
{
    static const unit_kernel all[] = {
#define MYR_INTERNAL_KERNEL(name, header) {#name, "kernel/" #header},
#include "kernel/internal.def"
#undef MYR_INTERNAL_KERNEL
    };
    unit_recipe r;
    if (isa->internal[internal])
        return isa->internal[internal];
    kernel_recipe(&all[internal], "backend/unit.c", "myr_unit_", "#define MYR_BAG_OF_REALS\n", &r);
    return store_get(context, isa, MYR_ARITHMETIC_PORTABLE, &r);
}

const myr_near_unit *myr_units_near(myr_context *context, const myr_isa_table *isa, int expansion, int arithmetic)
{
    static const unit_kernel all[] = {
#define MYR_EXPANSION(name, header) {#name, "kernel/" #header},
#include "kernel/expansions.def"
#undef MYR_EXPANSION
    };
    unit_recipe r;
    if (isa->nears[expansion][arithmetic] || arithmetic == MYR_ARITHMETIC_PORTABLE)
        return isa->nears[expansion][arithmetic];
    kernel_recipe(&all[expansion], "backend/near_unit.c", "myr_near_", "", &r);
    return store_get(context, isa, arithmetic, &r);
}

const myr_short_range_unit *myr_units_short_range(myr_context *context, const myr_isa_table *isa, int arithmetic,
                                                  int fixed, int halo)
{
    unit_recipe r = {.what = "short-range pairs",
                     .file = "backend/short_range.c",
                     .prefix = "myr_short_range_",
                     .flags = " -fopenmp-simd"};
    if (isa->windows[arithmetic] || arithmetic == MYR_ARITHMETIC_MIXED)
        return isa->windows[arithmetic];
    snprintf(r.macros, sizeof r.macros, "#define MYR_ONLY_FIXED %d\n#define MYR_ONLY_HALO %d\n", fixed != 0, halo != 0);
    return store_get(context, isa, arithmetic, &r);
}

const myr_expansion_ops *myr_units_expansion(myr_context *context, const myr_isa_table *isa, int in_double, int order)
{
    unit_recipe r = {.what = "expansions", .file = "backend/expansion_unit.c", .prefix = "myr_expansion_", .flags = ""};
    if (isa->expansion[in_double != 0])
        return isa->expansion[in_double != 0];
    const int straight = order >= MYR_EXPANSION_STRAIGHT_FIRST && order <= MYR_EXPANSION_STRAIGHT_LAST;
    snprintf(r.macros, sizeof r.macros, "#define MYR_ONLY_ORDER %d\n", straight ? order : 0);
    return store_get(context, isa, in_double ? MYR_ARITHMETIC_DOUBLE : MYR_ARITHMETIC_SINGLE, &r);
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
