/* markup.c - the only file that writes into a page. */
#include "report/markup.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

struct markup {
    FILE *out;
    unsigned kept, bits; /* of base 64: bits that are not written yet, and how many */
    int wrong;           /* a format that markup_format does not know */
};

markup *markup_create(FILE *out)
{
    markup *m = calloc(1, sizeof *m);
    if (m)
        m->out = out;
    return m;
}

void markup_destroy(markup **m)
{
    free(*m);
    *m = NULL;
}

int markup_failed(const markup *m)
{
    return m->wrong || ferror(m->out);
}

/* --- text --------------------------------------------------------------------------------------------------------- */

/* The character that begins here, of at most `room` bytes: gives its length, or 0 where the bytes are no UTF-8. */
static size_t decode(const unsigned char *byte, size_t room, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t length = byte[0] < 0x80 ? 1 : byte[0] < 0xc0 ? 0 : byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
    if (length == 0 || length > room || byte[0] > 0xf4)
        return 0;
    *code = length == 1 ? byte[0] : byte[0] & (0x7fu >> length);
    for (size_t k = 1; k < length; k++) {
        if ((byte[k] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (byte[k] & 0x3f);
    }
    return *code >= least[length] && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff) ? length : 0;
}

/* Whether a character may be shown: no control character, and none that turns the direction of what follows. */
static int showable(uint32_t code)
{
    if (code == '\n' || code == '\t')
        return 1;
    return code >= 0x20 && (code < 0x7f || code > 0x9f) && (code < 0x202a || code > 0x202e) &&
           (code < 0x2066 || code > 0x2069) && code != 0xfeff;
}

static const char *escape_of(uint32_t code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static void put_text(markup *m, const char *text, size_t size)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + size;
    while (at < end) {
        uint32_t code = 0;
        const size_t length = decode(at, (size_t)(end - at), &code);
        const char *escape = length ? escape_of(code) : NULL;
        if (escape)
            fputs(escape, m->out);
        else if (length && showable(code))
            fwrite(at, 1, length, m->out);
        else
            fputs("\ufffd", m->out);
        at += length ? length : 1;
    }
}

void markup_text(markup *m, const char *text)
{
    put_text(m, text, strlen(text));
}

/* --- markup with values ------------------------------------------------------------------------------------------- */

/* What stands between % and the letter of a conversion. */
typedef struct {
    int width, precision; /* precision -1 = none */
    int is_long;          /* ll */
} conversion;

/* Reads a conversion after its %; gives where its letter is. */
static const char *read_conversion(const char *at, conversion *c, va_list *args)
{
    *c = (conversion){.precision = -1};
    char *end;
    c->width = (int)strtol(at, &end, 10);
    if (*end == '.' && end[1] == '*') {
        c->precision = va_arg(*args, int);
        end += 2;
    } else if (*end == '.') {
        c->precision = (int)strtol(end + 1, &end, 10);
    }
    c->is_long = strncmp(end, "ll", 2) == 0;
    return end + (c->is_long ? 2 : 0);
}

static void put_value(markup *m, char letter, conversion c, va_list *args)
{
    const char *text;
    char character;
    switch (letter) {
    case '%':
        fputc('%', m->out);
        break;
    case 's':
        text = va_arg(*args, const char *);
        put_text(m, text, c.precision < 0 ? strlen(text) : strnlen(text, (size_t)c.precision));
        break;
    case 'c':
        character = (char)va_arg(*args, int);
        put_text(m, &character, 1);
        break;
    case 'd':
        fprintf(m->out, "%lld", c.is_long ? va_arg(*args, long long) : va_arg(*args, int));
        break;
    case 'x':
        fprintf(m->out, "%0*x", c.width, va_arg(*args, unsigned));
        break;
    case 'f':
        fprintf(m->out, "%.*f", c.precision, va_arg(*args, double));
        break;
    case 'g':
        fprintf(m->out, "%.*g", c.precision, va_arg(*args, double));
        break;
    default:
        m->wrong = 1;
    }
}

void markup_format(markup *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    while (*format && !m->wrong) {
        const size_t plain = strcspn(format, "%");
        fwrite(format, 1, plain, m->out);
        format += plain;
        if (!*format)
            break;
        conversion c;
        format = read_conversion(format + 1, &c, &args);
        put_value(m, *format++, c, &args);
    }
    va_end(args);
}

/* --- base 64 ------------------------------------------------------------------------------------------------------ */

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void markup_base64(markup *m, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t k = 0; k < size; k++) {
        m->kept = m->kept << 8 | byte[k];
        m->bits += 8;
        while (m->bits >= 6) {
            m->bits -= 6;
            fputc(letters[m->kept >> m->bits & 63], m->out);
        }
        m->kept &= 63;
    }
}

void markup_base64_end(markup *m)
{
    if (m->bits) {
        fputc(letters[m->kept << (6 - m->bits) & 63], m->out);
        fputs(m->bits == 2 ? "==" : "=", m->out);
    }
    m->bits = m->kept = 0;
}

/* --- the files of runs/report/page -------------------------------------------------------------------------------- */

static const report_asset *find_asset(markup *m, const char *name)
{
    static const report_asset none = {"", "", 0, ""};
    int count;
    const report_asset *all = report_assets(&count);
    for (int k = 0; k < count; k++)
        if (strcmp(all[k].name, name) == 0)
            return &all[k];
    m->wrong = 1;
    return &none;
}

void markup_asset(markup *m, const char *name)
{
    const report_asset *asset = find_asset(m, name);
    fwrite(asset->text, 1, asset->size, m->out);
}

void markup_style(markup *m, const char *name)
{
    fputs("<style>", m->out);
    markup_asset(m, name);
    fputs("</style>\n", m->out);
}

void markup_script(markup *m, const char *name)
{
    fputs("<script>", m->out);
    markup_asset(m, name);
    fputs("</script>\n", m->out);
}

void markup_data(markup *m, const char *name)
{
    fprintf(m->out, "<script type=\"text/plain\" id=\"%s\">", name);
    markup_asset(m, name);
    fputs("</script>\n", m->out);
}

/* 'sha256-...' of a file, in base 64, as the policy names what may run. */
static void put_hash(markup *m, const char *name)
{
    const char *hex = find_asset(m, name)->sha256;
    fputs(" 'sha256-", m->out);
    for (; hex[0] && hex[1]; hex += 2) {
        const char pair[3] = {hex[0], hex[1], 0};
        markup_base64(m, &(unsigned char){(unsigned char)strtoul(pair, NULL, 16)}, 1);
    }
    markup_base64_end(m);
    fputc('\'', m->out);
}

static void put_policy(markup *m, int is_live)
{
    fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
          "form-action 'none'; img-src data:; style-src",
          m->out);
    put_hash(m, "page.css");
    fputs("; script-src", m->out);
    put_hash(m, "page.js");
    put_hash(m, "replay.js");
    put_hash(m, "table.js");
    if (is_live) {
        put_hash(m, "live.js");
        fputs("; connect-src 'self'", m->out);
    }
    fputs("\">\n", m->out);
}

void markup_policy(markup *m)
{
    put_policy(m, 0);
}

void markup_live_policy(markup *m)
{
    put_policy(m, 1);
}

/* --- places ------------------------------------------------------------------------------------------------------- */

long markup_reserve(markup *m, int size)
{
    const long place = ftell(m->out);
    fprintf(m->out, "%*s\n", size, "");
    return place;
}

int markup_return(markup *m, long place)
{
    return place < 0 || fseek(m->out, place, SEEK_SET);
}

void markup_resume(markup *m)
{
    fseek(m->out, 0, SEEK_END);
}
