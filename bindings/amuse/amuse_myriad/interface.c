/* interface.c - the functions of AMUSE's interface for gravitational dynamics, which its worker calls (interface.py).
 * Functions give 0, or -1 where there is no such body or Myriad failed. */
#include <myriad_worker.h> /* made by AMUSE from interface.py */

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "motion.h"
#include "stops.h"

static amuse_parameters parameters;
static amuse_bodies bodies;

/* Bodies or parameters have changed: the next evaluation starts from them, at the present time. */
static void changed(void)
{
    amuse_motion_reset(amuse_motion_time());
    bodies.fields_known = 0;
}

/* --- life of the code --------------------------------------------------------------------------------------------- */

int initialize_code(void)
{
    parameters = amuse_parameters_default();
    amuse_stops_offer();
    amuse_bodies_free(&bodies);
    amuse_motion_reset(0);
    return 0;
}

int cleanup_code(void)
{
    amuse_bodies_free(&bodies);
    amuse_motion_reset(0);
    return 0;
}

int commit_parameters(void)
{
    amuse_motion_reset(parameters.begin_time);
    return 0;
}

int recommit_parameters(void)
{
    changed();
    return 0;
}

int commit_particles(void)
{
    return amuse_motion_commit(&parameters, &bodies);
}

int recommit_particles(void)
{
    return amuse_motion_commit(&parameters, &bodies);
}

int synchronize_model(void)
{
    return 0; /* bodies are at the same time always */
}

int evolve_model(double time)
{
    return amuse_motion_evolve(&parameters, &bodies, time);
}

/* --- bodies ------------------------------------------------------------------------------------------------------- */

int new_particle(int *index, double mass, double x, double y, double z, double vx, double vy, double vz, double radius)
{
    const amuse_body body = {.mass = mass, .radius = radius, .x = {x, y, z}, .v = {vx, vy, vz}};
    changed();
    *index = amuse_bodies_add(&bodies, &body);
    return *index < 0 ? -1 : 0;
}

int delete_particle(int index)
{
    changed();
    return amuse_bodies_remove(&bodies, index);
}

int get_state(int index, double *mass, double *x, double *y, double *z, double *vx, double *vy, double *vz,
              double *radius)
{
    return get_mass(index, mass) || get_position(index, x, y, z) || get_velocity(index, vx, vy, vz) ||
                   get_radius(index, radius)
               ? -1
               : 0;
}

int set_state(int index, double mass, double x, double y, double z, double vx, double vy, double vz, double radius)
{
    return set_mass(index, mass) || set_position(index, x, y, z) || set_velocity(index, vx, vy, vz) ||
                   set_radius(index, radius)
               ? -1
               : 0;
}

int get_mass(int index, double *mass)
{
    const amuse_body *b = amuse_bodies_find(&bodies, index);
    *mass = b ? b->mass : NAN;
    return b ? 0 : -1;
}

int set_mass(int index, double mass)
{
    amuse_body *b = amuse_bodies_find(&bodies, index);
    if (!b)
        return -1;
    changed();
    b->mass = mass;
    return 0;
}

int get_radius(int index, double *radius)
{
    const amuse_body *b = amuse_bodies_find(&bodies, index);
    *radius = b ? b->radius : NAN;
    return b ? 0 : -1;
}

int set_radius(int index, double radius)
{
    amuse_body *b = amuse_bodies_find(&bodies, index);
    if (b)
        b->radius = radius; /* nothing here depends on it */
    return b ? 0 : -1;
}

static int get_vector(const double *from, double *x, double *y, double *z)
{
    *x = from ? from[0] : NAN;
    *y = from ? from[1] : NAN;
    *z = from ? from[2] : NAN;
    return from ? 0 : -1;
}

int get_position(int index, double *x, double *y, double *z)
{
    const amuse_body *b = amuse_bodies_find(&bodies, index);
    return get_vector(b ? b->x : NULL, x, y, z);
}

int get_velocity(int index, double *vx, double *vy, double *vz)
{
    const amuse_body *b = amuse_bodies_find(&bodies, index);
    return get_vector(b ? b->v : NULL, vx, vy, vz);
}

int set_position(int index, double x, double y, double z)
{
    amuse_body *b = amuse_bodies_find(&bodies, index);
    if (!b)
        return -1;
    changed();
    memcpy(b->x, (double[]){x, y, z}, sizeof b->x);
    return 0;
}

int set_velocity(int index, double vx, double vy, double vz)
{
    amuse_body *b = amuse_bodies_find(&bodies, index);
    if (!b)
        return -1;
    changed();
    memcpy(b->v, (double[]){vx, vy, vz}, sizeof b->v);
    return 0;
}

int get_acceleration(int index, double *ax, double *ay, double *az)
{
    const amuse_body *b = amuse_motion_fields(&parameters, &bodies) ? NULL : amuse_bodies_find(&bodies, index);
    return get_vector(b ? b->acceleration : NULL, ax, ay, az);
}

int get_potential(int index, double *potential)
{
    const amuse_body *b = amuse_motion_fields(&parameters, &bodies) ? NULL : amuse_bodies_find(&bodies, index);
    *potential = b ? b->potential : NAN;
    return b ? 0 : -1;
}

int get_number_of_particles(int *number)
{
    *number = bodies.count;
    return 0;
}

int get_index_of_first_particle(int *index)
{
    *index = bodies.count ? bodies.body[0].index : -1;
    return bodies.count ? 0 : -1;
}

