/* args_list.h - a list of words: the overrides KEY=VALUE of an input. */
#ifndef MYR_RUNS_ARGS_LIST_H
#define MYR_RUNS_ARGS_LIST_H

enum { ARGS_LIST_MAX = 64 };

typedef struct {
    int count;
    const char *item[ARGS_LIST_MAX];
} args_list;

#endif
