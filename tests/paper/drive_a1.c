/* drive_a1.c - calls force() of Fig. A.1, whose pipeline is Fig. A.3, and compares with kernel gravity. */
#include "drive.h"

void force(double xj[][3], double mj[], double xi[][3], double eps2, double a[][3], int ni, int nj);

int main(void)
{
    static double a[TARGETS][3], right[TARGETS][3];
    int failed = 0;
    const double eps = 0.01;
    library("gravity", eps, TARGETS, "acceleration", right[0]);
    force(x, m, x, eps * eps, a, TARGETS, BODIES);
    failed |= above("Fig. A.1, A.3: acceleration", largest_error(TARGETS, 3, a[0], right[0]), 2.5e-6);
    /* without softening a body's pair with itself has no value, and is left out */
    library("gravity", 0, TARGETS, "acceleration", right[0]);
    force(x, m, x, 0, a, TARGETS, BODIES);
    failed |= above("the same without softening", largest_error(TARGETS, 3, a[0], right[0]), 2.5e-6);
    /* errors are told */
    x[5][0] = NAN;
    force(x, m, x, eps * eps, a, TARGETS, BODIES);
    if (!isnan(a[0][0]) || cunbody_message()[0] == '\0') {
        printf("a position that is no number passed\n");
        failed = 1;
    }
    return failed;
}
