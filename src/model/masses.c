/* masses.c - mass functions: piecewise power laws, dN/dm ~ m^-slope, sampled by inversion of the cumulative number.
 *
 * Salpeter 1955: slope 2.35. Kroupa 2001 (MNRAS 322, 231, eq. 2): 0.3 below 0.08, 1.3 to 0.5, 2.3 above (solar masses).
 * The mass of a star depends on the seed and its id alone; all masses are divided by their sum afterwards. */
#include <math.h>
#include <string.h>

#include "core/random.h"
#include "model/model.h"

const myr_model_group myr_masses_group = {
    .param = {{{"mass_low", "smallest mass of the mass function, in its own units (solar masses)", 0.08, 1e-6, 1e6},
               MYR_NUMBER},
              {{"mass_high", "largest mass of the mass function, in its own units (solar masses)", 100, 1e-6, 1e6},
               MYR_NUMBER}},
    .option = {{"mass_function", "masses of the particles", {"equal", "salpeter", "kroupa"}}},
};

enum { PIECES = 3 };

typedef struct {
    double from, slope; /* lower end of the piece, and exponent */
} masses_piece;

static const masses_piece salpeter[PIECES] = {{0, 2.35}, {HUGE_VAL, 0}, {HUGE_VAL, 0}};
static const masses_piece kroupa[PIECES] = {{0, 0.3}, {0.08, 1.3}, {0.5, 2.3}};

/* Mass function between two bounds: in piece k, dN/dm = factor[k] m^-slope from edge[k] to edge[k + 1]. */
typedef struct {
    const masses_piece *piece;
    double edge[PIECES + 1], factor[PIECES], number[PIECES], total;
} masses_law;

/* Integral of m^-slope from a to b; slope 1 does not occur. */
static double masses_integral(double slope, double a, double b)
{
    return (pow(b, 1 - slope) - pow(a, 1 - slope)) / (1 - slope);
}

static void masses_prepare(const masses_piece *piece, double low, double high, masses_law *law)
{
    law->piece = piece;
    law->total = 0;
    law->edge[PIECES] = high;
    for (int k = 0; k < PIECES; k++) {
        law->edge[k] = fmin(fmax(piece[k].from, low), high);
        law->factor[k] = k ? law->factor[k - 1] * pow(piece[k].from, piece[k].slope - piece[k - 1].slope) : 1;
    }
    for (int k = 0; k < PIECES; k++) {
        const int empty = !(law->edge[k] < law->edge[k + 1]);
        law->number[k] = empty ? 0 : law->factor[k] * masses_integral(piece[k].slope, law->edge[k], law->edge[k + 1]);
        law->total += law->number[k];
    }
}

/* Mass below which the fraction u of the stars lies. */
static double masses_inverse(const masses_law *law, double u)
{
    double left = u * law->total;
    int k = 0;
    while (k < PIECES - 1 && left >= law->number[k])
        left -= law->number[k++];
    while (k > 0 && law->number[k] == 0) /* rounding may lead past the last piece that contains stars */
        left = law->number[--k];
    const double power = 1 - law->piece[k].slope;
    const double m = pow(pow(law->edge[k], power) + power * left / law->factor[k], 1 / power);
    return fmin(fmax(m, law->edge[k]), law->edge[k + 1]);
}

double myr_masses_draw(const myr_model_spec *spec, const myr_model_arrays *to)
{
    const int64_t n = to->n;
    double *mass = to->mass;
    const char *name = myr_model_spec_chosen(spec, "mass_function");
    if (strcmp(name, "equal") == 0) {
        for (int64_t i = 0; i < n; i++)
            mass[i] = 1 / (double)to->all;
        return (double)to->all;
    }
    const double a = myr_model_spec_get(spec, "mass_low"), b = myr_model_spec_get(spec, "mass_high");
    masses_law law;
    masses_prepare(strcmp(name, "kroupa") == 0 ? kroupa : salpeter, fmin(a, b), fmax(a, b), &law);
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double u[2];
        myr_random_uniform(to->seed, MYR_STREAM_MASS, (uint64_t)i, 0, u);
        mass[i] = masses_inverse(&law, u[0]);
        sum += mass[i];
    }
    for (int64_t i = 0; i < n; i++)
        mass[i] /= sum;
    return sum;
}
