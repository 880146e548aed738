/* coefficients.h - polynomials of math.h; written by tools/lane_coefficients.py. See there. */
#ifndef MYR_LANE_COEFFICIENTS_H
#define MYR_LANE_COEFFICIENTS_H

/* c[0] + c[1] x + ... + c[n-1] x^(n-1); n is a compile-time constant */
MYR_FN lane poly_horner(lane x, const real *c, int n)
{
    lane p = lane_set(c[n - 1]);
    MYR_UNROLL
    for (int k = n - 2; k >= 0; k--)
        p = lane_madd(p, x, lane_set(c[k]));
    return p;
}

#if MYR_ARITH == MYR_ARITH_DOUBLE

/* exp(x), |x| <= ln(2)/2; relative error 2^-57.9 */
MYR_FN lane poly_exp(lane x)
{
    const real c[] = {K(0x1.0000000000000p+0), K(0x1.0000000000000p+0), K(0x1.000000000000ap-1), K(0x1.555555555550cp-3),
                      K(0x1.555555555079ep-5), K(0x1.111111112471ep-7), K(0x1.6c16c18438f56p-10), K(0x1.a01a013808990p-13),
                      K(0x1.a0199a0d7b006p-16), K(0x1.71df0cf289aecp-19), K(0x1.28ad5e825baeep-22), K(0x1.ad9f0ea781ec5p-26)};
    return poly_horner(x, c, 12);
}

/* Q in sin(2 pi f) = f (4 + x Q(x)), x = 1/16 - f^2, |f| <= 1/4; relative error 2^-60.6 */
MYR_FN lane poly_turn(lane x)
{
    const real c[] = {K(0x1.fffffffffffffp+4), K(0x1.10b0cd906e904p+6), K(0x1.0b0cd906e3546p+6), K(0x1.2c79afad64aacp+5),
                      K(0x1.b707801af2bb9p+3), K(0x1.c22bbc3a2a3e9p+1), K(0x1.559ffe969d5a7p-1), K(0x1.9e248a717bc14p-4)};
    return poly_horner(x, c, 8);
}

/* Q in sin(r) = r + r x Q(x), x = r^2, |r| <= pi/2; relative error 2^-61.6 */
MYR_FN lane poly_sin(lane x)
{
    const real c[] = {K(-0x1.5555555555555p-3), K(0x1.11111111110c8p-7), K(-0x1.a01a01a014d6fp-13), K(0x1.71de3a52a0b15p-19),
                      K(-0x1.ae6454d47462ep-26), K(0x1.6123cd074f178p-33), K(-0x1.ae43847c19402p-41), K(0x1.8832aaa87ad6ep-49)};
    return poly_horner(x, c, 8);
}

/* Q in erf(z) = z + z Q(x), x = z^2, |z| <= 1; relative error 2^-56.3 */
MYR_FN lane poly_erf(lane x)
{
    const real c[] = {K(0x1.06eba8214db69p-3), K(-0x1.812746b037a25p-2), K(0x1.ce2f21a0458e9p-4), K(-0x1.b82ce3135574ap-6),
                      K(0x1.565bcd2c88f0dp-8), K(-0x1.c02db93c1ca79p-11), K(0x1.f9a3ba96d433dp-14), K(-0x1.f4dd0e02ff3b6p-17),
                      K(0x1.ba6ab9f0017edp-20), K(-0x1.63a06c83ec580p-23), K(0x1.137d9187f4288p-26), K(-0x1.c72bd5efc0249p-30),
                      K(0x1.3f31a4aca5a80p-33)};
    return poly_horner(x, c, 13);
}

/* log(erfc(1 + x)), 1 + x <= 6; absolute in erfc, error 2^-59.0 */
MYR_FN lane poly_log_erfc(lane x)
{
    const real c[] = {K(-0x1.d97fbf27aa2a1p+0), K(-0x1.51c9b0006c243p+1), K(-0x1.afabc11a28be0p-1), K(-0x1.5477f09ccceeap-5),
                      K(0x1.48c9d40c0b739p-7), K(-0x1.033f68ec39700p-9), K(0x1.f1b45df9f7090p-13), K(0x1.b8cbda1ce677fp-16),
                      K(-0x1.c781b452f5885p-16), K(0x1.41fcb118fa18ap-17), K(-0x1.129122365a6a9p-19), K(0x1.1a3c6de9c0d8cp-23),
                      K(0x1.c0cb9a1f8dbe2p-24), K(-0x1.d9d6015fc3beep-25), K(0x1.11c5eab12f7d0p-26), K(-0x1.aa40612e667c5p-29),
                      K(0x1.bd4df8a18e02dp-32), K(-0x1.1b6c6adb80a31p-35), K(0x1.4c9dc944d29dfp-40)};
    return poly_horner(x, c, 19);
}

