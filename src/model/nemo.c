/* nemo.c - opens plug-ins of NEMO and calls them. The interface is that of NEMO's acceleration.h and, for older
 * plug-ins, of its potential.h. */
#include "model/nemo.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"
#include "core/plugin.h"

enum { NEMO_PARAMETERS = 64, NEMO_NAME = 64, NEMO_PATH = 4096 };

static const char nemo_prefix[] = "nemo:";

/* acceleration(): accelerations a[n][3] and potentials phi[n] of n bodies at x[n][3]; masses and velocities may be null
 * where the plug-in does not need them. flags null = all bodies; add 0 = results are assigned; type 'd' = doubles. */
typedef void (*nemo_acceleration_fn)(int dimensions, double time, int n, const void *mass, const void *x, const void *v,
                                     const int *flags, void *phi, void *a, int add, char type);

/* iniacceleration(): starts a field and gives its function, and whether that needs masses and velocities. */
typedef void (*nemo_start_fn)(const double *parameters, int count, const char *file, nemo_acceleration_fn *acceleration,
                              _Bool *needs_mass, _Bool *needs_velocity);

/* inipotential() and potential_double() of older plug-ins, one body at a time. */
typedef void (*nemo_start_potential_fn)(int *count, double *parameters, const char *file);
typedef void (*nemo_potential_fn)(const int *dimensions, const double x[3], double a[3], double *phi,
                                  const double *time);

typedef struct {
    nemo_acceleration_fn acceleration; /* null = an older plug-in */
    nemo_potential_fn potential;
    double *room; /* x, v and a of `points` bodies, [points][3] each, and phi[points] */
    int64_t points;
} nemo_field;

int myr_nemo_is(const char *kind)
{
    return kind && strncmp(kind, nemo_prefix, sizeof nemo_prefix - 1) == 0;
}

/* --- evaluation --------------------------------------------------------------------------------------------------- */

static void nemo_call(const nemo_field *f, double time, int n, const double *x, const double *v, double *a, double *phi)
{
    if (f->acceleration) {
        f->acceleration(3, time, n, NULL, x, v, NULL, phi, a, 0, 'd');
        return;
    }
    const int dimensions = 3;
    for (int i = 0; i < n; i++)
        f->potential(&dimensions, x + 3 * i, a + 3 * i, phi + i, &time);
}

