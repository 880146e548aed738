/* snapshot_readers.c - writes the files that snapshot_readers.py opens with readers of others, and what they must find.
 * usage: snapshot_readers FOLDER; exits with 77 where this build has no HDF5. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <myriad/snapshot.h>

enum { N = 500 };

/* Numbers that a short decimal does not hold. */
static double value(int i, int k)
{
    return sin(1 + 0.7 * i + 13.1 * k);
}

static void fill(myr_particles *p, int mixed)
{
    static int64_t ids[N];
    static int32_t types[N];
    static const struct {
        const char *name;
        int components;
    } field[] = {{"position", 3},  {"velocity", 3}, {"mass", 1},     {"potential", 1}, {"acceleration", 3},
                 {"my_number", 2}, {"charge", 1},   {"strength", 3}, {"force", 3}};
    for (int f = 0; f < 9; f++) {
        myr_particles_add_field(p, field[f].name, field[f].components);
        for (int c = 0; c < field[f].components; c++)
            for (int i = 0; i < N; i++)
                myr_particles_component(p, field[f].name, c)[i] = value(i, 3 * f + c) + (f == 2 ? 2 : 0);
    }
    for (int i = 0; i < N; i++) {
        ids[i] = ((int64_t)1 << 40) + 3 * i;
        types[i] = mixed ? (i * 7) % 3 * 2 : 4; /* types 0, 2 and 4 in turn: gas as well */
    }
    myr_particles_set_ids(p, ids);
    myr_particles_set_types(p, types);
}

/* What the files hold, in the order of the particles. */
static void tell(const myr_particles *p, const char *folder)
{
    char path[512];
    snprintf(path, sizeof path, "%s/expected.txt", folder);
    FILE *f = fopen(path, "w");
    for (int64_t i = 0; f && i < N; i++) {
        fprintf(f, "%lld %d", (long long)myr_particles_ids(p)[i], (int)myr_particles_types(p)[i]);
        for (int c = 0; c < 3; c++)
            fprintf(f, " %.17g", myr_particles_component_const(p, "position", c)[i]);
        for (int c = 0; c < 3; c++)
            fprintf(f, " %.17g", myr_particles_component_const(p, "velocity", c)[i]);
        fprintf(f, " %.17g %.17g %.17g %.17g %.17g\n", myr_particles_component_const(p, "mass", 0)[i],
                myr_particles_component_const(p, "my_number", 1)[i], myr_particles_component_const(p, "charge", 0)[i],
                myr_particles_component_const(p, "strength", 0)[i], myr_particles_component_const(p, "force", 0)[i]);
    }
    if (f)
        fclose(f);
}

/* One file in the folder; ends the program where it cannot be written. */
static void write_file(const myr_particles *p, const char *folder, const char *name, const myr_snapshot_header *header)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (myr_snapshot_write(p, path, NULL, NULL, header) == MYR_OK)
        return;
    fprintf(stderr, "%s\n", myr_context_message(myr_particles_context(p)));
    exit(1);
}

/* Three frames in each format that can, a third of a unit of time apart; positions grow by 1 from frame to frame. */
static void write_frames(myr_particles *p[3], const char *folder)
{
    static const char *const names[] = {"frames.h5md", "frames.xyz", "frames.lammpstrj", "frames.dcd"};
    myr_snapshot_header header[3];
    char path[512];
    for (int k = 0; k < 3; k++)
        header[k] = (myr_snapshot_header){.time = k / 3.0,
                                          .unit_length = 1e-9, /* nm, u, ps */
                                          .unit_mass = 1.66053906660e-27,
                                          .unit_time = 1e-12,
                                          .box = {10, 20, 30.5}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++)
            myr_particles_component(p[k], "position", 0)[i] += k;
    for (int f = 0; f < 4; f++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[f]);
        if (myr_snapshot_write_frames(3, (const myr_particles *const *)p, path, NULL, NULL, header) != MYR_OK) {
            fprintf(stderr, "%s\n", myr_context_message(myr_particles_context(p[0])));
            exit(1);
        }
    }
}

