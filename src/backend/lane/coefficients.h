/* coefficients.h - polynomials of math.h; written by tools/lane_coefficients.py. */
#ifndef MYR_BACKEND_LANE_COEFFICIENTS_H
#define MYR_BACKEND_LANE_COEFFICIENTS_H

#if MYR_ARITH == MYR_ARITH_DOUBLE

/* exp(x), |x| <= ln(2)/2; relative error 2^-57.9 */
MYR_FN lane poly_exp(lane x)
{
    lane p = lane_set(K(0x1.ad9f0ea781ec5p-26));
    p = lane_madd(p, x, lane_set(K(0x1.28ad5e825baeep-22)));
    p = lane_madd(p, x, lane_set(K(0x1.71df0cf289aecp-19)));
    p = lane_madd(p, x, lane_set(K(0x1.a0199a0d7b006p-16)));
    p = lane_madd(p, x, lane_set(K(0x1.a01a01380899p-13)));
    p = lane_madd(p, x, lane_set(K(0x1.6c16c18438f56p-10)));
    p = lane_madd(p, x, lane_set(K(0x1.111111112471ep-7)));
    p = lane_madd(p, x, lane_set(K(0x1.555555555079ep-5)));
    p = lane_madd(p, x, lane_set(K(0x1.555555555550cp-3)));
    p = lane_madd(p, x, lane_set(K(0x1.000000000000ap-1)));
    p = lane_madd(p, x, lane_set(K(0x1p+0)));
    p = lane_madd(p, x, lane_set(K(0x1p+0)));
    return p;
}

/* 2^x, |x| <= 1/2; relative error 2^-57.8 */
MYR_FN lane poly_exp2(lane x)
{
    lane p = lane_set(K(0x1.e80f1d562f125p-32));
    p = lane_madd(p, x, lane_set(K(0x1.e611a0528ec76p-28)));
    p = lane_madd(p, x, lane_set(K(0x1.b5260d80afa42p-24)));
    p = lane_madd(p, x, lane_set(K(0x1.62bfcdde68c6bp-20)));
    p = lane_madd(p, x, lane_set(K(0x1.ffcbfbf8d2da3p-17)));
    p = lane_madd(p, x, lane_set(K(0x1.4309130c01281p-13)));
    p = lane_madd(p, x, lane_set(K(0x1.5d87fe78b3b86p-10)));
    p = lane_madd(p, x, lane_set(K(0x1.3b2ab6fba11f5p-7)));
    p = lane_madd(p, x, lane_set(K(0x1.c6b08d704a0d4p-5)));
    p = lane_madd(p, x, lane_set(K(0x1.ebfbdff82c59cp-3)));
    p = lane_madd(p, x, lane_set(K(0x1.62e42fefa39efp-1)));
    p = lane_madd(p, x, lane_set(K(0x1p+0)));
    return p;
}

/* Q in sin(2 pi f) = f (4 + x Q(x)), x = 1/16 - f^2, |f| <= 1/4; relative error 2^-60.6 */
MYR_FN lane poly_turn(lane x)
{
    lane p = lane_set(K(0x1.9e248a717bc14p-4));
    p = lane_madd(p, x, lane_set(K(0x1.559ffe969d5a7p-1)));
    p = lane_madd(p, x, lane_set(K(0x1.c22bbc3a2a3e9p+1)));
    p = lane_madd(p, x, lane_set(K(0x1.b707801af2bb9p+3)));
    p = lane_madd(p, x, lane_set(K(0x1.2c79afad64aacp+5)));
    p = lane_madd(p, x, lane_set(K(0x1.0b0cd906e3546p+6)));
    p = lane_madd(p, x, lane_set(K(0x1.10b0cd906e904p+6)));
    p = lane_madd(p, x, lane_set(K(0x1.fffffffffffffp+4)));
    return p;
}

