/* test_domains.c - a box divided into domains, each a thread with an engine of its own, moves with the bits of the
 * whole: with every bath, a barostat, restraints, planes that move, and a minimisation; particles change their domain,
 * and lists are built meanwhile. */
#include "physics/domains.h"
#include "physics/liquid.h"
#include "simulation/box_motion.h"

enum { MOST = 1372, STEPS = 200, LOOKS = 4, SEEN = 17 };

/* How particles ended, by their places in the user's set, and what was seen on the way. */
typedef struct {
    uint64_t q[3][MOST];
    double v[3][MOST], f[3][MOST];
    int32_t image[3][MOST];
    double seen[LOOKS][SEEN];
    int64_t owned, came, lists, prunes, exponent;
} outcome;

typedef struct {
    const liquid *l;
    int threads;  /* of each domain */
    int minimise; /* first */
    const int *parts;
    int drifting, check;
    outcome *to;
} course;

typedef struct {
    const course *c;
    team *team;
    int rank;
} seat;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A failure here is one of the test: threads cannot jump out of it. */
static void must(const myr_context *context, myr_status status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", myr_context_message(context));
    abort();
}

static void look(myr_molecular *m, double time, double *seen)
{
    myr_thermodynamics t;
    double momentum[3];
    must(m->context, myr_molecular_observe(m, time, &t));
    must(m->context, myr_molecular_momentum(m, momentum));
    const double all[] = {t.temperature,
                          t.pressure,
                          t.kinetic,
                          t.potential,
                          t.tail,
                          t.restraint,
                          t.bath,
                          t.volume,
                          t.density,
                          t.conserved,
                          momentum[0],
                          momentum[1],
                          momentum[2],
                          t.pressure_tensor[5],
                          t.external,
                          t.wall_impulse[2][0],
                          t.wall_impulse[2][1]};
    memcpy(seen, all, sizeof all);
}

static void collect(myr_molecular *m, int rank, outcome *to)
{
    myr_molecular_count(m);
    pthread_mutex_lock(&lock);
    for (int64_t i = 0; i < m->n; i++)
        for (int c = 0; c < 3; c++) {
            to->q[c][m->index[i]] = m->q[c][i];
            to->v[c][m->index[i]] = m->v[c][i];
            to->f[c][m->index[i]] = m->f[c][i];
            to->image[c][m->index[i]] = m->image[c][i];
        }
    to->owned += m->n;
    if (rank == 0) {
        myr_neighbour_progress p;
        myr_neighbour_progress_of(m->list, &p);
        to->lists = p.builds;
        to->prunes = p.prunes;
        to->exponent = myr_neighbour_exponent(m->list);
    }
    pthread_mutex_unlock(&lock);
}

static void *one_domain(void *argument)
{
    const seat *at = argument;
    const course *c = at->c;
    const double dt = 0.004;
    myr_context *context = NULL;
    must(NULL, myr_context_create(&context));
    must(context, myr_context_set_threads(context, c->threads));
    pthread_mutex_lock(&lock); /* checks of cmocka are not for several threads */
    myr_simulation *s = new_liquid(context, c->l);
    pthread_mutex_unlock(&lock);
    must(context, myr_box_motion_open(s));
    domain d = {.team = at->team, .rank = at->rank, .m = s->box->engine};
    d.m->options.check = c->check;
    if (at->team)
        must(context, domain_join(&d));
    if (c->minimise) {
        myr_minimum minimum;
        must(context, myr_molecular_minimise(d.m, 1e-3, 20, &minimum));
        must(context, myr_molecular_heat(d.m, 1.5, 7));
    }
    must(context, myr_molecular_start(d.m, 0));
    double seen[LOOKS][SEEN];
    for (int k = 0; k < STEPS; k++) {
        int64_t made;
        const double time = dt * k;
        if (c->l->box.exact_reverse && k == STEPS / 2)
            must(context, myr_molecular_reverse(d.m));
        must(context, myr_molecular_step(d.m, &time, dt, k, 1, &made));
        if ((k + 1) % (STEPS / LOOKS) == 0)
            look(d.m, dt * (k + 1), seen[k / (STEPS / LOOKS)]);
    }
    collect(d.m, d.rank, c->to);
    if (d.rank == 0)
        memcpy(c->to->seen, seen, sizeof seen);
    pthread_mutex_lock(&lock);
    c->to->came += d.came;
    pthread_mutex_unlock(&lock);
    domain_leave(&d);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
    return NULL;
}