static double nemo_length(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* Half the time over which an acceleration is differenced: a small part of the time in which the body, or the field
 * where it is, changes. Differences then have relative errors of 1e-10, from the third derivative and from rounding
 * alike. */
static double nemo_span(const double x[3], const double v[3], const double a[3])
{
    const double part = 0x1p-15, r = nemo_length(x), u = nemo_length(v), g = nemo_length(a);
    double span = INFINITY;
    if (r > 0 && u > 0)
        span = r / u;
    if (r > 0 && g > 0)
        span = fmin(span, sqrt(r / g));
    return part * (isfinite(span) ? span : u > 0 && g > 0 ? u / g : 1);
}

/* Time derivative of the acceleration along the motion: plug-ins have none. */
static void nemo_jerk(const nemo_field *f, double time, const double x[3], const double v[3], const double a[3],
                      double jerk[3])
{
    const double span = nemo_span(x, v, a);
    double there[2][3], phi;
    for (int side = 0; side < 2; side++) {
        const double dt = side ? span : -span;
        const double at[3] = {x[0] + v[0] * dt, x[1] + v[1] * dt, x[2] + v[2] * dt};
        nemo_call(f, time + dt, 1, at, v, there[side], &phi);
    }
    for (int c = 0; c < 3; c++)
        jerk[c] = (there[1][c] - there[0][c]) / (2 * span);
}

static int nemo_at(void *user, const myr_field_points *p)
{
    nemo_field *f = user;
    if (p->n > f->points) {
        double *room = p->n > INT32_MAX ? NULL : reallocarray(f->room, (size_t)p->n, 10 * sizeof *room);
        if (!room)
            return 1;
        f->room = room;
        f->points = p->n;
    }
    double *x = f->room, *v = x + 3 * p->n, *a = v + 3 * p->n, *phi = a + 3 * p->n;
    for (int64_t i = 0; i < p->n; i++)
        for (int c = 0; c < 3; c++) {
            x[3 * i + c] = p->position[c][i];
            v[3 * i + c] = p->velocity[c][i];
        }
    nemo_call(f, p->time, (int)p->n, x, v, a, phi);
    for (int64_t i = 0; i < p->n; i++) {
        double jerk[3] = {0};
        if (p->jerk[0])
            nemo_jerk(f, p->time, x + 3 * i, v + 3 * i, a + 3 * i, jerk);
        for (int c = 0; c < 3; c++) {
            p->acceleration[c][i] = a[3 * i + c];
            if (p->jerk[c])
                p->jerk[c][i] = jerk[c];
        }
        if (p->potential)
            p->potential[i] = phi[i];
    }
    return 0;
}

static void nemo_free(void *user)
{
    nemo_field *f = user;
    free(f->room);
    free(f);
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* The parts of a kind. */
typedef struct {
    char name[NEMO_NAME];
    double parameter[NEMO_PARAMETERS];
    int parameters;
    const char *file; /* null = none */
} nemo_request;

static int nemo_name_is_good(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/');
}

static myr_status nemo_read(myr_context *context, const char *kind, nemo_request *request)
{
    const char *name = kind + sizeof nemo_prefix - 1, *colon = strchr(name, ':');
    *request = (nemo_request){0};
    const size_t length = colon ? (size_t)(colon - name) : strlen(name);
    if (length < sizeof request->name)
        memcpy(request->name, name, length);
    if (strlen(kind) >= MYR_EXTERNAL_NAME || strpbrk(kind, " \t\r\n") || !nemo_name_is_good(request->name))
        return myr_context_fail(
            context, MYR_ERROR_VALUE,
            "'%.60s' is no plug-in of NEMO; expected nemo:NAME:PARAMETERS:FILE without spaces, such "
            "as nemo:Plummer:0,1,1, with the name of a file NAME.so without its folder",
            kind);
    const char *at = colon ? colon + 1 : "";
    while (*at && *at != ':') {
        char *end;
        const double value = strtod(at, &end);
        if (end == at || (*end && *end != ',' && *end != ':') || request->parameters == NEMO_PARAMETERS)
            return myr_context_fail(
                context, MYR_ERROR_VALUE,
                "'%.60s': the parameters of a plug-in are up to %d numbers with commas between them", kind,
                (int)NEMO_PARAMETERS);
        request->parameter[request->parameters++] = value;
        at = *end == ',' ? end + 1 : end;
    }
    if (*at == ':' && at[1])
        request->file = at + 1;
    return MYR_OK;
}

/* Finds NAME.so in the folders of a variable; 0 if it is in none. */
static int nemo_search(const char *variable, const char *name, char path[NEMO_PATH])
{
    const char *folder = getenv(variable);
    while (folder && *folder) {
        const size_t length = strcspn(folder, ":");
        const int used = snprintf(path, NEMO_PATH, "%.*s/%s.so", (int)length, folder, name);
        if (length && used < NEMO_PATH && access(path, R_OK) == 0)
            return 1;
        folder += length + (folder[length] == ':');
    }
    return 0;
}

/* Calls the plug-in's first function. */
static myr_status nemo_start(myr_context *context, void *library, const char *path, nemo_request *request,
                             nemo_field *f)
{
    nemo_start_fn start;
    nemo_start_potential_fn start_potential;
    *(void **)&start = dlsym(library, "iniacceleration");
    *(void **)&start_potential = dlsym(library, "inipotential");
    *(void **)&f->potential = dlsym(library, "potential_double");
    if (start) {
        _Bool needs_mass = 0, needs_velocity = 0;
        start(request->parameter, request->parameters, request->file, &f->acceleration, &needs_mass, &needs_velocity);
        if (needs_mass)
            return myr_context_fail(context, MYR_ERROR_COMBINATION,
                                    "the plug-in %s needs the masses of bodies, which external fields do not depend on",
                                    path);
    } else if (start_potential) {
        start_potential(&request->parameters, request->parameter, request->file ? request->file : "");
    }
    if (f->acceleration || (!start && start_potential && f->potential))
        return MYR_OK;
    return myr_context_fail(context, MYR_ERROR_UNAVAILABLE,
                            "%s is no plug-in of NEMO: it has neither iniacceleration() nor inipotential() and "
                            "potential_double()",
                            path);
}

/* Copies a file to a new one that only the user can read; 0 if that fails. */
static int nemo_copy(const char *from, char to[NEMO_PATH])
{
    const char *folder = getenv("TMPDIR");
    char bytes[1 << 14];
    size_t count;
    if (snprintf(to, NEMO_PATH, "%s/myriad_nemo_XXXXXX", folder && *folder ? folder : "/tmp") >= NEMO_PATH)
        return 0;
    const int file = mkstemp(to);
    FILE *in = file >= 0 ? fopen(from, "rb") : NULL, *out = in ? fdopen(file, "wb") : NULL;
    int ok = out != NULL;
    while (ok && (count = fread(bytes, 1, sizeof bytes, in)) > 0)
        ok = fwrite(bytes, 1, count, out) == count;
    ok = ok && !ferror(in);
    if (in)
        fclose(in);
    if (out)
        ok = fclose(out) == 0 && ok;
    else if (file >= 0)
        close(file);
    if (!ok && file >= 0)
        unlink(to);
    return ok;
}

/* Opens a copy of the file, which nobody else opens: plug-ins keep the parameters of their field in static variables,
 * and two fields would have those of the second. Never closed: a plug-in may have threads, or functions that run at the
 * end of the program. */
static void *nemo_open_copy(myr_context *context, const char *path)
{
    char copy[NEMO_PATH];
    if (!nemo_copy(path, copy)) {
        myr_context_fail(context, MYR_ERROR_FILE, "the plug-in %s could not be copied to %s", path, copy);
        return NULL;
    }
    void *library = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        myr_context_fail(context, MYR_ERROR_UNAVAILABLE, "the plug-in %s could not be opened, as a copy in TMPDIR: %s",
                         path, why ? why : copy);
    }
    unlink(copy);
    return library;
}

static myr_status nemo_open(myr_context *context, nemo_request *request, nemo_field *f)
{
    static const myr_plugin host = {.file = "libmyriad_nemo.so",
                                    .variable = "MYRIAD_NEMO_PLUGIN",
                                    .what = "plug-ins of NEMO",
                                    .advice = "plug-ins that call functions of NEMO's programs cannot be used",
                                    .global = 1};
    char path[NEMO_PATH];
    if (!nemo_search("ACCPATH", request->name, path) && !nemo_search("POTPATH", request->name, path))
        return myr_context_fail(context, MYR_ERROR_UNAVAILABLE,
                                "there is no %s.so in the folders that the environment variables ACCPATH and POTPATH "
                                "name",
                                request->name);
    (void)myr_plugin_open(context, &host); /* plug-ins of others call no functions of NEMO's */
    void *library = nemo_open_copy(context, path);
    return library ? nemo_start(context, library, path, request, f) : MYR_ERROR_UNAVAILABLE;
}

myr_status myr_nemo_find(myr_context *context, const char *kind, const myr_external_function **function)
{
    nemo_request request;
    *function = myr_external_function_find(context, kind);
    if (*function)
        return MYR_OK;
    myr_status status = nemo_read(context, kind, &request);
    if (status)
        return status;
    nemo_field *f = calloc(1, sizeof *f);
    if (!f)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for an external field");
    status = nemo_open(context, &request, f);
    if (!status)
        status =
            myr_external_function_add(context, kind, "computed by a plug-in of NEMO", nemo_at, f, nemo_free, function);
    if (status)
        nemo_free(f);
    return status;
}