/* Q in sin(r) = r + r x Q(x), x = r^2, |r| <= pi/2; relative error 2^-61.6 */
MYR_FN lane poly_sin(lane x)
{
    lane p = lane_set(K(0x1.8832aaa87ad6ep-49));
    p = lane_madd(p, x, lane_set(K(-0x1.ae43847c19402p-41)));
    p = lane_madd(p, x, lane_set(K(0x1.6123cd074f178p-33)));
    p = lane_madd(p, x, lane_set(K(-0x1.ae6454d47462ep-26)));
    p = lane_madd(p, x, lane_set(K(0x1.71de3a52a0b15p-19)));
    p = lane_madd(p, x, lane_set(K(-0x1.a01a01a014d6fp-13)));
    p = lane_madd(p, x, lane_set(K(0x1.11111111110c8p-7)));
    p = lane_madd(p, x, lane_set(K(-0x1.5555555555555p-3)));
    return p;
}

/* Q in erf(z) = z + z Q(x), x = z^2, |z| <= 1; relative error 2^-56.3 */
MYR_FN lane poly_erf(lane x)
{
    lane p = lane_set(K(0x1.3f31a4aca5a8p-33));
    p = lane_madd(p, x, lane_set(K(-0x1.c72bd5efc0249p-30)));
    p = lane_madd(p, x, lane_set(K(0x1.137d9187f4288p-26)));
    p = lane_madd(p, x, lane_set(K(-0x1.63a06c83ec58p-23)));
    p = lane_madd(p, x, lane_set(K(0x1.ba6ab9f0017edp-20)));
    p = lane_madd(p, x, lane_set(K(-0x1.f4dd0e02ff3b6p-17)));
    p = lane_madd(p, x, lane_set(K(0x1.f9a3ba96d433dp-14)));
    p = lane_madd(p, x, lane_set(K(-0x1.c02db93c1ca79p-11)));
    p = lane_madd(p, x, lane_set(K(0x1.565bcd2c88f0dp-8)));
    p = lane_madd(p, x, lane_set(K(-0x1.b82ce3135574ap-6)));
    p = lane_madd(p, x, lane_set(K(0x1.ce2f21a0458e9p-4)));
    p = lane_madd(p, x, lane_set(K(-0x1.812746b037a25p-2)));
    p = lane_madd(p, x, lane_set(K(0x1.06eba8214db69p-3)));
    return p;
}

/* log2(erfc(1 + x)), 1 + x <= 6; absolute in erfc, error 2^-57.2 */
MYR_FN lane poly_log2_erfc(lane x)
{
    lane p = lane_set(K(0x1.6b043d6c667a3p-42));
    p = lane_madd(p, x, lane_set(K(-0x1.fcfde6245892ap-37)));
    p = lane_madd(p, x, lane_set(K(0x1.126c1d7caf18p-32)));
    p = lane_madd(p, x, lane_set(K(-0x1.477b255b79c21p-29)));
    p = lane_madd(p, x, lane_set(K(0x1.ea26d0858c2p-27)));
    p = lane_madd(p, x, lane_set(K(-0x1.cee44cb91747fp-25)));
    p = lane_madd(p, x, lane_set(K(0x1.9adc49cf9cf11p-24)));
    p = lane_madd(p, x, lane_set(K(0x1.2979a68b2e35p-22)));
    p = lane_madd(p, x, lane_set(K(-0x1.99ff6fe65f108p-19)));
    p = lane_madd(p, x, lane_set(K(0x1.d395f074df8eap-17)));
    p = lane_madd(p, x, lane_set(K(-0x1.49136536892b1p-15)));
    p = lane_madd(p, x, lane_set(K(0x1.3e33dea12d844p-15)));
    p = lane_madd(p, x, lane_set(K(0x1.670210a6b942dp-12)));
    p = lane_madd(p, x, lane_set(K(-0x1.7603dc3dc3df3p-9)));
    p = lane_madd(p, x, lane_set(K(0x1.da57642456df1p-7)));
    p = lane_madd(p, x, lane_set(K(-0x1.eb3136864e20bp-5)));
    p = lane_madd(p, x, lane_set(K(-0x1.37627e9b5d69fp+0)));
    p = lane_madd(p, x, lane_set(K(-0x1.e75328fe78c3p+1)));
    p = lane_madd(p, x, lane_set(K(-0x1.558eada6637f3p+1)));
    return p;
}

