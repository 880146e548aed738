/* unit_loader.c - loads units from the cache or compiles them. */
#include "backend/unit_loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/compiler.h"
#include "backend/source.h"
#include "core/cache.h"
#include "core/timer.h"

enum { UNIT_PATIENCE = 60 }; /* seconds to wait for another process that compiles */

static const char *const arithmetic_names[MYR_ARITH_COUNT] = {"single", "mixed", "portable", "double"};

/* Instruction sets of this build, with the size of their vectors and the compiler flags. */
static const struct {
    const char *name;
    int bytes;
    const char *flags;
} isas[] = {
#define MYR_ISA_FLAGS(name, bytes, flags) {#name, bytes, flags},
#include "backend/isa_flags.def"
#undef MYR_ISA_FLAGS
};

int myr_unit_order_make(const char *file, const char *macros, const char *prefix, const char *words, const char *isa,
                        int arithmetic, myr_unit_order *order, char *message, size_t room)
{
    size_t k = 0;
    while (k < sizeof isas / sizeof *isas && strcmp(isas[k].name, isa) != 0)
        k++;
    if (k == sizeof isas / sizeof *isas) {
        snprintf(message, room, "loops cannot be compiled for %s", isa);
        return 0;
    }
    memset(order, 0, sizeof *order);
    snprintf(order->text, sizeof order->text,
             "%s#define MYR_ARITH %d\n#define MYR_ARITH_NAME %s\n#define MYR_ISA %s\n#define MYR_LANE_BYTES %d\n"
             "#include \"%s\"\n",
             macros, arithmetic, arithmetic_names[arithmetic], isa, isas[k].bytes, file);
    snprintf(order->symbol, sizeof order->symbol, "%s%s%s_%s", prefix, words, arithmetic_names[arithmetic], isa);
    snprintf(order->flags, sizeof order->flags, "%s", isas[k].flags);
    return 1;
}

/* Cache key: a hash of everything the compiled unit depends on. */
static int order_key(const myr_unit_order *o, const myr_compiler *compile, char key[MYR_CACHE_KEY])
{
    int count, n = 0;
    const myr_source *source = myr_sources(&count);
    const char **text = malloc((2 * (size_t)count + 6) * sizeof *text);
    const char *cc = getenv("CC");
    if (!text)
        return 0;
    text[n++] = o->text;
    text[n++] = o->header ? o->header : "";
    text[n++] = o->flags;
    text[n++] = cc ? cc : "";
    text[n++] = compile->version;
    text[n++] = myr_compiler_flags();
    for (int k = 0; k < count; k++) {
        text[n++] = source[k].name;
        text[n++] = source[k].text;
    }
    myr_cache_key(text, n, key);
    free(text);
    return 1;
}

/* Opens a shared object and finds its table. */
static int open_object(const char *path, const myr_unit_order *o, myr_unit_object *to, char *message, size_t room)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *table = handle ? dlsym(handle, o->symbol) : NULL;
    if (!table) {
        const char *why = dlerror();
        snprintf(message, room, "cannot load the compiled loops: %s", why ? why : "they have no table");
        if (handle)
            dlclose(handle);
        return 0;
    }
    *to = (myr_unit_object){handle, table};
    return 1;
}

static int from_cache(const char *key, const myr_unit_order *o, myr_unit_object *to)
{
    char path[4096], message[256];
    void *bytes;
    size_t size;
    if (!myr_cache_read(key, "so", &bytes, &size)) /* complete, and owned by the user */
        return 0;
    free(bytes);
    return myr_cache_path(key, "so", path, sizeof path, message, sizeof message) &&
           open_object(path, o, to, message, sizeof message);
}

static void to_cache(const char *key, const char *path, myr_unit_report *report)
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

/* Compiles the unit, unless another process has compiled it while this process waited for the lock. */
static int unit_make(myr_compiler *compile, const char *key, const myr_unit_order *o, void (*before)(void *user),
                     void *user, myr_unit_object *to, myr_unit_report *report, char *message, size_t room)
{
    const myr_compiler_text text = {o->header, o->text, o->flags};
    const int lock = myr_cache_lock(key, UNIT_PATIENCE);
    int found = from_cache(key, o, to);
    if (!found && before)
        before(user);
    if (!found && myr_compiler_run(compile, &text, message, room)) {
        report->compiled = 1;
        to_cache(key, compile->object, report);
        /* from the cache, where tools find the code afterwards; else from the temporary folder */
        found = from_cache(key, o, to) || open_object(compile->object, o, to, message, room);
    }
    myr_cache_unlock(lock);
    return found;
}

int myr_unit_load(const myr_unit_order *order, void (*before)(void *user), void *user, myr_unit_object *object,
                  myr_unit_report *report, char *message, size_t room)
{
    const double start = myr_timer_now();
    char key[MYR_CACHE_KEY];
    myr_compiler compile;
    memset(report, 0, sizeof *report);
    const int found = myr_compiler_start(&compile, message, room) && order_key(order, &compile, key) &&
                      (from_cache(key, order, object) ||
                       unit_make(&compile, key, order, before, user, object, report, message, room));
    myr_compiler_end(&compile);
    report->seconds = myr_timer_now() - start;
    return found;
}

void myr_unit_unload(myr_unit_object *object)
{
    if (object->handle)
        dlclose(object->handle);
    *object = (myr_unit_object){NULL, NULL};
}
