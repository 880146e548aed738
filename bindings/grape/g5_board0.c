/* g5_board0.c - the calls without a number: board 0. */
#include "g5_names.h"

void g5_close(void)
{
    g5_closeMC(0);
}

void g5_set_range(double xmin, double xmax, double mmin)
{
    g5_set_rangeMC(0, xmin, xmax, mmin);
}

void g5_get_range(double *xmin, double *xmax, double *mmin)
{
    g5_get_rangeMC(0, xmin, xmax, mmin);
}

void g5_set_n(int n)
{
    g5_set_nMC(0, n);
}

void g5_set_xmj(int adr, int nj, double (*xj)[3], double *mj)
{
    g5_set_xmjMC(0, adr, nj, xj, mj);
}

void g5_set_jp(int adr, int nj, double *mj, double (*xj)[3])
{
    g5_set_jpMC(0, adr, nj, mj, xj);
}

void g5_set_xj(int adr, int nj, double (*xj)[3])
{
    g5_set_xjMC(0, adr, nj, xj);
}

void g5_set_mj(int adr, int nj, double *mj)
{
    g5_set_mjMC(0, adr, nj, mj);
}

void g5_set_eps(int ni, double *eps)
{
    g5_set_epsMC(0, ni, eps);
}

void g5_set_eps2(int ni, double *eps2)
{
    g5_set_eps2MC(0, ni, eps2);
}

void g5_set_xi(int ni, double (*xi)[3])
{
    g5_set_xiMC(0, ni, xi);
}

void g5_set_ip(int ni, double (*xi)[3], double *eps, double *h)
{
    g5_set_ipMC(0, ni, xi, eps, h);
}

void g5_run(void)
{
    g5_runMC(0);
}

void g5_get_force(int ni, double (*a)[3], double *p)
{
    g5_get_forceMC(0, ni, a, p);
}

void g5_calculate_force_on_x(double (*x)[3], double (*a)[3], double *p, int ni)
{
    g5_calculate_force_on_xMC(0, x, a, p, ni);
}

int g5_get_number_of_pipelines(void)
{
    return g5_get_number_of_pipelinesMC(0);
}

int g5_get_number_of_real_pipelines(void)
{
    return g5_get_number_of_pipelinesMC(0);
}

int g5_get_jmemsize(void)
{
    return g5_get_jmemsizeMC(0);
}

int g5_get_number_of_boards(void)
{
    return 1;
}

int g5_get_number_of_cards(void)
{
    return 1;
}

const char *g5_message(void)
{
    return g5_messageMC(0);
}

G5_BOARD0_CALLS(GRAPE_PUBLIC)
