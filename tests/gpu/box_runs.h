/* box_runs.h - runs of particles in a box on processor and GPU, and their comparison bit by bit, for the tests of boxes
 * on a GPU. */
#ifndef MYR_TESTS_BOX_RUNS_H
#define MYR_TESTS_BOX_RUNS_H

#include <unistd.h>

#include "physics/liquid.h"

#include "conformance/scene.h"

enum { MOST = 3000, TYPES_MOST = 24, LOOKS = 3 };

/* One run. The unit of sums is chosen again after steps 1, 2, 3, 5, 9, 17, 33 and so on: with 27, 51 or 99 steps there
 * is a look at the energies in between. Particles start on a lattice in the box, each a little off its place. Members
 * that are 0 or null have the values of a liquid (box_complete). */
typedef struct {
    const char *name;
    int64_t n;
    int along[3];           /* places of the lattice */
    double edge[3];         /* edges of the box */
    double temperature, dt; /* temperature: of the first velocities and of thermostats */
    double off;             /* largest distance from the lattice, in units of its spacing */
    double close;           /* distance of particles 0 and 1; 0 = that of the lattice, -1 = 0 */
    double speed;           /* of particles 0 and 1 towards each other, beside that of the temperature */
    double cutoff, inner;
    const char *cut, *integrator;
    const char *accumulator;
    int types, lanes;         /* lanes: threads per cluster; 0 = chosen by the plug-in */
    double ratio;             /* size of the first type over that of the last; 0 = they differ a little */
    double push;              /* pressure of the barostat; 0 = 1 */
    int64_t centre, pressure; /* steps between removals of the drift, and between trials of the barostat; 0 = never */
    int anisotropic;
    int64_t steps; /* in LOOKS parts */
    int exact;     /* 1 = steps are reversed exactly */
    int check;     /* 1 = lists are compared with all pairs */
    /* fields */
    double restraint; /* stiffness of springs to the first places, of particles of the last type; 0 = none */
    const liquid_field *fields;
    int open[3]; /* 1 = the axis is open */
    myr_wall wall[3];
    double far;          /* distance of particle 0 from its place, along the last open axis */
    const char *formula; /* text of a kernel that takes the place of Lennard-Jones; its cutoff is rc */
} box;

/* What is compared, after every part. */
typedef struct {
    uint64_t hash[LOOKS];
    myr_thermodynamics state[LOOKS];
    double momentum[LOOKS][3];
    int64_t steps;
    char message[400];
} outcome;

static box box_complete(const box *s)
{
    box all = *s;
    all.temperature = s->temperature > 0 ? s->temperature : 1.5;
    all.dt = s->dt > 0 ? s->dt : 0.005;
    all.off = s->off > 0 ? s->off : 0.1;
    all.cutoff = s->cutoff > 0 ? s->cutoff : 2.5;
    all.cut = s->cut ? s->cut : "truncated";
    all.integrator = s->integrator ? s->integrator : "verlet";
    all.accumulator = s->accumulator ? s->accumulator : "fixed";
    return all;
}

static myr_particles *box_particles(myr_context *context, const box *s)
{
    static double x[3 * MOST], v[3 * MOST], mass[MOST];
    static int32_t type[MOST];
    static int64_t id[MOST];
    uint64_t seed = 42;
    myr_particles *p = NULL;
    assert_true(s->n <= MOST && s->n <= (int64_t)s->along[0] * s->along[1] * s->along[2]);
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t place[3] = {i % s->along[0], i / s->along[0] % s->along[1], i / s->along[0] / s->along[1]};
        type[i] = s->types > 1 ? (int32_t)(i * 7 % 5 * s->types / 5) : 0;
        mass[i] = 1 + type[i];
        id[i] = 3 * (s->n - i) + 1;
        for (int c = 0; c < 3; c++) {
            const double spacing = s->edge[c] / s->along[c];
            x[3 * i + c] = ((double)place[c] + 0.5 + s->off * (uniform(&seed) - 0.5)) * spacing;
            v[3 * i + c] = sqrt(12 * s->temperature / mass[i]) * (uniform(&seed) - 0.5);
        }
    }
    for (int c = 0; c < 3 && s->close != 0; c++)
        x[3 + c] = x[c] + (c == 0 ? fmax(s->close, 0) : 0);
    for (int c = 0; c < 3; c++)
        x[c] += s->open[c] ? s->far : 0;
    v[0] += s->speed;
    v[3] -= s->speed;
    expect_ok(context, myr_particles_create(context, s->n, &p));
    expect_ok(context, myr_particles_set(p, "position", 3, x));
    expect_ok(context, myr_particles_set(p, "velocity", 3, v));
    expect_ok(context, myr_particles_set(p, "mass", 1, mass));
    expect_ok(context, myr_particles_set_types(p, type));
    expect_ok(context, myr_particles_set_ids(p, id));
    return p;
}

