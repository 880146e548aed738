/* isotropic_turbulence.c - random divergence-free velocity field with a given energy spectrum on a periodic mesh: the
 * start of decaying isotropic turbulence (paper 004, section 5.1).
 *
 * Each mode gets two random phases and a random split of its energy between the two directions perpendicular to its
 * wave vector (Rogallo 1981, NASA TM 81315); then all modes of a shell are scaled so that the shell has exactly its
 * energy. Random numbers are keyed by the wave vector, so that meshes of any size have the same large eddies. Shells
 * that the mesh contains only in part stay empty. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "core/random.h"
#include "method/spectral/fourier.h"
#include "model/flow.h"
#include "model/table.h"

enum { EDGE, SPEED, PEAK, KOLMOGOROV, COLUMN, TABLE_WAVE, OVERLAP, CENTRE };

typedef struct {
    const myr_model_arrays *to;
    int64_t side, shells; /* shell s, 1 to shells, contains the modes whose wave number rounds to s */
    double *energy;       /* [shells + 1], energy of each shell, then the factor on its modes */
    double *hat[3];       /* Fourier coefficients of the velocity components */
    myr_fourier *fourier;
} turbulence;

/* Energy spectrum E(k) up to a factor; k in units of the smallest wave number. */
static myr_status turbulence_spectrum(const turbulence *t)
{
    const myr_model_arrays *to = t->to;
    const double *value = to->value, wave = 2 * MYR_PI / value[EDGE];
    const char *kind = myr_model_spec_chosen(to->spec, "spectrum");
    const double eta = value[KOLMOGOROV] > 0 ? value[KOLMOGOROV] : 1.5 / (wave * (double)t->shells);
    const myr_table *table = myr_model_spec_table(to->spec);
    if (strcmp(kind, "table") == 0 && (!table->rows || value[COLUMN] > table->columns))
        return myr_context_fail(to->context, MYR_ERROR_VALUE,
                                table->rows ? "the table of the spectrum has %d columns of energies, and %g was asked "
                                              "for"
                                            : "the spectrum 'table' needs a file with wave numbers and energies (%d "
                                              "columns are there, %g wanted)",
                                table->columns, value[COLUMN]);
    if (strcmp(kind, "table") != 0 && strcmp(myr_model_spec_chosen(to->spec, "amplitude"), "table") == 0)
        return myr_context_fail(to->context, MYR_ERROR_COMBINATION,
                                "the amplitude 'table' needs the spectrum 'table', not '%s'", kind);
    for (int64_t s = 1; s <= t->shells; s++) {
        /* in units of von Karman's wave number */
        const double k = (double)s, at = k / value[PEAK], own = at * sqrt(12.0 / 5);
        if (strcmp(kind, "k4") == 0)
            t->energy[s] = at * at * at * at * exp(-2 * at * at);
        else if (strcmp(kind, "von_karman_pao") == 0)
            t->energy[s] = pow(own, 4) * pow(1 + own * own, -17.0 / 6) * exp(-2.25 * pow(k * wave * eta, 4.0 / 3));
        else
            t->energy[s] = myr_table_at(table, (int)value[COLUMN] - 1, k * wave / value[TABLE_WAVE]);
    }
    return MYR_OK;
}

/* Draws one mode of unit amplitude, perpendicular to its wave vector. */
static void turbulence_draw(uint64_t seed, const int64_t k[3], double complex u[3])
{
    double draw[4], first[3] = {1, 0, 0}, second[3];
    const uint64_t id = (uint64_t)(k[0] + 65536) << 34 | (uint64_t)(k[1] + 65536) << 17 | (uint64_t)(k[2] + 65536);
    myr_random_uniform(seed, MYR_STREAM_WAVE, id, 0, draw);
    myr_random_uniform(seed, MYR_STREAM_WAVE, id, 1, draw + 2);
    const double across = hypot((double)k[0], (double)k[1]);
    const double length = sqrt((double)(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]));
    if (across > 0) {
        first[0] = (double)k[1] / across;
        first[1] = -(double)k[0] / across;
    }
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        second[c] = ((double)k[d] * first[e] - (double)k[e] * first[d]) / length;
    }
    const double complex a = cexp(I * (2 * MYR_PI * draw[0])) * cos(2 * MYR_PI * draw[2]);
    const double complex b = cexp(I * (2 * MYR_PI * draw[1])) * sin(2 * MYR_PI * draw[2]);
    for (int c = 0; c < 3; c++)
        u[c] = a * first[c] + b * second[c];
}

