/* api.c - the general call of CUNBODY-1 on top of the public interface of Myriad. */
/* The header is made for drivers, which have dimensions; its one function that needs them is not used here. */
#define IDIM 1
#define JDIM 1
#define FDIM 1
#include "cunbody_api.h"

#include "session.h"

enum { TARGETS, SOURCES, API_PATH = 4096 };

/* The file whose kernel the session's interaction has. */
static _Thread_local char api_path[API_PATH];

static int api_components(const myr_field_info *field)
{
    int components = 0;
    for (; field->name; field++)
        components += field->components;
    return components;
}

/* Says what does not fit. */
static myr_status api_refuse(session *s, const char *format, const char *pipeline, int have, int want)
{
    snprintf(s->message, sizeof s->message, format, pipeline, have, want);
    return MYR_ERROR_VALUE;
}

static myr_status api_check(session *s, const myr_kernel_info *k, const char *pipeline, int idim, int jdim, int fdim)
{
    const int i = k->position_components + api_components(k->target);
    const int j = k->position_components + api_components(k->source), f = api_components(k->output);
    if (i != idim)
        return api_refuse(s, "%s reads %d components of a target, and IDIM is %d", pipeline, i, idim);
    if (j != jdim)
        return api_refuse(s, "%s reads %d components of a source, and JDIM is %d", pipeline, j, jdim);
    if (f != fdim)
        return api_refuse(s, "%s gives %d components, and FDIM is %d", pipeline, f, fdim);
    return MYR_OK;
}

/* Sees to the context, the kernel and the interaction; a file is read when it is named first. */
static myr_status api_ready(session *s, const char *pipeline, const myr_kernel_info **kernel)
{
    myr_status status = s->context ? MYR_OK : myr_context_create(&s->context);
    s->message[0] = 0;
    if (!status && !pipeline) {
        snprintf(s->message, sizeof s->message,
                 "no pipeline: compile the driver with -DCUNBODY_PIPELINE='\"FILE.pipe\"', or set CUNBODY_PIPELINE");
        return MYR_ERROR_NAME;
    }
    if (!status && (!s->interaction || strcmp(api_path, pipeline) != 0)) {
        myr_interaction_destroy(&s->interaction);
        snprintf(api_path, sizeof api_path, "%s", pipeline);
        status = myr_kernel_from_file(s->context, pipeline, kernel);
        if (!status)
            status = session_ready(s, (*kernel)->name);
    } else if (!status) {
        status = session_ready(s, NULL);
    }
    if (!status)
        *kernel = myr_kernel_known(s->context, myr_interaction_choice(s->interaction, "kernel"));
    return status;
}

/* Copies the columns from `first` on of values[n][stride] into a field. */
static myr_status api_set(myr_particles *p, const char *name, int components, const double *values, int stride,
                          int first)
{
    const myr_status status = myr_particles_add_field(p, name, components);
    for (int c = 0; !status && c < components; c++) {
        double *to = myr_particles_component(p, name, c);
        for (int64_t i = 0; i < myr_particles_count(p); i++)
            to[i] = values[i * stride + first + c];
    }
    return status;
}

/* Position first, then the other fields as the pipeline lists them. */
static myr_status api_fill(session *s, int which, int n, const myr_kernel_info *k, const double *values, int stride)
{
    const myr_field_info *field = which == TARGETS ? k->target : k->source;
    int first = k->position_components;
    myr_particles_destroy(&s->set[which]); /* another pipeline's fields may differ */
    myr_status status = session_size(s, which, n);
    if (!status)
        status = api_set(s->set[which], k->position, k->position_components, values, stride, 0);
    for (; !status && field->name; first += field->components, field++)
        status = api_set(s->set[which], field->name, field->components, values, stride, first);
    return status;
}

static myr_status api_get(const session *s, const myr_kernel_info *k, double *f, int fdim)
{
    const myr_particles *p = s->set[TARGETS];
    int first = 0;
    for (const myr_field_info *field = k->output; field->name; field++)
        for (int c = 0; c < field->components; c++, first++) {
            const double *from = myr_particles_component_const(p, field->name, c);
            for (int64_t i = 0; i < myr_particles_count(p); i++)
                f[i * fdim + first] = from[i];
        }
    return MYR_OK;
}

void cunbody_evaluate(const char *pipeline, int idim, int jdim, int fdim, const double *xj, const double *xi, double *f,
                      int ni, int nj)
{
    session *s = session_mine();
    const myr_kernel_info *k = NULL;
    const int wrong = ni < 0 || nj < 0 || idim < 1 || jdim < 1 || fdim < 1 || (ni && (!xi || !f)) || (nj && !xj);
    const char *path = pipeline ? pipeline : getenv("CUNBODY_PIPELINE");
    if (!s)
        return;
    myr_status status = api_ready(s, path, &k);
    if (!status)
        status = wrong ? MYR_ERROR_ARGUMENT : api_check(s, k, path, idim, jdim, fdim);
    if (!status)
        status = api_fill(s, TARGETS, ni, k, xi, idim);
    if (!status)
        status = api_fill(s, SOURCES, nj, k, xj, jdim);
    if (!status)
        status = myr_interaction_evaluate(s->interaction, s->set[TARGETS], s->set[SOURCES]);
    if (!status)
        status = api_get(s, k, f, fdim);
    if (status && !s->message[0])
        session_failed(s, status);
    if (status && ni > 0 && fdim > 0)
        session_fill_nan(f, ni * fdim);
}
