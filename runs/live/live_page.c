/* live_page.c - the page of a run that goes on: an empty shell, which anybody may have, and the report of now, which
 * its script asks for with the token. */
#include <stdlib.h>

#include "live/live.h"

/* Gives what was written into memory; the exit code. */
static int finish(FILE *out, markup **page, int code)
{
    if (!code && markup_failed(*page))
        code = CLI_FAILED;
    markup_destroy(page);
    return fclose(out) || code ? CLI_FAILED : CLI_OK;
}

int live_page_shell(char **text, size_t *size)
{
    FILE *out = open_memstream(text, size);
    markup *page = out ? markup_create(out) : NULL;
    if (!page) {
        if (out)
            fclose(out);
        return CLI_FAILED;
    }
    report_shell_write(page);
    return finish(out, &page, CLI_OK);
}

int live_page_now(const char *directory, report_state state, const myr_particles *first, int64_t of, live_view *view,
                  char **text, size_t *size)
{
    report *r = calloc(1, sizeof *r);
    FILE *out = open_memstream(text, size);
    markup *page = out ? markup_create(out) : NULL;
    int code = r && page && !myr_context_create(&r->context) ? CLI_OK : CLI_FAILED;
    if (!code) {
        r->directory = directory;
        code = report_read(r);
        r->state = state;
    }
    if (!code && first && !report_is_flow(r)) {
        report_replay_close(&view->scene);
        code = report_replay_of(r, first, of, &view->scene);
    }
    if (!code)
        code = report_live_write(page, r, view->scene, view->scene_number);
    if (page)
        code = finish(out, &page, code);
    else if (out)
        fclose(out);
    if (r)
        report_close(r);
    free(r);
    return code;
}
