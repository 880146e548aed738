/* box_state.c - creation of the engine from a particle set, and its state in a checkpoint. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "molecular/molecular.h"
#include "molecular/molecule_gpu.h"

enum { OPEN_ROOM = 16 };
/* Angstrom; stands for the cutoff of a molecule, which has none: an atom that moves further than half of it in one step
 * is reported as an error */
#define MOLECULE_REACH 4.0

static const myr_choice_info cuts[] = {
    [MYR_CUT_TRUNCATED] = {"truncated", "the potential as it is, nothing beyond the cutoff", 1},
    [MYR_CUT_SHIFTED] = {"shifted", "a constant is added: the potential vanishes at the cutoff", 1},
    [MYR_CUT_SMOOTH] = {"smooth", "c0 + c2 r^2 is added: potential and force vanish at the cutoff", 1},
    [MYR_CUT_SPLINE] = {"spline", "a cubic from the inner radius to the cutoff", 1},
    [MYR_CUT_FORCE] = {"force", "c0 + c1 r is added: the force is shifted and vanishes at the cutoff", 1},
};

const myr_choice_info *myr_potential_cut(int k)
{
    return k >= 0 && k < (int)(sizeof cuts / sizeof *cuts) ? &cuts[k] : NULL;
}

myr_molecular_options myr_molecular_defaults(void)
{
    return (myr_molecular_options){.seed = 1, .restraint_type = -1};
}

/* --- checks of choices and options -------------------------------------------------------------------------------- */

static myr_status molecular_check_choices(myr_context *context, const myr_interaction *f)
{
    const char *kernel = myr_interaction_desc(f)->name;
    const char *sums = myr_catalogue_accumulator_name(f->accumulator);
    const int is_own = myr_molecular_has_formula(f);
    const myr_status refused = is_own ? myr_molecular_check_formula(context, f) : MYR_OK;
    if (refused)
        return refused;
    if (!is_own && strcmp(kernel, "lennard_jones") != 0 && strcmp(kernel, "lennard_jones_potential") != 0)
        return myr_context_fail(context, MYR_ERROR_COMBINATION,
                                "method neighbour has no loop for kernel %s; use lennard_jones, a kernel of your own "
                                "or method direct",
                                kernel);
    if (strcmp(sums, "fixed") != 0 && strcmp(sums, "single") != 0 && strcmp(sums, "double") != 0)
        return myr_context_fail(context, MYR_ERROR_COMBINATION,
                                "method neighbour does not sum by accumulator %s; use fixed, single or double", sums);
    if (f->offset)
        return myr_context_fail(context, MYR_ERROR_COMBINATION, "method neighbour knows no excluded pairs");
    return MYR_OK;
}

static myr_status molecular_check_box(myr_context *context, const myr_molecular_options *o)
{
    for (int c = 0; c < 3; c++) {
        if (!(o->box[c] >= 0) || !isfinite(o->box[c] + o->origin[c]))
            return myr_context_fail(context, MYR_ERROR_VALUE, "the box has an edge of %g along %c; it must be positive",
                                    o->box[c], "xyz"[c]);
    }
    return MYR_OK;
}

static myr_status molecular_check_options(myr_context *context, const myr_molecular_options *o, int scheme)
{
    const int open = !(o->box[0] > 0 && o->box[1] > 0 && o->box[2] > 0);
    if (!myr_potential_cut(o->cut))
        return myr_context_fail(context, MYR_ERROR_VALUE, "there is no cut %d", o->cut);
    if (o->tail && (o->cut != MYR_CUT_TRUNCATED || open))
        return myr_context_fail(context, MYR_ERROR_COMBINATION,
                                "tail corrections are for a truncated potential in a box that is periodic all ways");
    if (!(o->skin >= 0) || !isfinite(o->skin))
        return myr_context_fail(context, MYR_ERROR_VALUE, "the skin is %g; it must be positive, or 0 to be chosen",
                                o->skin);
    if (o->pressure_interval > 0 && open)
        return myr_context_fail(context, MYR_ERROR_COMBINATION,
                                "a barostat needs a box that is periodic along all three axes");
    if (o->pressure_interval > 0 && scheme == MYR_MOLECULAR_VERLET)
        return myr_context_fail(context, MYR_ERROR_COMBINATION,
                                "the barostat needs a temperature; use integrator langevin, nose_hoover or berendsen");
    return MYR_OK;
}

