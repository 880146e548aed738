/* sweep_gpus.c - the option --gpus of a sweep. */
#include "sweep_gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "common.h"

static int refuse(const char *text)
{
    return cli_fail(
        CLI_USAGE, "--gpus cannot be '%s'; give a number of GPUs up to %d, or their numbers as in 0,2 (2, is number 2)",
        text, SWEEP_GPUS);
}

int sweep_gpus_read(const char *text, sweep_gpus *gpus)
{
    const char *at = text;
    gpus->count = 0;
    while (at && *at) {
        char *end;
        if (*at < '0' || *at > '9' || gpus->count == SWEEP_GPUS)
            return refuse(text);
        const long number = strtol(at, &end, 10);
        if ((*end && *end != ',') || number >= 1000)
            return refuse(text);
        gpus->gpu[gpus->count++] = (int)number;
        at = *end ? end + 1 : end;
    }
    if (!text || strchr(text, ','))
        return CLI_OK;
    const int count = gpus->count ? gpus->gpu[0] : 0;
    if (count < 1 || count > SWEEP_GPUS)
        return refuse(text);
    for (gpus->count = 0; gpus->count < count; gpus->count++)
        gpus->gpu[gpus->count] = gpus->count;
    return CLI_OK;
}

void sweep_gpus_take(const sweep_gpus *gpus, int k)
{
    char text[16];
    if (gpus->count == 0)
        return;
    snprintf(text, sizeof text, "%d", gpus->gpu[k % gpus->count]);
    setenv("MYRIAD_CUDA_DEVICES", text, 1);
}
