/* force_jerk.c - the call of paper 002, Fig. A.2, on top of the public interface of Myriad. */
#include "cunbody_jerk.h"

#include "session.h"

#define EPS (1.0 / 256.0)

static myr_status force_run(session *s, double x[][3], double v[][3], const double m[], double p[], double a[][3],
                            double jk[][3], int n)
{
    myr_status status = session_ready(s, "gravity_jerk");
    if (!status && (n < 0 || (n && (!x || !v || !m || !p || !a || !jk))))
        status = MYR_ERROR_ARGUMENT;
    if (status || n == 0)
        return status;
    status = myr_interaction_set(s->interaction, "eps", EPS);
    if (!status)
        status = session_size(s, 0, n);
    if (!status)
        status = myr_particles_set(s->set[0], "position", 3, x[0]);
    if (!status)
        status = myr_particles_set(s->set[0], "velocity", 3, v[0]);
    if (!status)
        status = myr_particles_set(s->set[0], "mass", 1, m);
    if (!status)
        status = myr_interaction_evaluate(s->interaction, s->set[0], s->set[0]);
    if (!status)
        status = myr_particles_get(s->set[0], "acceleration", a[0]);
    if (!status)
        status = myr_particles_get(s->set[0], "jerk", jk[0]);
    if (!status)
        status = myr_particles_get(s->set[0], "potential", p);
    for (int i = 0; i < n && !status; i++)
        p[i] -= m[i] / EPS; /* the kernel skips a body's pair with itself; the printed pipeline counts it */
    return status;
}

void force(double x[][3], double v[][3], double m[], double p[], double a[][3], double jk[][3], int n)
{
    session *s = session_mine();
    if (s && !session_failed(s, force_run(s, x, v, m, p, a, jk, n)))
        return;
    session_fill_nan(p, n);
    for (int i = 0; i < n; i++) {
        if (a)
            session_fill_nan(a[i], 3);
        if (jk)
            session_fill_nan(jk[i], 3);
    }
}
