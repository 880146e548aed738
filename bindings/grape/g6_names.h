/* g6_names.h - the calls of g6.h by the file that defines them: inside the library they have names of their own.
 * A source file of the library includes this header instead of g6.h, and ends with GRAPE_PUBLIC of its list. */
#ifndef G6_NAMES_H
#define G6_NAMES_H

#include "g6.h"
#include "names.h"

/* clang-format off */
#define G6_CLUSTER_CALLS(F) \
    F(g6_open) F(g6_set_j_particle) F(g6_set_j_particle_mxonly) F(g6_set_ti) F(g6_set_njp) F(g6_set_nip) \
    F(g6_set_i_particle) F(g6calc_firsthalf) F(g6_get_force_etc) F(g6calc_lasthalf) F(g6calc_lasthalf2) \
    F(g6_get_predicted_j_particles) F(g6_read_neighbour_list) F(g6_get_neighbour_list) F(g6_npipes) F(g6_getnjmax) \
    F(g6_message)

#define G6_ALIAS_CALLS(F) \
    F(g6_close) F(g6_reinitialize) F(g6_reset) F(g6_reset_fofpga) F(g6_set_tunit) F(g6_set_xunit) \
    F(g6_initialize_jp_buffer) F(g6_flush_jp_buffer) F(g6_set_overflow_flag_test_mode) \
    F(g6_set_i_particle_scales_from_real_value) F(g6_get_number_of_pipelines) F(g6_get_force) F(g6_open_all) \
    F(g6_close_all) F(g6_set_j_particle_all) F(g6_set_j_particle_mxonly_all) F(g6_set_ti_all) \
    F(g6calc_firsthalf_all) F(g6calc_lasthalf_all) F(g6calc_lasthalf2_all) F(g6_read_neighbour_list_all) \
    F(g6_get_neighbour_list_all) F(g6_set_nip_all) F(g6_set_njp_all) F(g6_set_i_particle_scales_from_real_value_all) \
    F(g6_set_i_particle_all) F(g6_get_force_all) F(g6_get_force_etc_all) F(g6_get_predicted_j_particles_all) \
    F(g6_getnjmax_all)

#define G6_SORT_CALLS(F) \
    F(g6_set_neighbour_list_sort_mode) F(g6_get_neighbour_list_sort_mode)

/* clang-format on */

G6_CLUSTER_CALLS(GRAPE_INNER)
G6_ALIAS_CALLS(GRAPE_INNER)
G6_SORT_CALLS(GRAPE_INNER)

#endif
