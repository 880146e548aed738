/* keys.h - the keys of an input file: one table (keys.def), and the parameters of the library's catalogues. */
#ifndef MYR_CLI_INPUT_KEYS_H
#define MYR_CLI_INPUT_KEYS_H

#include <stdio.h>

#include <myriad/elements.h>
#include <myriad/molecular.h>
#include <myriad/molecule.h>
#include <myriad/observable.h>
#include <myriad/simulation.h>
#include <myriad/snapshot.h>

#include "common.h"
#include "input/physical_units.h"

enum { KEYS_EXPECTED = 240 };

#define KEYS_SPECTRAL "spectral" /* the method that evaluates no pairs */

typedef enum {
#define KEY(section, name, kind, dimension, fallback, lower, upper, names, text) KEY_##section##_##name,
#include "input/keys.def"
#undef KEY
    KEYS
} key_id;

typedef enum {
    KEYS_WORD,
    KEYS_TEXT,
    KEYS_FILE,
    KEYS_INTEGER,
    KEYS_NUMBER,
    KEYS_UNIT,
    KEYS_WORDS,
    KEYS_MAP,
    KEYS_VECTOR
} key_kind;

typedef struct {
    const char *section, *name;
    key_kind kind;
    units_dimension dimension;
    const char *fallback; /* the default as it would be written, or null */
    double lower, upper;
    const char *(*names)(int k);
    const char *text;
} key_info;

typedef struct {
    const char *name;
    const char *text;
} keys_section_info;

/* Whose parameters can stand in a section besides its keys. */
typedef enum { KEYS_OF_MODEL, KEYS_OF_KERNEL, KEYS_OF_INTEGRATOR, KEYS_OF_EXTERNAL, KEYS_OWNERS } keys_owner;

typedef struct {
    const char *section; /* where they stand */
    const char *what;    /* "model" */
    key_id chooser;      /* the key that names the member */
    const char *(*member)(int k);
} keys_owner_info;

/* The table. */
const key_info *keys_at(key_id id);

/* The key of a section with that name, or null. */
const key_info *keys_find(const char *section, const char *name);

/* Section k, in the order of an input file; null past the end. */
const keys_section_info *keys_section(int k);
const char *keys_section_name(int k);

/* Describes an owner of parameters. */
const keys_owner_info *keys_owner_at(keys_owner owner);

/* The owner whose parameters stand in a section; KEYS_OWNERS if nobody's do. */
keys_owner keys_owner_of(const char *section);

/* What member k of an owner is, in words. */
const char *keys_member_text(keys_owner owner, int k);

/* Parameter n of a member ("plummer" of the models); null past the end. */
const myr_parameter_info *keys_parameter(keys_owner owner, const char *member, int n);

/* Option n of a member, a choice between words; null past the end. */
const myr_option_info *keys_option(keys_owner owner, const char *member, int n);

/* The dimension of parameter n of a member. */
units_dimension keys_parameter_dimension(keys_owner owner, const char *member, int n);

/* The valid key of a section that is nearest to what was typed, parameters of `member` included; null if none is near.
 */
const char *keys_nearest(const char *section, const char *member, const char *typed);

/* Describes one key, a section, or everything, as text or as a Markdown page. */
void keys_print(FILE *out, const key_info *key);
void keys_print_section(FILE *out, const keys_section_info *section);
void keys_print_markdown(FILE *out);

/* Describes the parameters and options of a member, or only the one with a name; gives how many there were. */
int keys_print_member(FILE *out, keys_owner owner, const char *member, const char *only);

/* "one of: a, b, c", or the bounds; what was expected of a value. */
const char *keys_expected(const key_info *key, char text[KEYS_EXPECTED]);

/* Key k as it is written after --set ("run.end"), parameters of all members included; null past the end. Then word n
 * that its value can be, null past the end; and the keys of the section particles without its name. */
const char *keys_full_name(int k);
const char *keys_full_word(int k, int n);
const char *keys_particles_name(int k);

/* Lists of words that keys.def names. */
const char *keys_auto(int k);
const char *keys_none(int k);
const char *keys_diagnostics(int k);
const char *keys_snapshots(int k);
const char *keys_all(int k);
const char *keys_combine(int k);
const char *keys_truth(int k);
const char *keys_observable(int k);
const char *keys_axis(int k);
const char *keys_wall(int k);
const char *keys_format(int k);
const char *keys_kernel(int k);
const char *keys_method(int k);
const char *keys_integrator(int k);
const char *keys_external(int k);

/* 1 if a kind of external field is a plug-in (myriad/external.h). */
int keys_is_plugin(const char *kind);
const char *keys_box(int k);
const char *keys_cut(int k);
const char *keys_strengths(int k);
const char *keys_coulomb(int k);
const char *keys_mixing(int k);
const char *keys_coupling(int k);
const char *keys_exclude(int k);
const char *keys_solvent(int k);
const char *keys_viscous(int k);
const char *keys_rigid(int k);
const char *keys_diffusion(int k);
const char *keys_weak(int k);
const char *keys_tracers(int k);
const char *keys_probes(int k);
const char *keys_type(int k);

/* Whether a key says something about vortex elements only. */
int keys_is_of_elements(key_id id);

/* Whether a key says something about particles in a box only. */
int keys_is_molecular(key_id id);

#endif
