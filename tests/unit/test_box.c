/* test_box.c - positions as integer coordinates of a box, and back; and arrays that do not begin at the same cache
 * line. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "domain/box.h"

static const myr_box box = {{-3, 0, 10}, {7, 0.001, 1e6}, {1, 1, 0}};

/* There and back to the accuracy of a double, whatever the image. */
static void test_round_trip(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int n = 0; n < 3000; n++) {
            double u[2];
            int32_t image;
            myr_random_uniform(5, 0, (uint64_t)n, (uint32_t)k, u);
            const double x = box.origin[k] + box.length[k] * (n % 3 == 0 ? u[0] : 40 * u[0] - 20);
            const uint64_t q = myr_box_coordinate(&box, k, x, &image);
            assert_true(fabs(myr_box_position(&box, k, q, image) - x) <= 1e-14 * box.length[k]); /* measured: 4e-15 */
            assert_true(image >= -20 && image <= 20 && (n % 3 || image == 0));
        }
}

static void test_edges(void **state)
{
    (void)state;
    int32_t image;
    assert_true(myr_box_coordinate(&box, 0, -3, &image) == 0 && image == 0);
    assert_true(myr_box_coordinate(&box, 0, 4, &image) == 0 && image == 1);
    assert_true(myr_box_coordinate(&box, 0, 0.5, &image) == (uint64_t)1 << 63 && image == 0);
    assert_true(myr_box_coordinate(&box, 2, 10 - 1e-11, &image) == 0 && image == 0); /* rounded up into the next box */
    assert_true(myr_box_coordinate(&box, 0, -10, NULL) == 0);
}

static void test_displacement(void **state)
{
    (void)state;
    const uint64_t q = myr_box_coordinate(&box, 0, 3.9, NULL);
    const uint64_t moved = q + (uint64_t)myr_box_displacement(&box, 0, 0.25); /* through the wall */
    assert_true(fabs(myr_box_position(&box, 0, moved, 1) - 4.15) < 1e-14);
    assert_true(myr_box_displacement(&box, 0, -0.25) == -myr_box_displacement(&box, 0, 0.25));
    assert_true(myr_box_displacement(&box, 0, 100) == INT64_MAX && myr_box_displacement(&box, 0, -100) == INT64_MIN);
}

static void test_lines(void **state)
{
    (void)state;
    enum { ARRAYS = 9, BYTES = 1 << 20 };
    myr_memory_room room = myr_memory_room_create((int64_t)ARRAYS * BYTES, ARRAYS);
    char *array[ARRAYS];
    assert_non_null(room.block);
    for (int k = 0; k < ARRAYS; k++) {
        array[k] = myr_memory_room_take(&room, BYTES);
        assert_non_null(array[k]);
        assert_int_equal((uintptr_t)array[k] % 64, 0);
        for (int j = 0; j < k; j++) {
            assert_true(array[j] + BYTES <= array[k]);
            assert_true(((uintptr_t)array[j] ^ (uintptr_t)array[k]) % 4096 >= 64);
        }
        assert_true(array[k][0] == 0 && array[k][BYTES - 1] == 0);
        memset(array[k], k + 1, BYTES);
    }
    assert_null(myr_memory_room_take(&room, 100 * BYTES));
    myr_memory_room_destroy(&room);
    assert_null(room.block);
    room = myr_memory_room_create((int64_t)1 << 60, 1);
    assert_null(room.block);
    assert_null(myr_memory_room_take(&room, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_displacement),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
