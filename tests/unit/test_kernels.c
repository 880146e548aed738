/* test_kernels.c - what kernel headers promise about single pairs, in double arithmetic: descriptors that agree with
 * the constants, sources that count for nothing, opposite outputs to the bit, a defined answer at r = 0, derivatives.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MYR_ARITH 3 /* double */
#define MYR_LANE_BYTES 0
#include "backend/lane/lane.h"

#include "backend/guard.h"
#include "kernel/headers.h"

enum { FIELDS = MYR_KERNEL_COMPONENTS, OUTPUTS = MYR_KERNEL_OUTPUTS_MAX };

/* One pair of particles and what the user set. */
typedef struct {
    double xi[3], xj[3];
    double fi[FIELDS], fj[FIELDS];
    double parameter[MYR_KERNEL_PARAMETERS];
    double user[2]; /* epsilon, sigma */
} pair_case;

/* The contributions of the pair; `careful` as in the loop that checks. Returns how many pairs were left out. */
typedef int (*pair_fn)(const pair_case *p, int careful, double *out);

typedef struct {
    const myr_kernel_desc *desc;
    pair_fn pair;
    int coords, target, source, constants, outputs, table;
    int issue; /* vector instructions beside functions */
} kernel_row;

/* The instructions beside functions: what functions take is left out. */
enum { RSQRT = 0, RECIP = 0, EXP = 0, LOG = 0, SIN = 0 };
enum {
#define MYR_OPERATIONS(name, flops, flops_gpu, issue) name##_ISSUE = issue,
#include "interaction/operation_counts.def"
#undef MYR_OPERATIONS
};

