/* bench_lj_others.c - a Lennard-Jones system by LAMMPS and GROMACS, where they are installed: one core, and the time
 * that they tell of themselves. In reduced units: for GROMACS nm, u and kJ/mol, whose unit of time is 1 ps. */
#include "bench/bench_lj.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_others.h"

/* --- LAMMPS ------------------------------------------------------------------------------------------------------- */

/* "Loop time of 1.2 on 1 procs for 200 steps with 62500 atoms" and "99.8% CPU use with ...": those of the last run. */
static int lammps_time(const char *folder, lj_time *time)
{
    char path[OTHERS_PATH], line[512];
    double loop = NAN, use = NAN, builds = NAN, temperature = NAN, value, step;
    FILE *f = fopen(others_file(folder, "log", path), "r");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "Loop time of %lf", &value) == 1)
            loop = value;
        if (sscanf(line, "%lf%% CPU use", &value) == 1)
            use = value;
        if (sscanf(line, "Neighbor list builds = %lf", &value) == 1)
            builds = value;
        if (sscanf(line, "%lf %lf", &step, &value) == 2)
            temperature = value;
    }
    if (f)
        fclose(f);
    time->seconds = loop * use / 100;
    time->lifetime = builds;
    time->temperature = temperature;
    return time->seconds > 0;
}

int lj_time_lammps(bench *b, const lj_system *s, const char *style, lj_time *time)
{
    char folder[OTHERS_FOLDER], path[OTHERS_PATH], command[OTHERS_COMMAND];
    myr_snapshot_header header = {.box = {s->length, s->length, s->length}};
    if (b->threads > 1 || !others_has("lmp") || !others_open(folder))
        return 0;
    for (int c = 0; c < 3; c++)
        header.origin[c] = -0.5 * s->length;
    progress_begin(&b->progress, "LAMMPS %s, %lld particles", style, (long long)s->n);
    static const char *const fields[] = {"position", "velocity", NULL};
    int ok = myr_snapshot_write(s->start, others_file(folder, "start.data", path), NULL, fields, &header) == MYR_OK;
    ok = ok &&
         others_write(folder, "in",
                      "units lj\natom_style atomic\nread_data start.data\nmass * 1\npair_style %s %.17g\n"
                      "pair_coeff * * 1 1\nneighbor %.17g bin\nneigh_modify every 1 delay 0 check yes\n"
                      "fix 1 all nve\ntimestep %.17g\nthermo_style custom step temp\nthermo 1000000\n"
                      "run %lld\nrun %lld\n",
                      style, s->cutoff, s->skin > 0 ? s->skin : 0.3, s->dt, (long long)s->warm, (long long)s->steps);
    snprintf(command, sizeof command, "cd '%s' && OMP_NUM_THREADS=1 lmp -in in -log log -screen none >/dev/null 2>&1",
             folder);
    ok = ok && system(command) == 0 && lammps_time(folder, time);
    if (ok)
        time->lifetime = time->lifetime > 0 ? (double)s->steps / time->lifetime : NAN;
    else
        *time = (lj_time){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    progress_end(&b->progress);
    others_close(folder);
    return ok;
}

/* --- GROMACS ------------------------------------------------------------------------------------------------------ */

static int gromacs_start(const lj_system *s, const char *folder)
{
    char path[OTHERS_PATH];
    FILE *f = fopen(others_file(folder, "start.gro", path), "w");
    if (!f)
        return 0;
    fprintf(f, "atoms\n%lld\n", (long long)s->n);
    for (int64_t i = 0; i < s->n; i++) {
        double x[3], v[3];
        for (int c = 0; c < 3; c++) {
            x[c] = myr_particles_component_const(s->start, "position", c)[i] + 0.5 * s->length;
            v[c] = myr_particles_component_const(s->start, "velocity", c)[i];
        }
        fprintf(f, "%5dA        A%5d%8.3f%8.3f%8.3f%8.4f%8.4f%8.4f\n", (int)((i + 1) % 100000), (int)((i + 1) % 100000),
                x[0], x[1], x[2], v[0], v[1], v[2]);
    }
    fprintf(f, "%.6f %.6f %.6f\n", s->length, s->length, s->length);
    return fclose(f) == 0;
}

int lj_time_gromacs(bench *b, const lj_system *s, lj_time *time)
{
    char folder[OTHERS_FOLDER];
    double warm = 0, all = 0;
    const int64_t steps = s->warm + s->steps;
    if (b->threads > 1 || s->length >= 1000 || !others_has("gmx") || !others_open(folder))
        return 0;
    progress_begin(&b->progress, "GROMACS, %lld particles", (long long)s->n);
    int ok = gromacs_start(s, folder);
    ok = ok && others_write(folder, "topol.top",
                            "[ defaults ]\n1 1 no 1 1\n[ atomtypes ]\nA 1 0 A 4 4\n[ moleculetype ]\nA 0\n"
                            "[ atoms ]\n1 A 1 A A 1 0 1\n[ system ]\natoms\n[ molecules ]\nA %lld\n",
                            (long long)s->n);
    ok = ok && others_write(folder, "md.mdp",
                            "integrator = md\ndt = %.10g\nnsteps = %lld\ncutoff-scheme = Verlet\nvdwtype = cut-off\n"
                            "vdw-modifier = none\nrvdw = %.10g\ncoulombtype = cut-off\nrcoulomb = %.10g\n"
                            "comm-mode = none\nnstenergy = 0\nnstlog = 0\nnstcalcenergy = 1000000\ngen-vel = no\n",
                            s->dt, (long long)steps, s->cutoff, s->cutoff);
    ok = ok && others_gromacs_prepare(folder) && others_gromacs(folder, 1, s->warm, &warm) &&
         others_gromacs(folder, 1, steps, &all);
    time->seconds = all - warm;
    ok = ok && time->seconds > 0;
    if (!ok)
        *time = (lj_time){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    progress_end(&b->progress);
    others_close(folder);
    return ok;
}
