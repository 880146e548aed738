#define IDIM (6)
#define JDIM (7)
#define FDIM (7)

#include <cunbody_api.h>

static double p_xj[NMAX][JDIM];
static double p_xi[NMAX][IDIM];
static double p_fi[NMAX][FDIM];

void force(double x[][3],
           double v[][3],
           double m[],
           double p[],
           double a[][3],
           double jk[][3],
           int n)
{
    for(int i=0;i<n;i++){
        for(int d=0;d<3;d++){
            p_xi[i][d] = x[i][d];
            p_xi[i][d+3] = v[i][d];
            p_xj[i][d] = x[i][d];
            p_xj[i][d+3] = v[i][d];
        }
        p_xj[i][6] = m[i];
    }

    cunbody_api(p_xj, p_xi, p_fi, n, n);

    for(int i=0;i<n;i++){
        for(int d=0;d<3;d++){
            a[i][d] = p_fi[i][d];
            jk[i][d] = p_fi[i][d+3];
        }
        p[i] = p_fi[i][6];
    }
}
