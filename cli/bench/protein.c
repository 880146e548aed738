/* protein.c - chains of alanine built from their internal coordinates; see protein.h. */
#include "bench/protein.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180)
#define PHI (-57 * DEGREE)
#define PSI (-47 * DEGREE)
#define HELIX_DISTANCE 10.0 /* between the axes of two helices, in Angstrom */
#define WATER_SPACING 3.1
#define WATER_CLEARANCE 2.9 /* of a water's oxygen from every other atom */

/* Types: half the distance of the minimum and its depth, as in AMBER's parm94; HW has a little of both, so that it does
 * not fall into an oxygen. */
typedef enum { H, HC, H1, CT, C, N, O, OW, HW, TYPES } protein_type;

static const struct {
    double radius, epsilon, mass;
} types[TYPES] = {[H] = {0.6, 0.0157, 1.008},    [HC] = {1.487, 0.0157, 1.008}, [H1] = {1.387, 0.0157, 1.008},
                  [CT] = {1.908, 0.1094, 12.01}, [C] = {1.908, 0.086, 12.01},   [N] = {1.824, 0.17, 14.01},
                  [O] = {1.6612, 0.21, 16.0},    [OW] = {1.7683, 0.152, 16.0},  [HW] = {0.2245, 0.046, 1.008}};

static const struct {
    protein_type a, b;
    double k, length;
} bonds[] = {{C, O, 570, 1.229},   {C, N, 490, 1.335}, {CT, HC, 340, 1.09}, {CT, H1, 340, 1.09},  {CT, C, 317, 1.522},
             {CT, CT, 310, 1.526}, {N, H, 434, 1.01},  {CT, N, 337, 1.449}, {OW, HW, 553, 0.9572}};

/* Angles by the type of their corner; with hydrogen they are softer. */
static double protein_angle(protein_type corner, int hydrogen)
{
    return corner == OW ? 100 : hydrogen ? (corner == N ? 30 : 50) : corner == CT ? 63 : 75;
}

typedef struct {
    protein_type type;
    char name[8];
    double charge;
    double x[3];
    int residue;
    int bonded[4], bonds;
} protein_atom;

typedef struct {
    myr_context *context;
    protein_atom *atom;
    int atoms, residue;
    int status; /* of what the library was told */
    FILE *out;  /* of GROMACS' topology, and the section that is written: atoms of a term; 1 = 1-4 pairs */
    int section;
} protein;

/* --- geometry ----------------------------------------------------------------------------------------------------- */

static void protein_unit(double a[3])
{
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int c = 0; c < 3; c++)
        a[c] /= length;
}

