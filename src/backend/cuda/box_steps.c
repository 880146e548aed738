/* box_steps.c - particles in a box on a device: steps, forces, and sums over particles. See box.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/box_inside.h"

/* --- forces and steps --------------------------------------------------------------------------------------------- */

void cuda_box_displace(const myr_cuda_box *b, float displace[3])
{
    for (int c = 0; c < 3; c++)
        displace[c] = (float)(b->length[c] * 0x1p-32);
}

/* Coordinates are truncated at 2^-32 of the box, and distances are computed in floats. */
double cuda_box_resolution(const myr_cuda_box *b)
{
    double diagonal = 0;
    for (int c = 0; c < 3; c++)
        diagonal += b->length[c] * b->length[c];
    return 4 * 0x1p-32 * sqrt(diagonal) + 0x1p-20 * b->search;
}

float cuda_box_allowed(const myr_cuda_box *b)
{
    const double allowed = 0.5 * (b->search - b->set.cutoff - cuda_box_resolution(b)) * (1 - 0x1p-20);
    return (float)fmax(0, allowed);
}

myr_box_step cuda_box_step_arguments(const myr_cuda_box *b, const myr_cuda_box_steps *s)
{
    myr_box_step a = {.evaluate = 1};
    for (int c = 0; c < 3; c++) {
        const double dt = s ? (b->set.langevin ? 0.5 : 1) * s->dt : 0;
        a.drift[c] = dt * (0x1p64 / b->length[c]);
    }
    cuda_box_displace(b, a.displace);
    if (!s)
        return a;
    a.ends = b->set.langevin;
    a.duration = fabs(s->dt);
    a.kick = b->set.langevin || b->set.magic > 0 ? 0.5 * s->dt : s->dt;
    a.first_kick = b->set.langevin || b->set.magic > 0 ? 0.5 * s->dt : s->kick;
    a.halves = 2;
    a.first_halves = rint(s->kick / (0.5 * s->dt)); /* as exact_halves */
    a.fastest2 = s->furthest / fabs(s->dt) * (s->furthest / fabs(s->dt));
    a.keep = s->keep;
    a.heat = b->heat;
    a.seed = b->set.seed;
    a.number = s->number;
    return a;
}

myr_box_common cuda_box_step_common(const myr_cuda_box *b, int64_t most)
{
    myr_box_common all = cuda_box_common(b, most);
    if (b->is_cube) {
        all.table = b->table_cube;
        all.fit_one = (float)((double)all.fit_one / b->ratio); /* of factors, not of (sigma/r)^14 */
        all.fit_all = (float)((double)all.fit_all / b->ratio);
        for (int c = 0; c < 3; c++)
            all.scale[c] = b->scale_cube;
    }
    return all;
}

myr_status cuda_box_step(myr_cuda_box *b, myr_box_step *a, int64_t most)
{
    a->all = cuda_box_step_common(b, most);
    myr_status status = a->evaluate ? cuda_box_check_list(b) : MYR_OK;
    if (!status && a->evaluate)
        status = cuda_box_launch(b, b->is_cube ? KERNEL_STEP_CUBE : KERNEL_STEP, cuda_box_pair_threads(b),
                                 MYR_BOX_THREADS, a, sizeof *a);
    else if (!status)
        status = cuda_box_launch(b, KERNEL_FIRST_STEP, b->set.n, MYR_BOX_THREADS, a, sizeof *a);
    b->at++;
    return status;
}

myr_status cuda_box_more_room(myr_cuda_box *b, myr_box_slot *now)
{
    now->state = (now->state & ~(uint32_t)MYR_BOX_FULL) | MYR_BOX_EXPIRED;
    const myr_status status = cuda_box_list_room(b, 1.2 * now->longest + 16);
    now->longest = 0;
    return status;
}

/* Sets the number of steps until the next list from those that the last lists were used for: the mean of those that
 * expired, or more if none has: half as many until one expires for the first time. */
static void box_learn(myr_cuda_box *b, int64_t planned, const int64_t *lasted, int lists)
{
    int64_t sum = 0, expired = 0;
    for (int k = 0; k < lists; k++)
        if (lasted[k] < planned) {
            sum += lasted[k];
            expired++;
        }
    b->has_expired |= expired > 0;
    if (expired > 0 && 2 * expired > lists)
        b->life = sum / expired > 1 ? sum / expired : 1;
    else if (expired == 0 && lists > 0 && b->life < BOX_LIFE_MOST)
        b->life = planned + (b->has_expired ? 1 : (planned + 1) / 2);
}

