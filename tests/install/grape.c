/* grape.c - two bodies at distance 1 through the GRAPE-5 and the GRAPE-6 calls. */
#include <math.h>
#include <stdio.h>

#include <g5.h>
#include <g6.h>

int main(void)
{
    static double x[2][3] = {{0, 0, 0}, {1, 0, 0}}, v[2][3], m[2] = {1, 2}, a5[2][3], p5[2], a6[2][3], j6[2][3], p6[2],
                  h2[2];
    int index[2] = {0, 1};
    g5_open();
    g5_set_xmj(0, 2, x, m);
    g5_set_n(2);
    g5_calculate_force_on_x(x, a5, p5, 2);
    g6_open(0);
    for (int i = 0; i < 2; i++)
        g6_set_j_particle_mxonly(0, i, i, m[i], x[i]);
    g6calc_firsthalf(0, 2, 2, index, x, v, v, v, p6, 0, h2);
    if (g6calc_lasthalf(0, 2, 2, index, x, v, 0, h2, a6, j6, p6) == 0 && fabs(a5[0][0] - 2) < 1e-6 &&
        fabs(a6[1][0] + 1) < 1e-6 && fabs(p5[0] - 2) < 1e-6 && fabs(p6[1] + 1) < 1e-6)
        return 0;
    printf("a = %g %g, potentials %g %g; expected 2, -1, 2, -1: %s%s\n", a5[0][0], a6[1][0], p5[0], p6[1], g5_message(),
           g6_message(0));
    return 1;
}
