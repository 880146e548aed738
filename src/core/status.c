/* status.c - texts of the status codes. */
#include <myriad/status.h>

const char *myr_status_text(myr_status status)
{
    static const char *const text[] = {
#define MYR_STATUS(constant, words) words,
        MYR_STATUS_LIST(MYR_STATUS)
#undef MYR_STATUS
    };
    const unsigned k = (unsigned)status;
    return k < sizeof text / sizeof *text ? text[k] : "unknown status";
}
