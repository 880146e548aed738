/* liquid.h - what the tests of particles in a box share: a Lennard-Jones liquid in one line. */
#ifndef MYR_TEST_LIQUID_H
#define MYR_TEST_LIQUID_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "physics/models.h"

/* An external field by name, with up to three parameters. Lists end with a null kind. */
typedef struct {
    const char *kind;
    setting set[4];
} liquid_field;

/* A liquid with epsilon = sigma = m = 1, started from a face-centred cubic crystal. */
typedef struct {
    int64_t n;
    double density, temperature, cutoff;
    const char *arithmetic, *accumulator, *cut, *integrator, *backend;
    int ideal; /* a gas whose particles hardly feel each other */
    uint64_t seed;
    myr_molecular_options box; /* edges 0 = those of the crystal, or open between walls */
    const setting *settings;
    const liquid_field *fields;
} liquid;

/* One thread: so few particles are not worth more, and waiting for each other costs where the machine is busy. */
static inline myr_context *liquid_context(void)
{
    myr_context *context = new_context();
    expect_ok(context, myr_context_set_threads(context, 1));
    return context;
}

static inline int liquid_cut(const char *name)
{
    int k = 0;
    while (strcmp(myr_potential_cut(k)->name, name) != 0)
        k++;
    return k;
}

static inline double liquid_edge(const liquid *l)
{
    return round(cbrt((double)l->n / 4)) * cbrt(4 / l->density);
}

static inline void liquid_add_fields(myr_context *context, myr_simulation *s, const liquid_field *f)
{
    for (; f && f->kind; f++) {
        myr_external *e = NULL;
        expect_ok(context, myr_external_create(context, f->kind, &e));
        for (const setting *k = f->set; k < f->set + 4 && k->name; k++)
            expect_ok(context, myr_external_set(e, k->name, k->value));
        expect_ok(context, myr_simulation_add_external(s, e));
    }
}

static inline myr_simulation *new_liquid_of(myr_context *context, const liquid *l, myr_particles *p)
{
    const double epsilon = l->ideal ? 1e-12 : 1, sigma = l->ideal ? 0.01 : 1;
    myr_interaction *f = NULL;
    myr_simulation *s = NULL;
    myr_molecular_options o = l->box;
    expect_ok(context, myr_interaction_create(context, "lennard_jones", &f));
    expect_ok(context, myr_interaction_choose(f, "method", "neighbour"));
    expect_ok(context, myr_interaction_choose(f, "arithmetic", l->arithmetic ? l->arithmetic : "double"));
    expect_ok(context, myr_interaction_choose(f, "accumulator", l->accumulator ? l->accumulator : "fixed"));
    expect_ok(context, myr_interaction_choose(f, "backend", l->backend ? l->backend : "auto"));
    expect_ok(context, myr_interaction_set(f, "cutoff", l->cutoff > 0 ? l->cutoff : 2.5));
    expect_ok(context, myr_interaction_set_pair(f, "epsilon", 1, &epsilon));
    expect_ok(context, myr_interaction_set_pair(f, "sigma", 1, &sigma));
    expect_ok(context, myr_simulation_create(context, p, f, &s));
    expect_ok(context, myr_simulation_choose(s, l->integrator ? l->integrator : "verlet"));
    for (const setting *k = l->settings; k && k->name; k++)
        expect_ok(context, myr_simulation_set(s, k->name, k->value));
    for (int c = 0; c < 3; c++)
        if (!(o.box[c] > 0) && !o.wall[c].kind) {
            o.box[c] = liquid_edge(l);
            o.origin[c] = -0.5 * o.box[c];
        }
    o.cut = liquid_cut(l->cut ? l->cut : "smooth");
    if (!o.seed)
        o.seed = 1;
    if (!(o.restraint > 0))
        o.restraint_type = -1;
    expect_ok(context, myr_simulation_set_molecular(s, &o));
    liquid_add_fields(context, s, l->fields);
    return s;
}

static inline myr_particles *liquid_particles(myr_context *context, const liquid *l)
{
    return make_model(context, "fcc", l->n, l->seed ? l->seed : 1,
                      SETTINGS({"density", l->density, NULL}, {"temperature", l->temperature, NULL}));
}

static inline myr_simulation *new_liquid(myr_context *context, const liquid *l)
{
    return new_liquid_of(context, l, liquid_particles(context, l));
}

static inline void liquid_steps(myr_context *context, myr_simulation *s, int64_t steps)
{
    const int64_t end = myr_simulation_steps(s) + steps;
    while (myr_simulation_steps(s) < end)
        expect_ok(context, myr_simulation_advance(s, 1e9, 1e9, end - myr_simulation_steps(s)));
}

static inline myr_thermodynamics liquid_state(myr_context *context, myr_simulation *s)
{
    myr_thermodynamics t;
    expect_ok(context, myr_simulation_thermodynamics(s, &t));
    return t;
}

/* Saves, and continues from the file. */
static inline void liquid_restart(myr_context *context, myr_simulation **s)
{
    char path[] = "/tmp/myr_liquid_XXXXXX";
    assert_true(close(mkstemp(path)) == 0);
    expect_ok(context, myr_simulation_save(*s, path));
    myr_simulation_destroy(s);
    expect_ok(context, myr_simulation_load(context, path, s));
    unlink(path);
}

/* Expects that the motion is refused with a message that has `part`; destroys both. */
static inline void liquid_refused(myr_context *context, myr_simulation *s, const char *part)
{
    myr_thermodynamics t;
    assert_true(myr_simulation_thermodynamics(s, &t) != MYR_OK);
    if (!strstr(myr_context_message(context), part))
        fail_msg("'%s' instead of '%s'", myr_context_message(context), part);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

/* One number for where everybody is and how fast. */
static inline uint64_t liquid_hash(myr_context *context, myr_simulation *s)
{
    static const char *const fields[] = {"position", "velocity", "image"};
    const myr_particles *now;
    uint64_t all = 0, hash;
    expect_ok(context, myr_simulation_particles(s, &now));
    for (int k = 0; k < 3; k++) {
        expect_ok(context, myr_particles_hash(now, fields[k], &hash));
        all = all * 31 + hash;
    }
    return all;
}

#endif
