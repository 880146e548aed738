/* input_tree.h - what an input file says, before anybody asks whether it makes sense: scalars, maps and lists with
 * their positions, and the list of errors.
 *
 * Everything of one file lives in one arena of bounded size: a hostile file can be refused but cannot take memory. */
#ifndef MYR_CLI_INPUT_INPUT_TREE_H
#define MYR_CLI_INPUT_INPUT_TREE_H

#include <stddef.h>

enum {
    TREE_BYTES_MAX = 1 << 20, /* of a file */
    TREE_NODES_MAX = 20000,
    TREE_DEPTH_MAX = 16,
    TREE_ERRORS_MAX = 20, /* reported; the others are counted */
    TREE_ERROR_LENGTH = 480
};

typedef enum { TREE_SCALAR, TREE_MAP, TREE_LIST } tree_kind;

typedef struct tree_node {
    tree_kind kind;
    int line, column;         /* of the value, from 1 */
    int key_line, key_column; /* of the key, in a map */
    const char *origin;       /* what to name instead of file:line:column ("--set run.end=1"), or null */
    const char *key;          /* in a map */
    const char *text;         /* of a scalar */
    int quoted;
    struct tree_node *first, *last, *next; /* members; next member of the same container */
} tree_node;

typedef struct {
    int line, column;
    char text[TREE_ERROR_LENGTH];
} tree_error;

typedef struct tree_chunk tree_chunk;

typedef struct {
    const char *name; /* of the file, for messages */
    tree_node *root;  /* a map */
    tree_chunk *chunks;
    int nodes;
    int errors; /* all of them */
    tree_error error[TREE_ERRORS_MAX];
} tree;

/* Makes an empty tree: a root map without members. The name is copied. Null = no memory. */
tree *tree_create(const char *name);

/* Frees it with all that it holds, and clears the pointer. Null is allowed. */
void tree_destroy(tree **t);

/* Memory that lives as long as the tree, zeroed; null = none left. */
void *tree_allocate(tree *t, size_t bytes);

/* A copy of the first `length` bytes of a text, ended by 0. */
char *tree_copy(tree *t, const char *text, size_t length);

/* A node at a position; null where the tree has too many or there is no memory. */
tree_node *tree_new(tree *t, tree_kind kind, int line, int column);

/* Appends a member to a map or list. */
void tree_append(tree_node *container, tree_node *member);

/* The member of a map with that key, or null. */
tree_node *tree_find(const tree_node *map, const char *key);

/* Removes the member of a map with that key, if there is one. */
void tree_remove(tree_node *map, const char *key);

/* Adds an error at a line and column of the file (0 = the file as a whole). */
void tree_fail(tree *t, int line, int column, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Adds an error at a node's value, or at its key; null = the file as a whole. */
void tree_fail_value(tree *t, const tree_node *node, const char *format, ...) __attribute__((format(printf, 3, 4)));
void tree_fail_key(tree *t, const tree_node *node, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Says all errors, in the order of the file. */
void tree_report(const tree *t);

/* Fills the tree from the bytes of a YAML file; errors are added to it. Nonzero: it could not be read to its end, so
 * that nothing can be said about what is missing. */
int tree_parse(tree *t, const char *bytes, size_t size);

/* Reads a whole file, then as above. */
int tree_load(tree *t, const char *path);

/* Whether this build can read YAML. */
int tree_can_parse(void);

/* Sets section.key (or external.INDEX.key, from 0) from "section.key=value", making the section where it is not there.
 */
void tree_set(tree *t, const char *assignment);

/* Sets section.key to a copy of a node, whose position names the place of errors. The path lives as long as the tree.
 */
void tree_put(tree *t, const char *path, const tree_node *value);

#endif
