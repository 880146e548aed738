/* input.h - an input file that has been checked: every key with its value, defaults filled in, in the run's units.
 *
 * Values keep the text as it was written, so that the effective input says what the user said. */
#ifndef MYR_CLI_INPUT_H
#define MYR_CLI_INPUT_H

#include "args_list.h"
#include "input/input_tree.h"
#include "input/keys.h"

enum {
    INPUT_PARAMETERS = 64,
    INPUT_EXTERNALS = 16,
    INPUT_SETS = 32,
    INPUT_SET_KEYS = 24,
    INPUT_ENTRIES = 64,
    INPUT_ENTRY_KEYS = 8,
    INPUT_ENTRY_TEXT = 120,
    INPUT_SOURCE = 240,
    INPUT_SWEPT = 48,
    INPUT_SWEPT_TEXT = 512
};

typedef struct {
    const char *text;      /* as written, or the default; null = neither */
    const char *word;      /* where it is one of the key's words; else null */
    double number;         /* NUMBER: in the run's units (seconds for a time on the clock) */
    int64_t integer;       /* INTEGER */
    double vector[3];      /* VECTOR: in the run's units */
    int is_vector;         /* whether a VECTOR was given */
    const tree_node *node; /* where it is given; null = default */
} input_value;

/* A parameter from the library's catalogues, or an option with a word. */
typedef struct {
    const char *name, *about;
    const char *text; /* as written; null = default */
    const char *word; /* of an option; null for a number */
    double value;
    units_dimension dimension;
    const tree_node *node;
} input_parameter;

/* A member of a catalogue (a model, a kernel, ...) with its parameters. */
typedef struct {
    const char *name; /* null = none */
    const tree_node *node;
    int count;
    input_parameter parameter[INPUT_PARAMETERS];
} input_member;

/* An entry of a list of keys: its values in the order of keys.def. */
typedef struct {
    const tree_node *node;
    input_value value[INPUT_ENTRY_KEYS];
} input_entry;

typedef struct {
    int count;
    input_entry entry[INPUT_ENTRIES];
} input_list;

/* An entry of the section particles where that is a list. */
typedef struct {
    const tree_node *node;
    input_value value[INPUT_SET_KEYS]; /* in the order of keys.def */
    input_member model;
} input_set;

/* A key of the section sweep with its values: nodes of the file, or whole numbers first, first + step, and so on. */
typedef struct {
    const char *key;           /* "particles.seed" */
    const tree_node *node;     /* where it is given */
    const tree_node *first_of; /* first of the nodes; null = whole numbers */
    int64_t first, step;
    int64_t count;
    int axis; /* keys of one axis take their values together */
} input_swept;

/* Many runs from one file: every combination of the axes, the last one fastest. */
typedef struct {
    int64_t runs;
    int keys, axes;
    int together;     /* 1 = the section is `replicas`: all runs are replicas of one, and move together */
    int64_t exchange; /* steps between exchanges of their temperatures; 0 = none */
    input_swept key[INPUT_SWEPT];
    int64_t axis[INPUT_SWEPT]; /* values of each */
} input_sweep;

typedef struct {
    tree *tree;
    units_system units;
    input_value value[KEYS];
    int sets; /* entries of the section particles; 0 = it is no list */
    input_set set[INPUT_SETS];
    input_member model, kernel, integrator;
    int externals;
    input_member external[INPUT_EXTERNALS];
    input_list species, pairs, walls;
    input_sweep *sweep;      /* null = there is no section sweep */
    myr_context *kernels;    /* holds the kernel where the user wrote it; else null */
    const char *kernel_text; /* its text, where that is not to be read from its file; the caller's */
} input;

/* Reads and checks a file, with assignments of --set on top. Prints all errors and gives the exit code. */
int input_load(const char *path, const args_list *set, input **result);

/* The same of run `number` from 0 of a file with a section sweep; input_load takes the first. */
int input_load_run(const char *path, const args_list *set, int64_t number, input **result);

/* The same from bytes; `name` stands for the file in messages. Errors stay in the tree, unprinted; the input is there
 * even so, and null only where there is no memory. */
input *input_from_bytes(const char *name, const char *bytes, size_t size, const args_list *set);

/* The same from an effective input that a checkpoint kept, with the text of the kernel where the user wrote it. */
input *input_from_checkpoint(const char *name, const char *bytes, size_t size, const args_list *set,
                             const char *kernel_text);

/* The same from assignments only; this does not need a reader of YAML. */
input *input_from_nothing(const char *name, const args_list *set);

