/* export.h - visibility and linkage macros that every public header uses. */
#ifndef MYRIAD_EXPORT_H
#define MYRIAD_EXPORT_H

#if defined(__GNUC__)
#define MYR_API __attribute__((visibility("default")))
#define MYR_DEPRECATED(advice) __attribute__((deprecated(advice))) /* docs/stability.md */
#else
#define MYR_API
#define MYR_DEPRECATED(advice)
#endif

#ifdef __cplusplus
#define MYR_BEGIN_DECLS extern "C" {
#define MYR_END_DECLS }
#else
#define MYR_BEGIN_DECLS
#define MYR_END_DECLS
#endif

#endif
