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

enum { BONDED_PER_THREAD = 2048, BONDED_MESSAGE = 1 << 20 };

struct myr_bonded {
    const myr_topology *t;
    myr_context *context;
    molecule_law law;
    molecule_term *term[MYR_BONDED_KINDS]; /* [terms of the kind] */
    int threads;
    int64_t *sum; /* [threads][3][atoms], forces in units of MYR_BONDED_UNIT */
};

/* Sums of one thread: forces, and energies in units of 2^-60. */
typedef struct {
    int64_t *sum[3];
    int64_t bad; /* index of a term whose force exceeded MYR_BONDED_LIMIT, or -1 */
    int with_energy;
    myr_wide energy[MYR_TERMS];
} bonded_sink;

/* --- terms -------------------------------------------------------------------------------------------------------- */

/* Adds the forces on the first n - 1 atoms of a term; the last atom gets minus their sum. */
static void bonded_give(bonded_sink *sink, int64_t term, int n, const int32_t *atom, double (*f)[3])
{
    for (int c = 0; c < 3; c++) {
        int64_t rest = 0;
        int bad = 0;
        for (int a = 0; a < n - 1; a++) {
            const int64_t q = term_round(f[a][c], &bad);
            sink->sum[c][atom[a]] += q;
            rest -= q;
        }
        if (bad && sink->bad < 0)
            sink->bad = term;
        if (n > 0)
            sink->sum[c][atom[n - 1]] += rest;
    }
}

static void bonded_count(bonded_sink *sink, myr_term kind, double energy)
{
    if (sink->with_energy && fabs(energy) < 0x1p+60)
        sink->energy[kind] += (myr_wide)(energy * 0x1p+60);
}

/* Evaluates the terms [first, end) of a kind at positions x[3][atoms]. */
static void bonded_range(const myr_bonded *b, int kind, double *const x[3], int64_t first, int64_t end,
                         bonded_sink *sink)
{
    static const myr_term energy_of[MYR_BONDED_KINDS] = {MYR_TERM_bond, MYR_TERM_angle, MYR_TERM_dihedral,
                                                         MYR_TERM_lj14};
    for (int64_t k = first; k < end; k++) {
        const molecule_term *t = &b->term[kind][k];
        double f[3][3], energy[2] = {0, 0};
        if (t->rigid)
            continue;
        const int atoms = molecule_term_force(kind, t, &b->law, x, f, energy);
        bonded_give(sink, k, atoms, t->atom, f);
        bonded_count(sink, energy_of[kind], energy[0]);
        if (kind == MYR_BONDED_PAIRS14)
            bonded_count(sink, MYR_TERM_coulomb14, energy[1]);
    }
}

static const char *const bonded_what[MYR_BONDED_KINDS] = {"a bond", "an angle", "a dihedral", "a 1-4 pair"};

int64_t myr_bonded_terms(const myr_bonded *b, int kind, const molecule_term **term)
{
    const int64_t count[MYR_BONDED_KINDS] = {b->t->bonds, b->t->angles, b->t->dihedrals, b->t->pairs14};
    if (term)
        *term = b->term[kind];
    return count[kind];
}

const molecule_law *myr_bonded_law(const myr_bonded *b)
{
    return &b->law;
}

/* --- creation ----------------------------------------------------------------------------------------------------- */

/* Terms of the topology in the form of the formulas, which want the last atom of a term last. */
static void bonded_fill(myr_bonded *b)
{
    const myr_topology *t = b->t;
    for (int64_t k = 0; k < t->bonds; k++) {
        const myr_bond *from = &t->bond[k];
        b->term[MYR_BONDED_BONDS][k] =
            (molecule_term){.atom = {from->atom[0], from->atom[1]}, .k = from->k, .rest = from->length};
    }
    for (int64_t k = 0; k < t->angles; k++) {
        const myr_angle *from = &t->angle[k];
        b->term[MYR_BONDED_ANGLES][k] =
            (molecule_term){.atom = {from->atom[0], from->atom[2], from->atom[1]}, .k = from->k, .rest = from->theta};
    }
    for (int64_t k = 0; k < t->dihedrals; k++) {
        const myr_dihedral *from = &t->dihedral[k];
        b->term[MYR_BONDED_DIHEDRALS][k] =
            (molecule_term){.atom = {from->atom[0], from->atom[3], from->atom[1], from->atom[2]},
                            .n = from->n,
                            .k = from->k,
                            .cosine = cos(from->phase),
                            .sine = sin(from->phase)};
    }
    for (int64_t k = 0; k < t->pairs14; k++) {
        const myr_pair14 *from = &t->pair14[k];
        const int32_t i = from->atom[0], j = from->atom[1];
        const int64_t types = (int64_t)t->type[i] * t->types + t->type[j];
        b->term[MYR_BONDED_PAIRS14][k] = (molecule_term){.atom = {i, j},
                                                         .k = 4 * from->lj * t->epsilon[types],
                                                         .rest = t->sigma[types] * t->sigma[types],
                                                         .cosine = from->coulomb * t->charge[i] * t->charge[j]};
    }
}