/* Shell of a mode that the mesh contains, or 0. */
static int64_t turbulence_shell(const turbulence *t, const int64_t k[3])
{
    const int64_t shell = llround(sqrt((double)(k[0] * k[0] + k[1] * k[1] + k[2] * k[2])));
    return shell <= t->shells ? shell : 0;
}

/* Fills the coefficients with modes of unit amplitude and sums the energy of each shell. A mode with kx = 0 is stored
 * together with its conjugate at -k. */
static void turbulence_waves(const turbulence *t, double *sum)
{
    const int64_t most = t->shells, half = myr_fourier_half(t->side);
    for (int64_t z = -most; z <= most; z++)
        for (int64_t y = -most; y <= most; y++)
            for (int64_t x = 0; x <= most; x++) {
                const int mirrored = x == 0 && (y < 0 || (y == 0 && z < 0));
                const int64_t k[3] = {x, mirrored ? -y : y, mirrored ? -z : z}, shell = turbulence_shell(t, k);
                double complex u[3];
                if (shell == 0)
                    continue;
                turbulence_draw(t->to->seed, k, u);
                const int64_t row = myr_fourier_place(t->side, z) * t->side + myr_fourier_place(t->side, y);
                for (int c = 0; c < 3; c++)
                    ((double complex *)t->hat[c])[row * half + x] = mirrored ? conj(u[c]) : u[c];
                /* half of |u|^2 = 1; for x > 0 the conjugate mode is not stored but counts as well */
                sum[shell] += x > 0 ? 1 : 0.5;
            }
}

/* Kinetic energy of the field, of which the sum over the shells of the spectrum is `all`: that of the requested rms
 * speed, or the integral of the table. Warns where the energies of a table are replaced and nobody asked for it. */
static double turbulence_energy(const turbulence *t, double all)
{
    const double *value = t->to->value, by_speed = 1.5 * value[SPEED] * value[SPEED];
    const double by_table = all * 2 * MYR_PI / value[EDGE] / value[TABLE_WAVE];
    if (strcmp(myr_model_spec_chosen(t->to->spec, "spectrum"), "table") != 0)
        return by_speed;
    if (strcmp(myr_model_spec_chosen(t->to->spec, "amplitude"), "table") == 0)
        return by_table;
    if (!(fabs(by_table - by_speed) <= 0.02 * by_speed))
        myr_context_warn(
            t->to->context,
            "only the shape of the spectrum is that of the table: its energies stand for u' = %.4g, and the "
            "field has u' = %.4g by the parameter speed; the option amplitude 'table' keeps the energies",
            sqrt(by_table / 1.5), value[SPEED]);
    return by_speed;
}

/* Scales every shell to its energy, and the field to its kinetic energy. */
static void turbulence_scale(const turbulence *t, const double *sum)
{
    const int64_t half = myr_fourier_half(t->side);
    double all = 0;
    for (int64_t s = 1; s <= t->shells; s++)
        all += t->energy[s];
    const double wanted = turbulence_energy(t, all);
    for (int64_t s = 1; s <= t->shells; s++)
        t->energy[s] = all > 0 ? sqrt(wanted * t->energy[s] / all / sum[s]) : 0;
    t->energy[0] = 0;
    for (int64_t i = 0; i < t->side * t->side * half; i++) {
        const int64_t k[3] = {i % half, myr_fourier_mode(t->side, i / half % t->side),
                              myr_fourier_mode(t->side, i / half / t->side)};
        for (int c = 0; c < 3; c++)
            ((double complex *)t->hat[c])[i] *= t->energy[turbulence_shell(t, k)];
    }
}

