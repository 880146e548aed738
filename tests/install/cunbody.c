/* cunbody.c - two bodies at distance 1, through the call of paper 002, Fig. 9, declared as it is printed there. */
#include <math.h>
#include <stdio.h>

void force(double xj[][3], double mj[], double xi[][3], double eps2, double a[][3], int ni, int nj);

int main(void)
{
    static double x[2][3] = {{0, 0, 0}, {1, 0, 0}}, m[2] = {1, 2}, a[2][3];
    force(x, m, x, 0.0, a, 2, 2);
    if (fabs(a[0][0] - 2) < 1e-6 && fabs(a[1][0] + 1) < 1e-6 && a[0][1] == 0 && a[0][2] == 0)
        return 0;
    printf("a = (%g %g %g), (%g %g %g); expected (2 0 0), (-1 0 0)\n", a[0][0], a[0][1], a[0][2], a[1][0], a[1][1],
           a[1][2]);
    return 1;
}
