/* report.c - tables as text or JSON. */
#include "report.h"

#include <math.h>

void report_begin(report *r, int json)
{
    *r = (report){.json = json, .writer = {.out = stdout}};
    if (json)
        json_open(&r->writer, NULL, '{');
}

void report_end(report *r)
{
    if (r->json)
        json_finish(&r->writer);
    fflush(stdout);
}

/* Numbers are flush right, words flush left with two spaces before them. */
static void report_word(const report_column *c, const char *text, int first)
{
    if (c->format)
        printf("%*s", c->width, text);
    else
        printf("%s%-*s", first ? "" : "  ", c->width, text);
}

void report_table(report *r, const char *name, const char *title, const report_column *column)
{
    r->column = column;
    r->at = 0;
    if (r->json) {
        json_open(&r->writer, NULL, '{');
        json_text(&r->writer, "name", name);
        json_text(&r->writer, "title", title);
        json_open(&r->writer, "rows", '[');
        return;
    }
    printf("\n%s\n", title);
    for (const report_column *c = column; c->key; c++)
        report_word(c, c->head, c == column);
    printf("\n");
    fflush(stdout);
}

void report_table_end(report *r)
{
    if (r->json) {
        json_close(&r->writer);
        json_close(&r->writer);
    }
}

static void report_begin_cell(report *r)
{
    if (r->json && r->at == 0)
        json_open(&r->writer, NULL, '{');
}

static void report_end_cell(report *r)
{
    r->at++;
    if (r->column[r->at].key)
        return;
    r->at = 0;
    if (r->json)
        json_close(&r->writer);
    else
        printf("\n");
    fflush(stdout);
}

void report_number(report *r, double value)
{
    const report_column *c = &r->column[r->at];
    char text[64];
    report_begin_cell(r);
    if (r->json) {
        json_number(&r->writer, c->key, value);
    } else {
        snprintf(text, sizeof text, isnan(value) ? "-" : c->format ? c->format : "%g", value);
        report_word(c, text, r->at == 0);
    }
    report_end_cell(r);
}

void report_text(report *r, const char *text)
{
    const report_column *c = &r->column[r->at];
    report_begin_cell(r);
    if (r->json)
        json_text(&r->writer, c->key, text);
    else
        report_word(c, text ? text : "-", r->at == 0);
    report_end_cell(r);
}
