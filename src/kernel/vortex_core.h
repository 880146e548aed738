/* vortex_core.h - polynomials of vortex.h; written by tools/vortex_coefficients.py. */
#ifndef MYR_KERNEL_VORTEX_CORE_H
#define MYR_KERNEL_VORTEX_CORE_H

/* C(x) 2^x, x = (r/sigma)^2 <= 48; relative in (x + C)^(-3/2), error 2^-23.6 */
MYR_FN lane poly_core(lane x)
{
    lane p = lane_set(K(0x1.b2bbep-35));
    p = lane_madd(p, x, lane_set(K(-0x1.4d5ce4p-29)));
    p = lane_madd(p, x, lane_set(K(0x1.296bcep-24)));
    p = lane_madd(p, x, lane_set(K(-0x1.0d73fcp-21)));
    p = lane_madd(p, x, lane_set(K(0x1.41df8cp-17)));
    p = lane_madd(p, x, lane_set(K(0x1.3b6ea6p-13)));
    p = lane_madd(p, x, lane_set(K(0x1.89ec8ep-9)));
    p = lane_madd(p, x, lane_set(K(0x1.191904p-5)));
    p = lane_madd(p, x, lane_set(K(0x1.07aaa8p-2)));
    p = lane_madd(p, x, lane_set(K(0x1.28dc82p+0)));
    p = lane_madd(p, x, lane_set(K(0x1.3580a2p+1)));
    return p;
}

/* 3 C'(x) 2^x, likewise; relative in 3 (1 + C'), error 2^-23.6 */
MYR_FN lane poly_core_slope(lane x)
{
    lane p = lane_set(K(-0x1.dc1feap-35));
    p = lane_madd(p, x, lane_set(K(0x1.89788cp-29)));
    p = lane_madd(p, x, lane_set(K(-0x1.a7b5dap-24)));
    p = lane_madd(p, x, lane_set(K(0x1.fe4226p-21)));
    p = lane_madd(p, x, lane_set(K(-0x1.e993dp-17)));
    p = lane_madd(p, x, lane_set(K(-0x1.d7163p-13)));
    p = lane_madd(p, x, lane_set(K(-0x1.e93728p-9)));
    p = lane_madd(p, x, lane_set(K(-0x1.24be58p-5)));
    p = lane_madd(p, x, lane_set(K(-0x1.cf4c6ap-3)));
    p = lane_madd(p, x, lane_set(K(-0x1.bbaee6p-1)));
    p = lane_madd(p, x, lane_set(K(-0x1.8c98dap+0)));
    return p;
}

#endif
