/* mesh_fit.c - weights by least squares; see mesh_fit.h. */
#include "method/mesh/mesh_fit.h"

#include <math.h>

enum {
    FIT_WAVES = 24, /* waves along an axis */
    FIT_PLACES = 12 /* places of a source between two points, for mean squares */
};
#define FIT_FLOOR 1e-12 /* of W, so that weights stay bounded */

/* Normal equations: their matrix, W/D^2 cos(theta (j - k)), does not depend on the place. */
typedef struct {
    int width;
    double theta[FIT_WAVES], weight[FIT_WAVES]; /* weight: W/D */
    double root[MYR_MESH_MOST][MYR_MESH_MOST];  /* lower triangle R, matrix = R R^T */
} fit;

static void fit_prepare(int width, double beta, double fineness, fit *f)
{
    double line[MYR_MESH_MOST] = {0};
    f->width = width;
    for (int t = 0; t < FIT_WAVES; t++) {
        const double theta = acos(-1.0) * (t + 0.5) / FIT_WAVES, d = myr_mesh_window_transform(width, beta, theta);
        f->theta[t] = theta;
        f->weight[t] = (exp(-fineness * fineness * theta * theta) + FIT_FLOOR) / d;
        for (int k = 0; k < width; k++)
            line[k] += f->weight[t] / d * cos(k * theta);
    }
    for (int i = 0; i < width; i++)
        for (int j = 0; j <= i; j++) {
            double sum = line[i - j] + (i == j ? 1e-15 * line[0] : 0);
            for (int k = 0; k < j; k++)
                sum -= f->root[i][k] * f->root[j][k];
            f->root[i][j] = i == j ? sqrt(fmax(sum, 1e-16 * line[0])) : sum / f->root[j][j];
        }
}

static void fit_solve(const fit *f, double *x)
{
    for (int i = 0; i < f->width; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= f->root[i][k] * x[k];
        x[i] /= f->root[i][i];
    }
    for (int i = f->width - 1; i >= 0; i--) {
        for (int k = i + 1; k < f->width; k++)
            x[i] -= f->root[k][i] * x[k];
        x[i] /= f->root[i][i];
    }
}

/* Weights of a source at a distance 0 to 1 before the first point that it touches. */
static void fit_weights(const fit *f, double beyond, double *value, double *slope)
{
    for (int k = 0; k < f->width; k++) {
        const double d = k + beyond - 0.5 * f->width;
        value[k] = slope[k] = 0;
        for (int t = 0; t < FIT_WAVES; t++) {
            value[k] += f->weight[t] * cos(f->theta[t] * d);
            slope[k] += f->weight[t] * f->theta[t] * sin(f->theta[t] * d);
        }
    }
    fit_solve(f, value);
    fit_solve(f, slope);
}

void myr_mesh_fit_make(int width, double beta, double fineness, int degree, myr_mesh_window *value,
                       myr_mesh_window *slope)
{
    double at[2][MYR_MESH_MOST][MYR_MESH_DEGREES];
    fit f;
    fit_prepare(width, beta, fineness, &f);
    *value = *slope = (myr_mesh_window){.width = width, .degree = degree, .beta = beta};
    for (int i = 0; i <= degree; i++) {
        double v[MYR_MESH_MOST], s[MYR_MESH_MOST];
        fit_weights(&f, 0.5 * (1 + myr_mesh_window_node(degree, i)), v, s);
        for (int k = 0; k < width; k++) {
            at[0][k][i] = v[k];
            at[1][k][i] = s[k];
        }
    }
    for (int k = 0; k < width; k++)
        for (int which = 0; which < 2; which++) {
            double power[MYR_MESH_DEGREES];
            myr_mesh_window_polynomial(degree, at[which][k], power);
            for (int j = 0; j <= degree; j++)
                (which ? slope : value)->coefficient[j][k] = power[j];
        }
}

void myr_mesh_fit_errors(int width, double beta, double fineness, int count, const double *theta, double *a, double *d)
{
    fit f;
    fit_prepare(width, beta, fineness, &f);
    for (int t = 0; t < count; t++)
        a[t] = d[t] = 0;
    for (int i = 0; i < FIT_PLACES; i++) {
        const double beyond = (i + 0.5) / FIT_PLACES;
        double value[MYR_MESH_MOST] = {0}, slope[MYR_MESH_MOST] = {0};
        fit_weights(&f, beyond, value, slope);
        for (int t = 0; t < count; t++) {
            const double by = myr_mesh_window_transform(width, beta, theta[t]);
            double v[2] = {-1, 0}, s[2] = {0, -theta[t]};
            for (int k = 0; k < width; k++) {
                const double turn = theta[t] * (k + beyond - 0.5 * width), wave[2] = {cos(turn) / by, sin(turn) / by};
                for (int part = 0; part < 2; part++) {
                    v[part] += value[k] * wave[part];
                    s[part] += slope[k] * wave[part];
                }
            }
            a[t] += (v[0] * v[0] + v[1] * v[1]) / FIT_PLACES;
            d[t] += (s[0] * s[0] + s[1] * s[1]) / FIT_PLACES;
        }
    }
}
