/* report.h - what the files of `myriad report` share: what a run has left in its directory, and the page made from it.
 *
 * Nothing here knows what a run is about: plots come from the columns that diagnostics.csv has, images and the replay
 * from positions, and everything in words from run.json and the effective input. */
#ifndef MYR_CLI_REPORT_H
#define MYR_CLI_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "common.h"
#include "input/input.h"
#include "progress.h"
#include "report/markup.h"

#define REPORT_HUGE 1e150 /* numbers beyond are not drawn: their differences and squares have to be finite too */

enum { REPORT_PATH = 1024, REPORT_NAME = 256, REPORT_NUMBER = 48, REPORT_NOTES = 12, REPORT_NOTE = 400 };

/* --- what a run has left --- */

/* diagnostics.csv: values[rows][columns]. Of a long file only every `stride`-th line is kept, and the last one. */
typedef struct {
    int columns;
    char **name, **unit; /* unit "" = none, or a system without scale */
    int64_t rows, room;
    double *value;
    double *least, *most; /* per column, over all lines of the file; NaN = no finite value */
    int64_t stride, lines;
    int cut; /* whether the last line was not whole */
} report_csv;

typedef enum {
    REPORT_FINISHED,
    REPORT_STOPPED,
    REPORT_BROKEN,
    REPORT_CUT_SHORT,
    REPORT_RUNNING,
    REPORT_DEAD
} report_state;

typedef struct {
    const char *directory;
    myr_context *context;
    progress progress;
    input *in;        /* the effective input */
    char *input_text; /* as it is in the file */
    tree *facts;      /* run.json; without members where the file is missing */
    tree *summary;    /* summary.json; null where the run has not finished */
    report_state state;
    report_csv csv;
    int64_t snapshots;
    char (*snapshot)[REPORT_NAME]; /* names of the files, in the order of their numbers */
    int notes;                     /* what is missing or damaged; the page and the terminal say it */
    char note[REPORT_NOTES][REPORT_NOTE];
    double replay_bytes; /* what the replay may take in the page */
    int64_t most_drawn;  /* particles of the replay at most; 0 = as many as fit */
} report;

/* Reads everything but the snapshots' contents. Prints why it cannot and gives the exit code. */
int report_read(report *r);
void report_close(report *r);