static void run_course(const course *c)
{
    static team t;
    seat at[TEAM_MOST];
    pthread_t thread[TEAM_MOST];
    memset(c->to, 0, sizeof *c->to);
    if (!c->parts) {
        seat alone = {c, NULL, 0};
        one_domain(&alone);
        return;
    }
    memset(&t, 0, sizeof t);
    memcpy(t.parts, c->parts, sizeof t.parts);
    t.count = t.parts[0] * t.parts[1] * t.parts[2];
    t.drifting = c->drifting;
    assert_int_equal(pthread_barrier_init(&t.barrier, NULL, (unsigned)t.count), 0);
    assert_int_equal(pthread_mutex_init(&t.lock, NULL), 0);
    for (int r = 0; r < t.count; r++) {
        at[r] = (seat){c, &t, r};
        assert_int_equal(pthread_create(thread + r, NULL, one_domain, at + r), 0);
    }
    for (int r = 0; r < t.count; r++)
        assert_int_equal(pthread_join(thread[r], NULL), 0);
    pthread_barrier_destroy(&t.barrier);
    pthread_mutex_destroy(&t.lock);
}

static void same(const outcome *a, const outcome *b, int64_t n)
{
    assert_int_equal(a->owned, n);
    for (int c = 0; c < 3; c++) {
        assert_memory_equal(a->q[c], b->q[c], (size_t)n * sizeof *a->q[c]);
        assert_memory_equal(a->v[c], b->v[c], (size_t)n * sizeof *a->v[c]);
        assert_memory_equal(a->f[c], b->f[c], (size_t)n * sizeof *a->f[c]);
        assert_memory_equal(a->image[c], b->image[c], (size_t)n * sizeof *a->image[c]);
    }
    assert_memory_equal(a->seen, b->seen, sizeof a->seen);
    assert_int_equal(a->exponent, b->exponent);
}

/* The whole, then divided in these ways. */
static void compare(const char *what, const liquid *l, int minimise, const int (*parts)[3], int ways)
{
    static outcome whole, divided;
    run_course(&(course){.l = l, .threads = 1, .minimise = minimise, .to = &whole});
    for (int k = 0; k < ways; k++) {
        run_course(&(course){.l = l,
                             .threads = 1 + k % 2,
                             .minimise = minimise,
                             .parts = parts[k],
                             .drifting = k % 2,
                             .check = k == 2 && l->n < 1000, /* every list at every step, against all pairs */
                             .to = &divided});
        print_message(
            "%s, %d x %d x %d domains: %lld particles changed domain, %lld lists, %lld prunings (whole: %lld, "
            "%lld)\n",
            what, parts[k][0], parts[k][1], parts[k][2], (long long)divided.came, (long long)divided.lists,
            (long long)divided.prunes, (long long)whole.lists, (long long)whole.prunes);
        same(&divided, &whole, l->n);
        assert_true(divided.came > 0 && divided.lists > 2);
        assert_true(!(l->box.skin > 0) || divided.prunes > 2 * divided.lists);
    }
}

static const int ways[][3] = {{2, 1, 1}, {1, 3, 1}, {2, 1, 2}, {2, 2, 2}, {1, 1, 5}};

static void test_verlet(void **state)
{
    (void)state;
    compare("verlet", &(liquid){.n = 864, .density = 0.8, .temperature = 1.5, .arithmetic = "single"}, 0, ways, 5);
}

/* Velocities are turned after half of the steps. */
static void test_exact_reverse(void **state)
{
    (void)state;
    const liquid l = {.n = 864,
                      .density = 0.8,
                      .temperature = 1.5,
                      .arithmetic = "single",
                      .settings = SETTINGS({"dt", 0.004, NULL}),
                      .box = {.exact_reverse = 1}};
    compare("exact_reverse", &l, 0, ways + 1, 3);
}

