/* whole_number.h - whole numbers as options and inputs write them. */
#ifndef MYR_CLI_WHOLE_NUMBER_H
#define MYR_CLI_WHOLE_NUMBER_H

#include <stdint.h>

/* Reads 262144, 1e5 or 64^3; nonzero if the text is not a whole number or the number is too large. */
int whole_number_read(const char *text, int64_t *value);

#endif
