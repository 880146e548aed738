/* input_yaml.c - YAML 1.2 to a tree, through the events of libfyaml: positions and duplicates stay ours to judge.
 *
 * Aliases are refused: an input file has no use for them, and they let a small file stand for a huge one. */
#include "input/input_tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MYR_HAVE_FYAML

#include <libfyaml.h>

int tree_can_parse(void)
{
    return 1;
}

typedef struct {
    tree *t;
    tree_node *open[TREE_DEPTH_MAX]; /* containers that are not closed yet */
    int depth;
    struct { /* the key that waits for its value, per depth */
        const char *text;
        int line, column;
    } key[TREE_DEPTH_MAX];
    int documents;
    int stop; /* nothing more can be made of this file */
} yaml_reader;

static void yaml_position(struct fy_token *token, int *line, int *column)
{
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    *line = mark ? mark->line + 1 : 1;
    *column = mark ? mark->column + 1 : 1;
}

static void yaml_give_up(yaml_reader *r, int line, int column, const char *why)
{
    tree_fail(r->t, line, column, "%s", why);
    r->stop = 1;
}

/* Puts a node where it belongs: the root, a list, or the value of the key that waits. */
static void yaml_place(yaml_reader *r, tree_node *node)
{
    if (r->depth == 0) {
        if (node->kind == TREE_MAP)
            r->t->root = node;
        else if (node->kind == TREE_LIST || *node->text)
            yaml_give_up(r, node->line, node->column,
                         "the file is not a map; expected sections such as 'particles:' and 'run:'");
        return;
    }
    tree_node *parent = r->open[r->depth - 1];
    if (parent->kind == TREE_MAP) {
        node->key = r->key[r->depth - 1].text;
        node->key_line = r->key[r->depth - 1].line;
        node->key_column = r->key[r->depth - 1].column;
        r->key[r->depth - 1].text = NULL;
        const tree_node *before = tree_find(parent, node->key);
        if (before) {
            tree_fail(r->t, node->key_line, node->key_column, "'%.60s' is given twice; the first is in line %d",
                      node->key, before->key_line);
            return; /* the first one counts; the second is looked into no further */
        }
    }
    tree_append(parent, node);
}

/* Whether the next node is a key rather than a value. */
static int yaml_wants_key(const yaml_reader *r)
{
    return r->depth > 0 && r->open[r->depth - 1]->kind == TREE_MAP && !r->key[r->depth - 1].text;
}

static void yaml_scalar(yaml_reader *r, struct fy_token *token)
{
    int line, column;
    size_t length = 0;
    yaml_position(token, &line, &column);
    const char *text = token ? fy_token_get_text(token, &length) : "";
    if (!text || memchr(text, 0, length)) {
        yaml_give_up(r, line, column, "a text with a zero byte");
        return;
    }
    const char *copy = tree_copy(r->t, text, length);
    if (copy && yaml_wants_key(r)) {
        r->key[r->depth - 1].text = copy;
        r->key[r->depth - 1].line = line;
        r->key[r->depth - 1].column = column;
        return;
    }
    tree_node *node = copy ? tree_new(r->t, TREE_SCALAR, line, column) : NULL;
    if (!node) {
        yaml_give_up(r, line, column, "the file has too many entries");
        return;
    }
    node->text = copy;
    node->quoted = token && fy_token_scalar_style(token) != FYSS_PLAIN;
    yaml_place(r, node);
}

static void yaml_open(yaml_reader *r, tree_kind kind, struct fy_token *token)
{
    int line, column;
    yaml_position(token, &line, &column);
    if (yaml_wants_key(r)) {
        yaml_give_up(r, line, column, "a key must be a word, not a map or a list");
        return;
    }
    tree_node *node = r->depth < TREE_DEPTH_MAX ? tree_new(r->t, kind, line, column) : NULL;
    if (!node) {
        yaml_give_up(r, line, column,
                     r->depth < TREE_DEPTH_MAX ? "the file has too many entries"
                                               : "maps and lists are nested too deeply");
        return;
    }
    yaml_place(r, node);
    if (r->stop)
        return;
    r->open[r->depth] = node;
    r->key[r->depth].text = NULL;
    r->depth++;
}

static void yaml_event(yaml_reader *r, struct fy_event *event)
{
    int line, column;
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (r->documents++ > 0) {
            yaml_position(event->document_start.document_start, &line, &column);
            yaml_give_up(r, line, column, "a second document begins here; expected only one in a file");
        }
        break;
    case FYET_ALIAS:
        yaml_position(event->alias.anchor, &line, &column);
        yaml_give_up(r, line, column > 1 ? column - 1 : 1, "aliases (*name) are not allowed here; write the value out");
        break;
    case FYET_SCALAR:
        yaml_scalar(r, event->scalar.value);
        break;
    case FYET_MAPPING_START:
        yaml_open(r, TREE_MAP, event->mapping_start.mapping_start);
        break;
    case FYET_SEQUENCE_START:
        yaml_open(r, TREE_LIST, event->sequence_start.sequence_start);
        break;
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        if (r->depth > 0)
            r->depth--;
        break;
    default:
        break;
    }
}