#if LANE_HAS_FMA
enum { PI_PARTS = 3 };
/* their sum is the number */
MYR_FN lane pi_part(int i)
{
    const real c[] = {K(0x1.921fb54442d18p+1), K(0x1.1a62633145c07p-53), K(-0x1.f1976b7ed8fbcp-109)};
    return lane_set(c[i]);
}

#else
enum { PI_PARTS = 4 };
/* their sum is the number */
MYR_FN lane pi_part(int i)
{
    const real c[] = {K(0x1.921fb54400000p+1), K(0x1.0b4611a600000p-33), K(0x1.3198a2e000000p-68), K(0x1.b839a252049c1p-103)};
    return lane_set(c[i]);
}

#endif

enum { LN2_PARTS = 2 };
/* their sum is the number */
MYR_FN lane ln2_part(int i)
{
    const real c[] = {K(0x1.62e42fefa4000p-1), K(-0x1.8432a1b0e2634p-43)};
    return lane_set(c[i]);
}

#else

/* exp(x), |x| <= ln(2)/2; relative error 2^-28.3 */
MYR_FN lane poly_exp(lane x)
{
    const real c[] = {K(0x1.0000000000000p+0), K(0x1.0000000000000p+0), K(0x1.fffffc0000000p-2), K(0x1.5554920000000p-3),
                      K(0x1.5558aa0000000p-5), K(0x1.12396e0000000p-7), K(0x1.6a524e0000000p-10)};
    return poly_horner(x, c, 7);
}

/* Q in sin(2 pi f) = f (4 + x Q(x)), x = 1/16 - f^2, |f| <= 1/4; relative error 2^-27.3 */
MYR_FN lane poly_turn(lane x)
{
    const real c[] = {K(0x1.fffff20000000p+4), K(0x1.10b3080000000p+6), K(0x1.0a9dd80000000p+6), K(0x1.3d486c0000000p+5)};
    return poly_horner(x, c, 4);
}

/* Q in sin(r) = r + r x Q(x), x = r^2, |r| <= pi/2; relative error 2^-27.3 */
MYR_FN lane poly_sin(lane x)
{
    const real c[] = {K(-0x1.55554c0000000p-3), K(0x1.110eda0000000p-7), K(-0x1.9f70e80000000p-13), K(0x1.5dc80c0000000p-19)};
    return poly_horner(x, c, 4);
}

/* Q in erf(z) = z + z Q(x), x = z^2, |z| <= 1; relative error 2^-29.4 */
MYR_FN lane poly_erf(lane x)
{
    const real c[] = {K(0x1.06eba80000000p-3), K(-0x1.81273e0000000p-2), K(0x1.ce2ce60000000p-4), K(-0x1.b7f71a0000000p-6),
                      K(0x1.53f2240000000p-8), K(-0x1.a3515e0000000p-11), K(0x1.4771fc0000000p-14)};
    return poly_horner(x, c, 7);
}

/* log(erfc(1 + x)), 1 + x <= 4; absolute in erfc, error 2^-26.9 */
MYR_FN lane poly_log_erfc(lane x)
{
    const real c[] = {K(-0x1.d97fc00000000p+0), K(-0x1.51c9880000000p+1), K(-0x1.afb44a0000000p-1), K(-0x1.5205240000000p-5),
                      K(0x1.35bf000000000p-7), K(-0x1.8440880000000p-10), K(0x1.79e31c0000000p-14)};
    return poly_horner(x, c, 7);
}

#if LANE_HAS_FMA
enum { PI_PARTS = 3 };
/* their sum is the number */
MYR_FN lane pi_part(int i)
{
    const real c[] = {K(0x1.921fb60000000p+1), K(-0x1.777a5c0000000p-24), K(-0x1.ee59da0000000p-49)};
    return lane_set(c[i]);
}

#else
enum { PI_PARTS = 5 };
/* their sum is the number */
MYR_FN lane pi_part(int i)
{
    const real c[] = {K(0x1.9200000000000p+1), K(0x1.fb40000000000p-11), K(0x1.4440000000000p-23), K(0x1.68c0000000000p-38),
                      K(0x1.1a62640000000p-53)};
    return lane_set(c[i]);
}

#endif

enum { LN2_PARTS = 2 };
/* their sum is the number */
MYR_FN lane ln2_part(int i)
{
    const real c[] = {K(0x1.62e8000000000p-1), K(-0x1.e8082e0000000p-16)};
    return lane_set(c[i]);
}

#endif

#endif
