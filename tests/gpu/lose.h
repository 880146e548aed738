/* lose.h - takes the GPU away from the simulations of this process, which then fail, as where a device is lost. */
#ifndef MYR_TESTS_LOSE_H
#define MYR_TESTS_LOSE_H

#include <dlfcn.h>

#include "conformance/scene.h"

/* Calls of CUDA's driver, by which a test reaches the context of the plug-in without its headers. */
typedef struct {
    int (*init)(unsigned);
    int (*retain)(void **context, int device);
    int (*set)(void *context);
    int (*load)(void **module, const void *image);
    int (*find)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *stream,
                  void **arguments, void **extra);
    int (*wait)(void);
} lose_driver;

/* A program that ends in a trap: everything that belongs to the context of device 0 is lost with it. */
static inline void lose_real(void)
{
    static const char program[] =
        ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry lose()\n{\n    trap;\n    ret;\n}\n";
    static const char *const names[] = {"cuInit",           "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
                                        "cuModuleLoadData", "cuModuleGetFunction",      "cuLaunchKernel",
                                        "cuCtxSynchronize"};
    lose_driver d;
    void *symbol[sizeof names / sizeof *names], *library = dlopen("libcuda.so.1", RTLD_NOW);
    void *context = NULL, *module = NULL, *function = NULL;
    assert_non_null(library);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        symbol[k] = dlsym(library, names[k]);
        assert_non_null(symbol[k]);
    }
    memcpy(&d, symbol, sizeof d);
    assert_int_equal(d.init(0), 0);
    assert_int_equal(d.retain(&context, 0), 0);
    assert_int_equal(d.set(context), 0);
    assert_int_equal(d.load(&module, program), 0);
    assert_int_equal(d.find(&function, module, "lose"), 0);
    assert_int_equal(d.launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 0);
    assert_true(d.wait() != 0);
}

/* The last thing that a test program does with a GPU: nothing brings it back. */
static inline void lose_gpu(myr_context *context)
{
    myr_gpu_info info;
    assert_int_equal(myr_machine_gpu(context, 0, &info), MYR_OK);
    if (strcmp(info.name, "emulated") == 0)
        setenv("EMULATED_LOST", "0", 1);
    else
        lose_real();
}

#endif
