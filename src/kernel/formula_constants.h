/* formula_constants.h - constants of a pair in box_formula.h. Plain C without lanes, for the code that prepares them.
 */
#ifndef MYR_KERNEL_FORMULA_CONSTANTS_H
#define MYR_KERNEL_FORMULA_CONSTANTS_H

enum {
    FORMULA_SCALE,  /* 1 / unit of the sums */
    FORMULA_WEIGHT, /* weight of the energy in the size of a pair */
    FORMULA_FIRST   /* from here on: constants that NAME_prepare computes from the parameters of the kernel */
};

#endif
