/* trajectory.c - writes time series of bodies as H5MD, with links at the root for readers that know nothing of H5MD. */
#include <myriad/trajectory.h>

#include <stdio.h>

#include "core/context.h"
#include "io/h5md.h"

enum { TRAJECTORY_OVERHEAD = 1 << 16, TRAJECTORY_NAME = 128 };

#define TRAJECTORY_GROUP "particles/trajectory/"

static int give_doubles(void *user, uint64_t first, uint64_t count, void *values)
{
    memcpy(values, (const double *)user + first, (size_t)count * sizeof(double));
    return 0;
}

static int give_vectors(void *user, uint64_t first, uint64_t count, void *values)
{
    memcpy(values, (const double *)user + 3 * first, 3 * (size_t)count * sizeof(double));
    return 0;
}

static int give_integers(void *user, uint64_t first, uint64_t count, void *values)
{
    memcpy(values, (const int64_t *)user + first, (size_t)count * sizeof(int64_t));
    return 0;
}

static int give_zeros(void *user, uint64_t first, uint64_t count, void *values)
{
    (void)user, (void)first;
    memset(values, 0, (size_t)count * sizeof(int64_t));
    return 0;
}

/* Writes the text of a unit under the names that H5MD and diagnostics.hdf5 use. */
static void put_unit(myr_hdf5 *h, const char *table, const char *text, const myr_snapshot_header *si, const char *field)
{
    char unit[MYR_H5MD_UNIT];
    myr_h5md_unit(si, field, unit);
    if (*unit)
        myr_hdf5_put_string(h, table, "unit", unit);
    myr_hdf5_put_string(h, table, "units", text ? text : "");
}

/* A time-dependent vector: position or velocity. The first has the steps and times that others share. */
static void put_vectors(myr_hdf5 *h, const myr_trajectory *t, const char *name, const double *values, int number)
{
    char path[TRAJECTORY_NAME];
    const myr_hdf5_shape shape = {
        .kind = MYR_HDF5_DOUBLE, .frames = (uint64_t)t->frames, .rows = (uint64_t)t->bodies, .columns = 3};
    snprintf(path, sizeof path, TRAJECTORY_GROUP "%s", name);
    myr_hdf5_put_group(h, path);
    snprintf(path, sizeof path, TRAJECTORY_GROUP "%s/step", name);
    myr_hdf5_put_link(h, "step", path);
    snprintf(path, sizeof path, TRAJECTORY_GROUP "%s/time", name);
    myr_hdf5_put_link(h, "time", path);
    snprintf(path, sizeof path, TRAJECTORY_GROUP "%s/value", name);
    myr_hdf5_put_table(h, path, &shape, give_vectors, (void *)values);
    put_unit(h, path, t->units[number], &t->units_in_si, name);
    myr_hdf5_put_link(h, path, name);
}

/* Groups that every file in H5MD has. */
static void put_head(myr_hdf5 *h, const myr_trajectory *t)
{
    const double si[4] = {t->units_in_si.unit_length, t->units_in_si.unit_mass, t->units_in_si.unit_time,
                          t->units_in_si.unit_charge};
    const char *const open[3] = {"none", "none", "none"};
    const uint64_t dimension = 3;
    myr_h5md_put_head(h, "myriad", si);
    myr_hdf5_put_group(h, TRAJECTORY_GROUP "box");
    myr_hdf5_put_integers(h, TRAJECTORY_GROUP "box", "dimension", 0, 4, &dimension);
    myr_hdf5_put_words(h, TRAJECTORY_GROUP "box", "boundary", 3, open);
    myr_hdf5_put_string(h, "/", "state", t->state ? t->state : "");
}

myr_status myr_trajectory_write(myr_context *context, const char *path, const myr_trajectory *trajectory)
{
    const myr_trajectory *t = trajectory;
    myr_hdf5 *h = NULL;
    if (!context || !path || !t || t->frames < 1 || t->bodies < 1 || !t->ids || !t->names || !t->steps || !t->times ||
        !t->masses || !t->positions || !t->velocities)
        return MYR_ERROR_ARGUMENT;
    const uint64_t frames = (uint64_t)t->frames, bodies = (uint64_t)t->bodies;
    const uint64_t size = 8 * (frames * (2 + 6 * bodies) + 11 * bodies) + TRAJECTORY_OVERHEAD;
    const myr_status status = myr_hdf5_create(context, path, size, &h);
    if (status)
        return status;
    const myr_hdf5_shape per_frame = {.kind = MYR_HDF5_DOUBLE, .rows = frames, .columns = 1};
    myr_hdf5_shape integers = {.kind = MYR_HDF5_SIGNED, .rows = frames, .columns = 1};
    put_head(h, t);
    myr_hdf5_put_table(h, "step", &integers, give_integers, (void *)t->steps);
    myr_hdf5_put_table(h, "time", &per_frame, give_doubles, (void *)t->times);
    put_unit(h, "time", t->units[0], &t->units_in_si, "time");
    put_vectors(h, t, "position", t->positions, 1);
    put_vectors(h, t, "velocity", t->velocities, 2);
    integers.rows = bodies;
    myr_hdf5_put_table(h, TRAJECTORY_GROUP "id", &integers, give_integers, (void *)t->ids);
    myr_hdf5_put_table(h, TRAJECTORY_GROUP "species", &integers, give_zeros, NULL);
    myr_hdf5_put_link(h, TRAJECTORY_GROUP "id", "id");
    const myr_hdf5_shape per_body = {.kind = MYR_HDF5_DOUBLE, .rows = bodies, .columns = 1};
    myr_hdf5_put_table(h, TRAJECTORY_GROUP "mass", &per_body, give_doubles, (void *)t->masses);
    put_unit(h, TRAJECTORY_GROUP "mass", t->units[3], &t->units_in_si, "mass");
    myr_hdf5_put_link(h, TRAJECTORY_GROUP "mass", "mass");
    myr_hdf5_put_texts(h, "name", bodies, t->names);
    return myr_hdf5_publish(&h);
}