/* A long skin, so that lists are pruned while they are used. */
static void test_pruned(void **state)
{
    (void)state;
    const liquid l = {.n = 864, .density = 0.8, .temperature = 1.5, .arithmetic = "single", .box = {.skin = 0.6}};
    compare("pruned lists", &l, 0, ways, 3);
}

static void test_langevin(void **state)
{
    (void)state;
    const liquid l = {.n = 1372,
                      .density = 0.7,
                      .temperature = 2,
                      .arithmetic = "single",
                      .integrator = "langevin",
                      .settings = SETTINGS({"temperature", 1.2, NULL}, {"friction", 2, NULL})};
    compare("langevin", &l, 0, ways, 4);
}

static void test_nose_hoover(void **state)
{
    (void)state;
    const liquid l = {.n = 864,
                      .density = 0.8,
                      .temperature = 2,
                      .integrator = "nose_hoover",
                      .box = {.centre_interval = 30},
                      .settings = SETTINGS({"temperature", 1.2, NULL}, {"period", 0.5, NULL})};
    compare("nose_hoover", &l, 0, ways + 1, 2);
}

static void test_berendsen(void **state)
{
    (void)state;
    const liquid l = {.n = 864,
                      .density = 0.8,
                      .temperature = 2,
                      .arithmetic = "portable",
                      .integrator = "berendsen",
                      .box = {.restraint = 20, .restraint_type = -1},
                      .settings = SETTINGS({"temperature", 1.2, NULL}, {"period", 0.5, NULL})};
    compare("berendsen and restraints", &l, 0, ways + 2, 2);
}

static void test_barostat(void **state)
{
    (void)state;
    const liquid l = {.n = 864,
                      .density = 0.7,
                      .temperature = 1.5,
                      .arithmetic = "single",
                      .integrator = "langevin",
                      .box = {.pressure_interval = 10, .pressure = 2, .pressure_end = 2, .anisotropic = 1},
                      .settings = SETTINGS({"temperature", 1.5, NULL}, {"friction", 2, NULL})};
    compare("barostat", &l, 0, ways + 1, 3);
}

static void test_minimise(void **state)
{
    (void)state;
    const liquid l = {.n = 864, .density = 0.6, .temperature = 3, .arithmetic = "single"};
    compare("minimisation", &l, 1, ways + 3, 1);
}

/* Open axes and plain sums are refused, with the reason. */
/* Fields and walls: each domain has the wall or not, and the impulses on it are those of all. */
static void test_fields(void **state)
{
    (void)state;
    static const char *const names[] = {"verlet", "langevin", "nose_hoover"};
    static const liquid_field fields[] = {
        {"uniform_field", {{"acceleration_z", -0.5, NULL}, {"acceleration_x", 0.1, NULL}}},
        {"harmonic", {{"omega_y", 0.3, NULL}}},
        {0}};
    for (int k = 0; k < 4; k++) {
        const myr_wall wall = {k % 2 ? MYR_WALL_LJ93 : MYR_WALL_REFLECTING, -6.5, 6.5, 2, 1, 2.5};
        const liquid l = {.n = 1372,
                          .density = 0.7,
                          .temperature = 1.5,
                          .arithmetic = "single",
                          .integrator = names[k % 3],
                          .settings = k % 3 ? SETTINGS({"temperature", 1.2, NULL}) : NULL,
                          .fields = fields,
                          .box = {.wall = {[2] = wall}}};
        compare(names[k % 3], &l, k == 3, ways + 2, 2);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const liquid plain = {.n = 864, .density = 0.8, .temperature = 1, .accumulator = "double"};
    const myr_molecular_links links = {0};
    myr_context *context = liquid_context();
    myr_simulation *s = new_liquid(context, &plain);
    expect_ok(context, myr_box_motion_open(s));
    assert_int_equal(myr_molecular_divide(s->box->engine, &links), MYR_ERROR_COMBINATION);
    assert_non_null(strstr(myr_context_message(context), "accumulator fixed"));
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pruned),   cmocka_unit_test(test_verlet),      cmocka_unit_test(test_exact_reverse),
        cmocka_unit_test(test_langevin), cmocka_unit_test(test_nose_hoover), cmocka_unit_test(test_berendsen),
        cmocka_unit_test(test_barostat), cmocka_unit_test(test_minimise),    cmocka_unit_test(test_fields),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
