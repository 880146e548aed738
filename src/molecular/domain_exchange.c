/* domain_exchange.c - one domain of a divided box: own particles, halo, and their exchange. The shape of the domains
 * and the messages between them are in the functions of myr_molecular_links, which the caller of myr_molecular_divide
 * provides. */
#include <stdlib.h>
#include <string.h>

#include "molecular/molecular.h"

const myr_agreement *myr_molecular_agreement(const myr_molecular *m)
{
    return m->links.agreement.add ? &m->links.agreement : NULL;
}

void myr_molecular_agree(myr_molecular *m, const myr_agreement *agreement)
{
    m->links.agreement = *agreement;
}

/* Zeroes the padding after particle n: steps process whole blocks, so that the padding must have zero mass and
 * velocity. */
static void exchange_clear_padding(myr_molecular *m)
{
    const size_t bytes = MYR_MOLECULAR_BLOCK * sizeof(double);
    for (int c = 0; c < 3; c++) {
        memset(m->v[c] + m->n, 0, bytes);
        memset(m->f[c] + m->n, 0, bytes);
    }
    memset(m->mass + m->n, 0, bytes);
    memset(m->inverse + m->n, 0, bytes);
}

/* Sums over all domains: particles, domains, particles of each type; sets the degrees of freedom. */
static myr_status exchange_count(myr_molecular *m)
{
    enum { ALL, DOMAINS, TYPES };
    myr_wide *sum = calloc((size_t)m->types + TYPES, sizeof *sum);
    if (!sum)
        return myr_context_fail(m->context, MYR_ERROR_MEMORY, "no memory for %d types", m->types);
    sum[ALL] = m->n;
    sum[DOMAINS] = 1;
    for (int64_t i = 0; i < m->n; i++)
        sum[TYPES + m->type[i]]++;
    const myr_status status = myr_agreement_add(&m->links.agreement, sum, m->types + TYPES);
    m->all = (int64_t)sum[ALL];
    m->domains = (int64_t)sum[DOMAINS];
    for (int t = 0; t < m->types; t++)
        m->count[t] = (int64_t)sum[TYPES + t];
    m->memory.degrees = myr_molecular_degrees(m);
    free(sum);
    return status;
}

void myr_molecular_keep(myr_molecular *m, int64_t first, int64_t last)
{
    myr_molecular_field field[MYR_MOLECULAR_FIELDS];
    const int fields = myr_molecular_fields(m, field);
    int64_t kept = 0;
    for (int64_t i = 0; i < m->n; i++) {
        if (m->index[i] < first || m->index[i] >= last)
            continue;
        for (int k = 0; k < fields; k++) {
            char *array = *field[k].array;
            memmove(array + (size_t)kept * field[k].bytes, array + (size_t)i * field[k].bytes, field[k].bytes);
        }
        kept++;
    }
    m->n = kept;
}

/* Checks conditions that every domain can check by itself with the same result. */
static myr_status exchange_check(const myr_molecular *m)
{
    if (m->molecule)
        return myr_context_fail(m->context, MYR_ERROR_COMBINATION,
                                "the atoms of a molecule all act on each other and cannot be divided into domains");
    if (!m->fixed)
        return myr_context_fail(m->context, MYR_ERROR_COMBINATION,
                                "a box that is divided into domains has fixed sums: use accumulator fixed");
    return m->divided ? myr_context_fail(m->context, MYR_ERROR_ARGUMENT, "the box has been divided already") : MYR_OK;
}

myr_status myr_molecular_divide(myr_molecular *m, const myr_molecular_links *links)
{
    myr_status status = exchange_check(m);
    if (!status)
        status = myr_molecular_gpu_fetch(m);
    if (status)
        return status;
    myr_molecular_gpu_close(m); /* the domains have GPUs of their own */
    const int exponent = myr_neighbour_exponent(m->list);
    myr_neighbour_destroy(&m->list);
    m->links = *links;
    m->divided = 1;
    status = exchange_count(m);
    if (!status)
        status = myr_molecular_list(m);
    if (status)
        return status;
    myr_neighbour_set_exponent(m->list, exponent);
    return myr_molecular_update(m, 0);
}

/* --- list check and halo exchange, overlapped with the forces between own particles ------------------------------- */