/* --- pair potentials ---------------------------------------------------------------------------------------------- */

/* Potential of pair k of types: own cutoff and inner radius, or those of all pairs. */
static myr_pair_potential molecular_pair(const myr_molecular *m, int k)
{
    const myr_interaction *f = m->interaction;
    const double cutoff = m->molecule                  ? MOLECULE_REACH
                          : f->length[MYR_PAIR_CUTOFF] ? f->length[MYR_PAIR_CUTOFF][k]
                                                       : f->parameter[0];
    const double inner = f->length[MYR_PAIR_INNER] ? f->length[MYR_PAIR_INNER][k] : m->options.inner;
    return (myr_pair_potential){f->pair[0][k], f->pair[1][k], cutoff, inner};
}

/* Name of pair k of types in messages; empty if there is one type. */
static const char *molecular_pair_name(const myr_molecular *m, int k, char text[48])
{
    snprintf(text, 48, m->types > 1 ? " of types %d and %d" : "", k / m->types, k % m->types);
    return text;
}

static myr_status molecular_check_pair(const myr_molecular *m, int k)
{
    const myr_pair_potential *p = &m->pair[k];
    const int own = m->interaction->length[MYR_PAIR_CUTOFF] != NULL;
    char name[48];
    if (!(p->epsilon >= 0) || !(p->sigma >= 0) || !isfinite(p->epsilon + p->sigma))
        return myr_context_fail(m->context, MYR_ERROR_VALUE,
                                "types %d and %d have epsilon %g and sigma %g; both must be positive, or 0",
                                k / m->types, k % m->types, p->epsilon, p->sigma);
    if (!(p->cutoff > 0) && !own)
        return myr_context_fail(m->context, MYR_ERROR_VALUE,
                                "method neighbour needs a cutoff; %g means none. 2.5 sigma is a usual one", p->cutoff);
    if (!(p->cutoff > 0) || !isfinite(p->cutoff))
        return myr_context_fail(m->context, MYR_ERROR_VALUE,
                                "method neighbour needs a cutoff%s above 0; %g was given. 2.5 sigma is a usual one",
                                molecular_pair_name(m, k, name), p->cutoff);
    if (m->options.cut == MYR_CUT_SPLINE && myr_cut_interacts(p) && !(p->inner > 0 && p->inner < p->cutoff))
        return myr_context_fail(m->context, MYR_ERROR_VALUE,
                                "the inner radius of the spline%s is %g; it must be between 0 and the cutoff %g",
                                own ? molecular_pair_name(m, k, name) : "", p->inner, p->cutoff);
    return MYR_OK;
}

static myr_status molecular_pairs(myr_molecular *m)
{
    const myr_interaction *f = m->interaction;
    if (!f->types || !f->pair[0] || !f->pair[1])
        return myr_context_fail(m->context, MYR_ERROR_VALUE, "epsilon and sigma of the types have not been given");
    m->types = f->types;
    m->pair = calloc((size_t)f->types * (size_t)f->types, sizeof *m->pair);
    m->count = calloc((size_t)f->types, sizeof *m->count);
    if (!m->pair || !m->count)
        return myr_context_fail(m->context, MYR_ERROR_MEMORY, "no memory for pairs of %d types", f->types);
    for (int k = 0; k < f->types * f->types; k++) {
        m->pair[k] = molecular_pair(m, k);
        const myr_pair_potential *p = &m->pair[k];
        const myr_status status = molecular_check_pair(m, k);
        if (status)
            return status;
        m->epsilon = fmax(m->epsilon, p->epsilon);
        if (!myr_cut_interacts(p))
            continue;
        m->sigma = m->sigma > 0 ? fmin(m->sigma, p->sigma) : p->sigma;
        m->cutoff[0] = m->cutoff[0] > 0 ? fmin(m->cutoff[0], p->cutoff) : p->cutoff;
        m->cutoff[1] = fmax(m->cutoff[1], p->cutoff);
    }
    if (!(m->sigma > 0)) { /* no pair interacts; positive scales are still needed */
        m->sigma = m->epsilon = 1;
        m->cutoff[0] = m->cutoff[1] = m->pair[0].cutoff;
    }
    return MYR_OK;
}