/* What libfyaml found wrong with the syntax. */
static void yaml_collect(tree *t, struct fy_diag *diag)
{
    void *at = NULL;
    const struct fy_diag_error *e;
    while ((e = fy_diag_errors_iterate(diag, &at)))
        if (e->msg)
            tree_fail(t, e->line > 0 ? e->line : 0, e->column > 0 ? e->column : 1, "this is not YAML: %.200s", e->msg);
}

/* Nonzero where it had to stop. */
static int yaml_run(tree *t, struct fy_parser *parser)
{
    yaml_reader r = {.t = t};
    struct fy_event *event;
    while (!r.stop && (event = fy_parser_parse(parser))) {
        const int last = event->type == FYET_STREAM_END;
        yaml_event(&r, event);
        fy_parser_event_free(parser, event);
        if (last)
            break;
    }
    return r.stop;
}

/* 1 if a line begins with '?', the mark of a key of several lines. */
static int yaml_has_long_key(const unsigned char *b, size_t size, size_t line)
{
    size_t k = line;
    while (k < size && (b[k] == ' ' || b[k] == '\t' || b[k] == '-'))
        k++;
    return k < size && b[k] == '?' && (k + 1 == size || b[k + 1] <= ' ');
}

/* libfyaml is handed only what can be YAML: valid UTF-8 without control characters; and no keys of several lines, which
 * have no use here: at a tab after such a key libfyaml 0.7 writes past its memory. */
static int yaml_precheck(tree *t, const unsigned char *b, size_t size)
{
    int line = 1, column = 1;
    for (size_t k = 0; k < size; column++) {
        const unsigned char c = b[k];
        if (column == 1 && yaml_has_long_key(b, size, k)) {
            tree_fail(t, line, column, "a line begins with '?'; expected 'key: value', or quotes around a text");
            return 1;
        }
        const int more = c < 0x80                ? 0
                         : c >= 0xc2 && c < 0xe0 ? 1
                         : c >= 0xe0 && c < 0xf0 ? 2
                         : c >= 0xf0 && c < 0xf5 ? 3
                                                 : -1;
        if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f || more < 0 || k + (size_t)more >= size) {
            tree_fail(t, line, column, "byte 0x%02x is not text; expected UTF-8 without control characters", c);
            return 1;
        }
        /* codes that are longer than need be, surrogates, and what is past the last code: libfyaml 0.7 can wait for
         * ever at such bytes */
        const unsigned second = more > 0 ? b[k + 1] : 0;
        if ((c == 0xe0 && second < 0xa0) || (c == 0xed && second > 0x9f) || (c == 0xf0 && second < 0x90) ||
            (c == 0xf4 && second > 0x8f)) {
            tree_fail(t, line, column, "bytes 0x%02x 0x%02x are not text; expected UTF-8", c, second);
            return 1;
        }
        for (int m = 1; m <= more; m++)
            if ((b[k + (size_t)m] & 0xc0) != 0x80) {
                tree_fail(t, line, column, "byte 0x%02x is not text; expected UTF-8", c);
                return 1;
            }
        k += 1 + (size_t)more;
        if (c == '\n') {
            line++;
            column = 0;
        }
    }
    return 0;
}

int tree_parse(tree *t, const char *bytes, size_t size)
{
    if (size > TREE_BYTES_MAX) {
        tree_fail(t, 0, 0, "the file has %zu bytes; expected at most %d", size, TREE_BYTES_MAX);
        return 1;
    }
    if (size == 0)
        return 0;
    if (yaml_precheck(t, (const unsigned char *)bytes, size))
        return 1;
    int failed = 1;
    struct fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = NULL;
    diag_config.colorize = false;
    struct fy_diag *diag = fy_diag_create(&diag_config);
    if (diag)
        fy_diag_set_collect_errors(diag, true);
    const struct fy_parse_cfg config = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
        .diag = diag,
    };
    struct fy_parser *parser = diag ? fy_parser_create(&config) : NULL;
    if (!parser || fy_parser_set_string(parser, bytes, size))
        tree_fail(t, 0, 0, "no memory");
    else
        failed = yaml_run(t, parser);
    if (parser && fy_parser_get_stream_error(parser)) {
        const int before = t->errors;
        yaml_collect(t, diag);
        if (t->errors == before)
            tree_fail(t, 0, 0, "this is not YAML");
        failed = 1;
    }
    if (parser)
        fy_parser_destroy(parser);
    if (diag)
        fy_diag_destroy(diag);
    return failed;
}

#else

int tree_can_parse(void)
{
    return 0;
}

int tree_parse(tree *t, const char *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    tree_fail(t, 0, 0, "this build of myriad cannot read input files: it was made without libfyaml");
    return 1;
}

#endif

int tree_load(tree *t, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        tree_fail(t, 0, 0, "%s", strerror(errno));
        return 1;
    }
    /* One byte more than allowed, so that a file that is too long shows; a pipe has no size to ask for. */
    char *bytes = malloc(TREE_BYTES_MAX + 1);
    const size_t size = bytes ? fread(bytes, 1, TREE_BYTES_MAX + 1, file) : 0;
    int failed = 1;
    if (!bytes)
        tree_fail(t, 0, 0, "no memory");
    else if (ferror(file))
        tree_fail(t, 0, 0, "it cannot be read (is it a folder?)");
    else
        failed = tree_parse(t, bytes, size);
    free(bytes);
    fclose(file);
    return failed;
}
