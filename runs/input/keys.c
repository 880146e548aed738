/* keys.c - the table of keys, its sections, and the lists of words that keys take. */
#include "input/keys.h"

#include <string.h>

static const key_info key_table[KEYS] = {
#define KEY(section, name, kind, dimension, fallback, lower, upper, names, text)                                       \
    [KEY_##section##_##name] = {#section, #name, KEYS_##kind, UNITS_##dimension, fallback, lower, upper, names, text},
#include "input/keys.def"
#undef KEY
};

static const keys_section_info section_table[] = {
    {"units", "The system of units, and its scale where the system leaves it open."},
    {"particles",
     "The particles: from a model of the library, or from a file. A list of such maps makes several sets of particles, "
     "each with its own model or file, position, velocity, rotation and type (docs/particles.md)."},
    {"box", "The box of particles with interaction.method neighbour, or the periodic box of methods fmm, tree, pseudo "
            "and mesh, "
            "whose given edges are periodic and must be equally long, except with mesh."},
    {"species", "A list of kinds of particles in a box, with the parameters of their potential."},
    {"pairs", "A list of pairs of species with parameters of their own."},
    {"walls", "A list of walls at open axes of a box."},
    {"interaction", "The pair formula, the summation and the method."},
    {"solvent", "Implicit solvent of a molecule by generalised Born."},
    {"integrator", "How the motion is advanced in time."},
    {"barostat", "Constant pressure for particles in a box."},
    {"restraint", "Springs that hold particles in a box at their initial places."},
    {"minimise", "Minimisation of the energy of particles in a box before the run."},
    {"elements", "Vortex elements: diffusion, the free stream, re-initialisation and weak elements."},
    {"tracers", "Passive particles that move with the flow of vortex elements."},
    {"probes", "Places where the velocity and the vorticity of vortex elements are measured."},
    {"external", "A list of external fields that act on every particle."},
    {"run", "Length and limits of the run, threads and ranks."},
    {"output", "Files: contents, places and intervals."},
    {"observables", "Means over samples of particles in a box while they move."},
    {"backend", "Where pairs are evaluated."},
    {"replicas", "Replicas of one system that 'myriad run' moves together, on a GPU in the same launches "
                 "(docs/replicas.md): other seeds "
                 "or temperatures, and exchange of these, as in {n: 64} or {temperatures: [300 K, 330 K], exchange: "
                 "{every: 500}}."},
    {"sweep",
     "Many runs from one file, for 'myriad sweep' (docs/sweep.md): keys with a list of values, or a range of whole "
     "numbers, as in {particles.seed: 1..64, interaction.eps: [0.01, 0.02]} or {particles.n: 1000..9000 step 2000}."},
};

enum { SECTIONS = sizeof section_table / sizeof section_table[0] };

const key_info *keys_at(key_id id)
{
    return &key_table[id];
}

const key_info *keys_find(const char *section, const char *name)
{
    for (int k = 0; k < KEYS; k++)
        if (strcmp(key_table[k].section, section) == 0 && strcmp(key_table[k].name, name) == 0)
            return &key_table[k];
    return NULL;
}

const keys_section_info *keys_section(int k)
{
    return k >= 0 && k < SECTIONS ? &section_table[k] : NULL;
}

const char *keys_section_name(int k)
{
    return k >= 0 && k < SECTIONS ? section_table[k].name : NULL;
}

/* --- lists of words ----------------------------------------------------------------------------------------------- */

const char *keys_auto(int k)
{
    return k == 0 ? "auto" : NULL;
}

const char *keys_none(int k)
{
    return k == 0 ? "none" : NULL;
}

const char *keys_diagnostics(int k)
{
    return k == 0 ? "auto" : k == 1 ? "ends" : NULL;
}

const char *keys_snapshots(int k)
{
    return k == 0 ? "ends" : k == 1 ? "none" : NULL;
}

const char *keys_all(int k)
{
    return k == 0 ? "all" : NULL;
}

const char *keys_combine(int k)
{
    return k == 0 ? "all" : k == 1 ? "zip" : NULL;
}

const char *keys_truth(int k)
{
    return k == 0 ? "true" : k == 1 ? "false" : NULL;
}

const char *keys_observable(int k)
{
    return myr_observable_kind(k) ? myr_observable_kind(k)->name : NULL;
}

const char *keys_axis(int k)
{
    static const char *const axis[] = {"x", "y", "z"};
    return k < 3 ? axis[k] : NULL;
}

const char *keys_wall(int k)
{
    return k == 0 ? "reflecting" : k == 1 ? "lj93" : NULL;
}

const char *keys_format(int k)
{
    return k == 0 ? "auto" : myr_snapshot_format(k - 1) ? myr_snapshot_format(k - 1)->name : NULL;
}

const char *keys_kernel(int k)
{
    return k == 0 ? "auto" : k == 1 ? "none" : cli_kernel_name(k - 2);
}

const char *keys_integrator(int k)
{
    return myr_integrator(k) ? myr_integrator(k)->name : NULL;
}

const char *keys_method(int k)
{
    int pairwise = 0;
    while (myr_method(pairwise))
        pairwise++;
    return k < pairwise ? cli_method_name(k) : k == pairwise ? KEYS_SPECTRAL : NULL;
}

const char *keys_external(int k)
{
    return myr_external_kind(k) ? myr_external_kind(k)->name : NULL;
}

int keys_is_plugin(const char *kind)
{
    return strncmp(kind, "nemo:", 5) == 0;
}

const char *keys_box(int k)
{
    return k == 0 ? "auto" : k == 1 ? "open" : NULL;
}

const char *keys_cut(int k)
{
    return myr_potential_cut(k) ? myr_potential_cut(k)->name : NULL;
}

const char *keys_strengths(int k)
{
    return k == 0 ? "carried" : k == 1 ? "solved" : NULL;
}

const char *keys_coulomb(int k)
{
    return k == 0 ? "none" : k == 1 ? "mesh" : NULL;
}

const char *keys_mixing(int k)
{
    return k == 0 ? "lorentz_berthelot" : k == 1 ? "geometric" : NULL;
}

const char *keys_coupling(int k)
{
    return k == 0 ? "isotropic" : k == 1 ? "anisotropic" : NULL;
}

const char *keys_exclude(int k)
{
    return k == 0 ? "on_the_fly" : k == 1 ? "afterwards" : NULL;
}

const char *keys_solvent(int k)
{
    return k == 0 ? "none" : myr_solvent_model(k - 1);
}

const char *keys_viscous(int k)
{
    return k == 0 ? "explicit" : k == 1 ? "exact" : NULL;
}

const char *keys_rigid(int k)
{
    return k == 0 ? "none" : k == 1 ? "hydrogen" : NULL;
}

const char *keys_diffusion(int k)
{
    return myr_diffusion(k) ? myr_diffusion(k)->name : NULL;
}

const char *keys_weak(int k)
{
    static const char *const fate[] = {"keep", "merge", "drop"};
    return k < 3 ? fate[k] : NULL;
}

const char *keys_tracers(int k)
{
    return k == 0 ? "none" : cli_model_name(k - 1);
}

const char *keys_probes(int k)
{
    static const char *const way[] = {"auto", "lines", "snapshots"};
    return k < 3 ? way[k] : NULL;
}

const char *keys_type(int k)
{
    return k == 0 ? "auto" : k == 1 ? "keep" : NULL;
}

int keys_is_of_elements(key_id id)
{
    static const char *const sections[] = {"elements", "tracers", "probes"};
    for (size_t k = 0; k < sizeof sections / sizeof sections[0]; k++)
        if (strcmp(key_table[id].section, sections[k]) == 0)
            return 1;
    return 0;
}

int keys_is_molecular(key_id id)
{
    static const char *const sections[] = {"box",       "species",  "pairs",       "walls",  "barostat",
                                           "restraint", "minimise", "observables", "solvent"};
    for (size_t k = 0; k < sizeof sections / sizeof sections[0]; k++)
        if (strcmp(key_table[id].section, sections[k]) == 0)
            return 1;
    return (id >= KEY_interaction_cut && id <= KEY_interaction_exclude) ||
           (id >= KEY_integrator_seed && id <= KEY_integrator_rigid);
}

/* --- parameters --------------------------------------------------------------------------------------------------- */

static const keys_owner_info owner_table[KEYS_OWNERS] = {
    [KEYS_OF_MODEL] = {"particles", "model", KEY_particles_model, cli_model_name},
    [KEYS_OF_KERNEL] = {"interaction", "kernel", KEY_interaction_kernel, cli_kernel_name},
    [KEYS_OF_INTEGRATOR] = {"integrator", "integrator", KEY_integrator_name, keys_integrator},
    [KEYS_OF_EXTERNAL] = {"external", "field", KEY_external_kind, keys_external},
};

const keys_owner_info *keys_owner_at(keys_owner owner)
{
    return &owner_table[owner];
}

keys_owner keys_owner_of(const char *section)
{
    int k = 0;
    while (k < KEYS_OWNERS && strcmp(owner_table[k].section, section) != 0)
        k++;
    return (keys_owner)k;
}

/* Which member of an owner's list has that name; -1 if none. */
static int owner_index(keys_owner owner, const char *member)
{
    for (int k = 0; owner_table[owner].member(k); k++)
        if (strcmp(owner_table[owner].member(k), member) == 0)
            return k;
    return -1;
}

static const myr_parameter_info *parameter_in(const myr_parameter_info *list, int max, int n)
{
    for (int k = 0; k <= n; k++)
        if (k >= max || !list[k].name)
            return NULL;
    return &list[n];
}

/* Parameters of a plug-in: the centre of the field, which is the end of the list of every external field. */
static const myr_parameter_info *plugin_parameter(int n)
{
    int own = 0;
    while (strcmp(myr_external_parameter(0, own)->name, "x") != 0)
        own++;
    return myr_external_parameter(0, own + n);
}

const myr_parameter_info *keys_parameter(keys_owner owner, const char *member, int n)
{
    if (owner == KEYS_OF_EXTERNAL && member && keys_is_plugin(member))
        return n < 0 ? NULL : plugin_parameter(n);
    const int k = member ? owner_index(owner, member) : -1;
    if (k < 0 || n < 0)
        return NULL;
    switch (owner) {
    case KEYS_OF_MODEL:
        return myr_model_parameter(k, n);
    case KEYS_OF_KERNEL:
        return parameter_in(myr_kernel(k)->param, (int)(sizeof myr_kernel(k)->param / sizeof *myr_kernel(k)->param), n);
    case KEYS_OF_INTEGRATOR:
        return parameter_in(myr_integrator(k)->param,
                            (int)(sizeof myr_integrator(k)->param / sizeof *myr_integrator(k)->param), n);
    case KEYS_OF_EXTERNAL:
        return myr_external_parameter(k, n);
    case KEYS_OWNERS:
        break;
    }
    return NULL;
}

const myr_option_info *keys_option(keys_owner owner, const char *member, int n)
{
    const int k = member && owner == KEYS_OF_MODEL ? owner_index(owner, member) : -1;
    return k < 0 || n < 0 ? NULL : myr_model_option(k, n);
}

/* myr_nearest takes names from a function without an argument: what it looks through is kept here. */
static const char *nearest_section, *nearest_member;

static const char *nearest_name(int k)
{
    int seen = 0;
    for (int id = 0; id < KEYS; id++)
        if (strcmp(key_table[id].section, nearest_section) == 0 && seen++ == k)
            return key_table[id].name;
    const keys_owner owner = keys_owner_of(nearest_section);
    if (owner == KEYS_OWNERS)
        return NULL;
    int parameters = 0;
    while (keys_parameter(owner, nearest_member, parameters))
        parameters++;
    if (k - seen < parameters)
        return keys_parameter(owner, nearest_member, k - seen)->name;
    const myr_option_info *option = keys_option(owner, nearest_member, k - seen - parameters);
    return option ? option->name : NULL;
}

const char *keys_nearest(const char *section, const char *member, const char *typed)
{
    nearest_section = section;
    nearest_member = member;
    return myr_nearest(typed, nearest_name);
}
