/* export.h - visibility and linkage macros that every public header uses. */
#ifndef MYRIAD_EXPORT_H
#define MYRIAD_EXPORT_H

#if defined(__GNUC__)
#define MYR_API __attribute__((visibility("default")))
#else
#define MYR_API
#endif

#ifdef __cplusplus
#define MYR_BEGIN_DECLS extern "C" {
#define MYR_END_DECLS }
#else
#define MYR_BEGIN_DECLS
#define MYR_END_DECLS
#endif

#endif
