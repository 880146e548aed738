/* program.c - programs of an emulated GPU: the texts that NVRTC would receive, compiled for the processor with device.h
 * in the place of CUDA. The plug-in of an emulated GPU is device.c, box.c and far.c of the library with the files that
 * these need, this file and runtime.c. Direct sums are done by the scalar loops.
 *   EMULATED_COMPILER, EMULATED_FLAGS   C++ compiler and its flags
 *   EMULATED_FOLDER                     folder of device.h */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/cuda/cuda.h"

#include "plain_run.h"

enum { NAMES_MOST = 64, NAME = 64, PATH = 512, TEXT = 32768 };

/* Kernels and shared memory of a program. */
typedef struct {
    char kernel[NAMES_MOST][NAME], shared[NAME];
    int kernels;
} program_names;

/* --- names in the texts ------------------------------------------------------------------------------------------- */

/* Copies the identifier that ends before `end`. */
static void identifier_before(const char *end, char name[NAME])
{
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *from = end;
    while (strchr(letters, from[-1]))
        from--;
    snprintf(name, NAME, "%.*s", (int)(end - from), from);
}

/* Finds the kernels of a preprocessed text; device.h makes `thread_local` of __shared__ and marks kernels as used. */
static void find_names(const char *text, program_names *names)
{
    const char *at = text, *shared = strstr(text, "extern thread_local "),
               *bracket = shared ? strchr(shared, '[') : NULL;
    while ((at = strstr(at, "extern \"C\" __attribute__((used)) ")) != NULL && names->kernels < NAMES_MOST) {
        const char *open = strstr(at++, "(const ");
        if (open)
            identifier_before(open, names->kernel[names->kernels++]);
    }
    snprintf(names->shared, NAME, "no_shared");
    if (bracket)
        identifier_before(bracket, names->shared);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static int write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    const int fine = file && fwrite(bytes, 1, size, file) == size;
    return file && fclose(file) == 0 && fine;
}

/* Writes a text under a folder, and makes the folders in between. */
static int write_text(const char *folder, const char *name, const char *text)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return 0;
        *slash = '/';
    }
    return write_file(path, text, strlen(text));
}

static int write_texts(const myr_cuda *cuda, const char *folder, const char *program, const char *user_kernel)
{
    int sources, fine = write_text(folder, "program.cpp", program) &&
                        (!user_kernel || write_text(folder, "user_kernel.h", user_kernel));
    const myr_source *source = cuda->host->sources(&sources);
    for (int k = 0; k < sources && fine; k++)
        fine = write_text(folder, source[k].name, source[k].text);
    return fine;
}

/* --- compiling ---------------------------------------------------------------------------------------------------- */

/* Key of a program in the cache: everything that it depends on. */
static void program_key(const myr_cuda *cuda, const char *text, const char *user_kernel, const char *device, char *key)
{
    int sources, n = 0;
    const myr_source *source = cuda->host->sources(&sources);
    const char **all = calloc((size_t)sources + 5, sizeof *all);
    if (!all)
        return;
    all[n++] = text;
    all[n++] = user_kernel ? user_kernel : "";
    all[n++] = device;
    all[n++] = EMULATED_COMPILER " " EMULATED_FLAGS;
    for (int k = 0; k < sources; k++)
        all[n++] = source[k].text;
    cuda->host->cache_key(all, n, key);
    free(all);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(file);
        rewind(file);
        bytes = calloc(1, *size + 1);
        if (bytes && fread(bytes, 1, *size, file) != *size)
            *bytes = 0;
    }
    if (file)
        fclose(file);
    return bytes;
}

static int run_compiler(const char *folder, const char *more)
{
    char command[4 * PATH];
    snprintf(command, sizeof command, "%s %s -I%s -I%s %s/program.cpp %s", EMULATED_COMPILER, EMULATED_FLAGS,
             EMULATED_FOLDER, folder, folder, more);
    return system(command) == 0;
}