myr_status cuda_box_mark(const myr_cuda_box *b, int k)
{
    return cuda_box_check(b, cudaEventRecord(b->mark[k], b->device.stream), "timing");
}

/* Time between marks k and k + 1, after a wait. */
static myr_status box_time(const myr_cuda_box *b, int k, double *seconds)
{
    float time = 0;
    const myr_status status = cuda_box_check(b, cudaEventElapsedTime(&time, b->mark[k], b->mark[k + 1]), "timing");
    *seconds = 1e-3 * (double)time;
    return status;
}

/* Adds the time of a batch of `steps` and `lists`, after a wait. `marked`: number of steps between the last two marks,
 * or -1 if nothing was marked; is_listed: 1 = there is a list between the first two. */
static myr_status box_add_time(myr_cuda_box *b, int64_t steps, int lists, int64_t marked, int is_listed)
{
    double list = 0, step = 0;
    myr_status status = MYR_OK;
    if (marked > 0) {
        status = box_time(b, 0, &list);
        if (!status)
            status = box_time(b, 1, &step);
        b->list_seconds = is_listed ? list : b->list_seconds;
        b->step_seconds = step / (double)marked;
    }
    b->seconds[0] += (double)steps * b->step_seconds;
    b->seconds[1] += (double)lists * b->list_seconds;
    return status;
}

/* Enqueues whole steps and lists until `most` steps are made or something needs attention. */
static myr_status box_run(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most, myr_box_slot *now)
{
    int64_t lasted[BOX_LISTS];
    int begins[BOX_LISTS + 1];
    myr_status status = MYR_OK;
    while (!status && now->made < most && !(now->state & ~(uint32_t)MYR_BOX_EXPIRED)) {
        /* marked: number of the list whose steps are timed; timed: 1 = its construction as well */
        int lists = 0, built = 0, is_old = 0, marked = -1, timed = 0;
        const int64_t life = b->life, before = now->made;
        cuda_box_expect(b, s);
        status = cuda_box_begin(b, now);
        for (int64_t planned = now->made;
             !status && planned < most && b->at + BOX_BATH_SLOTS * life + 2 < BOX_SLOTS && lists < BOX_LISTS;) {
            const int is_due = !b->is_listed || planned > now->made || (now->state & MYR_BOX_EXPIRED);
            /* the second list, whose launches do not wait for the host, or the only one */
            const int is_marked = marked < 0 && (lists > 0 || planned + life >= most);
            if (is_marked)
                status = cuda_box_mark(b, 0);
            if (!status && is_due)
                status = cuda_box_build(b, most, 1);
            if (!status && is_marked)
                status = cuda_box_mark(b, 1);
            b->is_listed = 1;
            built += is_due;
            is_old |= !is_due;
            marked = is_marked ? lists : marked;
            timed |= is_marked && is_due;
            begins[lists++] = b->at;
            for (int64_t k = 0; k < life && planned < most && !status; k++, planned++)
                status = cuda_box_bath_next(b, s, most);
            if (!status && is_marked)
                status = cuda_box_mark(b, 2);
        }
        begins[lists] = b->at;
        if (!status)
            status = cuda_box_look(b, now);
        for (int k = 0; k < lists; k++)
            lasted[k] = b->slot[begins[k + 1]].made - b->slot[begins[k]].made;
        b->builds += built;
        if (!status)
            status = box_add_time(b, now->made - before, built, marked < 0 ? -1 : lasted[marked], timed);
        /* the first one may have been there before, and the last one is cut short */
        if (!status && !(now->state & ~(uint32_t)MYR_BOX_EXPIRED) && lists > 1 + is_old)
            box_learn(b, life, lasted + is_old, lists - 1 - is_old);
        if (!status && (now->state & MYR_BOX_FULL))
            status = cuda_box_more_room(b, now);
    }
    return status;
}

