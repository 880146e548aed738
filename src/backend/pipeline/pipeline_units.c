/* pipeline_units.c - compiled loops of a pipeline, from the cache or from the compiler. */
#include "backend/pipeline/pipeline_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Units without and with the optional potential, for every instruction set and arithmetic. */
struct myr_pipeline_units {
    const myr_pipeline *pipeline;
    myr_unit_object at[2][MYR_ISAS_MAX][MYR_ARITH_COUNT];
};

myr_pipeline_units *myr_pipeline_units_create(const myr_pipeline *pipeline)
{
    myr_pipeline_units *units = calloc(1, sizeof *units);
    if (units)
        units->pipeline = pipeline;
    return units;
}

void myr_pipeline_units_destroy(myr_pipeline_units **units)
{
    if (!units || !*units)
        return;
    for (int with = 0; with < 2; with++)
        for (int isa = 0; isa < MYR_ISAS_MAX; isa++)
            for (int arithmetic = 0; arithmetic < MYR_ARITH_COUNT; arithmetic++)
                myr_unit_unload(&(*units)->at[with][isa][arithmetic]);
    free(*units);
    *units = NULL;
}

const myr_unit *myr_pipeline_unit(myr_pipeline_units *units, int with_potential, const myr_isa_table *isa,
                                  int arithmetic, myr_unit_report *report, char *message, size_t room)
{
    const char *kernel = myr_pipeline_desc(units->pipeline, with_potential)->name;
    const char *name = isa->gpu ? "scalar" : isa->name; /* loops of a GPU are described by those of plain code */
    char macros[512], words[256];
    myr_unit_order order;
    memset(report, 0, sizeof *report);
    myr_unit_object *at = &units->at[with_potential != 0][myr_backend_isa_number(name)][arithmetic];
    if (at->table)
        return at->table;
    snprintf(macros, sizeof macros, "#define MYR_KERNEL %s\n#define MYR_KERNEL_FILE \"kernel/pipeline.h\"\n", kernel);
    snprintf(words, sizeof words, "%s_", kernel);
    if (!myr_unit_order_make("backend/unit.c", macros, "myr_unit_", words, name, arithmetic, &order, message, room))
        return NULL;
    char *header = myr_pipeline_header(units->pipeline);
    order.header = header;
    if (header)
        myr_unit_load(&order, NULL, NULL, at, report, message, room);
    else
        snprintf(message, room, "no memory for a kernel");
    free(header);
    return at->table;
}