/* Every pair of types has its own depth, size, cutoff and begin of the spline. */
static void box_pairs(myr_context *context, const box *s, myr_interaction *f)
{
    double depth[TYPES_MOST * TYPES_MOST], size[TYPES_MOST * TYPES_MOST], reach[TYPES_MOST * TYPES_MOST];
    double inner[TYPES_MOST * TYPES_MOST];
    const int types = s->types > 1 ? s->types : 1;
    for (int k = 0; k < types * types; k++) {
        const int a = k / types, b = k % types;
        const double less = s->ratio > 0 ? (1 - 1 / s->ratio) / (2 * (types - 1)) : 0.06;
        const double nearer = s->ratio > 0 ? less : 0.1;
        depth[k] = 1 + 0.25 * (a + b) - 0.3 * (a != b);
        size[k] = 1 - less * (a + b);
        reach[k] = s->cutoff * (1 - nearer * (a + b));
        inner[k] = s->inner * (1 - nearer * (a + b));
    }
    expect_ok(context, myr_interaction_set_pair(f, "epsilon", types, depth));
    expect_ok(context, myr_interaction_set_pair(f, "sigma", types, size));
    if (types > 1)
        expect_ok(context, myr_interaction_set_pair(f, "cutoff", types, reach));
    else
        expect_ok(context, myr_interaction_set(f, "cutoff", s->cutoff));
    if (types > 1 && s->inner > 0)
        expect_ok(context, myr_interaction_set_pair(f, "inner", types, inner));
}

static myr_simulation *box_make(myr_context *context, const box *s, const char *arithmetic, const char *isa)
{
    myr_interaction *f = NULL;
    myr_simulation *simulation = NULL;
    myr_molecular_options o = myr_molecular_defaults();
    const myr_kernel_info *own = NULL;
    if (s->formula)
        expect_ok(context, myr_kernel_from_source(context, "own.pipe", s->formula, &own));
    expect_ok(context, myr_interaction_create(context, own ? own->name : "lennard_jones", &f));
    expect_ok(context, myr_interaction_choose(f, "method", "neighbour"));
    expect_ok(context, myr_interaction_choose(f, "arithmetic", arithmetic));
    expect_ok(context, myr_interaction_choose(f, "accumulator", s->accumulator));
    scene_choose_isa(f, isa);
    if (own)
        expect_ok(context, myr_interaction_set(f, "rc", s->cutoff));
    else
        box_pairs(context, s, f);
    expect_ok(context, myr_simulation_create(context, box_particles(context, s), f, &simulation));
    expect_ok(context, myr_simulation_choose(simulation, s->integrator));
    expect_ok(context, myr_simulation_set(simulation, "dt", s->dt));
    if (strcmp(s->integrator, "verlet") != 0)
        expect_ok(context, myr_simulation_set(simulation, "temperature", s->temperature));
    if (strcmp(s->integrator, "langevin") == 0)
        expect_ok(context, myr_simulation_set(simulation, "friction", 0.5));
    for (int c = 0; c < 3; c++)
        o.box[c] = s->open[c] ? 0 : s->edge[c];
    memcpy(o.wall, s->wall, sizeof o.wall);
    o.restraint = s->restraint;
    o.exact_reverse = s->exact;
    o.check = s->check;
    o.restraint_type = s->types > 1 ? s->types - 1 : -1;
    o.cut = liquid_cut(s->cut);
    o.inner = s->inner;
    o.seed = 7;
    o.centre_interval = s->centre;
    o.pressure_interval = s->pressure;
    o.pressure = o.pressure_end = s->push > 0 ? s->push : 1;
    o.anisotropic = s->anisotropic;
    expect_ok(context, myr_simulation_set_molecular(simulation, &o));
    liquid_add_fields(context, simulation, s->fields);
    return simulation;
}

/* Saves the simulation, and goes on with the checkpoint on another backend. */
static void box_move(myr_context *context, myr_simulation **simulation, const char *isa)
{
    char path[] = "/tmp/myriad-box-XXXXXX", previous[64];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    unlink(path);
    scene_choose_isa(myr_simulation_interaction(*simulation), isa);
    expect_ok(context, myr_simulation_save(*simulation, path));
    myr_simulation_destroy(simulation);
    expect_ok(context, myr_simulation_load(context, path, simulation));
    unlink(path);
    snprintf(previous, sizeof previous, "%s.previous", path);
    unlink(previous);
}

static void box_look(myr_context *context, myr_simulation *simulation, int look, outcome *o)
{
    myr_conserved conserved;
    expect_ok(context, myr_simulation_thermodynamics(simulation, &o->state[look]));
    expect_ok(context, myr_simulation_conserved(simulation, &conserved));
    memcpy(o->momentum[look], conserved.momentum, sizeof conserved.momentum);
}