/* Frees it and clears the pointer. Null is allowed. */
void input_destroy(input **in);

/* The value of a key. */
const input_value *input_of(const input *in, key_id id);

/* The value of a key of an entry of the list that its section is. */
const input_value *input_entry_of(const input_entry *entry, key_id id);

/* The list that a section is; null where it is none. */
const input_list *input_list_of(const input *in, const char *section);

/* Makes the values of the section particles those of entry k of the list; k < 0: those of no entry. */
void input_use_set(input *in, int k);

/* Where the particles come from, for people: the model, the file, or those of a list. */
const char *input_source(const input *in, char text[INPUT_SOURCE]);

/* Whether the particles are in a box: interaction.method neighbour. */
int input_is_molecular(const input *in);

/* Whether charges act on them: interaction.coulomb mesh. */
int input_has_charges(const input *in);

/* Whether a key is the name of a parameter of the kernel, which it is then. */
int input_is_parameter(const input *in, key_id id);

/* Whether these have a pair formula that the user wrote. */
int input_has_formula(const input *in);
int input_is_periodic(const input *in); /* a far field with images of a box */

/* Whether they are vortex elements: the kernel gives velocities. */
int input_is_elements(const input *in);

/* Whether they are the atoms of a molecule: a topology is given. */
int input_is_molecule(const input *in);

/* Whether several ranks divide the particles: those of a box. */
int input_is_divided(const input *in);

/* The entries of a map or list that a key of kind MAP has, "key=value" or "value", ended by null; null where the value
 * is a word. They live as long as the input. */
const char *const *input_entries(const input *in, const input_value *v);

/* Whether a key has that word. */
int input_is(const input *in, key_id id, const char *word);

/* Replaces a value by what an automatic choice came to. */
int input_settle(input *in, key_id id, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The parameter of a member with that name, or null. */
input_parameter *input_parameter_find(input_member *member, const char *name);

/* Types that the end of a column's name tells: 2 of g_0_1, 1 of msd_0, otherwise none; returns how many. */
int input_species_types(const char *column, int type[2]);

/* That column with the names of species in place of numbers, g_Ar_Kr; numbers stay where a name is too long, begins
 * with a digit, or has other characters than letters, digits, +, - and points. */
void input_species_column(const input *in, const char *column, size_t size, char *name);

/* The kernel; null = none. */
const myr_kernel_info *input_kernel(const input *in);

/* The text of the kernel and its file, where the user wrote it; else null. */
const char *input_kernel_source(const input *in, const char **file);

/* The value of key k of a sweep in run `number`, as it is written in the file. */
const char *input_swept_text(const input_sweep *sweep, int k, int64_t number, char text[INPUT_SWEPT_TEXT]);

/* The number of the run in which key k has its value v and all other axes their first. */
int64_t input_swept_run(const input_sweep *sweep, int k, int64_t v);

/* Writes the effective input as YAML: what was given and every default. */
void input_write(const input *in, FILE *out);

/* --- for the files of the parser itself --- */

/* Reads the section sweep, if there is one, and gives its keys the values of run `number`. */
void input_take_sweep(input *in, int64_t number);

/* Fills one value from its node, or from its default where node is null. */
void input_take(input *in, key_id id, const tree_node *node);

/* The path that a value is, seen from the folder of the input file where the value was written there. */
const char *input_path_beside(const input *in, const input_value *v);

/* The path of a file that a value names: from the present folder, or, where it is not there, from the folder of the
 * input file. */
const char *input_find_file(const input *in, const input_value *v);

/* Fills the parameters of a member from the nodes of its section that are not keys. */
void input_take_parameters(input *in, keys_owner owner, input_member *member, const tree_node *section);

/* The name of the kernel where the user wrote it, its text having been read; else null. */
const char *input_take_pipeline(input *in);

/* Fills the section particles, a map or a list of maps. */
void input_take_sets(input *in);

/* Fills all keys of a section from its map; null = it is not there. The second function finds the map or list; null
 * where it is not there or is something else, which is an error. */
void input_take_section(input *in, const char *section, const tree_node *node);
const tree_node *input_find_section(input *in, const char *name, tree_kind kind);

/* What is wrong with the keys of one set of particles; `node`: where it is. */
void input_check_set(input *in, const tree_node *node);

/* What the kernel, the integrator, the method and the model can get wrong together. */
void input_check_kernel(input *in);

/* What only several keys together can get wrong. */
void input_check(input *in);

#endif
