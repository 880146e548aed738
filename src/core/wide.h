/* wide.h - 128-bit integers, for exact sums. */
#ifndef MYR_CORE_WIDE_H
#define MYR_CORE_WIDE_H

__extension__ typedef __int128 myr_wide;

#endif