/* Writes the program to a folder: a text, and the functions by which the host launches its kernels. */
static int write_program(const myr_cuda *cuda, const char *folder, const char *text, const char *user_kernel)
{
    char path[PATH], more[PATH], *program = calloc(1, TEXT), *plain;
    program_names names = {.shared = ""};
    size_t size;
    int n = program ? snprintf(program, TEXT, "#include \"device.h\"\n%s\n", text) : 0;
    snprintf(path, sizeof path, "%s/program.ii", folder);
    snprintf(more, sizeof more, "-E -P -o %s/program.ii", folder);
    int fine = program && write_texts(cuda, folder, program, user_kernel) && run_compiler(folder, more);
    if (fine && (plain = read_file(path, &size)) != NULL) {
        find_names(plain, &names);
        n += snprintf(program + n, (size_t)(TEXT - n), "EMULATED_SHARED(%s)\n", names.shared);
        for (int k = 0; k < names.kernels && n < TEXT; k++)
            n += snprintf(program + n, (size_t)(TEXT - n), "EMULATED_KERNEL(%s, %s)\n", names.kernel[k], names.shared);
        fine = n < TEXT && write_text(folder, "program.cpp", program);
        free(plain);
    }
    free(program);
    return fine;
}

/* Compiles a text to `object`. */
static int compile_now(const myr_cuda *cuda, const char *text, const char *user_kernel, const char *object)
{
    char folder[] = "/tmp/myriad-emulated-XXXXXX", more[PATH];
    if (!mkdtemp(folder))
        return 0;
    snprintf(more, sizeof more, "-o %s", object);
    const int fine = write_program(cuda, folder, text, user_kernel) && run_compiler(folder, more);
    snprintf(more, sizeof more, "rm -rf %s", folder);
    return system(more) == 0 && fine;
}

myr_status cuda_compile(const myr_cuda *cuda, myr_context *context, const cuda_device *device, const char *what,
                        const char *text, const char *user_kernel, void **code, size_t *size)
{
    (void)device;
    char object[] = "/tmp/myriad-program-XXXXXX", key[64] = "", message[256];
    char *header = read_file(EMULATED_FOLDER "/device.h", size);
    void *bytes = NULL;
    const int file = mkstemp(object);
    int fine = header && file >= 0;
    if (fine)
        program_key(cuda, text, user_kernel, header, key);
    if (fine && cuda->host->cache_read(key, "emulated", &bytes, size))
        fine = write_file(object, bytes, *size);
    else if (fine) {
        fine = compile_now(cuda, text, user_kernel, object);
        bytes = fine ? read_file(object, size) : NULL;
        if (bytes)
            (void)cuda->host->cache_write(key, "emulated", bytes, *size, message, sizeof message);
    }
    if (file >= 0)
        close(file);
    free(bytes);
    free(header);
    *code = fine ? strdup(object) : NULL;
    *size = sizeof object;
    return *code ? MYR_OK : cuda->host->fail(context, MYR_ERROR_UNAVAILABLE, "emulated GPU: %s does not compile", what);
}

/* --- what an emulated GPU does not do ------------------------------------------------------------------------------
 */

void cuda_batch_free(cuda_device *device)
{
    (void)device;
}

int cuda_batch_is_open(const cuda_device *device)
{
    (void)device;
    return 0;
}

myr_status cuda_batch_record(const myr_cuda *cuda, myr_context *context, const cuda_device *device,
                             const cuda_call *call)
{
    (void)device;
    return cuda->host->fail(context, MYR_ERROR_UNAVAILABLE, "emulated GPU: %s cannot be recorded", call->what);
}

myr_status cuda_batch_begin(const myr_cuda *cuda, myr_context *context, cuda_device *device)
{
    (void)device;
    return cuda->host->fail(context, MYR_ERROR_UNAVAILABLE, "emulated GPU: launches cannot be recorded");
}

myr_status cuda_batch_end(const myr_cuda *cuda, myr_context *context, const cuda_device *device)
{
    (void)cuda, (void)context, (void)device;
    return MYR_OK;
}

void cuda_batch_drop(const cuda_device *device)
{
    (void)device;
}

void cuda_programs_free(cuda_device *device)
{
    (void)device;
}

myr_status cuda_run(myr_cuda *cuda, const myr_direct *job, myr_direct_result *result)
{
    return plain_run(job, result) ? MYR_OK : cuda->host->fail(job->context, MYR_ERROR_MEMORY, "no memory");
}

/* Some number, so that benchmarks can be seen to run. */
myr_status cuda_issue(myr_cuda *cuda, myr_context *context, int in_double, double *rate)
{
    (void)cuda, (void)context;
    *rate = in_double ? 1e12 : 2e12;
    return MYR_OK;
}

myr_status cuda_motion_open(myr_cuda *cuda, const myr_direct *job, const myr_cuda_motion_set *set,
                            myr_cuda_motion **motion)
{
    (void)cuda, (void)job, (void)set;
    *motion = NULL;
    return MYR_ERROR_COMBINATION;
}
