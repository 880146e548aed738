/* vortex_core.h - polynomial of vortex.h; written by tools/vortex_coefficients.py. */
#ifndef MYR_KERNEL_VORTEX_CORE_H
#define MYR_KERNEL_VORTEX_CORE_H

/* C 2^t, t = log2(e) (r/sigma)^2/2 <= 35; relative in (r^2/sigma^2 + C)^(-3/2), error 2^-23.1 */
MYR_FN lane poly_core(lane x)
{
    lane p = lane_set(K(-0x1.5f9d22p-34));
    p = lane_madd(p, x, lane_set(K(0x1.6beae2p-28)));
    p = lane_madd(p, x, lane_set(K(-0x1.11474ap-23)));
    p = lane_madd(p, x, lane_set(K(0x1.2e91dp-20)));
    p = lane_madd(p, x, lane_set(K(0x1.9dcbeep-19)));
    p = lane_madd(p, x, lane_set(K(-0x1.766a8ap-14)));
    p = lane_madd(p, x, lane_set(K(-0x1.8f7bdcp-12)));
    p = lane_madd(p, x, lane_set(K(0x1.22f31ep-7)));
    p = lane_madd(p, x, lane_set(K(0x1.3560fp-3)));
    p = lane_madd(p, x, lane_set(K(0x1.eb9632p-1)));
    p = lane_madd(p, x, lane_set(K(0x1.3580a2p+1)));
    return p;
}

#endif