/* Keeps a sentence about something that is missing or damaged. */
void report_note(report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text of a member of run.json, "machine.processor" or "accuracy.0.rms", or null. */
const char *report_fact(const report *r, const char *path);

/* The same as a number, NaN where there is none; and a member of any such file. */
double report_fact_number(const report *r, const char *path);
double report_number_at(const tree *t, const char *path);

/* The name of the body with that id, or null. */
const char *report_body_name(const report *r, int64_t id);

/* Reads a table; an empty one has no columns. *missing = 1 if the file cannot be read, for the reason in the context.
 */
int report_csv_load(myr_context *context, report_csv *csv, const char *path, int *missing);

/* Reads diagnostics.csv, with notes about what is wrong with it. */
int report_csv_read(report *r, const char *path);
void report_csv_free(report_csv *csv);

/* The column with that name, or -1; a value of it. */
int report_csv_column(const report_csv *csv, const char *name);
double report_csv_value(const report_csv *csv, int64_t row, int column);

/* A snapshot, or some of it. */
typedef struct {
    myr_particles *particles; /* null = it cannot be read */
    int64_t of;               /* particles that it has */
    double time;
    double box[3]; /* edges of the periodic box, in the unit of the positions; 0 = axis not periodic */
} report_shot;

/* What is wanted of snapshots: at most so many particles (< 0: all), the same ones of each, with these fields (ended by
 * null; null = all). */
typedef struct {
    int64_t most;
    const char *const *fields;
} report_part;

/* Reads snapshot k. Where it cannot be read, gives none: damage is noted, and only lack of memory is an error. */
int report_snapshot(report *r, int64_t k, report_part part, report_shot *shot);

/* --- report_text.c: text of a page --- */

/* A unit with its exponents raised: "pc² Myr⁻²" for "pc^2 Myr^-2". */
void report_unit(markup *out, const char *unit);

/* "1.23 × 10⁻⁸", "2048", "0.5": up to so many digits. */
const char *report_number(double value, int digits, char text[REPORT_NUMBER]);

/* "10⁻⁸" */
const char *report_power(int base, int exponent, char text[REPORT_NUMBER]);

/* A number beside an axis, where there is little room: "2·10⁻⁸". */
const char *report_tick(double value, char text[REPORT_NUMBER]);

/* A whole number with its digits in groups of three. */
const char *report_integer(double value, char text[REPORT_NUMBER]);

/* "1 h 2 min", "3.4 s", "12 ms" */
const char *report_duration(double seconds, char text[REPORT_NUMBER]);

/* --- report_plot.c: axes and curves as SVG --- */

enum { REPORT_CURVES = 8 };

typedef enum { REPORT_LINEAR, REPORT_LOG, REPORT_AUTO } report_scale;

typedef struct {
    const char *name;
    const double *value;      /* as many as there are times; NaN = none there */
    const double *x;          /* times of its own; null = those of the plot */
    int64_t count;            /* of its own times */
    const double *low, *high; /* a band around the curve, as many as values; null = none */
} report_curve;

typedef struct {
    const char *id, *title, *text; /* text may be null */
    const char *unit;              /* of y */
    const char *time_unit;
    const char *x_name; /* what `time` is where it is something else; null = time, with a mark that the replay moves */
    int x_log;
    report_scale scale;
    int64_t count;
    const double *time;
    int curves;
    report_curve curve[REPORT_CURVES];
} report_plot;

/* Writes a figure; nothing, and 0, where no curve has two finite values. */
int report_plot_write(markup *out, const report_plot *plot);

typedef struct {
    const char *id, *title, *text, *label; /* label: what is counted along x */
    int bars;
    char (*name)[REPORT_NUMBER]; /* under each bar */
    const double *now, *before;  /* heights; before is drawn as an outline, null = none */
    const char *now_name, *before_name;
} report_bars;

void report_bars_write(markup *out, const report_bars *bars);

/* Ticks of an axis between low and high: at most `room`; gives how many. */
int report_ticks(double low, double high, int wanted, int room, double *tick);

/* --- report_plots.c: which plots a run has --- */

/* Writes the plots of diagnostics.csv; gives how many. */
int report_plots_write(markup *out, const report *r);

/* The title of a plot of one column, its scale and a sentence, null = none; 0 where the column needs no plot. The title
 * of a column that the table does not know is its name. */
int report_column_describe(const char *column, char title[REPORT_NAME], report_scale *scale, const char **text);

/* Writes in a sentence which columns have one value from beginning to end: they have no curves. */
void report_constants_write(markup *out, const report *r);

/* Plots of what two runs both have, in the same units. */
int report_plots_compare(markup *out, const report *const r[2], const char *const names[2]);

/* --- report_image.c: projections of particles --- */

/* Writes images of the first and the last snapshot; gives the exit code, and how many snapshots are shown. */
int report_images_write(markup *out, report *r, int *shown);

/* The first snapshot with particles that can be read, from number `from` on in steps of 1 or -1; without any where
 * there is none. */
int report_find_snapshot(report *r, int64_t from, int64_t step, report_part part, report_shot *shot);

/* Colour k of 256 from dark blue to yellow, as red, green, blue: told apart with every kind of colour vision. */
void report_colour(int k, unsigned char rgb[3]);

/* The beginning of a paragraph with all colours and the number at their dark end; the bright end is the caller's. */
void report_colours_write(markup *out, double least);

/* The axes of a square picture of two coordinates (view 0 to 2: xy, xz, yz), `half` about the centre, and where the
 * picture itself goes: from (*left, *top), *edge wide and high. */
void report_frame_write(markup *out, const double centre[3], double half, int view, const char *unit);
void report_frame_place(int *left, int *top, int *edge, int *side);

/* --- report_observables.c: what only particles in a box have --- */

/* Writes the plots of rdf.csv and the like; gives how many. */
int report_observables_write(markup *out, const report *r);

/* --- report_order.c: whether a crystal in a box has melted --- */

int report_order_write(markup *out, report *r);

/* --- report_molecule.c: what only a molecule has --- */

/* Writes how often the torsions of the backbone had which angles; gives how many plots that is. */
int report_torsions_write(markup *out, const report *r);

/* --- report_spectra.c --- */

/* Writes the plot of spectra.csv; gives how many plots that is. */
int report_spectra_write(markup *out, const report *r);

/* The same of two runs, at times that both have; and in a sentence how far they differ at the last of them. */
void report_spectra_difference(markup *out, const report *const r[2]);
int report_spectra_compare(markup *out, const report *const r[2], const char *const names[2]);

/* --- report_flow.c: what only a fluid has --- */

/* Whether the run was one of a fluid on a mesh. */
int report_is_flow(const report *r);

#define REPORT_SURFACE 2.0 /* II of the surfaces that are drawn, in units of its rms, with a minus */

/* The flow of a snapshot on a mesh: [z][y][x]. */
typedef struct {
    int64_t side; /* 0 = the snapshot has none */
    double low[3], spacing, time;
    double *rotation, *invariant; /* |vorticity|, II */
} report_field;

/* Whether a run has such: one of a fluid on a mesh, or of vortex elements in a periodic cube. */
int report_has_field(const report *r);

/* That of the first snapshot that can be read, from number `from` on in steps of 1 or -1; of elements on the points of
 * `like`, which may be null. */
int report_field_read(report *r, int64_t from, int64_t step, const report_field *like, report_field *field);
void report_field_free(report_field *field);
double report_field_rms(const double *value, int64_t side);

/* Slices of the vorticity: what they show, the largest value in them, and a row of pictures with colours up to `most`
 * and a bar of these colours. */
void report_slices_explain(markup *out);
double report_slices_largest(const report_field *field);
void report_slices_draw(markup *out, const report *r, const report_field *field, const char *title, double most);

/* What surfaces of II show; and a picture of the surface field = value, with a line of text under it. */
void report_surfaces_explain(markup *out, const report *r, double value);
int report_surface_write(markup *out, const double *field, int64_t side, double value, const char *text);

/* Writes slices and surfaces of the first and the last snapshot; gives the exit code, and how many are shown. */
int report_flow_write(markup *out, report *r, int *shown);

/* --- report_png.c --- */

/* Writes an image of palette indices as a data: address. */
void report_png_write(markup *out, int width, int height, const unsigned char *pixel);

/* --- report_replay.c: the decimated snapshots --- */

typedef struct report_replay report_replay;

/* Chooses particles and snapshots; null where there is nothing to show. */
int report_replay_open(report *r, report_replay **replay);
void report_replay_close(report_replay **replay);

/* A view of these particles, of `of` that there are, as the first snapshot of a live page; how many it draws. */
int report_replay_of(const report *r, const myr_particles *first, int64_t of, report_replay **replay);
int64_t report_replay_drawn(const report_replay *replay);

/* Three numbers of 16 bits per particle from place[drawn][3], little-endian; NaN = it is not there. `limit` goes with
 * them. */
void report_replay_encode(const report_replay *replay, const double *place, unsigned char *byte, double *limit);

/* Writes what does not change from frame to frame; `number` tells one choice of particles from the next. */
void report_replay_scene(markup *out, const report *r, const report_replay *replay, int64_t number);

/* Describes what is drawn in a sentence, and writes the data, snapshot by snapshot. */
void report_replay_describe(markup *out, const report_replay *replay);
int report_replay_write(markup *out, report *r, report_replay *replay);

/* --- report_colouring.c: colours of the replay --- */

/* The particles that the replay draws. */
typedef struct {
    int64_t of, count; /* that there are; that are drawn */
    int64_t *id;       /* of those drawn, sorted */
    int64_t *at;       /* their places among those read from the first snapshot */
} report_drawn;

enum {
    REPORT_COLOURINGS = 6,
    REPORT_CATEGORIES = 12 /* colours of page.css; more types or bodies share them */
};

/* One way to colour particles: a byte for each that is drawn. */
typedef struct {
    char name[64];
    int categories;   /* 0 = a scale from low to high */
    double low, high; /* values of the first and the last colour */
    unsigned char *byte;
    char (*label)[REPORT_NAME];              /* of each category from low to high; null = its number */
    char colours[6 * REPORT_CATEGORIES + 1]; /* of the categories, "rrggbb" each; "" = those of the page */
} report_colouring;

typedef struct {
    int count;
    report_colouring item[REPORT_COLOURINGS];
} report_colourings;

/* Makes the colourings from the first snapshot; `centre` is that of the replay. */
int report_colourings_make(const report *r, const report_drawn *drawn, const myr_particles *first,
                           const double centre[3], report_colourings *set);
void report_colourings_write(markup *out, const report_colourings *set, int64_t drawn);
void report_colourings_free(report_colourings *set);

/* --- report_atoms.c: molecules --- */

typedef struct {
    const char *name;
    double mass;        /* g/mol */
    double radius;      /* of its covalent bonds, in Angstrom; 0 = it has none */
    const char *colour; /* "rrggbb" */
} report_element;

/* The element with about that mass in g/mol; one that is called "other" where there is none. */
const report_element *report_element_of(double mass);

/* Bonds between atoms, by their places in the set. */
typedef struct {
    int64_t count;
    uint16_t (*atom)[2];
} report_bonds;

/* Finds the bonds of a molecule with positions in Angstrom and masses in g/mol: atoms that are nearer than 1.25 times
 * the sum of their covalent radii. None of more than 20000 atoms. */
int report_bonds_find(const myr_particles *atoms, report_bonds *bonds);
void report_bonds_free(report_bonds *bonds);

/* Projections of a molecule, atoms in the colours of their elements. */
int report_atoms_write(markup *out, const report *r, const report_shot *shot);

/* --- report_facts.c --- */

/* Writes the parts that are words and tables. */
void report_facts_write(markup *out, const report *r);

/* --- report_page.c: the page --- */

int report_page_write(markup *out, report *r);

/* The page of a run that goes on: an empty shell with its script, and the report of now without what snapshots show. */
void report_shell_write(markup *out);
int report_live_write(markup *out, report *r, const report_replay *replay, int64_t scene);

/* Its beginning, up to the style; its foot, which ends what there is to read; and the scripts. */
void report_page_begin(markup *out, const char *title);
void report_page_foot(markup *out);
void report_page_end(markup *out);

/* The last part of a path. */
const char *report_base_name(const char *path, char name[REPORT_NAME]);

/* --- report_compare.c: two runs side by side --- */

int report_compare_write(markup *out, report *const r[2]);

/* --- report_assets.c, made by the build: the files of runs/report --- */

typedef struct {
    const char *name; /* "page.css" */
    const char *text;
    size_t size;
    const char *sha256; /* of the text, in hexadecimal digits */
} report_asset;

const report_asset *report_assets(int *count);

/* --- report.c --- */

typedef struct {
    const char *directory;
    const char *other;  /* directory of a run to compare it with; null = none */
    const char *path;   /* null = report.html in the directory, of a comparison comparison.html */
    double megabytes;   /* that the replay may add */
    int64_t most_drawn; /* 0 = as many as fit */
    int quiet;
} report_request;

#define REPORT_MEGABYTES 12.0 /* by default: opens at once, and can be sent by mail */

/* Makes a report; also what a run does at its end. Gives the path of the page. */
int report_make(const report_request *request, char path[REPORT_PATH]);

#endif
