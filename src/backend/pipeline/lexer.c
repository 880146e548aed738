/* lexer.c - tokens of a pipeline's text. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pipeline/inside.h"

static void lexer_fail(pipe_reader *r, int line, int column, const char *format, va_list args)
{
    if (r->failed)
        return;
    r->failed = 1;
    const int used = snprintf(r->message, r->room, "%s:%d:%d: ", r->pipeline->file, line, column);
    if (used > 0 && (size_t)used < r->room)
        vsnprintf(r->message + used, r->room - (size_t)used, format, args);
    r->now = r->next = (pipe_token){.kind = PIPE_END, .line = line, .column = column, .at = r->at};
}

void myr_pipe_fail(pipe_reader *r, int line, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    lexer_fail(r, line, column, format, args);
    va_end(args);
}

void myr_pipe_fail_at_token(pipe_reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    lexer_fail(r, r->now.line, r->now.column, format, args);
    va_end(args);
}

static int lexer_column(const pipe_reader *r)
{
    return (int)(r->at - r->line_start) + 1;
}

static void lexer_newline(pipe_reader *r)
{
    r->line++;
    r->line_start = r->at + 1;
}

static void lexer_skip_comment(pipe_reader *r)
{
    const int line = r->line, column = lexer_column(r);
    for (r->at += 2; *r->at && !(r->at[0] == '*' && r->at[1] == '/'); r->at++)
        if (*r->at == '\n')
            lexer_newline(r);
    if (!*r->at)
        myr_pipe_fail(r, line, column, "this comment has no end");
    else
        r->at += 2;
}

static void lexer_skip(pipe_reader *r)
{
    while (!r->failed) {
        if (*r->at == '\n') {
            lexer_newline(r);
            r->at++;
        } else if (isspace((unsigned char)*r->at)) {
            r->at++;
        } else if (r->at[0] == '/' && r->at[1] == '/') {
            r->at += strcspn(r->at, "\n");
        } else if (r->at[0] == '/' && r->at[1] == '*') {
            lexer_skip_comment(r);
        } else {
            return;
        }
    }
}

static void lexer_copy(pipe_reader *r, pipe_token *t, const char *from, size_t length)
{
    if (length >= sizeof t->text) {
        myr_pipe_fail(r, t->line, t->column, "this word is too long; at most %d characters", (int)sizeof t->text - 1);
        return;
    }
    memcpy(t->text, from, length);
    t->text[length] = '\0';
}

static void lexer_number(pipe_reader *r, pipe_token *t)
{
    char *end;
    t->kind = PIPE_NUMBER;
    t->number = strtod(r->at, &end);
    const size_t length = (size_t)(end - r->at);
    lexer_copy(r, t, r->at, length);
    r->at = end;
    /* suffixes of C are ignored: all numbers have one type */
    if (*r->at == 'f' || *r->at == 'F' || *r->at == 'L' || *r->at == 'l')
        r->at++;
    if (isalnum((unsigned char)*r->at) || *r->at == '_')
        myr_pipe_fail(r, t->line, t->column, "'%s%c' is not a number", t->text, *r->at);
}

static void lexer_string(pipe_reader *r, pipe_token *t)
{
    const size_t length = strcspn(r->at + 1, "\"\n\\");
    t->kind = PIPE_STRING;
    if (r->at[1 + length] != '"') {
        myr_pipe_fail(r, t->line, t->column, "this string does not end on its line, or holds a backslash");
        return;
    }
    lexer_copy(r, t, r->at + 1, length);
    for (size_t k = 0; k < length && !r->failed; k++)
        if ((unsigned char)t->text[k] < ' ')
            myr_pipe_fail(r, t->line, t->column, "this string holds a control character");
    if (strstr(t->text, "?\?")) /* some compilers take two of them and a third sign for another character */
        myr_pipe_fail(r, t->line, t->column, "this string holds '?\?'");
    r->at += length + 2;
}

static void lexer_sign(pipe_reader *r, pipe_token *t)
{
    static const char *const longer[] = {"+=", "-=", "*=", "/=", "++", "--", "<=", ">=", "==", "!=", "&&", "||"};
    size_t length = 1;
    t->kind = PIPE_SIGN;
    for (size_t k = 0; k < sizeof longer / sizeof *longer; k++)
        if (strncmp(r->at, longer[k], 2) == 0)
            length = 2;
    if (!strchr("+-*/<>=!&|()[]{},;:.?", *r->at))
        myr_pipe_fail(r, t->line, t->column, "%s",
                      *r->at == '#' ? "there is no preprocessor here: give constants as 'param:' or as variables"
                                    : "this character has no meaning here");
    lexer_copy(r, t, r->at, length);
    r->at += length;
}

static void lexer_read(pipe_reader *r, pipe_token *t)
{
    lexer_skip(r);
    if (r->failed)
        return;
    memset(t, 0, sizeof *t);
    t->line = r->line;
    t->column = lexer_column(r);
    t->at = r->at;
    if (!*r->at)
        return;
    if (isalpha((unsigned char)*r->at) || *r->at == '_') {
        const char *start = r->at;
        while (isalnum((unsigned char)*r->at) || *r->at == '_')
            r->at++;
        t->kind = PIPE_IDENTIFIER;
        lexer_copy(r, t, start, (size_t)(r->at - start));
        if (r->at - start >= PIPE_WORD)
            myr_pipe_fail(r, t->line, t->column, "this name is too long; at most %d characters", PIPE_WORD - 1);
    } else if (isdigit((unsigned char)*r->at) || (*r->at == '.' && isdigit((unsigned char)r->at[1]))) {
        lexer_number(r, t);
    } else if (*r->at == '"') {
        lexer_string(r, t);
    } else {
        lexer_sign(r, t);
    }
}

void myr_pipe_advance(pipe_reader *r)
{
    if (r->failed)
        return;
    r->now = r->next;
    lexer_read(r, &r->next);
}

void myr_pipe_start(pipe_reader *r)
{
    r->at = r->line_start = r->pipeline->text;
    r->line = 1;
    lexer_read(r, &r->next);
    myr_pipe_advance(r);
}

void myr_pipe_rewind(pipe_reader *r, const pipe_token *token)
{
    if (r->failed)
        return;
    r->at = token->at;
    r->line = token->line;
    r->line_start = token->at - (token->column - 1);
    lexer_read(r, &r->next);
    myr_pipe_advance(r);
}

int myr_pipe_is(const pipe_reader *r, const char *text)
{
    return (r->now.kind == PIPE_SIGN || r->now.kind == PIPE_IDENTIFIER) && strcmp(r->now.text, text) == 0;
}

int myr_pipe_accept(pipe_reader *r, const char *text)
{
    if (!myr_pipe_is(r, text))
        return 0;
    myr_pipe_advance(r);
    return 1;
}

void myr_pipe_expect(pipe_reader *r, const char *text, const char *why)
{
    if (myr_pipe_accept(r, text))
        return;
    if (r->now.kind == PIPE_END)
        myr_pipe_fail_at_token(r, "the text ends where '%s' is expected %s", text, why);
    else
        myr_pipe_fail_at_token(r, "expected '%s' %s, not '%s'", text, why, r->now.text);
}
