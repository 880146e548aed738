/* run_hash.c - the hash of the particles, by which runs are compared bit by bit: of the last ones in run.json, and with
 * output.hash of those of every so many steps in hashes.csv. */
#include <inttypes.h>
#include <string.h>

#include "run/run.h"

/* Spreads the bits of a number over all 64 (the finaliser of SplitMix64, Steele et al. 2014). */
static uint64_t spread(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The sum over particles of a hash of id and state, so that it does not depend on their order. */
static uint64_t hash_particles(const myr_particles *particles)
{
    static const char *const fields[] = {"position", "velocity", "strength", "mass"};
    const int64_t n = myr_particles_count(particles), *id = myr_particles_ids(particles);
    uint64_t sum = spread((uint64_t)n);
    for (int64_t i = 0; i < n; i++) {
        uint64_t one = spread(0x9e3779b97f4a7c15u ^ (uint64_t)(id ? id[i] : i));
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
            for (int c = 0; c < 3; c++) {
                const double *value = myr_particles_component_const(particles, fields[f], c);
                uint64_t bits;
                if (!value)
                    break;
                memcpy(&bits, &value[i], sizeof bits);
                one = spread(one + bits + f);
            }
        sum += one;
    }
    return sum;
}

/* The hash of the particles as they are, as text. */
static int hash_now(const run *r, char hash[REPEAT_HASH])
{
    const myr_particles *particles = NULL;
    const int code = cli_check(r->context, myr_simulation_particles(r->simulation, &particles));
    if (!code)
        snprintf(hash, REPEAT_HASH, "%016" PRIx64, hash_particles(particles));
    return code;
}

int run_hash(run *r)
{
    return myr_simulation_count(r->simulation) > RUN_HASHED_MOST ? CLI_OK : hash_now(r, r->hash);
}

/* --- hashes.csv --------------------------------------------------------------------------------------------------- */

static int64_t interval(const run *r)
{
    const input_value *every = input_of(r->in, KEY_output_hash);
    return every->word ? 0 : every->integer;
}

int run_is_hashing(const run *r)
{
    return interval(r) > 0;
}

int64_t run_next_hash(const run *r)
{
    const int64_t every = interval(r);
    return every > 0 ? (r->made / every + 1) * every : INT64_MAX;
}

int run_is_hash_due(const run *r)
{
    return r->hashes_csv && r->made % interval(r) == 0 && r->counters.hashed != r->made + 1;
}

int run_write_hash(run *r)
{
    const double time = myr_simulation_time(r->simulation);
    char hash[REPEAT_HASH];
    const int code = hash_now(r, hash);
    if (code)
        return code;
    fprintf(r->hashes_csv, "%" PRId64 ",%.17g,%s\n", r->made, units_shown(&r->in->units, UNITS_TIME, time), hash);
    r->counters.hashed = r->made + 1;
    return run_table_flush(r, RUN_HASHES, r->hashes_csv, &r->counters.hash_bytes);
}

int run_open_hashes(run *r)
{
    char label[UNITS_MESSAGE];
    const int64_t n = myr_simulation_count(r->simulation);
    if (!run_is_hashing(r))
        return CLI_OK;
    if (n > RUN_HASHED_MOST)
        return cli_fail(CLI_USAGE,
                        "output.hash collects all particles in one place, %d at most, and there are %lld; use "
                        "output.hash = none",
                        RUN_HASHED_MOST, (long long)n);
    const int code = run_table_open(r, RUN_HASHES, r->counters.hash_bytes, &r->hashes_csv);
    if (code || r->counters.hash_bytes > 0)
        return code;
    units_label(&r->in->units, UNITS_TIME, label);
    fprintf(r->hashes_csv, "# units: 1,%s,1\nstep,time,hash\n", *label ? label : "1");
    return run_table_flush(r, RUN_HASHES, r->hashes_csv, &r->counters.hash_bytes);
}