/* Ends the steps: forces at the last positions. */
myr_status cuda_box_end(myr_cuda_box *b, const myr_cuda_box_steps *s, myr_box_slot *now)
{
    if (b->has_tasks)
        return cuda_box_turns(b, s, now->made, now);
    myr_box_step a = cuda_box_step_arguments(b, s);
    a.move = 0;
    myr_status status = MYR_OK;
    do {
        const int is_due = !b->is_listed || (now->state & MYR_BOX_EXPIRED);
        double seconds[2] = {0, 0};
        b->builds += is_due;
        status = cuda_box_begin(b, now);
        if (!status)
            status = cuda_box_mark(b, 0);
        if (!status && is_due)
            status = cuda_box_build(b, INT64_MAX, 1);
        if (!status)
            status = cuda_box_mark(b, 1);
        if (!status)
            status = cuda_box_step(b, &a, INT64_MAX);
        if (!status && s && s->bath)
            status = cuda_box_bath_last(b, s);
        if (!status)
            status = cuda_box_mark(b, 2);
        if (!status)
            status = cuda_box_look(b, now);
        for (int k = 0; k < 2 && !status; k++)
            status = box_time(b, k, &seconds[k]);
        b->seconds[0] += seconds[1];
        b->seconds[1] += is_due ? seconds[0] : 0;
        b->is_listed = 1;
        const int is_full = !status && (now->state & MYR_BOX_FULL);
        if (is_full)
            status = cuda_box_more_room(b, now);
        if (!is_full)
            break;
    } while (!status);
    return status;
}

myr_status cuda_box_send_heat(myr_cuda_box *b, const double *heat, int64_t count)
{
    if (count > b->heats) {
        cuda_box_free(b, b->heat);
        b->heats = count;
        const myr_status status = cuda_box_room(b, &b->heat, (size_t)count * sizeof(double));
        if (status)
            return status;
    }
    return cuda_box_upload(b, b->heat, heat, (size_t)count * sizeof(double));
}

myr_box_step cuda_box_first_arguments(const myr_cuda_box *b, const myr_cuda_box_steps *s)
{
    myr_box_step a = cuda_box_step_arguments(b, s);
    a.evaluate = 0;
    a.move = 1;
    return a;
}

/* All steps of a call: the first move with the forces that are there, evaluations and moves, and a last evaluation. */
static myr_status box_all(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most, myr_box_slot *now)
{
    now->made = 0;
    if (b->has_tasks) {
        now->task = MYR_BOX_FIRST;
        return cuda_box_turns(b, s, most, now);
    }
    myr_status status = cuda_box_begin(b, now);
    if (!status)
        status = cuda_box_bath_first(b, s, most);
    if (!status)
        status = cuda_box_look(b, now);
    if (!status)
        status = box_run(b, s, most, now);
    if (!status && !(now->state & ~(uint32_t)MYR_BOX_EXPIRED))
        status = cuda_box_end(b, s, now);
    return status;
}

myr_status cuda_box_now(myr_cuda_box *b, myr_box_slot *now)
{
    myr_status status = cuda_box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (b->is_known)
        *now = b->known;
    else if (!status)
        status = cuda_box_look(b, now);
    return !status && b->set.is_divided && !b->is_listed ? cuda_box_ranks_list(b, now) : status;
}

myr_status cuda_box_steps(myr_cuda_box *box, const myr_cuda_box_steps *steps, myr_cuda_box_done *done)
{
    myr_cuda_box *b = box;
    myr_box_slot start = {0}, now = {0};
    int64_t most = steps->most;
    const int64_t builds = b->builds;
    if (b->set.is_divided)
        return cuda_box_ranks_steps(b, steps, done);
    memset(done, 0, sizeof *done);
    myr_status status = cuda_box_now(b, &start);
    start.made = 0;
    if (start.state) { /* the forces are not those of the present positions: the processor must evaluate them */
        done->stopped = 1;
        return status;
    }
    if (!status && b->set.langevin)
        status = cuda_box_send_heat(b, steps->heat, most);
    if (!status)
        status = cuda_box_begin_fastest(b, most);
    if (!status)
        status = cuda_box_keep(b, &start, 0);
    for (;;) {
        now = start;
        if (!status)
            status = cuda_box_clear_push(b);
        if (!status && steps->bath)
            status = cuda_box_bath_begin(b, steps);
        if (!status)
            status = most > 0 ? box_all(b, steps, most, &now) : cuda_box_begin(b, &now);
        const int64_t lasting = status || now.state ? most : cuda_box_lasting(b, steps, most, done);
        if (status || (!now.state && lasting == most))
            break;
        /* again, up to a step before the one that cannot be made here */
        done->stopped = 1;
        most = !now.state ? lasting : now.made - 2 < most ? now.made - 2 : most - 1;
        status = cuda_box_keep(b, &start, 1);
    }
    if (now.state & MYR_BOX_WRONG) { /* back to the last good state */
        (void)cuda_box_keep(b, &start, 1);
        (void)cuda_box_begin(b, &start);
    }
    if (!status)
        status = cuda_box_fetch_push(b, done);
    if (!status && steps->bath)
        status = cuda_box_bath_fetch(b, &done->chain);
    done->made = most > 0 ? now.made : 0;
    done->builds = b->builds - builds;
    return status;
}

