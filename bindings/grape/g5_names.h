/* g5_names.h - the calls of g5.h by the file that defines them: inside the library they have names of their own.
 * A source file of the library includes this header instead of g5.h, and ends with GRAPE_PUBLIC of its list. */
#ifndef G5_NAMES_H
#define G5_NAMES_H

#include "g5.h"
#include "names.h"

/* clang-format off */
#define G5_BOARD_CALLS(F) \
    F(g5_openMC) F(g5_closeMC) F(g5_set_rangeMC) F(g5_get_rangeMC) F(g5_set_xmjMC) F(g5_set_jpMC) F(g5_set_xjMC) \
    F(g5_set_mjMC) F(g5_set_nMC) F(g5_set_epsMC) F(g5_set_eps2MC) F(g5_set_eps2_to_allMC) F(g5_set_eps_to_allMC) \
    F(g5_set_xiMC) F(g5_set_ipMC) F(g5_set_etaMC) F(g5_set_cutoff_tableMC) F(g5_runMC) F(g5_get_forceMC) \
    F(g5_calculate_force_on_xMC) F(g5_get_number_of_pipelinesMC) F(g5_get_jmemsizeMC) F(g5_messageMC) F(g5_open) \
    F(g5_set_eps2_to_all) F(g5_set_eps_to_all) F(g5_set_eta) F(g5_set_cutoff_table)

#define G5_BOARD0_CALLS(F) \
    F(g5_close) F(g5_set_range) F(g5_get_range) F(g5_set_n) F(g5_set_xmj) F(g5_set_jp) F(g5_set_xj) F(g5_set_mj) \
    F(g5_set_eps) F(g5_set_eps2) F(g5_set_xi) F(g5_set_ip) F(g5_run) F(g5_get_force) F(g5_calculate_force_on_x) \
    F(g5_get_number_of_pipelines) F(g5_get_number_of_real_pipelines) F(g5_get_jmemsize) F(g5_get_number_of_boards) \
    F(g5_get_number_of_cards) F(g5_message)

/* clang-format on */

G5_BOARD_CALLS(GRAPE_INNER)
G5_BOARD0_CALLS(GRAPE_INNER)

#endif
