/* snapshot_set.h - sets of particles with every kind of field, name and number, and their way through a file and back.
 */
#ifndef MYR_TEST_SNAPSHOT_SET_H
#define MYR_TEST_SNAPSHOT_SET_H

#include "unit/scratch.h"

#include <math.h>

#include <myriad/snapshot.h>

static uint64_t random_state = 1;

static inline uint64_t random_bits(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t x = random_state ^ random_state >> 33;
    return x * 0xff51afd7ed558ccdu ^ x >> 29;
}

/* Any finite double: all exponents; the caller adds zeros and numbers below the normal range. */
static inline double random_double(void)
{
    double x;
    do {
        const uint64_t bits = random_bits();
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

/* Particles with every kind of field: GADGET's own, others, and names that a format has to take care of. */
static const struct {
    const char *name;
    int components;
    int odd; /* a name that csv cannot carry */
} field[] = {{"position", 3, 0},
             {"velocity", 3, 0},
             {"mass", 1, 0},
             {"acceleration", 3, 0},
             {"potential", 1, 0},
             {"jerk", 3, 0},
             {"smoothing_length", 1, 0},
             {"my_own_field", 16, 0},
             {"coordinates", 2, 0},
             {"Mass", 1, 0},
             {"phi_1", 1, 0},
             {"phi1", 1, 0},
             {"original_index", 1, 0},
             {"fooBar", 1, 0},
             {"foo_bar", 1, 0},
             {"a/b", 1, 0},
             {"a b %", 2, 0},
             {"__", 1, 0},
             {"pos", 1, 0},
             {"species", 1, 0},
             {"Z", 1, 0},
             {"box", 2, 0},
             {"image", 3, 0},
             {"particle_i_ds", 1, 0},
             {"particle_type", 1, 0},
             {"_mass", 1, 0},
             {"x", 1, 1},
             {"id", 1, 1},
             {"with,comma", 1, 1},
             {"f[0]", 1, 1}};
enum { FIELDS = sizeof field / sizeof field[0] };

static inline myr_particles *make(scratch *s, int64_t n, int types, int every_name)
{
    myr_particles *p = NULL;
    assert_int_equal(myr_particles_create(s->context, n, &p), MYR_OK);
    for (int f = 0; f < FIELDS; f++) {
        if (field[f].odd && !every_name)
            continue;
        assert_int_equal(myr_particles_add_field(p, field[f].name, field[f].components), MYR_OK);
        for (int c = 0; c < field[f].components; c++)
            for (int64_t i = 0; i < n; i++)
                myr_particles_component(p, field[f].name, c)[i] = i % 7 == 4 ? -0.0
                                                                  : i % 7 == 5
                                                                      ? 4.9406564584124654e-324 * (double)(i + 1)
                                                                      : random_double();
    }
    int64_t *ids = malloc((size_t)(n + 1) * sizeof *ids);
    int32_t *type = malloc((size_t)(n + 1) * sizeof *type);
    for (int64_t i = 0; i < n; i++) {
        /* beyond 32 bits, the largest, and below zero */
        ids[i] = i == 1 ? INT64_MAX : i == 2 ? INT64_MIN : i == 3 ? -1 : ((int64_t)1 << 40) + 77 * i;
        type[i] = (int32_t)(random_bits() % (uint64_t)types);
    }
    assert_int_equal(myr_particles_set_ids(p, ids), MYR_OK);
    assert_int_equal(myr_particles_set_types(p, type), MYR_OK);
    free(type);
    free(ids);
    return p;
}

static inline void assert_same(const myr_particles *a, const myr_particles *b)
{
    const size_t n = (size_t)myr_particles_count(a);
    assert_int_equal(myr_particles_count(b), n);
    if (n) { /* an empty set needs no fields */
        assert_int_equal(myr_particles_fields(b), myr_particles_fields(a));
        assert_memory_equal(myr_particles_ids(a), myr_particles_ids(b), n * sizeof(int64_t));
        assert_memory_equal(myr_particles_types(a), myr_particles_types(b), n * sizeof(int32_t));
    }
    for (int k = 0; n && k < myr_particles_fields(a); k++) {
        const char *name = myr_particles_field_name(a, k);
        for (int c = 0; c < myr_particles_field_components(a, k); c++) {
            const double *x = myr_particles_component_const(a, name, c), *y = myr_particles_component_const(b, name, c);
            if (!y || memcmp(x, y, n * sizeof *x) != 0)
                fail_msg("field '%s' differs", name);
        }
        assert_null(myr_particles_component_const(b, name, myr_particles_field_components(a, k)));
    }
}

static inline int have(const char *format)
{
    const myr_choice_info *f;
    for (int k = 0; (f = myr_snapshot_format(k)); k++)
        if (strcmp(f->name, format) == 0)
            return f->available;
    fail_msg("there is no format %s", format);
    return 0;
}

static const myr_snapshot_header full = {.time = 0.1,
                                         .unit_length = 3.0856775814913673e19,
                                         .unit_mass = 1.9884e30 / 3,
                                         .unit_time = 1e13 / 7,
                                         .unit_charge = 1.602176634e-19,
                                         .box = {12.3, 0.1, 7}};

static inline void assert_same_header(const myr_snapshot_header *a, const myr_snapshot_header *b)
{
    assert_true(a->time == b->time && a->unit_length == b->unit_length && a->unit_mass == b->unit_mass &&
                a->unit_time == b->unit_time && a->unit_charge == b->unit_charge &&
                memcmp(a->box, b->box, sizeof a->box) == 0 && memcmp(a->origin, b->origin, sizeof a->origin) == 0 &&
                b->program == NULL);
}

/* Writes and reads sets of many sizes, up to `types` types and with several headers; the bits must be the same. */
static inline void round_trip(const char *format, const char *name, int every_name, int types)
{
    static const int64_t sizes[] = {0, 1, 2, 1000, 20011}; /* the last is more than one slab of rows */
    static const myr_snapshot_header nothing;
    myr_snapshot_header some = {.time = -1e-300, .unit_mass = 1, .box = {0, 1e300, 0}};
    myr_snapshot_format_info about;
    assert_int_equal(myr_snapshot_format_describe(format, &about), 1);
    for (int c = 0; about.keeps & MYR_SNAPSHOT_ORIGIN && c < 3; c++)
        some.origin[c] = c - 1 / 3.0;
    const myr_snapshot_header *const headers[] = {&full, &nothing, &some};
    scratch s;
    scratch_begin(&s);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int h = 0; h < 3; h++) {
            const myr_snapshot_header *header = headers[h];
            myr_snapshot_header back = {.time = -1};
            myr_particles *p = make(&s, sizes[k], h == 0 ? 1 : types, every_name), *q = NULL;
            if (myr_snapshot_write(p, scratch_path(&s, name), NULL, NULL, header) != MYR_OK)
                fail_msg("%s", myr_context_message(s.context));
            assert_int_equal(scratch_entries(&s), 1);
            if (myr_snapshot_read(s.context, scratch_path(&s, name), k % 2 ? format : NULL, &q, &back) != MYR_OK)
                fail_msg("%s", myr_context_message(s.context));
            assert_same(p, q);
            assert_same_header(header, &back);
            myr_particles_destroy(&p);
            myr_particles_destroy(&q);
        }
    assert_int_equal(s.warnings, 0);
    scratch_end(&s);
}

#endif
