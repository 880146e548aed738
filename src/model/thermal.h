/* thermal.h - thermal velocities. */
#ifndef MYR_MODEL_THERMAL_H
#define MYR_MODEL_THERMAL_H

#include "model/model.h"

#define MYR_THERMAL_MASS                                                                                               \
    {                                                                                                                  \
        {"mass", "mass of a particle", 1, 1e-300, MYR_HUGE}, MYR_MASS                                                  \
    }
#define MYR_THERMAL_TEMPERATURE                                                                                        \
    {                                                                                                                  \
        {"temperature", "k T: velocities are normal with variance k T/m", 0, 0, MYR_HUGE}, MYR_TEMPERATURE             \
    }

#define MYR_THERMAL_SPEED                                                                                              \
    {                                                                                                                  \
        {"speed", "speed of every particle, in random directions, in place of a temperature; 0 = thermal", 0, 0,       \
         MYR_HUGE},                                                                                                    \
            MYR_VELOCITY                                                                                               \
    }

/* Positions are not centred: the centre of mass of a crystal or of a periodic box has no meaning. */
#define MYR_THERMAL_CENTRE                                                                                             \
    {                                                                                                                  \
        {"centre", "1 = the centre of mass is at the origin, 0 = as placed", 0, 0, 1}, MYR_NUMBER                      \
    }

/* Sets the mass of all particles, and velocities from the Maxwell distribution of a temperature (k T, an energy), or of
 * equal speed if speed is not 0, with zero total momentum. */
myr_status myr_thermal_place(const myr_model_arrays *to, double mass, double temperature, double speed);

#endif