#define MYR_KERNEL(name, header)                                                                                       \
    static int pair_##name(const pair_case *p, int careful, double *out)                                               \
    {                                                                                                                  \
        double constant[MYR_KERNEL_CONSTANTS_MAX] = {0}, table[MYR_KERNEL_PAIR_MAX] = {0};                             \
        double s[OUTPUTS], d[OUTPUTS];                                                                                 \
        const double factor = name##_prepare(p->parameter, constant);                                                  \
        lennard_jones_potential_prepare_pair(p->user, table);                                                          \
        myr_pair in = {p->xi, p->xj, p->fi, p->fj, table, constant};                                                   \
        myr_guard guard = {careful, 1, 0, 0};                                                                          \
        name##_pair(&in, &guard, s, d);                                                                                \
        for (int k = 0; k < name##_OUTPUTS; k++)                                                                       \
            out[k] = careful && !guard.ok ? 0.0 : factor * (s[k] * d[k]);                                              \
        return (int)guard.skipped;                                                                                     \
    }
#include "kernel/kernels.def"
#undef MYR_KERNEL

static const kernel_row rows[] = {
#define MYR_KERNEL(name, header)                                                                                       \
    {&name##_desc,     pair_##name,    name##_COORDS, name##_TARGET, name##_SOURCE,                                    \
     name##_CONSTANTS, name##_OUTPUTS, name##_PAIR,   name##_ISSUE},
#include "kernel/kernels.def"
#undef MYR_KERNEL
};
enum { ROWS = sizeof rows / sizeof *rows };

static double uniform(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* A random pair at distances around 1, with the kernel's defaults but for a constant that would hide roundings. */
static pair_case random_case(const kernel_row *row)
{
    pair_case p;
    for (int k = 0; k < 3; k++) {
        p.xi[k] = uniform();
        p.xj[k] = uniform() + 0.5;
    }
    for (int k = 0; k < FIELDS; k++) {
        p.fi[k] = 0.1 + uniform();
        p.fj[k] = 0.1 + uniform();
    }
    for (int k = 0; k < MYR_KERNEL_PARAMETERS; k++)
        p.parameter[k] = row->desc->parameter[k].value;
    for (int k = 0; row->desc->parameter[k].name; k++)
        if (strcmp(row->desc->parameter[k].name, "coulomb") == 0)
            p.parameter[k] = 1.7;
    p.user[0] = 0.3;
    p.user[1] = 0.9;
    return p;
}

static int sum_fields(const myr_kernel_field *field)
{
    int sum = 0, k = 0;
    for (; k < MYR_KERNEL_FIELDS && field[k].name; k++)
        sum += field[k].components;
    assert_true(k < MYR_KERNEL_FIELDS); /* a null name ends them */
    return sum;
}

static int strengths_are_neighbours(const myr_kernel_desc *d)
{
    int blocks = 0;
    for (int k = 0; d->source[k].name; k++)
        blocks += d->source[k].is_strength && (k == 0 || !d->source[k - 1].is_strength);
    return blocks <= 1;
}

static void descriptors_agree(void **state)
{
    (void)state;
    for (int r = 0; r < ROWS; r++) {
        const kernel_row *row = &rows[r];
        const myr_kernel_desc *d = row->desc;
        int outputs = 0, parameters = 0;
        for (int k = 0; d->output[k].name; k++)
            outputs += d->output[k].components;
        for (; parameters < MYR_KERNEL_PARAMETERS && d->parameter[parameters].name; parameters++) {
            const myr_kernel_parameter *q = &d->parameter[parameters];
            assert_true(q->lower <= q->value && q->value <= q->upper && q->text);
        }
        assert_int_equal(row->coords, d->coords);
        assert_int_equal(row->target, sum_fields(d->target));
        assert_int_equal(row->source, sum_fields(d->source));
        assert_int_equal(row->outputs, outputs);
        assert_true(row->target <= FIELDS && row->source <= FIELDS);
        assert_true(row->outputs <= OUTPUTS && row->constants <= MYR_KERNEL_CONSTANTS_MAX);
        assert_int_equal(row->table > 0, d->pair[0] != NULL);
        assert_true(myr_kernel_strength(d) + myr_kernel_strengths(d) <= row->source);
        assert_true(strengths_are_neighbours(d));
        assert_true(myr_kernel_strength(d) >= 0 || row->table > 0);
        assert_true(myr_kernel_cutoff(d) < parameters);
        assert_true(d->text && d->formula);
        assert_int_equal(d->is_short, row->issue <= MYR_KERNEL_SHORT);
    }
}

/* A source whose null components and row of the table are 0 adds exactly 0, whatever its other fields. */
static void null_sources_add_nothing(void **state)
{
    (void)state;
    for (int r = 0; r < ROWS; r++) {
        for (int t = 0; t < 50; t++) {
            pair_case p = random_case(&rows[r]);
            double out[OUTPUTS];
            for (int k = 0; k < myr_kernel_strengths(rows[r].desc); k++)
                p.fj[myr_kernel_strength(rows[r].desc) + k] = 0.0;
            p.user[0] = p.user[1] = 0.0;
            rows[r].pair(&p, 0, out);
            for (int k = 0; k < rows[r].outputs; k++)
                assert_true(out[k] == 0.0);
        }
    }
}

/* The fields of the other particle: by name, target and source may list them differently. */
static void swap_roles(const kernel_row *row, const pair_case *p, pair_case *q)
{
    *q = *p;
    memcpy(q->xi, p->xj, sizeof q->xi);
    memcpy(q->xj, p->xi, sizeof q->xj);
    int at = 0;
    for (int k = 0; row->desc->target[k].name; k++) {
        int from = 0;
        for (int m = 0; row->desc->source[m].name; m++) {
            if (strcmp(row->desc->source[m].name, row->desc->target[k].name) == 0) {
                for (int c = 0; c < row->desc->target[k].components; c++) {
                    q->fi[at + c] = p->fj[from + c];
                    q->fj[from + c] = p->fi[at + c];
                }
            }
            from += row->desc->source[m].components;
        }
        at += row->desc->target[k].components;
    }
}

/* Outputs that are declared antisymmetric are opposite to the bit when target and source change places. Fields that
 * only sources have (masses) stay as they are, which makes them equal. */
static void opposite_to_the_bit(void **state)
{
    int checked = 0;
    (void)state;
    for (int r = 0; r < ROWS; r++) {
        for (int t = 0; t < 200; t++) {
            pair_case p = random_case(&rows[r]), q;
            double forth[OUTPUTS], back[OUTPUTS];
            int at = 0;
            swap_roles(&rows[r], &p, &q);
            rows[r].pair(&p, 0, forth);
            rows[r].pair(&q, 0, back);
            for (int k = 0; rows[r].desc->output[k].name; k++) {
                for (int c = 0; c < rows[r].desc->output[k].components; c++, at++) {
                    if (rows[r].desc->output[k].symmetry != MYR_SYMMETRY_NONE) {
                        assert_true(forth[at] == -back[at]);
                        checked++;
                    }
                }
            }
        }
    }
    assert_true(checked > 10000);
}

/* r = 0: either the formula has a value, or it gives no finite one in the fast loop and the careful loop leaves the
 * pair out and counts it. A self pair that "vanishes" is exactly 0 then. */
static void at_one_place(void **state)
{
    (void)state;
    for (int r = 0; r < ROWS; r++) {
        pair_case p = random_case(&rows[r]);
        double fast[OUTPUTS], careful[OUTPUTS];
        int finite = 1;
        memcpy(p.xj, p.xi, sizeof p.xj);
        rows[r].pair(&p, 0, fast);
        const int skipped = rows[r].pair(&p, 1, careful);
        for (int k = 0; k < rows[r].outputs; k++) {
            finite &= isfinite(fast[k]) != 0;
            assert_true(isfinite(careful[k]));
            if (skipped || rows[r].desc->self == MYR_SELF_VANISHES)
                assert_true(careful[k] == 0.0);
        }
        assert_int_equal(skipped, !finite);
    }
}

static const kernel_row *find(const char *name)
{
    for (int r = 0; r < ROWS; r++)
        if (strcmp(rows[r].desc->name, name) == 0)
            return &rows[r];
    fail_msg("no kernel %s", name);
    return NULL;
}

/* Kernels with more outputs give the same bits for the outputs they share. */
static void variants_agree(void **state)
{
    static const char *const pairs[][2] = {
        {"gravity", "gravity_potential"},
        {"gravity", "gravity_jerk"},
        {"gravity_spline", "gravity_potential_spline"},
        {"gravity_spline", "gravity_jerk_spline"},
        {"lennard_jones", "lennard_jones_potential"},
        {"ljc_constant", "ljc_constant_potential"},
        {"ljc_linear", "ljc_linear_potential"},
        {"ljc_sigmoidal", "ljc_sigmoidal_potential"},
        {"biot_savart", "velocity_stretching"},
        {"biot_savart", "velocity_stretching_transposed"},
        {"biot_savart", "velocity_stretching_mixed"},
    };
    (void)state;
    for (size_t v = 0; v < sizeof pairs / sizeof *pairs; v++) {
        const kernel_row *few = find(pairs[v][0]), *more = find(pairs[v][1]);
        for (int t = 0; t < 50; t++) {
            double a[OUTPUTS], b[OUTPUTS];
            pair_case p = random_case(few), q = p;
            if (myr_kernel_strength(few->desc) != myr_kernel_strength(more->desc)) /* mass after velocity */
                q.fj[myr_kernel_strength(more->desc)] = p.fj[myr_kernel_strength(few->desc)];
            few->pair(&p, 0, a);
            more->pair(&q, 0, b);
            for (int k = 0; k < 3; k++)
                assert_true(a[k] == b[k]);
        }
    }
}

/* Jerk is the derivative of the acceleration in time: differences of the fourth order. */
static void jerk_is_a_derivative(void **state)
{
    static const char *const kernels[] = {"gravity_jerk", "gravity_jerk_spline"};
    const double h = 1e-3;
    (void)state;
    for (int v = 0; v < 2; v++) {
        const kernel_row *row = find(kernels[v]);
        for (int t = 0; t < 500; t++) {
            pair_case p = random_case(row);
            double out[OUTPUTS], a[4][OUTPUTS], size = 0.0, worst = 0.0;
            p.parameter[0] = v == 0 ? 0.1 : 2.0; /* eps, h: most pairs are inside */
            row->pair(&p, 0, out);
            for (int m = 0; m < 4; m++) {
                pair_case q = p;
                for (int k = 0; k < 3; k++) {
                    q.xi[k] += (m < 2 ? m - 2 : m - 1) * h * p.fi[k];
                    q.xj[k] += (m < 2 ? m - 2 : m - 1) * h * p.fj[k];
                }
                row->pair(&q, 0, a[m]);
            }
            for (int k = 0; k < 3; k++) {
                const double slope = (a[0][k] - 8.0 * a[1][k] + 8.0 * a[2][k] - a[3][k]) / (12.0 * h);
                worst = fmax(worst, fabs(out[3 + k] - slope));
                size = fmax(size, fabs(slope));
            }
            assert_true(worst <= 5e-9 * size); /* measured 9.8e-10, where the pair is close */
        }
    }
}

/* Acceleration, jerk and potential of the spline have no step where its pieces meet. */
static void spline_is_continuous(void **state)
{
    const kernel_row *row = find("gravity_jerk_spline");
    (void)state;
    for (int v = 0; v < 2; v++) {
        pair_case p = random_case(row);
        double below[OUTPUTS], above[OUTPUTS];
        p.parameter[0] = 2.0;
        memset(p.xi, 0, sizeof p.xi);
        memset(p.xj, 0, sizeof p.xj);
        p.xj[0] = (v == 0 ? 1.0 : 2.0) * (1.0 - 1e-13);
        row->pair(&p, 0, below);
        p.xj[0] = (v == 0 ? 1.0 : 2.0) * (1.0 + 1e-13);
        row->pair(&p, 0, above);
        for (int k = 0; k < row->outputs; k++)
            assert_true(fabs(below[k] - above[k]) <= 3e-12 * fabs(above[k])); /* measured 9.0e-13 */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_agree),    cmocka_unit_test(null_sources_add_nothing),
        cmocka_unit_test(opposite_to_the_bit),  cmocka_unit_test(at_one_place),
        cmocka_unit_test(variants_agree),       cmocka_unit_test(jerk_is_a_derivative),
        cmocka_unit_test(spline_is_continuous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