/* --- particles ---------------------------------------------------------------------------------------------------- */

/* Length of an open axis: a power of two, at least OPEN_ROOM times the extent of the particles, which are in its
 * middle. */
static void molecular_open_axis(myr_molecular *m, int c, double low, double high)
{
    const myr_wall *w = &m->options.wall[c];
    if (w->kind != MYR_WALL_NONE) { /* walls are within the extent */
        low = isfinite(w->low) ? fmin(low, w->low) : low;
        high = isfinite(w->high) ? fmax(high, w->high) : high;
    }
    const double extent = low <= high ? fmax(high - low, 4 * m->cutoff[1]) : 1;
    m->box.length[c] = ldexp(1, ilogb(extent * OPEN_ROOM) + 1);
    m->box.origin[c] = (low <= high ? 0.5 * (low + high) : 0) - 0.5 * m->box.length[c];
}

void myr_molecular_extent(const myr_particles *particles, double low[3], double high[3])
{
    for (int c = 0; c < 3; c++) {
        const double *x = myr_particles_component_const(particles, "position", c);
        low[c] = INFINITY;
        high[c] = -INFINITY;
        for (int64_t i = 0; x && i < myr_particles_count(particles); i++)
            if (isfinite(x[i])) { /* molecular_place reports the others */
                low[c] = fmin(low[c], x[i]);
                high[c] = fmax(high[c], x[i]);
            }
    }
}

static myr_status molecular_fill_arrays(myr_molecular *m, const myr_particles *p)
{
    const double *mass = myr_particles_component_const(p, "mass", 0);
    const int32_t *type = myr_particles_types(p);
    const int64_t *id = myr_particles_ids(p);
    for (int64_t i = 0; i < m->n; i++) {
        if (type[i] >= m->types)
            return myr_context_fail(
                m->context, MYR_ERROR_VALUE,
                m->formula.name ? "particle %lld is of type %d; a kernel of your own acts between particles of "
                                  "one type: there is %d type%s, 0"
                                : "particle %lld is of type %d, for which no epsilon and sigma are given; there "
                                  "are %d type%s, from 0",
                (long long)id[i], type[i], m->types, myr_plural(m->types));
        m->mass[i] = mass ? mass[i] : 1;
        m->inverse[i] = 1 / m->mass[i];
        if (!(m->mass[i] > 0) || !isfinite(m->inverse[i]))
            return myr_context_fail(m->context, MYR_ERROR_VALUE, "particle %lld has the mass %g; it must be positive",
                                    (long long)id[i], m->mass[i]);
        m->type[i] = type[i];
        m->count[type[i]]++;
        m->index[i] = m->before + i;
        m->id[i] = id[i];
    }
    return MYR_OK;
}

static myr_status molecular_place(myr_molecular *m, const myr_particles *p, const myr_molecular_part *part)
{
    double low[3], high[3];
    if (!part)
        myr_molecular_extent(p, low, high);
    for (int c = 0; c < 3; c++) {
        const double *x = myr_particles_component_const(p, "position", c);
        const double *v = myr_particles_component_const(p, "velocity", c);
        const double *image = myr_particles_component_const(p, "image", c);
        if (!x && m->n > 0)
            return myr_context_fail(m->context, MYR_ERROR_FIELD, "particles need a position with 3 components");
        for (int64_t i = 0; i < m->n; i++)
            if (!isfinite(x[i]) || (v && !isfinite(v[i])))
                return myr_context_fail(m->context, MYR_ERROR_NONFINITE,
                                        "position or velocity of particle %lld is not a finite number",
                                        (long long)m->id[i]);
        if (!m->box.periodic[c])
            molecular_open_axis(m, c, part ? part->low[c] : low[c], part ? part->high[c] : high[c]);
        for (int64_t i = 0; i < m->n; i++) {
            int32_t away = 0;
            m->q[c][i] = myr_box_coordinate(&m->box, c, x[i], &away);
            m->image[c][i] = m->box.periodic[c] ? away + (image ? (int32_t)image[i] : 0) : 0;
            m->v[c][i] = v ? v[i] : 0;
        }
        memcpy(m->counted[c], m->q[c], (size_t)m->n * sizeof *m->q[c]);
        if (m->anchor[c])
            memcpy(m->anchor[c], m->q[c], (size_t)m->n * sizeof *m->q[c]);
    }
    return MYR_OK;
}

