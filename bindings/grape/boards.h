/* boards.h - a table of boards by number, made when first used and freed when the program ends. Included by the one
 * source file of each library that keeps boards. GRAPE_BOARD is the type of a board, which has an `engine`;
 * grape_board_start() sets a new one up, grape_board_free() frees its memory of sources. */
#ifndef GRAPE_BOARDS_H
#define GRAPE_BOARDS_H

#include <pthread.h>
#include <stdlib.h>

#include "engine.h"

static GRAPE_BOARD *boards[GRAPE_BOARDS];
static pthread_mutex_t boards_lock = PTHREAD_MUTEX_INITIALIZER;

/* Board `id`; null where there can be none or memory is short. */
static GRAPE_BOARD *board_at(int id)
{
    if (id < 0 || id >= GRAPE_BOARDS)
        return NULL;
    GRAPE_BOARD *b = __atomic_load_n(&boards[id], __ATOMIC_ACQUIRE);
    if (b)
        return b;
    pthread_mutex_lock(&boards_lock);
    b = boards[id];
    if (!b && (b = calloc(1, sizeof *b)) != NULL) {
        grape_board_start(b);
        __atomic_store_n(&boards[id], b, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&boards_lock);
    return b;
}

__attribute__((destructor)) static void boards_end(void)
{
    for (int id = 0; id < GRAPE_BOARDS; id++)
        if (boards[id]) {
            grape_board_free(boards[id]);
            grape_engine_free(&boards[id]->engine);
            free(boards[id]);
            boards[id] = NULL;
        }
}

#endif
