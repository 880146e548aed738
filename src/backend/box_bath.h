/* box_bath.h - thermostats that scale velocities, shared by processor and GPU and evaluated in the same order on both,
 * so that the bits are the same. */
#ifndef MYR_BACKEND_BOX_BATH_H
#define MYR_BACKEND_BOX_BATH_H

#include "backend/box_fields.h"
#include "core/elementary_inside.h"

enum { BOX_LINKS = 8 }; /* longest Nose-Hoover chain */

/* Positions and velocities of the links of a Nose-Hoover chain. */
typedef struct {
    double position[BOX_LINKS], velocity[BOX_LINKS];
} box_chain;

typedef enum { BOX_BATH_NONE, BOX_BATH_CHAIN, BOX_BATH_BERENDSEN } box_bath_kind;

/* A thermostat; temperatures are given with every call. */
typedef struct {
    int kind;       /* box_bath_kind */
    int links;      /* of the chain */
    double degrees; /* degrees of freedom */
    double tau;     /* chain: period of the temperature / 2 pi */
    double part;    /* Berendsen: fraction of the temperature error that a step removes */
} box_bath;

/* --- Nose-Hoover chain: half a step with Suzuki-Yoshida weights (Martyna et al. 1996, section 4) ------------------ */

/* Mass of link k, which gives the temperature the requested period. */
MYR_BOX_FN double box_chain_mass(const box_bath *b, int k, double heat)
{
    return heat * b->tau * b->tau * (k == 0 ? b->degrees : 1);
}

/* Acceleration of link k. */
MYR_BOX_FN double box_chain_force(const box_bath *b, const double *v, int k, double twice, double heat)
{
    const double drive =
        k == 0 ? twice - b->degrees * heat : box_chain_mass(b, k - 1, heat) * v[k - 1] * v[k - 1] - heat;
    return drive / box_chain_mass(b, k, heat);
}

/* Kick of link k by h, damped by link k + 1. */
MYR_BOX_FN void box_chain_kick(const box_bath *b, double *v, int k, double twice, double heat, double h)
{
    const double slow = k + 1 < b->links ? elementary_exp(-0.5 * h * v[k + 1]) : 1;
    v[k] = (v[k] * slow + h * box_chain_force(b, v, k, twice, heat)) * slow;
}

/* Advances the chain by dt, where `twice` is twice the kinetic energy; returns the factor of the velocities. */
MYR_BOX_FN double box_chain_advance(const box_bath *b, box_chain *chain, double twice, double heat, double dt)
{
    const double weight[3] = {1.3512071919596578, -1.7024143839193153, 1.3512071919596578};
    double factor = 1;
    for (int w = 0; w < 3 && heat > 0; w++) {
        const double h = 0.5 * weight[w] * dt;
        for (int k = b->links - 1; k >= 0; k--)
            box_chain_kick(b, chain->velocity, k, twice, heat, h);
        const double scale = elementary_exp(-weight[w] * dt * chain->velocity[0]);
        factor *= scale;
        twice *= scale * scale;
        for (int k = 0; k < b->links; k++)
            chain->position[k] += weight[w] * dt * chain->velocity[k];
        for (int k = 0; k < b->links; k++)
            box_chain_kick(b, chain->velocity, k, twice, heat, h);
    }
    return factor;
}

/* --- Berendsen thermostat (Berendsen et al. 1984): the temperature error decays with the time constant ------------ */

/* Factor of the velocities. */
MYR_BOX_FN double box_berendsen_factor(const box_bath *b, double twice, double heat)
{
    const double now = twice / b->degrees;
    return now > 0 ? sqrt(1 + b->part * (heat / now - 1)) : 1;
}

#endif