static myr_status turbulence_make(turbulence *t)
{
    const myr_model_arrays *to = t->to;
    const int64_t row = 2 * myr_fourier_half(t->side);
    double *sum = myr_memory_zeros(t->shells + 1, sizeof *sum);
    myr_status status = myr_fourier_create(to->context, t->side, t->side, &t->fourier);
    int whole = sum && (t->energy = myr_memory_zeros(t->shells + 1, sizeof *t->energy));
    for (int c = 0; c < 3; c++)
        whole = (t->hat[c] = myr_memory_zeros(myr_fourier_numbers(t->side), sizeof(double))) && whole;
    if (!status && !whole)
        status = myr_context_fail(to->context, MYR_ERROR_MEMORY, "no memory for turbulence of %lld points",
                                  (long long)to->n);
    if (!status)
        status = turbulence_spectrum(t);
    if (!status) {
        turbulence_waves(t, sum);
        turbulence_scale(t, sum);
    }
    for (int c = 0; c < 3 && !status; c++) {
        myr_fourier_inverse(t->fourier, t->hat[c]);
        for (int64_t i = 0; i < to->n; i++)
            to->velocity[c][i] = t->hat[c][i / t->side * row + i % t->side];
    }
    free(sum);
    return status;
}

static myr_status isotropic_turbulence_place(const myr_model_arrays *to)
{
    turbulence t = {.to = to};
    myr_status status = myr_flow_mesh(to, to->value[EDGE], &t.side);
    if (status)
        return status;
    t.shells = t.side / 2 - 1;
    status = turbulence_make(&t);
    myr_fourier_destroy(&t.fourier);
    free(t.energy);
    for (int c = 0; c < 3; c++)
        free(t.hat[c]);
    return status ? status : myr_flow_elements(to, to->value[EDGE], to->value[OVERLAP]);
}

const myr_model_kind myr_isotropic_turbulence_model = {
    .info = {"isotropic_turbulence",
             "random solenoidal velocity field with a given energy spectrum on a periodic mesh: velocities and vortex "
             "elements of the same field",
             MYR_HAVE_FFTW},
    .place = isotropic_turbulence_place,
    .usual = 32768,
    .takes_table = 1,
    .param = {[EDGE] = {{"edge", "edge of the periodic box", 2 * MYR_PI, 1e-300, MYR_HUGE}, MYR_LENGTH},
              [SPEED] = {{"speed", "root mean square of a component of the velocity", 1, 0, MYR_HUGE}, MYR_VELOCITY},
              [PEAK] = {{"peak", "wave number where the spectrum is largest, in waves per edge", 4, 0.1, 8192},
                        MYR_NUMBER},
              [KOLMOGOROV] = {{"kolmogorov",
                               "dissipation length of von_karman_pao; 0 = 1.5 over the largest wave number", 0, 0,
                               MYR_HUGE},
                              MYR_LENGTH},
              [COLUMN] = {{"column", "column of the table with E(k), counted from 1 after that of k", 1, 1,
                           MYR_TABLE_COLUMNS},
                          MYR_NUMBER},
              [TABLE_WAVE] = {{"table_wave", "the wave number that is 1 in the table", 1, 1e-300, MYR_HUGE},
                              MYR_WAVE_NUMBER},
              [OVERLAP] = MYR_FLOW_OVERLAP,
              [CENTRE] = MYR_FLOW_CENTRE},
    .option =
        {{"spectrum",
          "shape of E(k): k4 = k^4 exp(-2 (k/peak)^2); von_karman_pao, with an inertial range; table = from a file",
          {"k4", "von_karman_pao", "table", NULL}},
         {"amplitude",
          "kinetic energy of the field: speed = that of the parameter speed, so that a table gives the shape of E(k) "
          "only; "
          "table = the integral of the table, whose energies are squared velocities per unit of its wave number",
          {"speed", "table", NULL}}},
};
