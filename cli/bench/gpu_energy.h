/* gpu_energy.h - the energy that a GPU has used, from the driver's library of measurements (NVML), where that is there.
 */
#ifndef MYR_CLI_BENCH_GPU_ENERGY_H
#define MYR_CLI_BENCH_GPU_ENERGY_H

/* Joules that the first GPU has used since some time in the past; NaN where that cannot be had. */
double energy_used(void);

#endif
