/* drive_a1.c - calls force() of Fig. A.1, whose pipeline is Fig. A.3, and compares with kernel gravity. */
#include <string.h>

#include "drive.h"

void force(double xj[][3], double mj[], double xi[][3], double eps2, double a[][3], int ni, int nj);

void cunbody_evaluate(const char *pipeline, int idim, int jdim, int fdim, const double *xj, const double *xi, double *f,
                      int ni, int nj);

/* 1 where dimensions that do not fit the pipeline are not refused with these words. */
static int refused(int idim, int jdim, int fdim, const char *word, const char *other)
{
    static double source[8 * 8], target[8 * 8], result[8 * 8];
    cunbody_evaluate(CUNBODY_PIPELINE, idim, jdim, fdim, source, target, result, 3, 4);
    if (isnan(result[0]) && strstr(cunbody_message(), word) && strstr(cunbody_message(), other))
        return 0;
    printf("%d, %d, %d: %s\n", idim, jdim, fdim, cunbody_message());
    return 1;
}

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
    x[5][0] = 0;
    failed |= refused(5, 4, 3, "IDIM is 5", "reads 4 components of a target");
    failed |= refused(4, 7, 3, "JDIM is 7", "reads 4 components of a source");
    failed |= refused(4, 4, 7, "FDIM is 7", "gives 3 components");
    return failed;
}