static void protein_cross(const double a[3], const double b[3], double to[3])
{
    for (int c = 0; c < 3; c++)
        to[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

/* Where an atom is that has a bond to k, an angle k-j and a dihedral k-j-i. */
static void protein_place(const protein *p, int i, int j, int k, double length, double angle, double dihedral,
                          double to[3])
{
    double bc[3], n[3], m[3];
    for (int c = 0; c < 3; c++) {
        bc[c] = p->atom[k].x[c] - p->atom[j].x[c];
        n[c] = p->atom[j].x[c] - p->atom[i].x[c];
    }
    protein_unit(bc);
    protein_cross(n, bc, m);
    protein_unit(m);
    protein_cross(m, bc, n);
    const double along = -cos(angle) * length, up = sin(angle) * cos(dihedral) * length;
    const double side = sin(angle) * sin(dihedral) * length;
    for (int c = 0; c < 3; c++)
        to[c] = p->atom[k].x[c] + along * bc[c] + up * n[c] + side * m[c];
}

static int protein_add(protein *p, protein_type type, const char *name, double charge, const double x[3])
{
    protein_atom *a = &p->atom[p->atoms];
    *a = (protein_atom){.type = type, .charge = charge, .residue = p->residue};
    snprintf(a->name, sizeof a->name, "%s", name);
    memcpy(a->x, x, sizeof a->x);
    return p->atoms++;
}

static void protein_bond(protein *p, int i, int j)
{
    p->atom[i].bonded[p->atom[i].bonds++] = j;
    p->atom[j].bonded[p->atom[j].bonds++] = i;
}

/* An atom by its internal coordinates, bonded to k. Angles in degrees. */
static int protein_grow(protein *p, protein_type type, const char *name, double charge, const int from[3], double angle,
                        double dihedral)
{
    double x[3], length = 1;
    for (size_t b = 0; b < sizeof bonds / sizeof bonds[0]; b++)
        if ((bonds[b].a == type && bonds[b].b == p->atom[from[2]].type) ||
            (bonds[b].b == type && bonds[b].a == p->atom[from[2]].type))
            length = bonds[b].length;
    protein_place(p, from[0], from[1], from[2], length, angle * DEGREE, dihedral, x);
    const int made = protein_add(p, type, name, charge, x);
    protein_bond(p, from[2], made);
    return made;
}

/* What every residue has beside its backbone: HA, CB and its hydrogens. `before`: an atom bonded to n. */
static void protein_side(protein *p, int before, int n, int ca, double phi)
{
    const int from[3] = {before, n, ca};
    (void)protein_grow(p, H1, "HA", 0.0823, from, 109.5, phi + 118 * DEGREE);
    const int cb = protein_grow(p, CT, "CB", -0.1825, from, 109.7, phi - 122.5 * DEGREE);
    for (int h = 0; h < 3; h++) {
        const char name[] = {'H', 'B', (char)('1' + h), 0};
        (void)protein_grow(p, HC, name, 0.0603, (const int[]){n, ca, cb}, 109.5, (60 + 120 * h) * DEGREE);
    }
}

/* One chain; its first three atoms stand anywhere, the rest follows. */
static void protein_chain(protein *p, int residues)
{
    static const double start[3][3] = {{0, 0, 0}, {1.449, 0, 0}, {1.449 + 0.523, 1.429, 0}};
    const int first = p->atoms;
    int n = protein_add(p, N, "N", -0.4157, start[0]), ca = protein_add(p, CT, "CA", 0.0337, start[1]);
    int c = protein_add(p, C, "C", 0.5973, start[2]), before = -1;
    protein_bond(p, n, ca);
    protein_bond(p, ca, c);
    for (int r = 0; r < residues; r++) {
        const int last = r == residues - 1;
        if (r == 0)
            for (int h = 0; h < 3; h++) {
                const char name[] = {'H', (char)('1' + h), 0};
                before = protein_grow(p, H, name, 0.2719, (const int[]){c, ca, n}, 109.5, (60 + 120 * h) * DEGREE);
            }
        else
            (void)protein_grow(p, H, "H", 0.2719, (const int[]){p->atom[before].bonded[0], before, n}, 119.8, 0);
        protein_side(p, before, n, ca, r == 0 ? -60 * DEGREE : PHI);
        (void)protein_grow(p, O, "O", -0.5679, (const int[]){n, ca, c}, 120.4, PSI + 180 * DEGREE);
        if (last) {
            (void)protein_grow(p, O, "OXT", -0.5679, (const int[]){n, ca, c}, 117, PSI);
            break;
        }
        p->residue++;
        before = c;
        const int next = protein_grow(p, N, "N", -0.4157, (const int[]){n, ca, c}, 116.6, PSI);
        const int alpha = protein_grow(p, CT, "CA", 0.0337, (const int[]){ca, c, next}, 121.9, 180 * DEGREE);
        c = protein_grow(p, C, "C", 0.5973, (const int[]){c, next, alpha}, 110.1, PHI);
        n = next;
        ca = alpha;
    }
    p->residue++;
    double charge = 0; /* the ends leave a little */
    for (int i = first; i < p->atoms; i++)
        charge += p->atom[i].charge;
    p->atom[c].charge -= charge;
}

/* The axis of a helix: from the middle of its first half to that of its second. */
static void protein_axis(const protein *p, int first, double axis[3], double middle[3])
{
    const int half = (p->atoms - first) / 2;
    for (int c = 0; c < 3; c++) {
        double low = 0, high = 0;
        for (int i = 0; i < half; i++) {
            low += p->atom[first + i].x[c];
            high += p->atom[p->atoms - 1 - i].x[c];
        }
        axis[c] = (high - low) / half;
        middle[c] = (high + low) / (2 * half);
    }
    protein_unit(axis);
}

/* Turns a chain so that its axis is that of z, and puts it at place k of a hexagonal lattice. */
static void protein_arrange(protein *p, int first, int k)
{
    static const int place[][2] = {{0, 0},  {1, 0},  {0, 1},  {-1, 1}, {-1, 0},
                                   {0, -1}, {1, -1}, {2, -1}, {1, 1},  {-1, 2}};
    double e[3][3], middle[3];
    const double turn = 2.4 * k, at[3] = {HELIX_DISTANCE * (place[k % 10][0] + 0.5 * place[k % 10][1]),
                                          HELIX_DISTANCE * sqrt(0.75) * place[k % 10][1], 0};
    protein_axis(p, first, e[2], middle);
    const double any[3] = {fabs(e[2][0]) < 0.5, fabs(e[2][0]) >= 0.5, 0};
    protein_cross(e[2], any, e[0]);
    protein_unit(e[0]);
    protein_cross(e[2], e[0], e[1]);
    for (int i = first; i < p->atoms; i++) {
        double d[3], to[3];
        for (int c = 0; c < 3; c++)
            d[c] = p->atom[i].x[c] - middle[c];
        for (int c = 0; c < 3; c++)
            to[c] = e[c][0] * d[0] + e[c][1] * d[1] + e[c][2] * d[2];
        p->atom[i].x[0] = at[0] + cos(turn) * to[0] - sin(turn) * to[1];
        p->atom[i].x[1] = at[1] + sin(turn) * to[0] + cos(turn) * to[1];
        p->atom[i].x[2] = at[2] + to[2];
    }
}

/* --- water -------------------------------------------------------------------------------------------------------- */

static int protein_is_free(const protein *p, const double x[3])
{
    for (int i = 0; i < p->atoms; i++) {
        double r2 = 0;
        for (int c = 0; c < 3; c++)
            r2 += (x[c] - p->atom[i].x[c]) * (x[c] - p->atom[i].x[c]);
        if (r2 < WATER_CLEARANCE * WATER_CLEARANCE)
            return 0;
    }
    return 1;
}

static void protein_water(protein *p, const double x[3], int turn)
{
    static const double angle = 104.52 * DEGREE;
    const int o = protein_add(p, OW, "O", -0.834, x);
    for (int h = 0; h < 2; h++) {
        const double a = turn + h * angle, y[3] = {x[0] + 0.9572 * cos(a), x[1] + 0.9572 * sin(a), x[2]};
        const char name[] = {'H', (char)('1' + h), 0};
        protein_bond(p, o, protein_add(p, HW, name, 0.417, y));
    }
    p->residue++;
}

/* Shells of a cubic lattice, from the middle outwards, where there is room. */
static void protein_waters(protein *p, int waters)
{
    int made = 0;
    for (int shell = 0; made < waters && shell < 100; shell++)
        for (int i = -shell; i <= shell; i++)
            for (int j = -shell; j <= shell; j++)
                for (int k = -shell; k <= shell && made < waters; k++) {
                    const double x[3] = {WATER_SPACING * i, WATER_SPACING * j, WATER_SPACING * k};
                    if ((abs(i) == shell || abs(j) == shell || abs(k) == shell) && protein_is_free(p, x))
                        protein_water(p, x, made++);
                }
}

/* --- the topology ------------------------------------------------------------------------------------------------- */

static void protein_told(protein *p, myr_status status)
{
    if (!p->status)
        p->status = cli_check(p->context, status);
}

static int protein_is_hydrogen(const protein_atom *a)
{
    return types[a->type].mass < 2;
}

/* A term of GROMACS' topology, where it belongs into the section that is being written: halves in front of squares, nm,
 * kJ/mol and degrees. */
static void protein_print(const protein *p, int atoms, const int64_t *atom, double k, int n, double rest)
{
    if (p->section == 1 && atoms == 4) /* 1-4 pairs */
        fprintf(p->out, "%d %d 1\n", (int)atom[0] + 1, (int)atom[3] + 1);
    if (p->section != atoms)
        return;
    for (int a = 0; a < atoms; a++)
        fprintf(p->out, "%d ", (int)atom[a] + 1);
    if (atoms == 2)
        fprintf(p->out, "1 %.8g %.8g\n", 0.1 * rest, 2 * k * 4.184 * 100);
    else if (atoms == 3)
        fprintf(p->out, "1 %.8g %.8g\n", rest / DEGREE, 2 * k * 4.184);
    else
        fprintf(p->out, "9 %.8g %.8g %d\n", rest / DEGREE, k * 4.184, n);
}

/* A bond, an angle or a dihedral, by its number of atoms: to the library, or to GROMACS' file. */
static void protein_term(protein *p, myr_topology *t, int atoms, const int64_t *atom, int hydrogen, double k, int n,
                         double rest)
{
    if (!t)
        protein_print(p, atoms, atom, k, n, rest);
    else if (atoms == 2)
        protein_told(p, myr_topology_add_bond(t, atom, hydrogen, k, rest));
    else if (atoms == 3)
        protein_told(p, myr_topology_add_angle(t, atom, k, rest));
    else
        protein_told(p, myr_topology_add_dihedral(t, atom, k, n, rest));
}

static double protein_measure_angle(const protein *p, int i, int j, int k)
{
    double u[3], v[3], dot = 0;
    for (int c = 0; c < 3; c++) {
        u[c] = p->atom[i].x[c] - p->atom[j].x[c];
        v[c] = p->atom[k].x[c] - p->atom[j].x[c];
    }
    protein_unit(u);
    protein_unit(v);
    for (int c = 0; c < 3; c++)
        dot += u[c] * v[c];
    return acos(dot);
}

/* Angles rest as they were built. */
static void protein_angles(protein *p, myr_topology *t, int j)
{
    const protein_atom *corner = &p->atom[j];
    for (int a = 0; a < corner->bonds; a++)
        for (int b = 0; b < a; b++) {
            const int64_t atom[3] = {corner->bonded[a], j, corner->bonded[b]};
            const int hydrogen = protein_is_hydrogen(&p->atom[atom[0]]) || protein_is_hydrogen(&p->atom[atom[2]]);
            protein_term(p, t, 3, atom, hydrogen, protein_angle(corner->type, hydrogen), 0,
                         protein_measure_angle(p, (int)atom[0], j, (int)atom[2]));
        }
}

/* The peptide bond is stiff and flat, the others have three places to rest; shared among the dihedrals of a bond. */
static void protein_dihedrals(protein *p, myr_topology *t, int j, int k)
{
    const protein_atom *a = &p->atom[j], *b = &p->atom[k];
    const int peptide = (a->type == C && b->type == N) || (a->type == N && b->type == C);
    const int count = (a->bonds - 1) * (b->bonds - 1);
    const double stiff = (peptide ? 10.0 : 1.4) / (count > 0 ? count : 1);
    for (int x = 0; x < a->bonds; x++)
        for (int y = 0; y < b->bonds; y++) {
            const int64_t atom[4] = {a->bonded[x], j, k, b->bonded[y]};
            if (atom[0] != k && atom[3] != j)
                protein_term(p, t, 4, atom, 0, stiff, peptide ? 2 : 3, peptide ? 180 * DEGREE : 0);
        }
}

static void protein_bonds(protein *p, myr_topology *t)
{
    for (int j = 0; j < p->atoms; j++) {
        const protein_atom *a = &p->atom[j];
        for (int s = 0; s < a->bonds; s++) {
            const protein_atom *b = &p->atom[a->bonded[s]];
            const int64_t atom[2] = {j, a->bonded[s]};
            if (atom[1] < j)
                continue;
            for (size_t k = 0; k < sizeof bonds / sizeof bonds[0]; k++)
                if ((bonds[k].a == a->type && bonds[k].b == b->type) ||
                    (bonds[k].b == a->type && bonds[k].a == b->type))
                    protein_term(p, t, 2, atom, protein_is_hydrogen(a) || protein_is_hydrogen(b), bonds[k].k, 0,
                                 bonds[k].length);
            protein_dihedrals(p, t, j, (int)atom[1]);
        }
        protein_angles(p, t, j);
    }
}

/* Radius of an element for generalised Born (mbondi without its corrections), and its screening factor. */
static void protein_radius(double mass, double *radius, double *screen)
{
    *radius = mass < 2 ? 1.2 : mass < 13 ? 1.7 : mass < 15 ? 1.55 : 1.5;
    *screen = mass < 2 ? 0.85 : mass < 13 ? 0.72 : mass < 15 ? 0.79 : 0.85;
}

static void protein_types(protein *p, myr_topology *t)
{
    for (int a = 0; a < TYPES; a++)
        for (int b = 0; b <= a; b++)
            protein_told(p, myr_topology_set_pair(t, a, b, sqrt(types[a].epsilon * types[b].epsilon),
                                                  (types[a].radius + types[b].radius) * pow(2, -1.0 / 6)));
    for (int i = 0; i < p->atoms; i++) {
        const protein_atom *a = &p->atom[i];
        const myr_topology_atom_info info = {.name = a->name,
                                             .residue = a->type == OW || a->type == HW ? "WAT" : "ALA",
                                             .residue_number = a->residue + 1,
                                             .type = (int)a->type,
                                             .mass = types[a->type].mass,
                                             .charge = a->charge};
        double radius, screen;
        protein_radius(info.mass, &radius, &screen);
        protein_told(p, myr_topology_set_atom(t, i, &info));
        protein_told(p, myr_topology_set_radius(t, i, radius, screen));
    }
}

static void protein_particles(protein *p, const myr_topology *t, myr_particles **atoms)
{
    protein_told(p, myr_particles_create(p->context, p->atoms, atoms));
    if (!p->status)
        protein_told(p, myr_particles_add_field(*atoms, "position", 3));
    for (int c = 0; c < 3 && !p->status; c++) {
        double *x = myr_particles_component(*atoms, "position", c);
        for (int i = 0; i < p->atoms; i++)
            x[i] = p->atom[i].x[c];
    }
    if (!p->status)
        protein_told(p, myr_topology_apply(t, *atoms));
}

/* All atoms, in their places; 0 where there is no memory. */
static int protein_build(protein *p, protein_size size)
{
    const int count = 10 * size.residues + 3 * size.chains + 3 * size.waters;
    p->atom = calloc((size_t)count, sizeof *p->atom);
    if (!p->atom)
        return 0;
    for (int k = 0; k < size.chains; k++) {
        const int first = p->atoms;
        protein_chain(p, size.residues * (k + 1) / size.chains - size.residues * k / size.chains);
        protein_arrange(p, first, k);
    }
    protein_waters(p, size.waters);
    return 1;
}

int protein_make(myr_context *context, protein_size size, myr_topology **topology, myr_particles **atoms)
{
    protein p = {.context = context};
    if (!protein_build(&p, size))
        return cli_fail(CLI_FAILED, "no memory for a protein");
    protein_told(&p, myr_topology_create(context, p.atoms, TYPES, topology));
    if (!p.status)
        protein_types(&p, *topology);
    if (!p.status)
        protein_bonds(&p, *topology);
    if (!p.status)
        protein_told(&p, myr_topology_finish(*topology, 2.0, 1.2));
    if (!p.status)
        protein_particles(&p, *topology, atoms);
    free(p.atom);
    return p.status;
}

/* --- files of GROMACS --------------------------------------------------------------------------------------------- */

static const char *const type_name[TYPES] = {"H", "HC", "H1", "CT", "C", "N", "O", "OW", "HW"};

static int protein_write_top(protein *p, const char *path)
{
    static const char *const section[] = {"", "pairs", "bonds", "angles", "dihedrals"};
    static const int order[] = {2, 1, 3, 4};
    p->out = fopen(path, "w");
    if (!p->out)
        return 0;
    fprintf(p->out, "[ defaults ]\n1 2 yes 0.5 0.833333333\n[ atomtypes ]\n");
    for (int k = 0; k < TYPES; k++)
        fprintf(p->out, "%s %s %.8g 0 A %.10g %.10g\n", type_name[k], type_name[k], types[k].mass,
                0.2 * types[k].radius * pow(2, -1.0 / 6), 4.184 * types[k].epsilon);
    fprintf(p->out, "[ moleculetype ]\nprotein 3\n[ atoms ]\n");
    for (int i = 0; i < p->atoms; i++) {
        const protein_atom *a = &p->atom[i];
        fprintf(p->out, "%d %s %d ALA %s %d %.8g %.8g\n", i + 1, type_name[a->type], a->residue + 1, a->name, i + 1,
                a->charge, types[a->type].mass);
    }
    for (int k = 0; k < 4; k++) {
        p->section = order[k];
        fprintf(p->out, "[ %s ]\n", section[p->section]);
        protein_bonds(p, NULL);
    }
    fprintf(p->out, "[ system ]\nprotein\n[ molecules ]\nprotein 1\n");
    return fclose(p->out) == 0;
}

static int protein_write_gro(const protein *p, const char *path, double edge)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return 0;
    fprintf(f, "protein\n%d\n", p->atoms);
    for (int i = 0; i < p->atoms; i++)
        fprintf(f, "%5dALA  %5s%5d%10.5f%10.5f%10.5f\n", (p->atom[i].residue + 1) % 100000, p->atom[i].name,
                (i + 1) % 100000, 0.1 * p->atom[i].x[0] + 0.5 * edge, 0.1 * p->atom[i].x[1] + 0.5 * edge,
                0.1 * p->atom[i].x[2] + 0.5 * edge);
    fprintf(f, "%.5f %.5f %.5f\n", edge, edge, edge);
    return fclose(f) == 0;
}

int protein_write_gromacs(protein_size size, const char *folder, double edge)
{
    protein p = {0};
    char path[512];
    if (!protein_build(&p, size))
        return 0;
    snprintf(path, sizeof path, "%s/topol.top", folder);
    int ok = protein_write_top(&p, path);
    snprintf(path, sizeof path, "%s/start.gro", folder);
    ok = ok && protein_write_gro(&p, path, edge);
    free(p.atom);
    return ok;
}
