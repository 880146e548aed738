/* mesh_vortex.c - kernels of vortex elements for a mesh; see mesh_vortex.h. */
#include "method/mesh/mesh_vortex.h"

void myr_mesh_vortex_velocity(void *user, const myr_mesh_row *row)
{
    (void)user;
    for (int64_t x = 0; x < row->count; x++) {
        const double k[3] = {row->kx[x], row->ky, row->kz}, k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
        const double factor = k2 > 0 ? row->g[x] / k2 : 0;
        double *h[3] = {row->hat[0] + 2 * x, row->hat[1] + 2 * x, row->hat[2] + 2 * x}, re[3], im[3];
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            re[c] = factor * (k[d] * h[e][0] - k[e] * h[d][0]);
            im[c] = factor * (k[d] * h[e][1] - k[e] * h[d][1]);
        }
        for (int c = 0; c < 3; c++) {
            h[c][0] = -im[c];
            h[c][1] = re[c];
        }
    }
}

void myr_mesh_vortex_gaussian(void *user, const myr_mesh_row *row)
{
    (void)user;
    for (int c = 0; c < 3; c++)
        for (int64_t x = 0; x < row->count; x++) {
            row->hat[c][2 * x] *= row->g[x];
            row->hat[c][2 * x + 1] *= row->g[x];
        }
}

void myr_mesh_vortex_laplacian(void *user, const myr_mesh_row *row)
{
    (void)user;
    const double yz = row->ky * row->ky + row->kz * row->kz;
    for (int c = 0; c < 3; c++)
        for (int64_t x = 0; x < row->count; x++) {
            const double factor = -row->g[x] * (row->kx[x] * row->kx[x] + yz);
            row->hat[c][2 * x] *= factor;
            row->hat[c][2 * x + 1] *= factor;
        }
}
