/* info_format.c - `myriad info --format NAME`: what files of a format can hold. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "info.h"
#include "json.h"

/* What a format can hold besides fields. */
static const struct {
    unsigned bit;
    const char *name;
} kept[] = {{MYR_SNAPSHOT_IDS, "ids"},      {MYR_SNAPSHOT_TYPES, "types"},   {MYR_SNAPSHOT_TIME, "time"},
            {MYR_SNAPSHOT_BOX, "box"},      {MYR_SNAPSHOT_ORIGIN, "origin"}, {MYR_SNAPSHOT_UNITS, "units"},
            {MYR_SNAPSHOT_FRAMES, "frames"}};

enum { KEPT = sizeof kept / sizeof kept[0] };

static void format_json(const myr_snapshot_format_info *info)
{
    json_writer w = {.out = stdout};
    myr_snapshot_field_info f;
    json_open(&w, NULL, '{');
    json_text(&w, "name", info->info.name);
    json_text(&w, "text", info->info.text);
    json_boolean(&w, "available", info->info.available);
    json_text(&w, "ending", info->ending);
    json_boolean(&w, "can_write", info->can_write);
    json_boolean(&w, "any_field", info->any_field);
    json_integer(&w, "bits", info->bits);
    for (int k = 0; k < KEPT; k++)
        json_boolean(&w, kept[k].name, (info->keeps & kept[k].bit) != 0);
    json_open(&w, "fields", '[');
    for (int k = 0; myr_snapshot_format_field(info->info.name, k, &f); k++) {
        json_open(&w, NULL, '{');
        json_text(&w, "name", f.name);
        json_text(&w, "stored", f.stored);
        json_integer(&w, "components", f.components);
        json_integer(&w, "bits", f.bits);
        json_text(&w, "unit", *f.unit ? f.unit : NULL);
        json_text(&w, "text", *f.text ? f.text : NULL);
        json_close(&w);
    }
    json_finish(&w);
}

static void format_text(const myr_snapshot_format_info *info)
{
    myr_snapshot_field_info f;
    printf("%s: %s%s\n", info->info.name, info->info.text, info->info.available ? "" : " (not in this build)");
    printf("  %-10s .%s%s\n  %-10s %d bits\n", "ending", info->ending, info->can_write ? "" : " (read only)", "numbers",
           info->bits);
    for (int lost = 0; lost < 2; lost++) {
        printf("  %-10s", lost ? "loses" : "keeps");
        int shown = 0;
        for (int k = 0; k < KEPT; k++)
            if (((info->keeps & kept[k].bit) == 0) == lost)
                printf("%s %s", shown++ ? "," : "", kept[k].name);
        printf("%s\n", shown ? "" : " nothing");
    }
    printf("  %-10s %s\n\n  %-20s %-16s %-5s %-18s\n", "fields",
           info->any_field ? "any; these have names of their own:" : "these:", "field", "in the file", "bits", "unit");
    for (int k = 0; myr_snapshot_format_field(info->info.name, k, &f); k++) {
        char name[80];
        if (f.components > 1)
            snprintf(name, sizeof name, "%s[%d]", f.name, f.components);
        else
            snprintf(name, sizeof name, "%s", f.name);
        printf("  %-20s %-16s %-5d %-18s %s\n", name, f.stored, f.bits, *f.unit ? f.unit : "?", f.text);
    }
}

int info_format(const char *name, int json)
{
    myr_snapshot_format_info info;
    if (!myr_snapshot_format_describe(name, &info))
        return cli_fail(CLI_USAGE, "there is no format '%s'", name);
    if (json)
        format_json(&info);
    else
        format_text(&info);
    return CLI_OK;
}
