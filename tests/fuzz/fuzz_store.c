/* fuzz_store.c - the reader of particles of a box in a checkpoint against any bytes in a part whose hash is right: the
 * rest of the checkpoint is that of a small box. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <myriad/myriad.h>

#include "core/context.h"
#include "io/checkpoint_layout.h"

enum { ROOM = 1 << 16, PARTICLES = 32 };

static uint8_t whole[ROOM]; /* a checkpoint with one part */
static size_t whole_size;
static int with_tag;

static void write_box(const char *path)
{
    const double one = 1;
    myr_context *context = NULL;
    myr_model_spec *spec = NULL;
    myr_particles *p = NULL;
    myr_interaction *f = NULL;
    myr_simulation *s = NULL;
    myr_molecular_options o = myr_molecular_defaults();
    for (int c = 0; c < 3; c++)
        o.box[c] = 6;
    int bad = myr_context_create(&context) || myr_model_spec_create(context, "fcc", &spec) ||
              myr_model_spec_set(spec, "density", PARTICLES / 216.0) || myr_model_spec_make(spec, PARTICLES, 1, &p) ||
              (with_tag && myr_particles_add_field(p, "tag", 2)) ||
              myr_interaction_create(context, "lennard_jones", &f) ||
              myr_interaction_choose(f, "method", "neighbour") || myr_interaction_choose(f, "accumulator", "fixed") ||
              myr_interaction_set(f, "cutoff", 2.5) || myr_interaction_set_pair(f, "epsilon", 1, &one) ||
              myr_interaction_set_pair(f, "sigma", 1, &one) || myr_simulation_create(context, p, f, &s) ||
              myr_simulation_choose(s, "verlet") || myr_simulation_set(s, "dt", 0.001) ||
              myr_simulation_set_molecular(s, &o) || myr_simulation_step(s, 0) || myr_simulation_save(s, path);
    fuzz_expect(!bad, context ? myr_context_message(context) : "memory");
    myr_model_spec_destroy(&spec);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

/* The table, with a part of another size before all else. */
static void shift_table(uint8_t *file, size_t table, uint32_t sections, size_t part)
{
    uint64_t was = 0;
    for (uint32_t k = 0; k < sections; k++) {
        myr_checkpoint_entry e;
        memcpy(&e, file + table + k * sizeof e, sizeof e);
        if (k == 0) {
            was = e.size;
            e.size = part;
            e.hash = myr_hash_bytes(file + e.offset, part);
        } else {
            e.offset = e.offset - was + part;
        }
        memcpy(file + table + k * sizeof e, &e, sizeof e);
    }
}

/* A checkpoint whose part is `data`; its size. */
static size_t put_together(const uint8_t *data, size_t size, uint8_t *file)
{
    myr_checkpoint_header h;
    myr_checkpoint_entry first;
    memcpy(&h, whole, sizeof h);
    memcpy(&first, whole + h.table, sizeof first);
    const size_t after = sizeof h + (size_t)first.size;
    memcpy(file + sizeof h, data, size);
    memcpy(file + sizeof h + size, whole + after, whole_size - after);
    h.table = h.table - first.size + size;
    h.length = h.length - first.size + size;
    shift_table(file, (size_t)h.table, h.sections, size);
    h.table_hash = myr_hash_bytes(file + h.table, (size_t)(h.length - h.table));
    h.header_hash = myr_hash_bytes(&h, offsetof(myr_checkpoint_header, header_hash)).low;
    memcpy(file, &h, sizeof h);
    return (size_t)h.length;
}

static myr_status look(void *user, const myr_simulation *simulation, const myr_particles *particles)
{
    (void)simulation;
    *(int64_t *)user += myr_particles_count(particles);
    return MYR_OK;
}

/* 1 where the part is accepted. */
static int try_part(const uint8_t *data, size_t size)
{
    static myr_context *context;
    static uint8_t file[2 * ROOM];
    myr_simulation *s = NULL;
    int64_t seen = 0;
    if (!context)
        fuzz_expect(myr_context_create(&context) == MYR_OK, "memory");
    const char *path = fuzz_file(file, put_together(data, size, file));
    const myr_status status = myr_simulation_load(context, path, &s);
    fuzz_expect((status == MYR_OK) == (s != NULL), "a simulation is given exactly where there is no error");
    fuzz_expect(status != MYR_OK || myr_simulation_count(s) == PARTICLES, "it has the particles that it should");
    myr_simulation_destroy(&s);
    if (myr_simulation_look(context, path, look, &seen) == MYR_OK)
        fuzz_expect(seen <= ROOM, "not more particles than bytes are seen");
    return status == MYR_OK;
}

static int begin(int tag)
{
    static int made = -1;
    if (made == tag)
        return 1;
    with_tag = tag;
    made = tag;
    whole_size = fuzz_written(write_box, ".myr", whole, sizeof whole);
    return whole_size > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= ROOM / 2 && myr_hash_available() && begin(1))
        (void)try_part(data, size);
    return 0;
}

size_t fuzz_seed(int k, uint8_t *to, size_t room)
{
    myr_checkpoint_header h;
    myr_checkpoint_entry first;
    if (k >= 2 || !myr_hash_available() || !begin(k == 0))
        return 0;
    memcpy(&h, whole, sizeof h);
    memcpy(&first, whole + h.table, sizeof first);
    if (first.size > room)
        return 0;
    memcpy(to, whole + sizeof h, (size_t)first.size);
    fuzz_expect(try_part(to, (size_t)first.size), "a part that was written can be read");
    return (size_t)first.size;
}
