/* pipeline_units.c - the compiled loops of a pipeline, from the cache or from the compiler. */
#include "backend/pipeline/pipeline_units.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/compiler.h"
#include "backend/source.h"
#include "core/cache.h"
#include "core/timer.h"

static const char *const arithmetic_names[MYR_ARITH_COUNT] = {"single", "mixed", "portable", "double"};

/* Each instruction set of this build, with the size of its lanes and the compiler's flags. */
static const struct {
    const char *name;
    int bytes;
    const char *flags;
} isas[] = {
#define MYR_ISA_FLAGS(name, bytes, flags) {#name, bytes, flags},
#include "backend/isa_flags.def"
#undef MYR_ISA_FLAGS
};

enum { ISAS = sizeof isas / sizeof *isas, UNIT_PATIENCE = 60 /* seconds */ };

typedef struct {
    void *handle;
    const myr_unit *unit;
} loaded;

struct myr_pipeline_units {
    const myr_pipeline *pipeline;
    loaded at[2][ISAS][MYR_ARITH_COUNT];
};

myr_pipeline_units *myr_pipeline_units_create(const myr_pipeline *pipeline)
{
    myr_pipeline_units *units = calloc(1, sizeof *units);
    if (units)
        units->pipeline = pipeline;
    return units;
}

void myr_pipeline_units_destroy(myr_pipeline_units **units)
{
    if (!units || !*units)
        return;
    for (int with = 0; with < 2; with++)
        for (int isa = 0; isa < ISAS; isa++)
            for (int arithmetic = 0; arithmetic < MYR_ARITH_COUNT; arithmetic++)
                if ((*units)->at[with][isa][arithmetic].handle)
                    dlclose((*units)->at[with][isa][arithmetic].handle);
    free(*units);
    *units = NULL;
}

/* What is to be compiled, and the names that go with it. */
typedef struct {
    const char *kernel, *isa, *arithmetic;
    char unit[1024];   /* the C file */
    char symbol[256];  /* the table that it exports */
    char *header;      /* of the kernel */
    const char *flags; /* of the instruction set */
} order;

static int order_make(const myr_pipeline *p, int with_potential, int isa, int arithmetic, order *o)
{
    const myr_kernel_desc *d = myr_pipeline_desc(p, with_potential);
    *o = (order){d->name, isas[isa].name, arithmetic_names[arithmetic], "", "", NULL, isas[isa].flags};
    snprintf(o->unit, sizeof o->unit,
             "#define MYR_KERNEL %s\n#define MYR_KERNEL_FILE \"kernel/pipeline.h\"\n#define MYR_ARITH %d\n"
             "#define MYR_ARITH_NAME %s\n#define MYR_ISA %s\n#define MYR_LANE_BYTES %d\n#include \"backend/unit.c\"\n",
             d->name, arithmetic, o->arithmetic, o->isa, isas[isa].bytes);
    snprintf(o->symbol, sizeof o->symbol, "myr_unit_%s_%s_%s", d->name, o->arithmetic, o->isa);
    o->header = myr_pipeline_header(p);
    return o->header != NULL;
}

/* The key of everything that the result depends on. */
static int order_key(const order *o, const myr_compile *compile, char key[MYR_CACHE_KEY])
{
    int count, n = 0;
    const myr_source *source = myr_sources(&count);
    const char **text = malloc((2 * (size_t)count + 6) * sizeof *text);
    const char *cc = getenv("CC");
    if (!text)
        return 0;
    text[n++] = o->unit;
    text[n++] = o->header;
    text[n++] = o->flags;
    text[n++] = cc ? cc : "";
    text[n++] = compile->version;
    text[n++] = myr_compile_flags();
    for (int k = 0; k < count; k++) {
        text[n++] = source[k].name;
        text[n++] = source[k].text;
    }
    myr_cache_key(text, n, key);
    free(text);
    return 1;
}

/* Opens a shared object and finds its table. */
static int open_object(const char *path, const order *o, loaded *to, char *message, size_t room)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const myr_unit *unit = handle ? dlsym(handle, o->symbol) : NULL;
    if (!unit) {
        const char *why = dlerror();
        snprintf(message, room, "cannot load the compiled kernel: %s", why ? why : "it has no table");
        if (handle)
            dlclose(handle);
        return 0;
    }
    *to = (loaded){handle, unit};
    return 1;
}

static int from_cache(const char *key, const order *o, loaded *to)
{
    char path[4096], message[256];
    void *bytes;
    size_t size;
    if (!myr_cache_read(key, "so", &bytes, &size)) /* whole, and ours */
        return 0;
    free(bytes);
    return myr_cache_path(key, "so", path, sizeof path, message, sizeof message) &&
           open_object(path, o, to, message, sizeof message);
}

static void to_cache(const char *key, const char *path, myr_pipeline_report *report)
{
    FILE *f = fopen(path, "rb");
    long size = -1;
    char *bytes = NULL;
    if (f && fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) > 0 && fseek(f, 0, SEEK_SET) == 0)
        bytes = malloc((size_t)size);
    if (bytes && fread(bytes, 1, (size_t)size, f) == (size_t)size)
        myr_cache_write(key, "so", bytes, (size_t)size, report->warning, sizeof report->warning);
    free(bytes);
    if (f)
        fclose(f);
}

/* Compiles, unless another process has done so while this one waited for its turn. */
static int make(myr_compile *compile, const char *key, const order *o, loaded *to, myr_pipeline_report *report,
                char *message, size_t room)
{
    const myr_compile_text text = {o->header, o->unit, o->flags};
    const int lock = myr_cache_lock(UNIT_PATIENCE);
    int found = from_cache(key, o, to);
    if (!found && myr_compile_run(compile, &text, message, room)) {
        report->compiled = 1;
        to_cache(key, compile->object, report);
        /* where programs may not be loaded from the folder of temporary files they may be from the cache */
        found = open_object(compile->object, o, to, message, room) || from_cache(key, o, to);
    }
    myr_cache_unlock(lock);
    return found;
}

static int fetch(const order *o, loaded *to, myr_pipeline_report *report, char *message, size_t room)
{
    char key[MYR_CACHE_KEY];
    myr_compile compile;
    const int found = myr_compile_start(&compile, message, room) && order_key(o, &compile, key) &&
                      (from_cache(key, o, to) || make(&compile, key, o, to, report, message, room));
    myr_compile_end(&compile);
    return found;
}

const myr_unit *myr_pipeline_unit(myr_pipeline_units *units, int with_potential, const myr_isa_table *isa,
                                  int arithmetic, myr_pipeline_report *report, char *message, size_t room)
{
    const double start = myr_timer_now();
    order o;
    int k = 0;
    memset(report, 0, sizeof *report);
    const char *name = isa->gpu ? "scalar" : isa->name; /* a GPU's loops are described by those of plain code */
    while (k < ISAS && strcmp(isas[k].name, name) != 0)
        k++;
    if (k == ISAS) {
        snprintf(message, room, "kernels from source cannot be compiled for %s", name);
        return NULL;
    }
    loaded *at = &units->at[with_potential != 0][k][arithmetic];
    if (at->unit)
        return at->unit;
    if (order_make(units->pipeline, with_potential, k, arithmetic, &o))
        fetch(&o, at, report, message, room);
    else
        snprintf(message, room, "no memory for a kernel");
    free(o.header);
    report->seconds = myr_timer_now() - start;
    return at->unit;
}
