/* elementary.c - exp and log with the same bits on every machine. */
#include "core/elementary.h"

#include "core/elementary_inside.h"

double myr_elementary_exp(double x)
{
    return elementary_exp(x);
}

double myr_elementary_log(double x)
{
    return elementary_log(x);
}
