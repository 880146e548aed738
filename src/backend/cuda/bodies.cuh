/* bodies.cuh - records of bodies that a device integrates, which sweep.cuh reads as sources and targets. Included after
 * sweep.cuh. */
#ifndef MYR_BACKEND_CUDA_BODIES_CUH
#define MYR_BACKEND_CUDA_BODIES_CUH

#include "backend/motion.h"

/* Stores a coordinate in the format of the records. */
MYR_FN void put_coordinate(real *lane, double x)
{
#if COORD_LANES == 2
    const float hi = (float)x;
    lane[0] = hi;
    lane[1] = (float)(x - (double)hi);
#else
    lane[0] = (real)x;
#endif
}

/* Stores the position of particle i after dt in its record. */
MYR_FN void put_body(const myr_cuda_bodies &b, int64_t i, double dt)
{
    real *lane = (real *)((source_record *)b.record + i);
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        const double v = b.v[c] ? b.v[c][i] : 0, a = b.a[c] ? b.a[c][i] : 0, j = b.j[c] ? b.j[c][i] : 0;
        put_coordinate(lane + c * COORD_LANES, motion_position(b.x[c][i], v, a, j, dt));
        if (b.velocity >= 0)
            lane[b.velocity + c] = (real)motion_velocity(v, a, j, dt);
    }
}

#endif
