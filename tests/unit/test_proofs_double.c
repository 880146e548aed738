/* test_proofs_double.c - the proofs of kernel headers in double arithmetic. See test_proofs.c. */
#define MYR_ARITH 3
#include "unit/test_proofs.c"
