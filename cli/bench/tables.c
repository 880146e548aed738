/* tables.c - tables as text or JSON. */
#include "bench/tables.h"

#include <math.h>

void tables_begin(tables *t, int json)
{
    *t = (tables){.json = json, .writer = {.out = stdout}};
    if (json)
        json_open(&t->writer, NULL, '{');
}

void tables_end(tables *t)
{
    if (t->json)
        json_finish(&t->writer);
    fflush(stdout);
}

/* Numbers are flush right, words flush left with two spaces before them. */
static void tables_word(const tables_column *c, const char *text, int first)
{
    if (c->format)
        printf("%*s", c->width, text);
    else
        printf("%s%-*s", first ? "" : "  ", c->width, text);
}

void tables_open(tables *t, const char *name, const char *title, const tables_column *column)
{
    t->column = column;
    t->at = 0;
    if (t->json) {
        json_open(&t->writer, NULL, '{');
        json_text(&t->writer, "name", name);
        json_text(&t->writer, "title", title);
        json_open(&t->writer, "rows", '[');
        return;
    }
    printf("\n%s\n", title);
    for (const tables_column *c = column; c->key; c++)
        tables_word(c, c->head, c == column);
    printf("\n");
    fflush(stdout);
}

void tables_close(tables *t)
{
    if (t->json) {
        json_close(&t->writer);
        json_close(&t->writer);
    }
}

static void tables_begin_cell(tables *t)
{
    if (t->json && t->at == 0)
        json_open(&t->writer, NULL, '{');
}

static void tables_end_cell(tables *t)
{
    t->at++;
    if (t->column[t->at].key)
        return;
    t->at = 0;
    if (t->json)
        json_close(&t->writer);
    else
        printf("\n");
    fflush(stdout);
}

void tables_number(tables *t, double value)
{
    const tables_column *c = &t->column[t->at];
    char text[64];
    tables_begin_cell(t);
    if (t->json) {
        json_number(&t->writer, c->key, value);
    } else {
        snprintf(text, sizeof text, isnan(value) ? "-" : c->format ? c->format : "%g", value);
        tables_word(c, text, t->at == 0);
    }
    tables_end_cell(t);
}

void tables_text(tables *t, const char *text)
{
    const tables_column *c = &t->column[t->at];
    tables_begin_cell(t);
    if (t->json)
        json_text(&t->writer, c->key, text);
    else
        tables_word(c, text ? text : "-", t->at == 0);
    tables_end_cell(t);
}
