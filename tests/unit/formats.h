/* formats.h - for tests of binary formats: files made byte by byte, in either order, and particles that are compared
 * with what was written. */
#ifndef MYR_TEST_FORMATS_H
#define MYR_TEST_FORMATS_H

#include "unit/scratch.h"

#include <math.h>

#include <myriad/snapshot.h>

enum { BYTES_ROOM = 1 << 16 };

/* A file in the making. */
typedef struct {
    unsigned char data[BYTES_ROOM];
    size_t size;
    int big; /* big-endian */
} bytes;

static inline void bytes_put(bytes *b, uint64_t value, int width)
{
    assert_true(b->size + 8 <= BYTES_ROOM);
    for (int k = 0; k < width; k++)
        b->data[b->size++] = (unsigned char)(value >> 8 * (b->big ? width - 1 - k : k));
}

static inline void bytes_u16(bytes *b, uint32_t value)
{
    bytes_put(b, value, 2);
}

static inline void bytes_u32(bytes *b, uint32_t value)
{
    bytes_put(b, value, 4);
}

static inline void bytes_u64(bytes *b, uint64_t value)
{
    bytes_put(b, value, 8);
}

static inline void bytes_float(bytes *b, double value)
{
    const float x = (float)value;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bytes_put(b, bits, 4);
}

static inline void bytes_double(bytes *b, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bytes_put(b, bits, 8);
}

/* A number in 4 or 8 bytes. */
static inline void bytes_real(bytes *b, int wide, double value)
{
    if (wide)
        bytes_double(b, value);
    else
        bytes_float(b, value);
}

static inline void bytes_text(bytes *b, const char *text, size_t size)
{
    memcpy(b->data + b->size, text, size);
    b->size += size;
}

/* Writes over what is there. */
static inline void bytes_patch_u32(bytes *b, size_t at, uint32_t value)
{
    const size_t size = b->size;
    b->size = at;
    bytes_u32(b, value);
    b->size = size;
}

static inline void bytes_patch_real(bytes *b, size_t at, int wide, double value)
{
    const size_t size = b->size;
    b->size = at;
    bytes_real(b, wide, value);
    b->size = size;
}

/* Reads bytes as a file of a format (null: found out); the status. */
static inline myr_status bytes_read(scratch *s, const bytes *b, const char *format, myr_particles **p,
                                    myr_snapshot_header *header)
{
    scratch_store(scratch_path(s, "file"), b->data, b->size);
    return myr_snapshot_read(s->context, s->path, format, p, header);
}

/* The bytes are refused, with the path and these words. */
static inline void bytes_refused(scratch *s, const bytes *b, const char *format, const char *says)
{
    myr_particles *p = NULL;
    if (bytes_read(s, b, format, &p, NULL) != MYR_ERROR_FORMAT)
        fail_msg("not refused as it should be (%s): %s", says, myr_context_message(s->context));
    assert_null(p);
    scratch_says(s, s->path);
    scratch_says(s, says);
}

/* The bytes are read, with one warning that has these words. */
static inline void bytes_warned(scratch *s, const bytes *b, const char *format, const char *says)
{
    myr_particles *p = NULL;
    s->warnings = 0;
    if (bytes_read(s, b, format, &p, NULL) != MYR_OK)
        fail_msg("%s", myr_context_message(s->context));
    if (s->warnings != 1 || !strstr(s->warning, says))
        fail_msg("%d warnings, the last \"%s\"; expected one with \"%s\"", s->warnings, s->warning, says);
    myr_particles_destroy(&p);
}

/* Every file that ends too early is refused, in words; a place where a whole file ends, without the rest, is in `whole`
 * (ended by 0). Nothing is read beyond the end: the sanitizers watch. */
static inline void bytes_cut(scratch *s, const bytes *b, const char *format, const size_t *whole)
{
    bytes *part = malloc(sizeof *part);
    assert_non_null(part);
    for (size_t size = 1; size < b->size; size++) {
        myr_particles *p = NULL;
        int expected = 0;
        for (const size_t *w = whole; *w; w++)
            expected |= *w == size;
        memcpy(part, b, sizeof *part);
        part->size = size;
        const myr_status status = bytes_read(s, part, format, &p, NULL);
        if ((status == MYR_OK) != expected)
            fail_msg("cut at byte %zu: status %d: %s", size, (int)status, myr_context_message(s->context));
        if (status && !strstr(myr_context_message(s->context), "at byte"))
            fail_msg("cut at byte %zu: no byte is named: %s", size, myr_context_message(s->context));
        myr_particles_destroy(&p);
    }
    free(part);
}