myr_status myr_bonded_create(const myr_topology *topology, const myr_interaction *pairs, myr_bonded **bonded)
{
    myr_bonded *b = *bonded = calloc(1, sizeof *b);
    if (!b)
        return myr_context_fail(topology->context, MYR_ERROR_MEMORY, "no memory for the terms of a molecule");
    b->t = topology;
    b->context = topology->context;
    int64_t terms = 0;
    for (int k = 0; k < MYR_BONDED_KINDS; k++)
        terms += myr_bonded_terms(b, k, NULL);
    b->threads = myr_context_threads(b->context);
    if (b->threads > 1 + terms / BONDED_PER_THREAD)
        b->threads = (int)(1 + terms / BONDED_PER_THREAD);
    b->sum = myr_memory_zeros(3 * topology->atoms * b->threads, sizeof *b->sum);
    int made = b->sum != NULL;
    for (int k = 0; k < MYR_BONDED_KINDS; k++)
        made &= (b->term[k] = myr_memory_zeros(myr_bonded_terms(b, k, NULL) + 1, sizeof **b->term)) != NULL;
    myr_status status = made ? myr_pair14_prepare(pairs, &b->law)
                             : myr_context_fail(b->context, MYR_ERROR_MEMORY, "no memory for the terms of a molecule");
    if (status)
        myr_bonded_destroy(bonded);
    else
        bonded_fill(b);
    return status;
}

void myr_bonded_destroy(myr_bonded **bonded)
{
    if (!bonded || !*bonded)
        return;
    for (int k = 0; k < MYR_BONDED_KINDS; k++)
        free((*bonded)->term[k]);
    free((*bonded)->sum);
    free(*bonded);
    *bonded = NULL;
}

void myr_bonded_constrain(myr_bonded *bonded, int rigid)
{
    for (int64_t k = 0; k < bonded->t->bonds; k++)
        bonded->term[MYR_BONDED_BONDS][k].rigid = rigid && bonded->t->bond[k].hydrogen;
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
static void bonded_part(const myr_bonded *b, double *const x[3], const bonded_work *w, int thread, bonded_sink *sink,
                        int *bad_kind)
{
    const int64_t n = b->t->atoms;
    for (int c = 0; c < 3; c++)
        sink->sum[c] = b->sum + ((int64_t)3 * thread + c) * n;
    memset(sink->sum[0], 0, (size_t)(3 * n) * sizeof(int64_t));
    for (int kind = 0; kind < MYR_BONDED_KINDS && sink->bad < 0; kind++) {
        const int64_t first = bonded_first(myr_bonded_terms(b, kind, NULL), w->rank, w->ranks);
        const int64_t terms = bonded_first(myr_bonded_terms(b, kind, NULL), w->rank + 1, w->ranks) - first;
        bonded_range(b, kind, x, first + bonded_first(terms, thread, w->threads),
                     first + bonded_first(terms, thread + 1, w->threads), sink);
        *bad_kind = kind;
    }
}

static myr_status bonded_fail(const myr_bonded *b, int kind, int64_t term)
{
    const int32_t *atom = b->term[kind][term].atom;
    return myr_context_fail(b->context, MYR_ERROR_NONFINITE,
                            "%s with the atoms %d (%s) and %d (%s) has no finite force: they are too close to each "
                            "other, or the time step is too long",
                            bonded_what[kind], atom[0] + 1, b->t->name[atom[0]], atom[1] + 1, b->t->name[atom[1]]);
}

/* Evaluates the shares of all threads. */
static void bonded_run(const myr_bonded *b, double *const x[3], bonded_work *w)
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
            bonded_sink sink = {.bad = -1, .with_energy = w->with_energy};
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
    double *const at[3] = {(double *)x[0], (double *)x[1], (double *)x[2]}; /* which is only read */
    bonded_run(b, at, &w);
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
