/* run_hash.c - the hash of the particles, by which runs are compared bit by bit: of the last ones in run.json, and with
 * output.hash of those of every so many steps in hashes.csv. */
#include <inttypes.h>

#include "run/run.h"

/* The hash of the particles as they are, as text. */
static int hash_now(const run *r, char hash[REPEAT_HASH])
{
    uint64_t bits;
    const int code = cli_check(r->context, myr_simulation_hash(r->simulation, &bits));
    if (!code)
        snprintf(hash, REPEAT_HASH, "%016" PRIx64, bits);
    return code;
}

int run_hash(run *r)
{
    return hash_now(r, r->hash);
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
    const int64_t every = interval(r);
    return r->hashes_csv && every > 0 && r->made % every == 0 && r->counters.hashed != r->made + 1;
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
    if (!run_is_hashing(r))
        return CLI_OK;
    const int code = run_table_open(r, RUN_HASHES, r->counters.hash_bytes, &r->hashes_csv);
    if (code || r->counters.hash_bytes > 0)
        return code;
    units_label(&r->in->units, UNITS_TIME, label);
    fprintf(r->hashes_csv, "# units: 1,%s,1\nstep,time,hash\n", *label ? label : "1");
    return run_table_flush(r, RUN_HASHES, r->hashes_csv, &r->counters.hash_bytes);
}
