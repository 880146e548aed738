/* consumer_run.c - runs an input file with the installed library of runs, or prints why that failed. */
#include <myriad/run.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    myr_run *run = NULL;
    int more = 1;
    if (argc < 3 || myr_run_create(NULL, &run))
        return 2;
    myr_status status = myr_run_override(run, argv[2]);
    if (!status)
        status = myr_run_open(run, argv[1]);
    if (!status)
        status = myr_run_start(run);
    while (!status && more)
        status = myr_run_step(run, &more);
    if (!status)
        status = myr_run_finish(run);
    puts(status ? myr_run_message(run) : myr_run_report_path(run));
    myr_run_destroy(&run);
    return status != MYR_OK;
}
