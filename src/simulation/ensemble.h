/* ensemble.h - internal state of an ensemble. */
#ifndef MYR_SIMULATION_ENSEMBLE_H
#define MYR_SIMULATION_ENSEMBLE_H

#include <myriad/ensemble.h>

#include "molecular/molecule_gpu.h"
#include "simulation/ensemble_stars.h"
#include "simulation/simulation.h"

/* Exchange of temperatures. Temperatures have ranks, from the lowest. */
typedef struct {
    uint64_t seed;
    double *temperature;       /* [n], by rank; null = not prepared */
    int64_t *rank;             /* [n]: rank of the temperature of each system */
    int64_t *tried, *accepted; /* [n], by rank of the lower temperature */
    int64_t *trips;            /* [n]: round trips of each system */
    int64_t *heading; /* [n]: 1 = has been at the lowest temperature last, 2 = at the highest after that, 0 = neither */
} myr_ensemble_exchange_table;

struct myr_ensemble {
    myr_context *context;
    int64_t n;
    myr_simulation **simulation;
    myr_status *status;
    int backend;                 /* of the catalogue */
    int decided;                 /* 1 = where the systems move is known */
    myr_molecule_gpu *molecules; /* on a GPU; null = none */
    myr_ensemble_stars *stars;   /* likewise */
    double *energy;              /* [n]: potential energies, for an exchange */
    myr_ensemble_exchange_table exchange;
    double seconds;
};

/* Frees the tables of an exchange. */
void myr_ensemble_free_exchange(myr_ensemble *ensemble);

#endif
