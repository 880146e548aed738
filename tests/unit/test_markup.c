/* test_markup.c - text of a stranger's files stays text in a page, and nothing runs there but the program's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/markup.h"
#include "report/report.h"

typedef struct {
    char *text;
    size_t size;
    FILE *out;
    markup *page;
} sheet;

static void sheet_open(sheet *s)
{
    s->out = open_memstream(&s->text, &s->size);
    assert_non_null(s->out);
    s->page = markup_create(s->out);
    assert_non_null(s->page);
}

/* Compares what was written with what is expected. */
static void sheet_expect(sheet *s, const char *expected)
{
    assert_false(markup_failed(s->page));
    markup_destroy(&s->page);
    fclose(s->out);
    assert_string_equal(s->text, expected);
    free(s->text);
}

static void test_text_is_escaped(void **state)
{
    (void)state;
    sheet s;
    sheet_open(&s);
    markup_write(s.page, "<p id=\"%s\">%.3s|%.*s|%c</p>", "\"><script>'&", "<abc", 2, ">>>", '<');
    markup_text(s.page, "<b>");
    sheet_expect(&s, "<p id=\"&quot;&gt;&lt;script&gt;&#39;&amp;\">&lt;ab|&gt;&gt;|&lt;</p>&lt;b&gt;");
}

static void test_numbers(void **state)
{
    (void)state;
    sheet s;
    sheet_open(&s);
    markup_write(s.page, "%d %lld %.1f %.3g %02x 100 %% %d", -3, 5000000000ll, 2.25, 1.0 / 3, 10u, 7);
    sheet_expect(&s, "-3 5000000000 2.2 0.333 0a 100 % 7");
}

/* Bytes that are no UTF-8, control characters and marks of direction are replaced, and their neighbours stay. */
static void test_bytes_that_are_no_text(void **state)
{
    static const char *const bad[] = {"\x01",     "\x1b",         "\x7f",         "\x80",         "\xff",
                                      "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "\xef\xbb\xbf", "\xe2"};
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        sheet s;
        sheet_open(&s);
        markup_write(s.page, "%s<br>%s", bad[k], "a\n\tµ⁻²𝒯");
        sheet_expect(&s, "\ufffd<br>a\n\tµ⁻²𝒯");
    }
    sheet s; /* "<" in two bytes, which is not allowed, and half of a pair */
    sheet_open(&s);
    markup_text(s.page, "\xc0\xbc\xed\xa0\x80");
    sheet_expect(&s, "\ufffd\ufffd\ufffd\ufffd\ufffd");
}

static void test_units(void **state)
{
    (void)state;
    sheet s;
    sheet_open(&s);
    report_unit(s.page, "kg m^2 s^-12<^");
    sheet_expect(&s, "kg m² s⁻¹²&lt;");
}

static void test_base64(void **state)
{
    (void)state;
    sheet s;
    sheet_open(&s);
    for (int k = 1; k <= 3; k++) {
        markup_base64(s.page, "Myr", (size_t)k);
        markup_base64_end(s.page);
    }
    sheet_expect(&s, "TQ==TXk=TXly");
}

/* A policy of hashes: 32 bytes each in base 64, and no permission for whatever is inline. */
static void test_policy(void **state)
{
    (void)state;
    sheet s;
    sheet_open(&s);
    markup_policy(s.page);
    fflush(s.out);
    assert_null(strstr(s.text, "unsafe"));
    assert_non_null(strstr(s.text, "default-src 'none'"));
    int hashes = 0;
    for (const char *at = s.text; (at = strstr(at, "'sha256-")); hashes++) {
        at += strlen("'sha256-");
        assert_int_equal(strcspn(at, "'"), 44);
    }
    assert_int_equal(hashes, 4); /* page.css, page.js, replay.js, table.js */
    markup_destroy(&s.page);
    fclose(s.out);
    free(s.text);
}

static void test_unknown_part(void **state)
{
    (void)state;
    sheet s;
    sheet_open(&s);
    markup_asset(s.page, "no such file");
    assert_true(markup_failed(s.page));
    markup_destroy(&s.page);
    fclose(s.out);
    free(s.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_escaped),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_policy),
        cmocka_unit_test(test_unknown_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
