/* status.h - status codes of functions that can fail. The message that belongs to a failure is in the context
 * (context.h). */
#ifndef MYRIAD_STATUS_H
#define MYRIAD_STATUS_H

#include <myriad/export.h>

MYR_BEGIN_DECLS

/* MYR_STATUS(constant, text): a single list, so that codes and texts stay consistent. */
#define MYR_STATUS_LIST(MYR_STATUS)                                                                                    \
    MYR_STATUS(MYR_OK, "no error")                                                                                     \
    MYR_STATUS(MYR_ERROR_ARGUMENT, "an argument is null or out of range")                                              \
    MYR_STATUS(MYR_ERROR_NAME, "unknown name")                                                                         \
    MYR_STATUS(MYR_ERROR_VALUE, "a value is not allowed")                                                              \
    MYR_STATUS(MYR_ERROR_FIELD, "a particle field is missing or does not fit")                                         \
    MYR_STATUS(MYR_ERROR_COMBINATION, "these choices do not go together")                                              \
    MYR_STATUS(MYR_ERROR_UNAVAILABLE, "not available on this machine or in this build")                                \
    MYR_STATUS(MYR_ERROR_NONFINITE, "a result is not a finite number")                                                 \
    MYR_STATUS(MYR_ERROR_RANGE, "a sum left the range of its accumulator")                                             \
    MYR_STATUS(MYR_ERROR_MEMORY, "out of memory")                                                                      \
    MYR_STATUS(MYR_ERROR_CANCELLED, "stopped on request")                                                              \
    MYR_STATUS(MYR_ERROR_FILE, "a file cannot be read or written")                                                     \
    MYR_STATUS(MYR_ERROR_FORMAT, "a file does not hold what was expected")

typedef enum {
#define MYR_STATUS(constant, text) constant,
    MYR_STATUS_LIST(MYR_STATUS)
#undef MYR_STATUS
} myr_status;

/* Text of a status code; never null. */
MYR_API const char *myr_status_text(myr_status status);

MYR_END_DECLS

#endif
