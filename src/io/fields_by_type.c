/* fields_by_type.c - check of fields that a format stores for some particle types only. */
#include "io/fields_by_type.h"

#include <string.h>

static int fields_by_type_components(const myr_format_job *job, const char *field)
{
    for (int k = 0; k < job->fields; k++)
        if (strcmp(job->field[k], field) == 0)
            return job->components[k];
    return 0;
}

myr_status myr_fields_by_type_check(const myr_format_job *job, const char *format, const char *field, uint32_t types)
{
    const int32_t *type = myr_particles_types(job->particles);
    int64_t lost = 0, first = -1;
    for (int c = 0; c < fields_by_type_components(job, field); c++) {
        const double *x = myr_particles_component_const(job->particles, field, c);
        for (int64_t i = 0; i < myr_particles_count(job->particles); i++)
            if (x[i] != 0 && !(types >> (type[i] < 31 ? type[i] : 31) & 1)) {
                first = lost++ == 0 ? i : first;
            }
    }
    if (!lost)
        return MYR_OK;
    return myr_format_report_loss(job, "'%s': the format %s has no '%s' for particles of type %d: %lld value%s lost",
                                  job->path, format, field, (int)type[first], (long long)lost,
                                  lost == 1 ? " is" : "s are");
}
