/* test_pipeline.c - the language of pipelines: what it computes, what it costs, and what it says about mistakes. No
 * compiler is needed here: formulas are taken from the graph through what depends on parameters alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pipeline/pipeline.h"

#define HEAD "i: x[3], j: x[3] m, out: a[3]\n"

/* A text, and what its error must say. Lines and columns count from 1. */
static const struct {
    const char *text, *error;
} broken[] = {
    {HEAD "float r2 = 1;\nout.a[0] += r3;\n", "t.pipe:3:13: 'r3' is not declared"},
    {HEAD "out.a[0] += j.m\nout.a[1] += 1;", "t.pipe:3:1: expected ';' after an assignment"},
    {HEAD "out.a[3] += j.m;", "t.pipe:2:7: index 3 of 'a' is out of range: it has 3 components, 0 to 2"},
    {HEAD "out.b[0] += j.m;", "t.pipe:2:5: there is no output 'b'"},
    {HEAD "out.a[0] = j.m;", "t.pipe:2:10: outputs are sums"},
    {HEAD "out.a[0] *= j.m;", "t.pipe:2:10: outputs are sums"},
    {HEAD "out.a[0] += out.a[1];", "t.pipe:2:13: outputs cannot be read"},
    {HEAD "out.a[0] += i.m;", "t.pipe:2:15: target i has no field 'm'; declare it with 'i: m'"},
    {HEAD "out.a[0] += j.x;", "t.pipe:2:16: 'x' has 3 components: write x[0]"},
    {HEAD "out.a[0] += j.x[j.m];", "t.pipe:2:17: the index of 'x' must be a whole number"},
    {HEAD "float d;\nout.a[0] += d;", "t.pipe:3:13: 'd' is used before it has a value"},
    {HEAD "float d;\nif (j.m > 0) d = 1;\nout.a[0] += d;", "t.pipe:4:13: 'd' is used before it has a value"},
    {HEAD "while (j.m > 0) out.a[0] += 1;", "t.pipe:2:1: 'while': only loops with known bounds"},
    {HEAD "for (int k = 0; k < 3; k += 0) out.a[0] += 1;", "t.pipe:2:17: the loops of this text run more than 4096"},
    {HEAD "for (int k = 0; k < j.m; k++) out.a[0] += 1;", "t.pipe:2:17: the bounds of a loop must be known"},
    {HEAD "for (int k = 0; k < 3; k++) k = 0;", "t.pipe:2:29: 'k' counts a loop"},
    {HEAD "for (;;) out.a[0] += 1;", "t.pipe:2:6: a loop is written"},
    {HEAD "out.a[0] += (j.m;", "t.pipe:2:17: expected ')'"},
    {HEAD "out.a[0] += j.m +;", "t.pipe:2:18: expected a value, not ';'"},
    {HEAD "out.a[0] += log(j.m);", "t.pipe:2:13: there is no function 'log'; there are: pow, sqrt"},
    {HEAD "out.a[0] += sqrt(j.m, 2);", "t.pipe:2:13: 'sqrt' takes 1 argument, not 2"},
    {HEAD "out.a[0] += pow(j.m, 0.3);", "t.pipe:2:13: pow takes exponents"},
    {HEAD "out.a[0] += j.m > 0;", "t.pipe:2:13: a comparison is not a number"},
    {HEAD "if (j.m) out.a[0] += 1;", "t.pipe:2:5: the condition of if must be a comparison"},
    {HEAD "out.a[0] += (j.m > 0) + 1;", "t.pipe:2:23: '+' needs numbers"},
    {HEAD "out.a[0] += j.m && j.m ? 1 : 2;", "t.pipe:2:17: '&&' needs comparisons"},
    {HEAD "{ out.a[0] += 1;", "t.pipe:2:17: the text ends where '}' is expected"},
    {HEAD "/* out.a[0] += 1;", "t.pipe:2:1: this comment has no end"},
    {HEAD "#include <stdio.h>\n", "t.pipe:2:1: there is no preprocessor here"},
    {HEAD "out.a[0] += 1x;", "t.pipe:2:13: '1x' is not a number"},
    {HEAD "float y[0]; out.a[0] += 1;", "t.pipe:2:9: the number of components must be a whole number, 1 to 1024"},
    {HEAD "out.a[0] += $;", "t.pipe:2:13: this character has no meaning"},
    {HEAD "int k = 0; out.a[0] += 1;", "t.pipe:2:1: 'int': all numbers are real"},
    {HEAD "system(\"true\");", "t.pipe:2:1: 'system' is not declared"},
    {"text: \"a\\\" marker\"\n" HEAD "out.a[0] += 1;", "t.pipe:1:7: this string does not end on its line, or holds a"},
    {"text: \"a?\?/\"\n" HEAD "out.a[0] += 1;", "t.pipe:1:7: this string holds '?\?'"},
    {"text: \"a\x01\"\n" HEAD "out.a[0] += 1;", "t.pipe:1:7: this string holds a control character"},
    {"name: \"marker\"\n" HEAD "out.a[0] += 1;", "t.pipe:1:7: expected a name for the kernel"},
    {HEAD "float i = 1; out.a[0] += i;", "t.pipe:2:7: 'i' cannot be the name of a variable"},
    {HEAD "float y = 1;", "t.pipe:1:26: nothing is ever added to the output 'a'"},
    {HEAD "param: G = 2 [3, 4]\nout.a[0] += G;", "t.pipe:2:8: the default of 'G' is not within its bounds"},
    {HEAD "cutoff: rc\nout.a[0] += 1;", "t.pipe:2:9: the cutoff must be a parameter"},
    {HEAD "self: maybe\nout.a[0] += 1;", "t.pipe:2:7: expected skip or count"},
    {HEAD "antisymmetric: f\nout.a[0] += 1;", "t.pipe:2:16: 'f' is not an output"},
    {HEAD "cut: 3\nout.a[0] += 1;", "t.pipe:2:1: 'cut:' declares nothing; there are: i, j, out"},
    {"i: x[3]\nj: x[3] m\nfloat y = j.m;", "t.pipe:3:1: 'out:' is missing"},
    {"i: x[3], j: m, out: a\nout.a += j.m;", "t.pipe:1:1: source j has no position"},
    {"i: x[3], j: x[2], out: a\nout.a += 1;", "t.pipe:1:13: targets and sources need positions"},
    {"i: x[3], j: m x[3], out: a\nout.a += 1;", "t.pipe:1:15: the position comes before the other fields"},
    {"i: x[4], j: x[4], out: a\nout.a += 1;", "t.pipe:1:4: a position has 2 or 3 components"},
    {"i: x[3] b[11], j: x[3], out: a\nout.a += 1;", "t.pipe:1:9: too many components"},
    {"i: x[3], j: x[3], out: a[9]\nout.a[0] += 1;",
     "t.pipe:1:26: the number of components must be a whole number, 1 to 8"},
    {"OUTPUT[0] += INPUT_I[0];", "t.pipe:1:1: the text never uses INPUT_J"},
    {"float y = INPUT_I[0] * INPUT_J[0];", "t.pipe:1:1: the text never adds to OUTPUT"},
    {"OUTPUT[0] += INPUT_I[13] + INPUT_J[0];", "t.pipe:1:22: index 13 of 'INPUT_I' is out of range"},
    {"OUTPUT[8] += INPUT_I[0] + INPUT_J[0];", "t.pipe:1:8: index 8 of 'OUTPUT' is out of range"},
    {"", "t.pipe:1:1: the text never uses INPUT_I"},
};

