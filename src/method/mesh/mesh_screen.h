/* mesh_screen.h - pairs of charges less what a mesh has of them: with s = (a r)^2 and the splitting a,
 *
 *   energy  1/r - a H(s),                 H(s) = erf(sqrt(s))/sqrt(s)
 *   force   (1/r^3 - a^3 G(s)) x_ij,      G(s) = (H(s) - 2/sqrt(pi) exp(-s))/s = -2 H'(s)
 *
 * per product of the two charges. H and G are smooth, and are evaluated by polynomials on pieces of equal length in s,
 * to 1e-15. */
#ifndef MYR_METHOD_MESH_SCREEN_H
#define MYR_METHOD_MESH_SCREEN_H

enum { MYR_MESH_SCREEN_TERMS = 10 };

typedef struct {
    double pieces_per_r2;                            /* pieces per unit of r^2 */
    double (*coefficient)[2][MYR_MESH_SCREEN_TERMS]; /* [pieces]: of a H and of a^3 G */
} myr_mesh_screen;

/* Fits the polynomials for distances up to the cutoff; returns 0 if memory is short. */
int myr_mesh_screen_create(double splitting, double cutoff, myr_mesh_screen *screen);
void myr_mesh_screen_destroy(myr_mesh_screen *screen);

/* a H and a^3 G at a squared distance of at most the cutoff's. */
static inline void myr_mesh_screen_at(const myr_mesh_screen *screen, double r2, double *h, double *g)
{
    const double at = r2 * screen->pieces_per_r2;
    const int piece = (int)at;
    const double x = 2 * (at - piece) - 1;
    const double(*c)[MYR_MESH_SCREEN_TERMS] = (const double(*)[MYR_MESH_SCREEN_TERMS])screen->coefficient[piece];
    double energy = c[0][MYR_MESH_SCREEN_TERMS - 1], force = c[1][MYR_MESH_SCREEN_TERMS - 1];
    for (int j = MYR_MESH_SCREEN_TERMS - 2; j >= 0; j--) {
        energy = energy * x + c[0][j];
        force = force * x + c[1][j];
    }
    *h = energy;
    *g = force;
}

#endif
