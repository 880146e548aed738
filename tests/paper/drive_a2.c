/* drive_a2.c - calls force() of Fig. A.2, whose pipeline is Fig. A.4, and compares with kernel gravity_jerk. */
#include "drive.h"

void force(double xx[][3], double vv[][3], double mm[], double p[], double a[][3], double jk[][3], int n);

int main(void)
{
    static double a[BODIES][3], jerk[BODIES][3], potential[BODIES], right[BODIES][3];
    const double eps = 1.0 / 256; /* as in the pipeline */
    int failed = 0;
    library("gravity_jerk", eps, BODIES, "acceleration", right[0]);
    force(x, v, m, potential, a, jerk, BODIES);
    if (cunbody_message()[0])
        printf("%s\n", cunbody_message());
    failed |= above("Fig. A.2, A.4: acceleration", largest_error(BODIES, 3, a[0], right[0]), 3e-6);
    library("gravity_jerk", eps, BODIES, "jerk", right[0]);
    failed |= above("jerk", largest_error(BODIES, 3, jerk[0], right[0]), 5e-6);
    library("gravity_jerk", eps, BODIES, "potential", right[0]);
    failed |= above("potential", largest_error(BODIES, 1, potential, right[0]), 7e-7);
    return failed;
}