/* 1 past the last body, as AMUSE has it. */
int get_index_of_next_particle(int index, int *next)
{
    const amuse_body *b = amuse_bodies_find(&bodies, index);
    if (!b)
        return -1;
    if (b + 1 == bodies.body + bodies.count)
        return 1;
    *next = b[1].index;
    return 0;
}

/* --- all bodies --------------------------------------------------------------------------------------------------- */

int get_time(double *time)
{
    *time = amuse_motion_time();
    return 0;
}

int get_kinetic_energy(double *kinetic)
{
    amuse_energies e;
    const int result = amuse_motion_energies(&parameters, &bodies, &e);
    *kinetic = e.kinetic;
    return result;
}

int get_potential_energy(double *potential)
{
    amuse_energies e;
    const int result = amuse_motion_energies(&parameters, &bodies, &e);
    *potential = e.potential;
    return result;
}

int get_total_mass(double *mass)
{
    *mass = 0;
    for (int i = 0; i < bodies.count; i++)
        *mass += bodies.body[i].mass;
    return 0;
}

/* Mean of vectors weighted by masses; 0 without mass. `at` is the place of the vector in a body. */
static void mean_vector(size_t at, double mean[3])
{
    double mass;
    get_total_mass(&mass);
    memset(mean, 0, 3 * sizeof *mean);
    for (int i = 0; i < bodies.count && mass != 0; i++)
        for (int c = 0; c < 3; c++)
            mean[c] += bodies.body[i].mass / mass * ((const double *)((const char *)&bodies.body[i] + at))[c];
}

int get_center_of_mass_position(double *x, double *y, double *z)
{
    double mean[3];
    mean_vector(offsetof(amuse_body, x), mean);
    return get_vector(mean, x, y, z);
}

int get_center_of_mass_velocity(double *vx, double *vy, double *vz)
{
    double mean[3];
    mean_vector(offsetof(amuse_body, v), mean);
    return get_vector(mean, vx, vy, vz);
}

/* Largest distance from the centre of mass. */
int get_total_radius(double *radius)
{
    double centre[3];
    mean_vector(offsetof(amuse_body, x), centre);
    *radius = 0;
    for (int i = 0; i < bodies.count; i++) {
        const double *x = bodies.body[i].x;
        *radius = fmax(*radius, hypot(hypot(x[0] - centre[0], x[1] - centre[1]), x[2] - centre[2]));
    }
    return 0;
}

/* --- fields at points --------------------------------------------------------------------------------------------- */

int get_gravity_at_point(double *eps, double *x, double *y, double *z, double *ax, double *ay, double *az, int npoints)
{
    return amuse_motion_at(&parameters, &bodies, &(amuse_points){npoints, eps, x, y, z, {ax, ay, az}, NULL});
}

int get_potential_at_point(double *eps, double *x, double *y, double *z, double *phi, int npoints)
{
    return amuse_motion_at(&parameters, &bodies, &(amuse_points){npoints, eps, x, y, z, {NULL, NULL, NULL}, phi});
}

/* --- parameters --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t at; /* place in the parameters */
} numbers[] = {{"eta", offsetof(amuse_parameters, eta)},
               {"time_step", offsetof(amuse_parameters, time_step)},
               {"tolerance", offsetof(amuse_parameters, tolerance)}},
  words[] = {{"integrator", offsetof(amuse_parameters, integrator)},
             {"method", offsetof(amuse_parameters, method)},
             {"accumulator", offsetof(amuse_parameters, accumulator)},
             {"arithmetic", offsetof(amuse_parameters, arithmetic)},
             {"backend", offsetof(amuse_parameters, backend)}};

enum { NUMBERS = sizeof numbers / sizeof *numbers, WORDS = sizeof words / sizeof *words };

static double *number_find(const char *name)
{
    for (int k = 0; k < NUMBERS; k++)
        if (strcmp(numbers[k].name, name) == 0)
            return (double *)((char *)&parameters + numbers[k].at);
    return NULL;
}

static char *word_find(const char *name)
{
    for (int k = 0; k < WORDS; k++)
        if (strcmp(words[k].name, name) == 0)
            return (char *)&parameters + words[k].at;
    return NULL;
}

int get_number(char *name, double *value)
{
    const double *found = number_find(name);
    *value = found ? *found : NAN;
    return found ? 0 : -1;
}

int set_number(char *name, double value)
{
    double *found = number_find(name);
    if (found)
        *found = value;
    return found ? 0 : -1;
}

int get_word(char *name, char **value)
{
    static char none[] = "";
    char *found = word_find(name);
    *value = found ? found : none;
    return found ? 0 : -1;
}

/* A word that Myriad does not know fails when the bodies are committed. */
int set_word(char *name, char *value)
{
    char *found = word_find(name);
    return found && snprintf(found, AMUSE_WORD, "%s", value) < AMUSE_WORD ? 0 : -1;
}

int get_eps2(double *epsilon_squared)
{
    *epsilon_squared = parameters.eps2;
    return 0;
}

int set_eps2(double epsilon_squared)
{
    parameters.eps2 = epsilon_squared;
    return 0;
}

int get_begin_time(double *time)
{
    *time = parameters.begin_time;
    return 0;
}

int set_begin_time(double time)
{
    parameters.begin_time = time;
    return 0;
}

int get_time_step(double *time_step)
{
    *time_step = parameters.time_step;
    return 0;
}