/* liquid_hash; a run that did not begin has no images. */
static uint64_t box_hash(myr_context *context, myr_simulation *simulation)
{
    const myr_particles *now;
    uint64_t position;
    expect_ok(context, myr_simulation_particles(simulation, &now));
    if (myr_particles_component_const(now, "image", 0))
        return liquid_hash(context, simulation);
    expect_ok(context, myr_particles_hash(now, "position", &position));
    return position;
}

/* Runs a box, each part on a backend of its own; a failure ends the run, with its message. */
static __attribute__((unused)) void box_run(const box *given, const char *arithmetic, const char *const isa[LOOKS],
                                            outcome *o)
{
    const box all = box_complete(given), *const s = &all;
    char lanes[16];
    myr_status status = MYR_OK;
    memset(o, 0, sizeof *o);
    snprintf(lanes, sizeof lanes, "%d", s->lanes);
    if (s->lanes)
        setenv("MYRIAD_BOX_LANES", lanes, 1);
    myr_context *context = liquid_context();
    myr_simulation *simulation = box_make(context, s, arithmetic, isa[0]);
    for (int look = 0; look < LOOKS && !status; look++) {
        const int64_t end = s->steps * (look + 1) / LOOKS;
        if (look > 0 && strcmp(isa[look], isa[look - 1]) != 0)
            box_move(context, &simulation, isa[look]);
        while (!status && myr_simulation_steps(simulation) < end)
            status = myr_simulation_advance(simulation, 1e9, 1e9, end - myr_simulation_steps(simulation));
        if (status)
            snprintf(o->message, sizeof o->message, "%s", myr_context_message(context));
        else
            box_look(context, simulation, look, o);
        o->hash[look] = box_hash(context, simulation);
    }
    o->steps = myr_simulation_steps(simulation);
    myr_simulation_destroy(&simulation);
    myr_context_destroy(&context);
    unsetenv("MYRIAD_BOX_LANES");
}

static void same_numbers(const box *s, const char *arithmetic, const char *what, const double *right, const double *got,
                         int count)
{
    for (int k = 0; k < count; k++)
        if (memcmp(&right[k], &got[k], sizeof *right) != 0 && !(isnan(right[k]) && isnan(got[k])))
            fail_msg("%s, %s: %s[%d] is %.17g on the processor, %.17g on the GPU", s->name, arithmetic, what, k,
                     right[k], got[k]);
}

static void same(const box *s, const char *arithmetic, const outcome *right, const outcome *got)
{
    if (strcmp(right->message, got->message) != 0)
        fail_msg("%s, %s: the processor says '%s', the GPU '%s'", s->name, arithmetic, right->message, got->message);
    assert_int_equal(right->steps, got->steps);
    for (int look = 0; look < LOOKS; look++) {
        const myr_thermodynamics *r = &right->state[look], *g = &got->state[look];
        if (right->hash[look] != got->hash[look])
            fail_msg("%s, %s: other positions or velocities after part %d of %lld steps", s->name, arithmetic, look,
                     (long long)right->steps);
        same_numbers(s, arithmetic, "kinetic energy", &r->kinetic, &g->kinetic, 1);
        same_numbers(s, arithmetic, "potential energy", &r->potential, &g->potential, 1);
        same_numbers(s, arithmetic, "pressure", r->pressure_tensor, g->pressure_tensor, 6);
        same_numbers(s, arithmetic, "energy of restraints", &r->restraint, &g->restraint, 1);
        same_numbers(s, arithmetic, "energy in fields", &r->external, &g->external, 1);
        same_numbers(s, arithmetic, "impulse on walls", &r->wall_impulse[0][0], &g->wall_impulse[0][0], 6);
        same_numbers(s, arithmetic, "momentum", right->momentum[look], got->momentum[look], 3);
    }
}

static const char *const same_bits[] = {"portable", "double"};
static const char *const processor[LOOKS] = {"auto", "auto", "auto"}, *const gpu[LOOKS] = {"cuda", "cuda", "cuda"};

/* Runs boxes, the list of which ends with a null name, on processor and GPU. expected: part of the message of the
 * failure with which they end; null = none. */
static __attribute__((unused)) void compare(const box *s, const char *expected)
{
    static outcome right, got;
    for (; s->name; s++)
        for (int k = 0; k < (s->formula ? 1 : 2); k++) { /* functions of a formula have other bits in double */
            box_run(s, same_bits[k], processor, &right);
            if (expected ? !strstr(right.message, expected) : *right.message)
                fail_msg("%s, %s: the processor says '%s'", s->name, same_bits[k], right.message);
            box_run(s, same_bits[k], gpu, &got);
            same(s, same_bits[k], &right, &got);
        }
}

/* Compares a number with that of the processor. */
static inline void near_number(const char *what, double right, double got, double bound)
{
    if (getenv("MYRIAD_SHOW_ERRORS"))
        fprintf(stderr, "%s: %.3g, bound %.3g\n", what, fabs(got / right - 1), bound);
    if (!(fabs(got / right - 1) <= bound))
        fail_msg("%s: %.17g on the processor, %.17g on the GPU", what, right, got);
}

#endif
