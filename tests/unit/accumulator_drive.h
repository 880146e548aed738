/* accumulator_drive.h - feeds known contributions to an accumulator, as the hot loop does, without a kernel. Included
 * once per accumulator with ACC naming it, after lane.h (one number per lane) and the accumulator's header.
 *
 * No include guard: it is a template. */
#define DRIVE_CAT_(a, b) a##b
#define DRIVE_CAT(a, b) DRIVE_CAT_(a, b)
#define ACC_(f) DRIVE_CAT(ACC, f)

/* Adds s[0..n) * d[0..n), folded after every `steps`, to the words; returns 1 if one was beyond the range. */
static uint32_t ACC_(_feed)(const real *s, const real *d, int64_t n, int64_t steps, const myr_acc_scale *c,
                            myr_word *words)
{
    uint32_t flag = 0;
    assert_true(steps <= ACC_(_MAX_STEPS));
    for (int64_t begin = 0; begin < n; begin += steps) {
        const int64_t count = n - begin < steps ? n - begin : steps;
        ACC_(_state) a = ACC_(_begin)(words, c);
        ilane range = 0;
        for (int64_t i = begin; i < begin + count; i++)
            ACC_(_add)(&a, &range, c, s[i], d[i]);
        flag |= ACC_(_end)(&a, words, c, count) | ((real_uint)range >> REAL_MANTISSA != 0);
    }
    return flag;
}

static const drive ACC_(_drive) = {ACC_(_feed), ACC_(_merge), ACC_(_negate), ACC_(_value), ACC_(_MAX_STEPS)};

#undef ACC_
#undef DRIVE_CAT
#undef DRIVE_CAT_
#undef ACC
