/* pipeline_units.c - compiled loops of a pipeline, from the cache or from the compiler. */
#include "backend/pipeline/pipeline_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Units without and with the optional potential, for every instruction set and arithmetic. */
struct myr_pipeline_units {
    const myr_pipeline *pipeline;
    myr_unit_object at[2][MYR_ISAS_MAX][MYR_ARITH_COUNT];
    myr_unit_object box[2][2][MYR_ISAS_MAX][MYR_ARITH_COUNT]; /* particles in a box: [fixed][halo] */
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
            for (int arithmetic = 0; arithmetic < MYR_ARITH_COUNT; arithmetic++) {
                myr_unit_unload(&(*units)->at[with][isa][arithmetic]);
                for (int halo = 0; halo < 2; halo++)
                    myr_unit_unload(&(*units)->box[with][halo][isa][arithmetic]);
            }
    free(*units);
    *units = NULL;
}

/* Loads or compiles a unit with the header of the pipeline. */
static const void *units_load(const myr_pipeline_units *units, myr_unit_order *order, myr_unit_object *at,
                              myr_unit_report *report, char *message, size_t room)
{
    char *header = myr_pipeline_header(units->pipeline);
    order->header = header;
    if (header)
        myr_unit_load(order, NULL, NULL, at, report, message, room);
    else
        snprintf(message, room, "no memory for a kernel");
    free(header);
    return at->table;
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
    return units_load(units, &order, at, report, message, room);
}

const myr_short_range_unit *myr_pipeline_box_unit(myr_pipeline_units *units, const myr_isa_table *isa, int arithmetic,
                                                  int fixed, int halo, myr_unit_report *report, char *message,
                                                  size_t room)
{
    const char *kernel = myr_pipeline_desc(units->pipeline, 1)->name;
    char macros[512], words[256];
    myr_unit_order order;
    memset(report, 0, sizeof *report);
    myr_unit_object *at = &units->box[fixed != 0][halo != 0][myr_backend_isa_number(isa->name)][arithmetic];
    if (at->table)
        return at->table;
    snprintf(macros, sizeof macros,
             "#define MYR_KERNEL %s\n#define MYR_KERNEL_FILE \"kernel/pipeline.h\"\n#define MYR_ONLY_FIXED %d\n"
             "#define MYR_ONLY_HALO %d\n",
             kernel, fixed != 0, halo != 0);
    snprintf(words, sizeof words, "%s_", kernel);
    if (!myr_unit_order_make("backend/short_range.c", macros, "myr_short_range_", words, isa->name, arithmetic, &order,
                             message, room))
        return NULL;
    strncat(order.flags, " -fopenmp-simd", sizeof order.flags - strlen(order.flags) - 1);
    return units_load(units, &order, at, report, message, room);
}