/* Atoms of two types in a box that does not begin at 0, one of them a few boxes away. */
static void write_atoms(const myr_particles *from, const char *folder)
{
    static const char *const copied[] = {"position", "velocity", "charge"};
    static int32_t types[N];
    const myr_snapshot_header header = {.time = 2.5, .box = {2.5, 2.25, 2.125}, .origin = {-1.125, -1.0625, -1}};
    myr_particles *p = NULL;
    if (myr_particles_create(myr_particles_context(from), N, &p) != MYR_OK)
        exit(1);
    for (int f = 0; f < 3; f++) {
        const int components = f < 2 ? 3 : 1;
        myr_particles_add_field(p, copied[f], components);
        for (int c = 0; c < components; c++)
            for (int i = 0; i < N; i++)
                myr_particles_component(p, copied[f], c)[i] = myr_particles_component_const(from, copied[f], c)[i];
    }
    myr_particles_add_field(p, "mass", 1);
    myr_particles_add_field(p, "image", 3);
    for (int i = 0; i < N; i++) {
        types[i] = i % 2;
        myr_particles_component(p, "mass", 0)[i] = i % 2 ? 39.948 : 15.9994;
    }
    myr_particles_set_types(p, types);
    myr_particles_component(p, "image", 1)[7] = -3;
    write_file(p, folder, "atoms.data", &header);
    for (int i = 0; i < N; i++)
        myr_particles_component(p, "position", 0)[i] += 0.125;
    write_file(p, folder, "one.lammpstrj", &header);
    myr_particles_destroy(&p);
}

/* The points of a mesh, x fastest, with a velocity that tells where they are. */
static int write_mesh(myr_context *context, const char *folder, const myr_snapshot_header *header)
{
    enum { SIDE = 4 };
    myr_particles *p = NULL;
    if (myr_particles_create(context, SIDE * SIDE * SIDE, &p) != MYR_OK ||
        myr_particles_add_field(p, "position", 3) != MYR_OK || myr_particles_add_field(p, "velocity", 3) != MYR_OK)
        return 1;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        for (int c = 0; c < 3; c++) {
            const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
            myr_particles_component(p, "position", c)[i] = -1 + 0.5 * at[c];
            myr_particles_component(p, "velocity", c)[i] = 10 * at[c] + c;
        }
    write_file(p, folder, "mesh.hdf5", header);
    myr_particles_destroy(&p);
    return 0;
}

int main(int argc, char **argv)
{
    myr_context *context = NULL;
    myr_particles *p[3] = {NULL};
    const myr_snapshot_header astro = {.time = 2.5,
                                       .unit_length = 3.0856775814913673e19, /* kpc */
                                       .unit_mass = 1.988409870698051e40,    /* 1e10 solar masses */
                                       .unit_time = 3.0856775814913673e16,   /* kpc / (km/s) */
                                       .program = "Myriad"};
    if (argc != 2 || myr_context_create(&context) != MYR_OK)
        return 1;
    if (!myr_snapshot_format(0)->available)
        return 77;
    for (int k = 0; k < 3; k++) {
        if (myr_particles_create(context, N, &p[k]) != MYR_OK)
            return 1;
        fill(p[k], 0);
    }
    if (write_mesh(context, argv[1], &astro))
        return 1;
    write_file(p[0], argv[1], "stars.hdf5", &astro);
    fill(p[0], 1);
    write_file(p[0], argv[1], "mixed.hdf5", &astro);
    write_file(p[0], argv[1], "plain.csv", &astro);
    write_file(p[0], argv[1], "plain.xyz", &astro);
    write_file(p[0], argv[1], "plain.h5md", &astro);
    tell(p[0], argv[1]);
    write_atoms(p[0], argv[1]);
    fill(p[0], 0);
    write_frames(p, argv[1]);
    for (int k = 0; k < 3; k++)
        myr_particles_destroy(&p[k]);
    myr_context_destroy(&context);
    return 0;
}