/* Brings the list up to date. The particles may be sorted; the forces, which may be rounded to another unit than that
 * of the present sums, move along. */
myr_status cuda_box_renew_list(myr_cuda_box *b, myr_box_slot *now)
{
    myr_status status = MYR_OK;
    int is_full = 0;
    do {
        const int always = !b->is_listed, is_due = always || (now->state & MYR_BOX_EXPIRED);
        b->builds += is_due;
        now->task = b->has_tasks && is_due ? MYR_BOX_COUNT : MYR_BOX_STEP;
        status = cuda_box_begin(b, now);
        if (!status)
            status = cuda_box_carry_forces(b, 2);
        if (!status)
            status = b->has_tasks ? cuda_box_turns_list(b, now) : cuda_box_build(b, INT64_MAX, always);
        if (!status)
            status = cuda_box_carry_forces(b, 3);
        if (!status && !b->set.is_divided) /* there the next evaluation looks, and ranks agree on what it finds */
            status = cuda_box_check_list(b);
        if (!status)
            status = cuda_box_look(b, now);
        b->is_listed = 1;
        is_full = !status && (now->state & MYR_BOX_FULL);
        if (is_full)
            status = cuda_box_more_room(b, now);
    } while (!status && is_full);
    return status;
}

/* Brings the list up to date where it is not. */
static myr_status box_have_list(myr_cuda_box *b, myr_box_slot *now)
{
    return b->is_listed && !now->state && (!b->wrong || b->set.is_divided) ? MYR_OK : cuda_box_renew_list(b, now);
}

/* Enqueues the sums over pairs, as integers, and their copy. */
static myr_status box_add_fixed(myr_cuda_box *b, myr_cuda_box_sums *sums)
{
    myr_box_sums a = cuda_box_sums(b);
    myr_status status =
        cuda_box_check(b, cudaMemsetAsync(b->total, 0, sizeof sums->total, b->device.stream), "clearing sums");
    if (!status)
        status = cuda_box_launch(b, KERNEL_SUMS, cuda_box_pair_threads(b), MYR_BOX_THREADS, &a, sizeof a);
    return status ? status
                  : cuda_box_check(b,
                                   cudaMemcpyAsync(sums->total, b->total, sizeof sums->total, cudaMemcpyDeviceToHost,
                                                   b->device.stream),
                                   "copying from the device");
}

/* The same as doubles. */
static myr_status box_add_plain(myr_cuda_box *b, myr_cuda_box_sums *sums)
{
    myr_box_sums a = cuda_box_sums(b);
    a.to[0] = b->plain;
    a.to[1] = b->copy;
    a.parts = (cuda_box_pair_threads(b) + MYR_BOX_THREADS - 1) / MYR_BOX_THREADS * (MYR_BOX_THREADS / 32);
    myr_status status = cuda_box_launch(b, KERNEL_SUMS, cuda_box_pair_threads(b), MYR_BOX_THREADS, &a, sizeof a);
    if (!status)
        status = cuda_box_launch(b, KERNEL_PLAIN, MYR_BOX_TERMS * MYR_BOX_ADDERS, MYR_BOX_ADDERS, &a, sizeof a);
    return status ? status
                  : cuda_box_check(b,
                                   cudaMemcpyAsync(sums->plain, b->copy, sizeof sums->plain, cudaMemcpyDeviceToHost,
                                                   b->device.stream),
                                   "copying from the device");
}

myr_status cuda_box_forces(myr_cuda_box *box, int store, int *stopped, myr_cuda_box_sums *sums)
{
    myr_cuda_box *b = box;
    myr_box_slot now = {0};
    *stopped = 0;
    myr_status status = cuda_box_now(b, &now);
    if (!status)
        status = store ? cuda_box_end(b, NULL, &now) : box_have_list(b, &now);
    *stopped = now.state != 0;
    if (status || *stopped || !sums)
        return status;
    memset(sums, 0, sizeof *sums);
    status = b->set.sums == MYR_CUDA_BOX_FIXED ? box_add_fixed(b, sums) : box_add_plain(b, sums);
    if (!status)
        status = cuda_box_look(b, &now);
    *stopped = now.state != 0;
    return status;
}

