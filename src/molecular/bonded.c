/* bonded.c - forces and energies of bonds, angles and dihedrals, and the sum of all bonded terms over threads. */
#include "molecular/bonded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "core/context.h"
#include "core/memory.h"
#include "domain/ranks.h"

enum { BONDED_KINDS = 4, BONDED_PER_THREAD = 2048, BONDED_MESSAGE = 1 << 20 };

/* Phase of a dihedral as a point on the unit circle. */
typedef struct {
    double cosine, sine;
} bonded_phase;

struct myr_bonded {
    const myr_topology *t;
    myr_context *context;
    myr_pair14_law law;
    bonded_phase *phase; /* [dihedrals] */
    int rigid;           /* 1 = bonds to hydrogen are constraints and exert no force */
    int threads;
    int64_t *sum; /* [threads][3][atoms], forces in units of MYR_BONDED_UNIT */
};

/* --- vectors ------------------------------------------------------------------------------------------------------ */

typedef struct {
    double x, y, z;
} vec;

static inline vec vec_from(const double *const x[3], int32_t from, int32_t to)
{
    return (vec){x[0][to] - x[0][from], x[1][to] - x[1][from], x[2][to] - x[2][from]};
}

static inline double vec_dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec vec_cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline void vec_scale(double s, vec a, double to[3])
{
    to[0] = s * a.x;
    to[1] = s * a.y;
    to[2] = s * a.z;
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

void myr_bonded_give(myr_bonded_sink *sink, int64_t term, int n, const int32_t *atom, double (*f)[3])
{
    for (int c = 0; c < 3; c++) {
        int64_t rest = 0;
        for (int a = 0; a < n - 1; a++) {
            if (!(fabs(f[a][c]) < MYR_BONDED_LIMIT)) {
                if (sink->bad < 0)
                    sink->bad = term;
                return;
            }
            const int64_t q = llrint(f[a][c] * (1.0 / MYR_BONDED_UNIT));
            sink->sum[c][atom[a]] += q;
            rest -= q;
        }
        sink->sum[c][atom[n - 1]] += rest;
    }
}

void myr_bonded_count(myr_bonded_sink *sink, myr_term kind, double energy)
{
    if (fabs(energy) < 0x1p+60)
        sink->energy[kind] += (myr_wide)(energy * 0x1p+60);
}

/* --- terms -------------------------------------------------------------------------------------------------------- */

typedef void (*bonded_range)(const myr_bonded *b, const double *const x[3], int64_t first, int64_t end,
                             myr_bonded_sink *sink);

static void bonded_bonds(const myr_bonded *b, const double *const x[3], int64_t first, int64_t end,
                         myr_bonded_sink *sink)
{
    for (int64_t k = first; k < end; k++) {
        const myr_bond *bond = &b->t->bond[k];
        if (b->rigid && bond->hydrogen)
            continue;
        const vec d = vec_from(x, bond->atom[1], bond->atom[0]);
        const double r = sqrt(vec_dot(d, d)), stretch = r - bond->length;
        double f[1][3];
        vec_scale(-2.0 * bond->k * stretch / r, d, f[0]);
        myr_bonded_give(sink, k, 2, bond->atom, f);
        if (sink->with_energy)
            myr_bonded_count(sink, MYR_TERM_bond, bond->k * stretch * stretch);
    }
}

/* Angle terms. theta comes from sine and cosine, so that straight angles keep full precision; dtheta/dx_i = u x w /
 * (u^2 |w|) with w = u x v. Three collinear atoms get no force, because its direction is undefined. */
static void bonded_angles(const myr_bonded *b, const double *const x[3], int64_t first, int64_t end,
                          myr_bonded_sink *sink)
{
    for (int64_t k = first; k < end; k++) {
        const myr_angle *angle = &b->t->angle[k];
        const vec u = vec_from(x, angle->atom[1], angle->atom[0]), v = vec_from(x, angle->atom[1], angle->atom[2]);
        const vec w = vec_cross(u, v);
        const double sine = sqrt(vec_dot(w, w)), bend = atan2(sine, vec_dot(u, v)) - angle->theta;
        if (sink->with_energy)
            myr_bonded_count(sink, MYR_TERM_angle, angle->k * bend * bend);
        if (!(sine > 0))
            continue;
        const double slope = -2.0 * angle->k * bend / sine;
        const int32_t order[3] = {angle->atom[0], angle->atom[2], angle->atom[1]};
        double f[2][3];
        vec_scale(slope / vec_dot(u, u), vec_cross(u, w), f[0]);
        vec_scale(slope / vec_dot(v, v), vec_cross(w, v), f[1]);
        myr_bonded_give(sink, k, 3, order, f);
    }
}

/* cos(n phi - phase) and sin(n phi - phase) from cos(phi) and sin(phi), by n rotations. */
static inline void bonded_turn(double cosine, double sine, int n, bonded_phase phase, double *c, double *s)
{
    double re = phase.cosine, im = -phase.sine;
    for (int k = 0; k < n; k++) {
        const double next = re * cosine - im * sine;
        im = re * sine + im * cosine;
        re = next;
    }
    *c = re;
    *s = im;
}

/* Dihedral terms. The gradient of phi is that of A. Blondel and M. Karplus, J. Comput. Chem. 17 (1996) 1132, singular
 * only where three atoms are collinear and phi is undefined. */
static void bonded_dihedrals(const myr_bonded *b, const double *const x[3], int64_t first, int64_t end,
                             myr_bonded_sink *sink)
{
    for (int64_t k = first; k < end; k++) {
        const myr_dihedral *t = &b->t->dihedral[k];
        const vec f = vec_from(x, t->atom[1], t->atom[0]), g = vec_from(x, t->atom[2], t->atom[1]);
        const vec h = vec_from(x, t->atom[2], t->atom[3]);
        const vec a = vec_cross(f, g), e = vec_cross(h, g);
        const double a2 = vec_dot(a, a), e2 = vec_dot(e, e), length = sqrt(vec_dot(g, g));
        if (!(a2 > 0) || !(e2 > 0) || t->k == 0)
            continue;
        const double norm = 1.0 / sqrt(a2 * e2);
        double c, s;
        bonded_turn(vec_dot(a, e) * norm, vec_dot(vec_cross(e, a), g) * norm / length, t->n, b->phase[k], &c, &s);
        const double slope = t->k * t->n * s; /* -dU/dphi */
        const double toward_a = (vec_dot(f, g) / (a2 * length)), toward_e = (vec_dot(h, g) / (e2 * length));
        const int32_t order[4] = {t->atom[0], t->atom[3], t->atom[1], t->atom[2]};
        double force[3][3];
        vec_scale(-slope * length / a2, a, force[0]);
        vec_scale(slope * length / e2, e, force[1]);
        const vec j = {(length / a2 + toward_a) * a.x - toward_e * e.x, (length / a2 + toward_a) * a.y - toward_e * e.y,
                       (length / a2 + toward_a) * a.z - toward_e * e.z};
        vec_scale(slope, j, force[2]);
        myr_bonded_give(sink, k, 4, order, force);
        if (sink->with_energy)
            myr_bonded_count(sink, MYR_TERM_dihedral, t->k * (1.0 + c));
    }
}

static void bonded_pairs14(const myr_bonded *b, const double *const x[3], int64_t first, int64_t end,
                           myr_bonded_sink *sink)
{
    myr_pair14_range(b->t, &b->law, x, first, end, sink);
}

static const struct {
    bonded_range run;
    const char *what;
} bonded_kinds[BONDED_KINDS] = {{bonded_bonds, "a bond"},
                                {bonded_angles, "an angle"},
                                {bonded_dihedrals, "a dihedral"},
                                {bonded_pairs14, "a 1-4 pair"}};

static int64_t bonded_terms(const myr_topology *t, int kind)
{
    const int64_t count[BONDED_KINDS] = {t->bonds, t->angles, t->dihedrals, t->pairs14};
    return count[kind];
}

/* Atom indices of term k; at least the first two are valid for every kind. */
static const int32_t *bonded_atoms(const myr_topology *t, int kind, int64_t k)
{
    return kind == 0   ? t->bond[k].atom
           : kind == 1 ? t->angle[k].atom
           : kind == 2 ? t->dihedral[k].atom
                       : t->pair14[k].atom;
}

/* --- creation ----------------------------------------------------------------------------------------------------- */

myr_status myr_bonded_create(const myr_topology *topology, const myr_interaction *pairs, myr_bonded **bonded)
{
    myr_bonded *b = *bonded = calloc(1, sizeof *b);
    if (!b)
        return myr_context_fail(topology->context, MYR_ERROR_MEMORY, "no memory for the terms of a molecule");
    b->t = topology;
    b->context = topology->context;
    int64_t terms = 0;
    for (int k = 0; k < BONDED_KINDS; k++)
        terms += bonded_terms(topology, k);
    b->threads = myr_context_threads(b->context);
    if (b->threads > 1 + terms / BONDED_PER_THREAD)
        b->threads = (int)(1 + terms / BONDED_PER_THREAD);
    b->phase = myr_memory_zeros(topology->dihedrals + 1, sizeof *b->phase);
    b->sum = myr_memory_zeros(3 * topology->atoms * b->threads, sizeof *b->sum);
    myr_status status = MYR_OK;
    if (!b->phase || !b->sum)
        status = myr_context_fail(b->context, MYR_ERROR_MEMORY, "no memory for the terms of a molecule");
    if (!status)
        status = myr_pair14_prepare(pairs, &b->law);
    for (int64_t k = 0; !status && k < topology->dihedrals; k++)
        b->phase[k] = (bonded_phase){cos(topology->dihedral[k].phase), sin(topology->dihedral[k].phase)};
    if (status)
        myr_bonded_destroy(bonded);
    return status;
}

void myr_bonded_destroy(myr_bonded **bonded)
{
    if (!bonded || !*bonded)
        return;
    free((*bonded)->phase);
    free((*bonded)->sum);
    free(*bonded);
    *bonded = NULL;
}

void myr_bonded_constrain(myr_bonded *bonded, int rigid)
{
    bonded->rigid = rigid;
}

/* --- evaluation --------------------------------------------------------------------------------------------------- */

/* Shares of the terms that an evaluation computes: those of a rank, cut for its threads. */
typedef struct {
    int rank, ranks, threads;
    int with_energy;
    myr_wide energy[MYR_TERMS];
    int64_t bad; /* lowest kind and index of a term without a finite force; bad = -1: none */
    int bad_kind;
} bonded_work;

/* First term of a part out of `parts` equal ones of the terms [0, terms). */
static int64_t bonded_first(int64_t terms, int part, int parts)
{
    return terms * part / parts;
}

/* Evaluates the share of one thread of all terms. */
static void bonded_part(const myr_bonded *b, const double *const x[3], const bonded_work *w, int thread,
                        myr_bonded_sink *sink, int *bad_kind)
{
    const int64_t n = b->t->atoms;
    for (int c = 0; c < 3; c++)
        sink->sum[c] = b->sum + ((int64_t)3 * thread + c) * n;
    memset(sink->sum[0], 0, (size_t)(3 * n) * sizeof(int64_t));
    for (int kind = 0; kind < BONDED_KINDS && sink->bad < 0; kind++) {
        const int64_t first = bonded_first(bonded_terms(b->t, kind), w->rank, w->ranks);
        const int64_t terms = bonded_first(bonded_terms(b->t, kind), w->rank + 1, w->ranks) - first;
        bonded_kinds[kind].run(b, x, first + bonded_first(terms, thread, w->threads),
                               first + bonded_first(terms, thread + 1, w->threads), sink);
        *bad_kind = kind;
    }
}

static myr_status bonded_fail(const myr_bonded *b, int kind, int64_t term)
{
    const int32_t *atom = bonded_atoms(b->t, kind, term);
    return myr_context_fail(b->context, MYR_ERROR_NONFINITE,
                            "%s with the atoms %d (%s) and %d (%s) has no finite force: they are too close to each "
                            "other, or the time step is too long",
                            bonded_kinds[kind].what, atom[0] + 1, b->t->name[atom[0]], atom[1] + 1,
                            b->t->name[atom[1]]);
}

/* Evaluates the shares of all threads. */
static void bonded_run(const myr_bonded *b, const double *const x[3], bonded_work *w)
{
    const int threads = w->threads;
#if defined(_OPENMP)
#pragma omp parallel num_threads(threads) if (threads > 1)
#endif
    {
#if defined(_OPENMP)
        const int thread = omp_get_thread_num(), parts = omp_get_num_threads();
#else
        const int thread = 0, parts = 1;
#endif
        for (int part = thread; part < threads; part += parts) {
            myr_bonded_sink sink = {.bad = -1, .with_energy = w->with_energy};
            int bad_kind = 0;
            bonded_part(b, x, w, part, &sink, &bad_kind);
#if defined(_OPENMP)
#pragma omp critical
#endif
            {
                for (int k = 0; k < MYR_TERMS; k++)
                    w->energy[k] += sink.energy[k];
                if (sink.bad >= 0 &&
                    (w->bad < 0 || bad_kind < w->bad_kind || (bad_kind == w->bad_kind && sink.bad < w->bad))) {
                    w->bad = sink.bad;
                    w->bad_kind = bad_kind;
                }
            }
        }
    }
}

/* Adds the sums of all threads, and of all ranks, into those of the first thread. */
static myr_status bonded_reduce(const myr_bonded *b, const bonded_work *w)
{
    const int64_t n = 3 * b->t->atoms;
    for (int t = 1; t < w->threads; t++)
        for (int64_t i = 0; i < n; i++)
            b->sum[i] += b->sum[t * n + i];
    for (int64_t at = 0; at < n && w->ranks > 1; at += BONDED_MESSAGE) {
        const int64_t count = n - at < BONDED_MESSAGE ? n - at : BONDED_MESSAGE;
        const myr_status status = myr_ranks_sum(b->context, b->sum + at, (int)count);
        if (status)
            return status;
    }
    return MYR_OK;
}

static void bonded_add(const myr_bonded *b, double *const force[3])
{
    const int64_t n = b->t->atoms;
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < n; i++)
            force[c][i] += (double)b->sum[c * n + i] * MYR_BONDED_UNIT;
}

myr_status myr_bonded_evaluate(myr_bonded *b, int together, const double *const x[3], double *const force[3],
                               double *energy)
{
    bonded_work w = {.rank = together ? myr_ranks_me(b->context) : 0,
                     .ranks = together ? myr_ranks_count(b->context) : 1,
                     .threads = b->threads,
                     .with_energy = energy != NULL,
                     .bad = -1};
    bonded_run(b, x, &w);
    if (w.bad >= 0) /* the end of the command tells the ranks that wait for the sums */
        return bonded_fail(b, w.bad_kind, w.bad);
    myr_status status = force ? bonded_reduce(b, &w) : MYR_OK;
    if (!status && energy && w.ranks > 1)
        status = myr_ranks_sum_wide(b->context, w.energy, MYR_TERMS);
    if (status)
        return status;
    if (force)
        bonded_add(b, force);
    for (int k = 0; energy && k <= MYR_TERM_coulomb14; k++)
        energy[k] = (double)w.energy[k] * 0x1p-60;
    return MYR_OK;
}