static myr_status exchange_send(myr_molecular *m)
{
    const myr_status status = m->links.send(m->links.user, m);
    m->halo_in_flight = !status;
    return status;
}

/* Acts on the agreed state of the list. Every domain has the same values, so that all domains rebuild or keep their
 * lists together. */
static myr_status exchange_decide(myr_molecular *m)
{
    int holds;
    myr_status status = myr_molecular_moved(m, m->check[0]);
    if (!status)
        status = myr_neighbour_decide(m->list, m->check, &holds);
    if (status)
        return status;
    return holds ? myr_molecular_refresh(m) : myr_molecular_renew(m);
}

/* 1 if forces may start before the domains have agreed on the list. Not with an open axis, whose coordinates may have
 * to be rescaled first. */
static int exchange_can_overlap(const myr_molecular *m)
{
    const int *periodic = m->box.periodic;
    return m->links.agreement.largest_begin && periodic[0] && periodic[1] && periodic[2] &&
           myr_neighbour_expects(m->list);
}

myr_status myr_molecular_check_list(myr_molecular *m, double furthest, int ahead)
{
    const myr_agreement *all = &m->links.agreement;
    const int waits = !ahead || !exchange_can_overlap(m);
    myr_neighbour_prove_begin(m->list, furthest, m->check);
    if (waits) {
        const myr_status status = all->largest(all->user, m->check, MYR_NEIGHBOUR_PROOF_VALUES);
        return status ? status : exchange_decide(m);
    }
    const myr_status status = all->largest_begin(all->user, m->check, MYR_NEIGHBOUR_PROOF_VALUES);
    m->check_in_flight = !status;
    return status;
}

static myr_status exchange_poll_check(myr_molecular *m, int wait)
{
    const myr_agreement *all = &m->links.agreement;
    int done = 0;
    const myr_status status = all->largest_end(all->user, wait, m->check, MYR_NEIGHBOUR_PROOF_VALUES, &done);
    m->check_in_flight = !status && !done;
    m->check_answered = !status && done;
    return status;
}

void myr_molecular_poll(void *molecular)
{
    myr_molecular *m = molecular;
    if (m->poll_status)
        return;
    if (m->check_in_flight)
        m->poll_status = exchange_poll_check(m, 0);
    else if (m->halo_in_flight && m->links.poll)
        m->poll_status = m->links.poll(m->links.user, m);
    if (m->poll_status || !m->check_answered || !myr_neighbour_accept(m->list, m->check))
        return;
    m->check_answered = 0;
    m->poll_status = myr_molecular_moved(m, m->check[0]);
    if (!m->poll_status)
        m->poll_status = exchange_send(m);
}

myr_status myr_molecular_settle(myr_molecular *m)
{
    myr_status status = m->poll_status;
    m->poll_status = MYR_OK;
    if (!status && m->check_in_flight)
        status = exchange_poll_check(m, 1);
    if (!status && m->check_answered) {
        m->check_answered = 0;
        status = exchange_decide(m);
    }
    const int halo_in_flight = m->halo_in_flight;
    m->halo_in_flight = 0;
    return halo_in_flight && !status ? m->links.receive(m->links.user, m) : status;
}

/* Sends particles to the domains that own their positions. */
static myr_status exchange_migrate(myr_molecular *m)
{
    myr_status status = myr_molecular_settle(m);
    m->halo = 0;
    m->renewed = 1;
    if (!status)
        status = m->links.migrate(m->links.user, m);
    if (status)
        return status;
    exchange_clear_padding(m);
    return myr_neighbour_resize(m->list, m->n);
}

myr_status myr_molecular_regroup(myr_molecular *m, double width)
{
    const myr_status status = exchange_migrate(m);
    myr_neighbour_invalidate(m->list);
    return status ? status : m->links.surround(m->links.user, m, width);
}

myr_status myr_molecular_renew(myr_molecular *m)
{
    myr_status status = exchange_migrate(m);
    if (!status)
        status = myr_neighbour_sort(m->list);
    if (!status)
        status = m->links.surround(m->links.user, m, myr_neighbour_width(m->list));
    return status ? status : myr_neighbour_search(m->list, m->halo);
}

myr_status myr_molecular_refresh(myr_molecular *m)
{
    const myr_status status = myr_molecular_settle(m);
    return status ? status : exchange_send(m);
}