/* Whether a field or wall acts along an axis. */
static int molecular_acts(const myr_molecular *m, int c)
{
    int acts = m->external.acceleration[c] != 0 || m->options.wall[c].kind != MYR_WALL_NONE || m->function.call;
    for (int k = 0; k < m->external.traps; k++)
        acts |= m->external.rate2[k][c] != 0;
    return acts;
}

/* Number of degrees of freedom. Along an axis with pair forces only momentum is conserved, which removes one; a single
 * particle keeps its three, because its velocity is all the motion there is. */
int64_t myr_molecular_degrees(const myr_molecular *m)
{
    const int kept = m->scheme != MYR_MOLECULAR_LANGEVIN && !(m->options.restraint > 0);
    int64_t all = 3 * m->all - myr_constraints_count(m->rigid);
    for (int c = 0; c < 3 && m->all > 1; c++)
        all -= m->options.centre_interval > 0 || (kept && !molecular_acts(m, c));
    return all > 0 ? all : 1;
}

static myr_status molecular_fill(myr_molecular *m, const myr_particles *particles, const myr_molecular_part *part)
{
    const myr_molecular_options *o = &m->options;
    myr_status status = m->molecule ? myr_molecular_check_molecule(m) : MYR_OK;
    if (!status)
        status = !m->molecule && myr_molecular_has_formula(m->interaction) ? myr_molecular_set_formula(m)
                                                                           : molecular_pairs(m);
    if (!status)
        status = molecular_check_box(m->context, o);
    if (!status)
        status = molecular_check_options(m->context, o, m->scheme);
    if (!status)
        status = myr_molecular_check_bath(m);
    if (!status)
        status = myr_molecular_check_walls(m);
    if (!status && o->exact_reverse)
        status = myr_molecular_check_exact(m);
    for (int c = 0; c < 3; c++) {
        m->box.periodic[c] = o->box[c] > 0;
        m->box.length[c] = o->box[c];
        m->box.origin[c] = o->origin[c];
    }
    if (!status)
        status = myr_molecular_reserve(m, m->n);
    if (!status)
        status = molecular_fill_arrays(m, particles);
    if (!status)
        status = molecular_place(m, particles, part);
    if (!status && o->restraint > 0)
        status = myr_molecular_restrain(m);
    if (!status)
        status = myr_molecular_set_walls(m);
    if (!status)
        status = myr_molecular_coulomb_open(m, particles);
    m->memory.degrees = myr_molecular_degrees(m);
    m->memory.volume_step = 0.01;
    /* Without `fixed` the sums depend on when lists are built, so that the skin must not depend on measured times. */
    m->memory.skin = o->skin > 0 || m->fixed ? o->skin : MYR_NEIGHBOUR_SKIN * (status ? 0 : m->cutoff[1]);
    if (!status)
        status = myr_molecular_list(m);
    if (!status && m->formula.name)
        myr_molecular_scale_formula(m);
    return status;
}

myr_status myr_molecular_create(myr_context *context, const myr_particles *particles, const myr_molecular_part *part,
                                const myr_interaction *f, const myr_molecular_options *options,
                                const myr_integrator_table *table, const double *parameter, myr_molecule *molecule,
                                int rigid, myr_molecular **molecular)
{
    *molecular = NULL;
    const myr_status refused = molecule ? MYR_OK : molecular_check_choices(context, f);
    if (refused)
        return refused;
    myr_molecular *m = calloc(1, sizeof *m);
    if (!m)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for particles in a box");
    m->context = context;
    m->interaction = f;
    m->options = *options;
    m->n = myr_particles_count(particles);
    m->all = part ? part->all : m->n;
    m->before = part ? part->first : 0;
    m->domains = 1;
    m->fixed = strcmp(myr_catalogue_accumulator_name(f->accumulator), "fixed") == 0;
    m->scheme = table->molecular;
    memcpy(m->parameter, parameter, sizeof m->parameter);
    m->molecule = molecule;
    myr_status status = molecule && rigid ? myr_constraints_create(molecule->t, &m->rigid) : MYR_OK;
    if (!status)
        status = molecular_fill(m, particles, part);
    if (status) {
        myr_molecular_destroy(&m);
        return status;
    }
    *molecular = m;
    return MYR_OK;
}

