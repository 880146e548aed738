/* host.h - the machine that a run was made on, in words. */
#ifndef MYR_CLI_HOST_H
#define MYR_CLI_HOST_H

#include <stdint.h>

enum { HOST_TEXT = 160 };

typedef struct {
    char processor[HOST_TEXT]; /* "" where the system does not tell */
    char system[HOST_TEXT];    /* "Linux 6.1.0 x86_64" */
    int64_t cores;             /* that this process may use */
    int64_t memory;            /* bytes */
} host_info;

/* Describes this machine. */
void host_describe(host_info *host);

#endif
