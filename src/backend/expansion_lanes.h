/* expansion_lanes.h - transposition of LANES vectors of LANES numbers. Included by expansion_unit.c. */
#ifndef MYR_BACKEND_EXPANSION_LANES_H
#define MYR_BACKEND_EXPANSION_LANES_H

/* Exchanges the off-diagonal blocks of `step` numbers: the two shuffles of one stage. */
#define SQUARE_PAIR(a, i, step, low, high)                                                                             \
    do {                                                                                                               \
        const lane u = (a)[i], v = (a)[(i) + (step)];                                                                  \
        (a)[i] = __builtin_shufflevector(u, v, low);                                                                   \
        (a)[(i) + (step)] = __builtin_shufflevector(u, v, high);                                                       \
    } while (0)

/* Each list is a macro that expands to many numbers, because the preprocessor would split a list into arguments. */
#if LANES_LITERAL == 2
#define LOW_1 0, 2
#define HIGH_1 1, 3
#elif LANES_LITERAL == 4
#define LOW_1 0, 4, 2, 6
#define HIGH_1 1, 5, 3, 7
#define LOW_2 0, 1, 4, 5
#define HIGH_2 2, 3, 6, 7
#elif LANES_LITERAL == 8
#define LOW_1 0, 8, 2, 10, 4, 12, 6, 14
#define HIGH_1 1, 9, 3, 11, 5, 13, 7, 15
#define LOW_2 0, 1, 8, 9, 4, 5, 12, 13
#define HIGH_2 2, 3, 10, 11, 6, 7, 14, 15
#define LOW_4 0, 1, 2, 3, 8, 9, 10, 11
#define HIGH_4 4, 5, 6, 7, 12, 13, 14, 15
#elif LANES_LITERAL == 16
#define LOW_1 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30
#define HIGH_1 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31
#define LOW_2 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define HIGH_2 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define LOW_4 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27
#define HIGH_4 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31
#define LOW_8 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define HIGH_8 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
#endif

#define SQUARE_STAGE(step)                                                                                             \
    MYR_UNROLL                                                                                                         \
    for (int i = 0; i < LANES; i++)                                                                                    \
        if (!(i & (step)))                                                                                             \
    SQUARE_PAIR(a, i, step, LOW_##step, HIGH_##step)

MYR_FN void lanes_transpose(lane *a)
{
    (void)a;
#if LANES_LITERAL >= 2
    SQUARE_STAGE(1);
#endif
#if LANES_LITERAL >= 4
    SQUARE_STAGE(2);
#endif
#if LANES_LITERAL >= 8
    SQUARE_STAGE(4);
#endif
#if LANES_LITERAL >= 16
    SQUARE_STAGE(8);
#endif
}

#endif