void myr_molecular_destroy(myr_molecular **molecular)
{
    if (!*molecular)
        return;
    myr_molecular_gpu_close(*molecular);
    myr_molecule_gpu_destroy(&(*molecular)->seat);
    myr_molecular_forget_before(*molecular);
    myr_molecular_coulomb_close(*molecular);
    myr_neighbour_destroy(&(*molecular)->list);
    myr_constraints_destroy(&(*molecular)->rigid);
    myr_memory_room_destroy(&(*molecular)->room);
    free((*molecular)->pair);
    free((*molecular)->count);
    free(*molecular);
    *molecular = NULL;
}

myr_status myr_molecular_start(myr_molecular *m, double time)
{
    m->memory.begin = m->now = time;
    myr_molecular_warn_unit(m);
    myr_status status = m->molecule ? myr_molecular_check_places(m) : MYR_OK;
    if (!status && m->molecule)
        status = myr_molecular_bind(m);
    if (!status)
        status = myr_molecular_choose_push(m);
    if (!status && m->options.exact_reverse)
        myr_molecular_choose_grid(m);
    if (!status)
        status = myr_molecular_update(m, 0);
    if (!status)
        status = myr_molecular_forces(m, m->f, NULL);
    if (!status)
        status = myr_molecular_check_overlap(m);
    if (!status)
        status = myr_molecular_check_motion(m, time);
    if (!status)
        myr_molecular_measure_reach(m);
    return status ? status : myr_molecular_gpu_open(m);
}

/* --- checkpoints -------------------------------------------------------------------------------------------------- */

void *myr_molecular_remember(myr_molecular *m, size_t *bytes)
{
    (void)myr_molecular_gpu_fetch(m); /* after a failure the arrays are those of the last copy */
    myr_molecular_count(m);
    if (m->list) {
        myr_neighbour_progress progress;
        myr_neighbour_progress_of(m->list, &progress);
        m->memory.skin = progress.skin;
        m->memory.exponent = myr_neighbour_exponent(m->list);
    }
    for (int c = 0; c < 3; c++) {
        m->memory.length[c] = m->box.length[c];
        m->memory.origin[c] = m->box.origin[c];
    }
    *bytes = sizeof m->memory;
    return &m->memory;
}

myr_status myr_molecular_saved(myr_molecular *m)
{
    if (m->fixed || !m->list)
        return MYR_OK;
    myr_molecular_gpu_changed(m);
    if (m->gpu)
        return MYR_OK;
    myr_neighbour_invalidate(m->list);
    return myr_molecular_update(m, 0);
}

myr_status myr_molecular_loaded(myr_molecular *m, int is_part)
{
    for (int c = 0; c < 3; c++) {
        m->box.length[c] = m->memory.length[c];
        m->box.origin[c] = m->memory.origin[c];
        memcpy(m->counted[c], m->q[c], (size_t)m->n * sizeof *m->q[c]);
    }
    myr_neighbour_destroy(&m->list); /* built again with the skin and the box of the checkpoint */
    myr_status status = myr_molecular_coulomb_take(m);
    if (!status)
        status = myr_molecular_list(m);
    if (status)
        return status;
    if (m->list)
        myr_neighbour_set_exponent(m->list, (int)m->memory.exponent);
    myr_molecular_map_fields(m);
    if (m->molecule)
        myr_bonded_constrain(m->molecule->bonded, m->rigid != NULL);
    if (is_part)
        return MYR_OK;
    myr_molecular_measure_reach(m);
    const myr_status updated = myr_molecular_update(m, 0);
    return updated ? updated : myr_molecular_gpu_open(m);
}