static void test_broken(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        char message[512];
        myr_pipeline *p = myr_pipeline_create("t.pipe", broken[k].text, message, sizeof message);
        if (p || strncmp(message, broken[k].error, strlen(broken[k].error)) != 0)
            fail_msg("%s\n--- expected: %s\n--- got: %s", broken[k].text, broken[k].error, p ? "a kernel" : message);
        myr_pipeline_destroy(&p);
    }
}

/* Brackets, signs and blocks without end are refused before the stack is. */
static void test_deep(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    static const struct {
        const char *start, *again, *end;
    } kinds[] = {{"out.a[0] += ", "(", "1;"}, {"out.a[0] += ", "- ", "1;"}, {"", "{", "}"},
                 {"", "if (1 < 0) ", ";"},    {"", "if (j.m < 0) ", ";"},   {"out.a[0] += ", "j.m > 0 ? 1 : ", "1;"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const size_t length = strlen(kinds[k].again);
        char message[512], *text = malloc(sizeof HEAD + DEEP * length + 100);
        assert_non_null(text);
        size_t used = (size_t)sprintf(text, "%s%s", HEAD, kinds[k].start);
        for (int n = 0; n < DEEP && used + length < (1 << 20) - 100; n++, used += length)
            memcpy(text + used, kinds[k].again, length);
        strcpy(text + used, kinds[k].end);
        myr_pipeline *p = myr_pipeline_create("t.pipe", text, message, sizeof message);
        assert_null(p);
        assert_non_null(strstr(message, "nested too deeply"));
        free(text);
    }
}

static char *header_of(const char *text, myr_kernel_desc *desc, myr_operation_counts *counts)
{
    char message[512];
    myr_pipeline *p = myr_pipeline_create("folder/My kernel.v2.pipe", text, message, sizeof message);
    if (!p)
        fail_msg("%s: %s", text, message);
    *desc = *myr_pipeline_desc(p, 0);
    *counts = *myr_pipeline_counts(p, 0);
    desc->name = strdup(desc->name);
    char *header = myr_pipeline_header(p);
    assert_non_null(header);
    myr_pipeline_destroy(&p);
    return header;
}

/* Known conditions leave one side, others a selection; loops are unrolled; a product and a sum are one operation. */
static void test_translation(void **state)
{
    (void)state;
    static const struct {
        const char *body, *has, *has_not;
    } cases[] = {
        {"out.a[0] += j.m * (j.x[0] - i.x[0]);", "lane_delta(in->xj[0], in->xi[0])", "-"},
        {"float s = j.m * j.m + 1; out.a[0] += s;", "lane_madd(in->fj[0], in->fj[0], lane_set(K(1.0)))", "+"},
        {"float s = 1 - j.m * j.m; out.a[0] += s;", "lane_madd(-in->fj[0], in->fj[0], lane_set(K(1.0)))", "+"},
        {"if (1 < 2) out.a[0] += j.m; else out.a[0] += exp(j.m);", "s[0] = in->fj[0]", "lane_exp"},
        {"if (1 > 2) out.a[0] += exp(j.m); else if (2 > 1) out.a[0] += j.m;", "s[0] = in->fj[0]", "lane_exp"},
        {"if (j.m > 2) out.a[0] += j.m;", "lane_keep(", "lane_select(v"},
        {"float s = 1; if (j.m > 2) { s = 3; } out.a[0] += s;", "lane_select(", "lane_keep"},
        {"out.a[0] += j.m < 1 || !(j.m < 2) ? 3 : 4;", "mask_or(", "lane_exp"},
        {"out.a[0] += exp(j.x[0]);", "lane_exp(PIPE_VALUE(in->xj[0]))", "lane_delta(in->xj[0], in->xj"},
        {"float unused = exp(j.m); out.a[0] += j.m;", "s[0] = in->fj[0]", "lane_exp"},
        {"out.a[0] += j.m / 4;", "lane_set(K(0.25))", " / "},
        {"for (int k = 2; k >= 0; k -= 2) out.a[k] += k;", "s[2] = lane_set(K(2.0))", "s[1] = lane_set(K(1"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[512];
        myr_kernel_desc desc;
        myr_operation_counts counts;
        snprintf(text, sizeof text, HEAD "%s", cases[k].body);
        char *header = header_of(text, &desc, &counts), *pair = strstr(header, "_pair(const"),
             *end = strstr(pair, "careful");
        *end = '\0';
        if (!strstr(pair, cases[k].has) || (strlen(cases[k].has_not) > 1 && strstr(pair, cases[k].has_not)))
            fail_msg("%s\n%s", cases[k].body, pair);
        assert_string_equal(desc.name, "my_kernel");
        free((char *)desc.name);
        free(header);
    }
}

/* Removes texts in quotes and comments from C code, in place, as a compiler does. */
static void remove_texts(char *code)
{
    char *to = code;
    for (const char *at = code; *at;) {
        if (*at == '"') {
            for (at++; *at && *at != '"'; at++)
                at += *at == '\\';
            at += *at != '\0';
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            assert_non_null(end);
            at = end + 2;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
}

/* Words of a pipeline's texts stay inside texts of the C code, whatever characters are in them. */
static void test_texts_stay_texts(void **state)
{
    (void)state;
    static const char *const hostile[] = {"*/ marker(); /*", "'; marker();", "// marker",    "%s%n marker",
                                          "#define marker",  "?/ marker",    "L' R(marker(", "<:marker:> %:marker"};
    for (size_t k = 0; k < sizeof hostile / sizeof *hostile; k++) {
        char text[1024];
        myr_kernel_desc desc;
        myr_operation_counts counts;
        snprintf(text, sizeof text, "text: \"%s\"\nformula: \"%s\"\n" HEAD "param: p = 1 [0, 2] \"%s\"\nout.a[0] += p;",
                 hostile[k], hostile[k], hostile[k]);
        char *header = header_of(text, &desc, &counts);
        assert_non_null(strstr(header, hostile[k]));
        remove_texts(header);
        assert_null(strstr(header, "marker"));
        free((char *)desc.name);
        free(header);
    }
}

/* Operations are counted as the GRAPE literature counts them: Fig. A.3 is gravity with its 19, or 38. */
static void test_figure(void **state)
{
    (void)state;
    char text[8192] = "";
    myr_kernel_desc d;
    myr_operation_counts counts;
    FILE *f = fopen(FIGURES "/fig_a3.pipe", "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    char *header = header_of(text, &d, &counts);
    assert_int_equal(counts.flops, 19);
    assert_int_equal(counts.flops_gpu, 38);
    assert_int_equal(counts.issue, 13 + MYR_ISSUE_RSQRT); /* one more than the library's: it sums in pairs */
    assert_int_equal(d.is_short, 1);
    assert_int_equal(d.coords, 3);
    assert_int_equal(d.self, MYR_SELF_VANISHES);
    free((char *)d.name);
    free(header);
}

/* The record lists everything once, and a parameter may have the name of a part of the record. */
static void test_record(void **state)
{
    (void)state;
    static const char text[] =
        "i: x[3] v[3]\nj: x[3] m\nout: a[3]=acceleration\nantisymmetric: a\n"
        "param: SIZE = 2, rc = 1\ncutoff: rc\nout.a[0] += SIZE * j.m * i.v[0] * (j.x[0] - i.x[0]);";
    static const char *const has[] = {"MYR_TARGET(velocity, 3)",
                                      "MYR_SOURCE(mass, 1)",
                                      "MYR_PARAMETER(SIZE, 2, ",
                                      ", MYR_CUTOFF)",
                                      "MYR_OUTPUT(acceleration, 3, MYR_SYMMETRY_ANTI)",
                                      "MYR_SIZE(COORDS, 3)",
                                      ".self = MYR_SELF_VANISHES, .is_short = 1);"};
    myr_kernel_desc desc;
    myr_operation_counts counts;
    char *header = header_of(text, &desc, &counts);
    for (size_t k = 0; k < sizeof has / sizeof *has; k++)
        if (!strstr(header, has[k]))
            fail_msg("%s is missing:\n%s", has[k], header);
    free((char *)desc.name);
    free(header);
}

/* What a particle does to itself is exactly nothing where each contribution has a difference of positions. */
static void test_self(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        myr_self self;
    } cases[] = {
        {"out.a[0] += j.m * (j.x[0] - i.x[0]); out.a[1] -= (i.x[1] - j.x[1]) * 3;", MYR_SELF_VANISHES},
        {"if (j.m > 0) out.a[2] += j.m * (j.x[0] - i.x[0]);", MYR_SELF_VANISHES},
        {"out.a[0] += j.m * (j.x[0] - i.x[1]);", MYR_SELF_SKIPPED},
        {"out.a[0] += j.m * (j.x[0] - i.x[0]); out.a[1] += j.m;", MYR_SELF_SKIPPED},
        {"out.a[0] += j.m * (j.x[0] - i.x[0]) + j.m;", MYR_SELF_SKIPPED},
        {"out.a[0] += exp(j.x[0] - i.x[0]);", MYR_SELF_SKIPPED},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[512];
        myr_kernel_desc desc;
        myr_operation_counts counts;
        snprintf(text, sizeof text, HEAD "%s", cases[k].body);
        char *header = header_of(text, &desc, &counts);
        if (desc.self != cases[k].self)
            fail_msg("%s", cases[k].body);
        free((char *)desc.name);
        free(header);
    }
}

static void test_declarations(void **state)
{
    (void)state;
    static const char text[] = "name: bonds\ntext: \"a text\"\n"
                               "i: x[3] q, v[3];\n"
                               "j: x[3]\n  out: f[3] g=gain\n"
                               "potential: e\n"
                               "param: rc = 2.5 [0, 1e3] \"a radius\", k = -1\n"
                               "cutoff: rc\nself: count\nantisymmetric: f, g=equal\n"
                               "out.f[1] += k * i.q * i.v[2]; out.g += 1; out.e -= rc;";
    char message[512];
    myr_pipeline *p = myr_pipeline_create("t.pipe", text, message, sizeof message);
    if (!p)
        fail_msg("%s", message);
    const myr_kernel_desc *d = myr_pipeline_desc(p, 0), *with = myr_pipeline_desc(p, 1);
    assert_string_equal(d->name, "bonds");
    assert_string_equal(d->text, "a text");
    assert_string_equal(d->target[0].name, "charge");
    assert_string_equal(d->target[1].name, "velocity");
    assert_int_equal(d->target[1].components, 3);
    assert_null(d->target[2].name);
    assert_null(d->source[0].name);
    assert_string_equal(d->output[0].name, "force");
    assert_string_equal(d->output[1].name, "gain");
    assert_int_equal(d->output[0].symmetry, MYR_SYMMETRY_ANTI);
    assert_int_equal(d->output[1].symmetry, MYR_SYMMETRY_ANTI_EQUAL);
    assert_null(d->output[2].name);
    assert_string_equal(with->name, "bonds_potential");
    assert_string_equal(with->output[2].name, "potential");
    assert_string_equal(d->parameter[0].text, "a radius");
    assert_true(d->parameter[0].value == 2.5 && d->parameter[0].upper == 1e3);
    assert_true(d->parameter[1].value == -1);
    assert_null(d->parameter[2].name);
    assert_int_equal(myr_kernel_cutoff(d), 0);
    assert_int_equal(d->self, MYR_SELF_COUNTED);
    assert_null(myr_pipeline_desc(p, 0)->pair[0]);
    myr_pipeline_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken),      cmocka_unit_test(test_deep),
        cmocka_unit_test(test_translation), cmocka_unit_test(test_texts_stay_texts),
        cmocka_unit_test(test_figure),      cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_self),        cmocka_unit_test(test_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
