/* state_hash.c - one number for the particles of a simulation, by which runs are compared bit by bit. It is a sum over
 * particles of a hash of id and state: neither their order nor their division among ranks enters, and no rank needs the
 * particles of others. */
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "domain/ranks.h"
#include "molecular/molecular.h"
#include "simulation/box_motion.h"
#include "simulation/ranks/commands.h"

/* Fields whose bits count, in this order, as far as the set has them. */
static const char *const hash_field[] = {"position", "velocity", "strength", "mass"};
enum { HASH_FIELDS = sizeof hash_field / sizeof *hash_field, HASH_AXES = 3 };

/* Begins the hashes of n particles; id: null = rows from 0 on. */
static void hash_ids(int64_t n, const int64_t *id, uint64_t *hash)
{
    for (int64_t i = 0; i < n; i++)
        hash[i] = myr_random_spread(0x9e3779b97f4a7c15u ^ (uint64_t)(id ? id[i] : i));
}

/* Adds component c of field f: value[i * stride]. */
static void hash_values(int64_t n, size_t f, const double *value, int stride, uint64_t *hash)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &value[i * stride], sizeof bits);
        hash[i] = myr_random_spread(hash[i] + bits + f);
    }
}

static uint64_t hash_sum(int64_t n, const uint64_t *hash)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += hash[i];
    return sum;
}

/* Number of components of a field; 0 = the set does not have it. */
static int hash_components(const myr_particles *set, const char *field)
{
    for (int k = 0; k < myr_particles_fields(set); k++)
        if (strcmp(myr_particles_field_name(set, k), field) == 0)
            return myr_particles_field_components(set, k);
    return 0;
}

static myr_status hash_set(const myr_particles *set, uint64_t *sum)
{
    const int64_t n = myr_particles_count(set);
    uint64_t *hash = calloc((size_t)n + 1, sizeof *hash);
    if (!hash)
        return MYR_ERROR_MEMORY;
    hash_ids(n, myr_particles_ids(set), hash);
    for (size_t f = 0; f < HASH_FIELDS; f++)
        for (int c = 0; c < hash_components(set, hash_field[f]); c++)
            hash_values(n, f, myr_particles_component_const(set, hash_field[f], c), 1, hash);
    *sum = hash_sum(n, hash);
    free(hash);
    return MYR_OK;
}

/* The same of the particles in this rank's domain of a box, field by field. */
static myr_status hash_domain(const myr_simulation *s, uint64_t *sum)
{
    myr_molecular *m = s->box->engine;
    uint64_t *hash = calloc((size_t)m->n + 1, sizeof *hash);
    double *value = malloc(((size_t)m->n + 1) * HASH_AXES * sizeof *value);
    const int fits = hash && value;
    if (fits) {
        hash_ids(m->n, m->id, hash);
        for (size_t f = 0; f < HASH_FIELDS; f++) {
            const int components = hash_components(s->particles, hash_field[f]);
            if (components > 0)
                myr_molecular_column(m, hash_field[f], NULL, components, value);
            for (int c = 0; c < components; c++)
                hash_values(m->n, f, value + c, components, hash);
        }
        *sum = hash_sum(m->n, hash);
    }
    free(hash);
    free(value);
    return fits ? MYR_OK : MYR_ERROR_MEMORY;
}

static myr_status hash_domains(myr_simulation *s, uint64_t *sum)
{
    const myr_command order = {.kind = MYR_COMMAND_HASH};
    myr_status status = myr_commands_begin(s, &order);
    if (!status)
        status = myr_ranks_agree(s->context, hash_domain(s, sum));
    int64_t words[1];
    memcpy(words, sum, sizeof words);
    if (!status)
        status = myr_ranks_sum(s->context, words, 1); /* modulo 2^64 */
    memcpy(sum, words, sizeof words);
    return myr_commands_end(s, status);
}

myr_status myr_simulation_hash(myr_simulation *simulation, uint64_t *hash)
{
    myr_simulation *s = simulation;
    const myr_particles *set;
    uint64_t sum = 0;
    if (!s || (!hash && !myr_commands_follows(s)))
        return MYR_ERROR_ARGUMENT;
    myr_status status = myr_commands_whole(s);
    if (!status && myr_commands_particles(s)) {
        status = hash_domains(s, &sum);
    } else if (!status) {
        status = myr_simulation_particles(s, &set);
        if (!status)
            status = hash_set(set, &sum);
    }
    if (status == MYR_ERROR_MEMORY)
        return myr_context_fail(s->context, status, "no memory for the hashes of %lld particles",
                                (long long)myr_simulation_count(s));
    if (!status && hash)
        *hash = sum + myr_random_spread((uint64_t)myr_simulation_count(s));
    return status;
}
