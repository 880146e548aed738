/* table2.c - the program of paper 002, Fig. 10, with its steps (A) to (E) filled in: measures the time and the largest
 * error of force() for a Plummer sphere, as in Tables 2 and 3. Fails if the error is larger than the paper's.
 *
 *   table2 [N ...]    N up to 131072; 2048, 4096 and 8192 if none is given */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cunbody.h>

int ni, nj;
double rj[131072][3];
double mj[131072];
double ri[131072][3];
double a[131072][3];
double eps2 = 0.01;

static double host[131072][3];

/* largest errors of the Chamomile scheme in Table 2, N = 2048 ... 131072 */
static const double printed[] = {5.4e-7, 3.3e-7, 5.0e-7, 4.3e-7, 6.8e-7, 1.0e-6, 1.5e-6};

static double uniform(void)
{
    return (rand() + 0.5) / (RAND_MAX + 1.0);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A Plummer sphere of n equal masses in N-body units. */
static void initial_condition(int n)
{
    const double pi = acos(-1.0);
    srand(1);
    ni = nj = n;
    for (int i = 0; i < n; i++) {
        const double r = 3 * pi / 16 / sqrt(pow(0.999 * uniform(), -2.0 / 3) - 1);
        const double z = 2 * uniform() - 1, angle = 2 * pi * uniform();
        rj[i][0] = r * sqrt(1 - z * z) * cos(angle);
        rj[i][1] = r * sqrt(1 - z * z) * sin(angle);
        rj[i][2] = r * z;
        mj[i] = 1.0 / n;
        for (int d = 0; d < 3; d++)
            ri[i][d] = rj[i][d];
    }
}

static void host_force(void)
{
    for (int i = 0; i < ni; i++) {
        double sum[3] = {0};
        for (int j = 0; j < nj; j++) {
            const double dx = rj[j][0] - ri[i][0], dy = rj[j][1] - ri[i][1], dz = rj[j][2] - ri[i][2];
            const double r2 = dx * dx + dy * dy + dz * dz + eps2, mr3i = mj[j] / (r2 * sqrt(r2));
            sum[0] += mr3i * dx;
            sum[1] += mr3i * dy;
            sum[2] += mr3i * dz;
        }
        for (int d = 0; d < 3; d++)
            host[i][d] = sum[d];
    }
}

/* Paper 002 eq. 3. */
static double largest_error(void)
{
    double most = 0;
    for (int i = 0; i < ni; i++) {
        double error2 = 0, size2 = 0;
        for (int d = 0; d < 3; d++) {
            error2 += (a[i][d] - host[i][d]) * (a[i][d] - host[i][d]);
            size2 += host[i][d] * host[i][d];
        }
        if (!(sqrt(error2 / size2) <= most))
            most = sqrt(error2 / size2);
    }
    return most;
}

static int measure(int n)
{
    initial_condition(n);           /* (A) */
    host_force();                   /* (B) */
    const double start = seconds(); /* (C) */
    force(rj, mj, ri, eps2, a, ni, nj);
    const double lap = seconds() - start; /* (D) */
    const double error = largest_error(); /* (E) */
    int row = 0;
    while (2048 << row < n && row < 6)
        row++;
    printf("%8d %12.3g %10.1f %14.2e %14.2e\n", n, lap, 38e-9 * n * n / lap, error, printed[row]);
    return !(error <= printed[row]);
}

int main(int argc, char **argv)
{
    int failed = 0;
    printf("%8s %12s %10s %14s %14s\n", "N", "seconds", "Gflop/s", "largest error", "in the paper");
    for (int k = 1; k < argc; k++) {
        const int n = atoi(argv[k]);
        if (n < 1 || n > 131072)
            return fprintf(stderr, "N must be 1 to 131072\n"), 2;
        failed |= measure(n);
    }
    for (int n = 2048; argc < 2 && n <= 8192; n *= 2)
        failed |= measure(n);
    return failed;
}