myr_status cuda_box_measure(myr_cuda_box *box, int lowest, int64_t count[MYR_BOX_SIZES])
{
    myr_cuda_box *b = box;
    myr_box_slot now = {0};
    unsigned long long total[MYR_BOX_SIZES];
    myr_status status = cuda_box_now(b, &now);
    if (!status)
        status = box_have_list(b, &now);
    myr_box_sums a = cuda_box_sums(b);
    a.lowest = lowest;
    if (!status)
        status = cuda_box_check(b, cudaMemsetAsync(b->total, 0, sizeof total, b->device.stream), "clearing sums");
    if (!status)
        status = cuda_box_launch(b, KERNEL_MEASURE, cuda_box_pair_threads(b), MYR_BOX_THREADS, &a, sizeof a);
    if (!status)
        status =
            cuda_box_check(b, cudaMemcpyAsync(total, b->total, sizeof total, cudaMemcpyDeviceToHost, b->device.stream),
                           "copying from the device");
    if (!status)
        status = cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "counting pairs");
    for (int k = 0; k < MYR_BOX_SIZES; k++)
        count[k] = status ? 0 : (int64_t)total[k];
    return status;
}

myr_status cuda_box_velocities(myr_cuda_box *box, double h, int power, double scale, double *largest,
                               unsigned long long total[6][2])
{
    enum { SUMS = 12, ALL = SUMS + 1 }; /* the largest follows the sums */
    myr_cuda_box *b = box;
    myr_box_sums a = cuda_box_sums(b);
    const int64_t most = (int64_t)b->device.properties.multiProcessorCount * 2048; /* each takes particles in turn */
    const int64_t threads = b->set.n < most ? b->set.n : most;
    unsigned long long sum[ALL];
    a.h = h;
    a.power = power;
    a.scale = scale;
    myr_status status = cuda_box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (!status)
        status = cuda_box_check(b, cudaMemsetAsync(b->total, 0, sizeof sum, b->device.stream), "clearing sums");
    if (!status && total)
        status = cuda_box_launch(b, KERNEL_KINETIC, threads, 256, &a, sizeof a);
    a.total = b->total + SUMS;
    if (!status && largest)
        status = cuda_box_launch(b, KERNEL_LARGEST, threads, 256, &a, sizeof a);
    if (!status)
        status = cuda_box_check(b, cudaMemcpyAsync(sum, b->total, sizeof sum, cudaMemcpyDeviceToHost, b->device.stream),
                                "copying from the device");
    if (!status)
        status = cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "summing velocities");
    if (status)
        return status;
    if (largest)
        memcpy(largest, sum + SUMS, sizeof *largest);
    if (total)
        memcpy(total, sum, SUMS * sizeof *sum);
    return MYR_OK;
}

myr_status cuda_box_change(myr_cuda_box *box, double kick, double factor, const double shift[3])
{
    myr_box_sums a = cuda_box_sums(box);
    a.h = kick;
    a.factor = factor;
    memcpy(a.shift, shift, sizeof a.shift);
    const myr_status status = cuda_box_check(box, cudaSetDevice(box->device.id), "choosing a device");
    return status ? status : cuda_box_launch(box, KERNEL_CHANGE, box->set.n, 256, &a, sizeof a);
}

void cuda_box_report(const myr_cuda_box *box, myr_cuda_box_report *report)
{
    *report = (myr_cuda_box_report){.builds = box->builds,
                                    .skin = box->set.skin,
                                    .bytes = (double)box->bytes,
                                    .step_seconds = box->seconds[0],
                                    .list_seconds = box->seconds[1]};
}

myr_status cuda_box_pairs(myr_cuda_box *box, int64_t *pairs)
{
    myr_cuda_box *b = box;
    const size_t clusters = (size_t)b->all.clusters;
    int32_t *entries = malloc((clusters + 1) * sizeof *entries);
    *pairs = 0;
    if (!entries)
        return b->cuda->host->fail(b->context, MYR_ERROR_MEMORY, "no memory to count pairs");
    myr_status status = cuda_box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (!status)
        status = cuda_box_check(b,
                                cudaMemcpyAsync(entries, b->all.entries, clusters * sizeof *entries,
                                                cudaMemcpyDeviceToHost, b->device.stream),
                                "copying from the device");
    if (!status)
        status = cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "copying from the device");
    for (size_t k = 0; k < clusters && !status; k++)
        *pairs += MYR_BOX_CLUSTER * ((int64_t)entries[k] + MYR_BOX_CLUSTER); /* the cluster's own particles as well */
    free(entries);
    return status;
}