/* One value of a field, found by id. */
static inline int64_t formats_find(const myr_particles *p, int64_t id)
{
    for (int64_t i = 0; i < myr_particles_count(p); i++)
        if (myr_particles_ids(p)[i] == id)
            return i;
    fail_msg("there is no particle with id %lld", (long long)id);
    return -1;
}

/* The same particles, bit by bit; in another order where `ordered` is 0. */
static inline void formats_same(const myr_particles *a, const myr_particles *b, int ordered)
{
    const int64_t n = myr_particles_count(a);
    assert_int_equal(myr_particles_count(b), n);
    if (n > 0)
        assert_int_equal(myr_particles_fields(b), myr_particles_fields(a));
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = ordered ? i : formats_find(b, myr_particles_ids(a)[i]);
        assert_int_equal(myr_particles_ids(a)[i], myr_particles_ids(b)[j]);
        assert_int_equal(myr_particles_types(a)[i], myr_particles_types(b)[j]);
        for (int k = 0; k < myr_particles_fields(a); k++)
            for (int c = 0; c < myr_particles_field_components(a, k); c++) {
                const char *name = myr_particles_field_name(a, k);
                const double *x = myr_particles_component_const(a, name, c);
                const double *y = myr_particles_component_const(b, name, c);
                if (!y || memcmp(&x[i], &y[j], sizeof *x) != 0)
                    fail_msg("field '%s' of id %lld differs", name, (long long)myr_particles_ids(a)[i]);
            }
    }
}

static inline uint64_t formats_random(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t x = state ^ state >> 33;
    return x * 0xff51afd7ed558ccdu ^ x >> 29;
}

/* Any finite number of that width: all exponents, both signs, also below the normal range. */
static inline double formats_number(int bits)
{
    double x;
    do {
        const uint64_t pattern = formats_random();
        const uint32_t half = (uint32_t)pattern;
        float single;
        memcpy(&x, &pattern, sizeof x);
        memcpy(&single, &half, sizeof single);
        x = bits == 32 ? (double)single : x;
    } while (!isfinite(x));
    return x;
}

typedef struct {
    const char *name;
    int components;
    uint32_t types; /* that have values; 0 = all */
} formats_field;

/* Particles of the given types in any order, with the fields of a list (ended by a null name). */
static inline myr_particles *formats_make(scratch *s, int64_t n, const int32_t *types, int kinds,
                                          const formats_field *fields, int bits, int long_ids)
{
    myr_particles *p = NULL;
    int64_t *ids = malloc((size_t)(n + 1) * sizeof *ids);
    int32_t *type = malloc((size_t)(n + 1) * sizeof *type);
    assert_int_equal(myr_particles_create(s->context, n, &p), MYR_OK);
    for (int64_t i = 0; i < n; i++) {
        ids[i] = long_ids ? ((int64_t)1 << 40) - 77 * i : 1000 + (i * 7919) % 100003;
        type[i] = types[formats_random() % (uint64_t)kinds];
    }
    if (long_ids && n > 3) {
        ids[1] = INT64_MAX;
        ids[2] = INT64_MIN;
        ids[3] = -1;
    }
    assert_int_equal(myr_particles_set_ids(p, ids), MYR_OK);
    assert_int_equal(myr_particles_set_types(p, type), MYR_OK);
    for (; fields->name; fields++) {
        assert_int_equal(myr_particles_add_field(p, fields->name, fields->components), MYR_OK);
        for (int c = 0; c < fields->components; c++)
            for (int64_t i = 0; i < n; i++)
                if (!fields->types || fields->types >> type[i] & 1)
                    myr_particles_component(p, fields->name, c)[i] = i % 7 == 6 ? -0.0 : formats_number(bits);
    }
    free(type);
    free(ids);
    return p;
}

#endif
