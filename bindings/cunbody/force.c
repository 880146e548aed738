/* force.c - the call of CUNBODY-1 on top of the public interface of Myriad. */
#include "cunbody.h"

#include "session.h"

enum { TARGETS, SOURCES };

/* Copies in, evaluates, copies out. Where targets and sources are the same array they are one set. */
static myr_status force_run(session *s, double xj[][3], const double mj[], double xi[][3], double eps2, double a[][3],
                            int ni, int nj)
{
    const int same = xi == xj && ni == nj;
    myr_status status = session_ready(s, "gravity");
    if (!status && (ni < 0 || nj < 0 || (ni && (!xi || !a)) || (nj && (!xj || !mj)) || !(eps2 >= 0)))
        status = MYR_ERROR_ARGUMENT;
    if (!status)
        status = myr_interaction_set(s->interaction, "eps", sqrt(eps2));
    if (!status)
        status = session_size(s, SOURCES, nj);
    if (!status && nj)
        status = myr_particles_set(s->set[SOURCES], "position", 3, xj[0]);
    if (!status && nj)
        status = myr_particles_set(s->set[SOURCES], "mass", 1, mj);
    if (!status && !same)
        status = session_size(s, TARGETS, ni);
    if (!status && !same && ni)
        status = myr_particles_set(s->set[TARGETS], "position", 3, xi[0]);
    if (status || ni == 0)
        return status;
    if (nj == 0) {
        memset(a, 0, (size_t)ni * sizeof *a);
        return MYR_OK;
    }
    myr_particles *targets = s->set[same ? SOURCES : TARGETS];
    status = myr_interaction_evaluate(s->interaction, targets, s->set[SOURCES]);
    return status ? status : myr_particles_get(targets, "acceleration", a[0]);
}

void force(double xj[][3], double mj[], double xi[][3], double eps2, double a[][3], int ni, int nj)
{
    session *s = session_mine();
    if (!s || session_failed(s, force_run(s, xj, mj, xi, eps2, a, ni, nj)))
        for (int i = 0; a && i < ni; i++)
            session_fill_nan(a[i], 3);
}