/* Q in log(1 + x) = x - x^2/2 + x^3 Q(x), sqrt(1/2) <= 1 + x <= sqrt(2); relative error 2^-59.3 */
MYR_FN lane poly_log(lane x)
{
    lane p = lane_set(K(-0x1.8dd3235fa2776p-6));
    p = lane_madd(p, x, lane_set(K(0x1.d2bff454a6943p-5)));
    p = lane_madd(p, x, lane_set(K(-0x1.010815f657eabp-4)));
    p = lane_madd(p, x, lane_set(K(0x1.bba74d8688d1p-5)));
    p = lane_madd(p, x, lane_set(K(-0x1.b45c4beeceeadp-5)));
    p = lane_madd(p, x, lane_set(K(0x1.dc98966d7e47dp-5)));
    p = lane_madd(p, x, lane_set(K(-0x1.00cfe27c93567p-4)));
    p = lane_madd(p, x, lane_set(K(0x1.1169f73c9bebep-4)));
    p = lane_madd(p, x, lane_set(K(-0x1.248944d87a9b2p-4)));
    p = lane_madd(p, x, lane_set(K(0x1.3b0d793aadc4bp-4)));
    p = lane_madd(p, x, lane_set(K(-0x1.5555773ccecc8p-4)));
    p = lane_madd(p, x, lane_set(K(0x1.745d58ce7465cp-4)));
    p = lane_madd(p, x, lane_set(K(-0x1.99999a9aac4e1p-4)));
    p = lane_madd(p, x, lane_set(K(0x1.c71c702e10c09p-4)));
    p = lane_madd(p, x, lane_set(K(-0x1.fffffff3d0d28p-4)));
    p = lane_madd(p, x, lane_set(K(0x1.249249275df57p-3)));
    p = lane_madd(p, x, lane_set(K(-0x1.555555556acc6p-3)));
    p = lane_madd(p, x, lane_set(K(0x1.9999999994d89p-3)));
    p = lane_madd(p, x, lane_set(K(-0x1.ffffffffffe83p-3)));
    p = lane_madd(p, x, lane_set(K(0x1.555555555556bp-2)));
    return p;
}

/* -ln(2); the multiples of the first part that exp needs are exact */
#define MINUS_LN2_A K(-0x1.62e42fefa4p-1)
#define MINUS_LN2_B K(0x1.8432a1b0e2634p-43)

/* -pi; the multiples that sin and cos need are exact but for the last part, that of A under fma only */
#if LANE_HAS_FMA
#define MINUS_PI_A K(-0x1.921fb54442d18p+1)
#define MINUS_PI_C K(-0x1.1a626331p-53)
#define MINUS_PI_D K(-0x1.1701b839a252p-87)
#else
#define MINUS_PI_A K(-0x1.921fb58p+1)
#define MINUS_PI_B K(0x1.dde974p-26)
#define MINUS_PI_C K(-0x1.1a626331p-53)
#define MINUS_PI_D K(-0x1.1701b839a252p-87)
#endif

#else

/* exp(x), |x| <= ln(2)/2; relative error 2^-28.3 */
MYR_FN lane poly_exp(lane x)
{
    lane p = lane_set(K(0x1.6a524ep-10));
    p = lane_madd(p, x, lane_set(K(0x1.12396ep-7)));
    p = lane_madd(p, x, lane_set(K(0x1.5558aap-5)));
    p = lane_madd(p, x, lane_set(K(0x1.555492p-3)));
    p = lane_madd(p, x, lane_set(K(0x1.fffffcp-2)));
    p = lane_madd(p, x, lane_set(K(0x1p+0)));
    p = lane_madd(p, x, lane_set(K(0x1p+0)));
    return p;
}

/* 2^x, |x| <= 1/2; relative error 2^-28.3 */
MYR_FN lane poly_exp2(lane x)
{
    lane p = lane_set(K(0x1.416b5ep-13));
    p = lane_madd(p, x, lane_set(K(0x1.5f082ep-10)));
    p = lane_madd(p, x, lane_set(K(0x1.3b2dep-7)));
    p = lane_madd(p, x, lane_set(K(0x1.c6af7cp-5)));
    p = lane_madd(p, x, lane_set(K(0x1.ebfbdcp-3)));
    p = lane_madd(p, x, lane_set(K(0x1.62e43p-1)));
    p = lane_madd(p, x, lane_set(K(0x1p+0)));
    return p;
}

