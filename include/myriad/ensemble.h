/* ensemble.h - many independent systems that move together, each with the bits that it has alone.
 *
 *   myr_ensemble_create(context, n, simulation, &ensemble);      simulations that have contexts of their own
 *   myr_ensemble_choose(ensemble, "cuda");                       or "simd"; "auto" is the default
 *   while (myr_ensemble_advance(ensemble, end, until, steps) == MYR_OK && ...)
 *       ...;
 *   if (myr_ensemble_status(ensemble, k)) ...                    system k has failed, the others went on
 *
 * On the processor each thread moves whole systems. On a GPU molecules, and stars with integrator hermite4, move in
 * launches of many steps, each system in a block of threads of its own, or in several. Stars may differ in their number
 * and in all parameters of kernel and integrator. */
#ifndef MYRIAD_ENSEMBLE_H
#define MYRIAD_ENSEMBLE_H

#include <stdint.h>

#include <myriad/simulation.h>

MYR_BEGIN_DECLS

typedef struct myr_ensemble myr_ensemble;

/* Takes n simulations, each of which was created with a context of its own, since a context serves one thread at a
 * time. They stay the caller's, who may look at them between two calls, and outlive the ensemble. `context` is that of
 * the ensemble: its messages, its number of threads and its GPU. */
MYR_API myr_status myr_ensemble_create(myr_context *context, int64_t n, myr_simulation *const *simulation,
                                       myr_ensemble **ensemble);

/* Frees the ensemble, not its simulations, and sets *ensemble to null. A null ensemble is allowed. */
MYR_API void myr_ensemble_destroy(myr_ensemble **ensemble);

/* Backend: "auto" takes a GPU where there is one and the systems can move there; "cuda" fails otherwise; "simd" is the
 * processor. Before the first step. The backend of molecules must not be "cuda". Stars have the bits of a GPU, as they
 * have alone with backend "cuda", if that is their backend, or if it is "auto" and that of the ensemble is "cuda";
 * stars that evaluate on the processor move on a GPU in arithmetic "portable" only, where both have the same bits.
 * Their contexts share the GPU of the ensemble's, unless they have opened one before (myr_context_share_gpu). */
MYR_API myr_status myr_ensemble_choose(myr_ensemble *ensemble, const char *backend);

/* Number of systems, and system k of them, which belongs to the caller; null past the last. */
MYR_API int64_t myr_ensemble_count(const myr_ensemble *ensemble);
MYR_API myr_simulation *myr_ensemble_simulation(const myr_ensemble *ensemble, int64_t k);

/* Moves every system that has not failed towards the time `end`, as myr_simulation_advance does, until it is at the
 * time `until` or has made `most` steps. A system that fails keeps its state, and the others go on. Fails itself if all
 * systems have failed, or if the GPU does. On a GPU the progress callback of the ensemble's context is asked after
 * every launch, of 50 ms at most: if it returns other than 0 the call ends with MYR_ERROR_CANCELLED, all systems being
 * between two steps. */
MYR_API myr_status myr_ensemble_advance(myr_ensemble *ensemble, double end, double until, int64_t most);

/* MYR_OK, or why system k does not move any more; the sentence is in the context of its simulation. */
MYR_API myr_status myr_ensemble_status(const myr_ensemble *ensemble, int64_t k);

/* Number of systems that have not failed. */
MYR_API int64_t myr_ensemble_alive(const myr_ensemble *ensemble);

/* Where the systems move. */
typedef struct {
    int on_gpu;            /* 1 = on a GPU */
    int threads, blocks;   /* of the processor; or of a block, and blocks per system, on a GPU */
    double bytes;          /* of device memory */
    double seconds;        /* in steps, by the clock on the wall */
    double device_seconds; /* in launches, by the clock of the GPU */
} myr_ensemble_report;

/* Tells where the systems move, and what that has taken so far. */
MYR_API myr_status myr_ensemble_describe(const myr_ensemble *ensemble, myr_ensemble_report *report);

/* --- replica exchange -----------------------------------------------------------------------------------------------
 * Systems with neighbouring temperatures exchange these (Sugita and Okamoto 1999), with the probability
 * min(1, exp((1/kT_i - 1/kT_j) (U_i - U_j))), and scale their velocities. In even rounds the pairs of temperatures are
 * (0, 1), (2, 3), ..., in odd rounds (1, 2), (3, 4), ... Random numbers are keyed by (seed, pair, round). */

/* Begins with the present temperatures of the integrators langevin, nose_hoover or berendsen, no two of which may be
 * equal.
 */
MYR_API myr_status myr_ensemble_prepare_exchange(myr_ensemble *ensemble, uint64_t seed);

/* One round, at the present time of all systems, which must be the same. Systems that have failed keep their
 * temperature.
 */
MYR_API myr_status myr_ensemble_exchange(myr_ensemble *ensemble, int64_t round);

/* Place of the temperature of system k among all, from the lowest; -1 before myr_ensemble_prepare_exchange. */
MYR_API int64_t myr_ensemble_rank(const myr_ensemble *ensemble, int64_t k);

/* Temperature number `rank`, how often it was to be exchanged with the next higher one, and how often it was. */
MYR_API myr_status myr_ensemble_exchanged(const myr_ensemble *ensemble, int64_t rank, double *temperature,
                                          int64_t *tried, int64_t *accepted);

/* How often system k has gone from the lowest temperature to the highest and back. */
MYR_API int64_t myr_ensemble_round_trips(const myr_ensemble *ensemble, int64_t k);

/* State of the exchange, for a checkpoint: copies at most `room` numbers and returns how many there are; takes them
 * back.
 */
MYR_API int64_t myr_ensemble_exchange_state(const myr_ensemble *ensemble, int64_t *state, int64_t room);
MYR_API myr_status myr_ensemble_set_exchange_state(myr_ensemble *ensemble, const int64_t *state, int64_t count);

MYR_END_DECLS

#endif