/* Q in sin(2 pi f) = f (4 + x Q(x)), x = 1/16 - f^2, |f| <= 1/4; relative error 2^-27.3 */
MYR_FN lane poly_turn(lane x)
{
    lane p = lane_set(K(0x1.3d486cp+5));
    p = lane_madd(p, x, lane_set(K(0x1.0a9dd8p+6)));
    p = lane_madd(p, x, lane_set(K(0x1.10b308p+6)));
    p = lane_madd(p, x, lane_set(K(0x1.fffff2p+4)));
    return p;
}

/* Q in sin(r) = r + r x Q(x), x = r^2, |r| <= pi/2; relative error 2^-31.0 */
MYR_FN lane poly_sin(lane x)
{
    lane p = lane_set(K(-0x1.b62352p-26));
    p = lane_madd(p, x, lane_set(K(0x1.72cddap-19)));
    p = lane_madd(p, x, lane_set(K(-0x1.a023ccp-13)));
    p = lane_madd(p, x, lane_set(K(0x1.111136p-7)));
    p = lane_madd(p, x, lane_set(K(-0x1.555556p-3)));
    return p;
}

/* Q in erf(z) = z + z Q(x), x = z^2, |z| <= 1; relative error 2^-29.4 */
MYR_FN lane poly_erf(lane x)
{
    lane p = lane_set(K(0x1.4771fcp-14));
    p = lane_madd(p, x, lane_set(K(-0x1.a3515ep-11)));
    p = lane_madd(p, x, lane_set(K(0x1.53f224p-8)));
    p = lane_madd(p, x, lane_set(K(-0x1.b7f71ap-6)));
    p = lane_madd(p, x, lane_set(K(0x1.ce2ce6p-4)));
    p = lane_madd(p, x, lane_set(K(-0x1.81273ep-2)));
    p = lane_madd(p, x, lane_set(K(0x1.06eba8p-3)));
    return p;
}

/* log2(erfc(1 + x)), 1 + x <= 4; absolute in erfc, error 2^-27.7 */
MYR_FN lane poly_log2_erfc(lane x)
{
    lane p = lane_set(K(0x1.ad97dcp-13));
    p = lane_madd(p, x, lane_set(K(-0x1.3aa4c8p-9)));
    p = lane_madd(p, x, lane_set(K(0x1.c9a29cp-7)));
    p = lane_madd(p, x, lane_set(K(-0x1.e91a84p-5)));
    p = lane_madd(p, x, lane_set(K(-0x1.37661p+0)));
    p = lane_madd(p, x, lane_set(K(-0x1.e75308p+1)));
    p = lane_madd(p, x, lane_set(K(-0x1.558eaep+1)));
    return p;
}

/* Q in log(1 + x) = x - x^2/2 + x^3 Q(x), sqrt(1/2) <= 1 + x <= sqrt(2); relative error 2^-30.3 */
MYR_FN lane poly_log(lane x)
{
    lane p = lane_set(K(0x1.146e46p-4));
    p = lane_madd(p, x, lane_set(K(-0x1.de001ep-4)));
    p = lane_madd(p, x, lane_set(K(0x1.e6c11p-4)));
    p = lane_madd(p, x, lane_set(K(-0x1.fc2924p-4)));
    p = lane_madd(p, x, lane_set(K(0x1.233b9cp-3)));
    p = lane_madd(p, x, lane_set(K(-0x1.555c42p-3)));
    p = lane_madd(p, x, lane_set(K(0x1.99a476p-3)));
    p = lane_madd(p, x, lane_set(K(-0x1.000006p-2)));
    p = lane_madd(p, x, lane_set(K(0x1.555548p-2)));
    return p;
}

/* -ln(2); the multiples of the first part that exp needs are exact */
#define MINUS_LN2_A K(-0x1.62e8p-1)
#define MINUS_LN2_B K(0x1.e8082ep-16)

/* -pi; the multiples that sin and cos need are exact but for the last part, that of A under fma only */
#if LANE_HAS_FMA
#define MINUS_PI_A K(-0x1.921fb6p+1)
#define MINUS_PI_C K(0x1.778p-24)
#define MINUS_PI_D K(-0x1.68c234p-38)
#else
#define MINUS_PI_A K(-0x1.92p+1)
#define MINUS_PI_B K(-0x1.fb4p-11)
#define MINUS_PI_C K(-0x1.444p-23)
#define MINUS_PI_D K(-0x1.68c234p-38)
#endif

#endif

#endif
