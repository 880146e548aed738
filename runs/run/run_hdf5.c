/* run_hdf5.c - diagnostics.hdf5: the columns of diagnostics.csv as datasets, each with its units, and those of the
 * observables in groups of their names. */
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

#if MYR_HAVE_HDF5

#include <hdf5.h>

enum { NUMBER_LENGTH = 32 };

/* Reads the numbers of the file back: rows x columns, row by row. */
static double *csv_read(const run *r, int64_t *rows)
{
    const int columns = run_columns(r);
    const int length = columns * NUMBER_LENGTH;
    char path[RUN_PATH];
    FILE *file = fopen(run_path(r, "diagnostics.csv", path), "r");
    char *line = malloc((size_t)length);
    double *table = calloc((size_t)(r->counters.rows * columns) + 1, sizeof *table);
    *rows = -2; /* units, names */
    while (file && line && table && *rows < r->counters.rows && fgets(line, length, file)) {
        char *at = line;
        for (int k = 0; k < columns && *rows >= 0; k++, at += *at == ',')
            table[*rows * columns + k] = strtod(at, &at);
        ++*rows;
    }
    if (*rows < 0)
        *rows = 0;
    if (file)
        fclose(file);
    free(line);
    return table;
}

static int write_units(hid_t dataset, const char *units)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    int failed = H5Tset_size(type, strlen(units) + 1) < 0;
    const hid_t attribute = H5Acreate2(dataset, "units", type, space, H5P_DEFAULT, H5P_DEFAULT);
    failed |= attribute < 0 || H5Awrite(attribute, type, units) < 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return failed;
}

static int write_column(hid_t file, const char *name, const char *units, int64_t rows, const double *values)
{
    const hsize_t size = (hsize_t)rows;
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t dataset = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int failed = dataset < 0 || H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
    failed |= dataset < 0 || write_units(dataset, units);
    if (dataset >= 0)
        failed |= H5Dclose(dataset) < 0;
    H5Sclose(space);
    return failed;
}

static int write_columns(const run *r, hid_t file, int64_t rows, const double *table, double *values)
{
    const int columns = run_columns(r);
    int failed = 0;
    for (int k = 0; k < columns && !failed; k++) {
        char label[UNITS_MESSAGE];
        units_dimension dimension;
        const char *name = run_column(r, k, &dimension);
        for (int64_t i = 0; i < rows; i++)
            values[i] = table[i * columns + k];
        failed = write_column(file, name, units_label(&r->in->units, dimension, label), rows, values);
    }
    return failed;
}

static int write_observable(const run *r, hid_t file, int index)
{
    const myr_observable *o = r->observable[index];
    const hid_t group = H5Gcreate2(file, r->observable_kind[index], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int failed = group < 0;
    for (int k = 0; k < myr_observable_columns(o) && !failed; k++) {
        char name[MYR_OBSERVABLE_NAME_MAX + 1], label[UNITS_MESSAGE];
        double *values = run_observable_column(r, index, k, name, label);
        failed = !values || write_column(group, name, label, myr_observable_rows(o), values);
        free(values);
    }
    if (group >= 0)
        H5Gclose(group);
    return failed;
}

int run_export_diagnostics(const run *r)
{
    char path[RUN_PATH], temporary[RUN_PATH];
    int64_t rows;
    double *table = csv_read(r, &rows), *values = calloc((size_t)rows + 1, sizeof *values);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* the sentence below is the report */
    const hid_t file =
        H5Fcreate(run_path(r, "diagnostics.hdf5.new", temporary), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    int failed = file < 0 || !table || !values || write_columns(r, file, rows, table, values);
    for (int k = 0; k < r->observables && !failed; k++)
        failed = write_observable(r, file, k);
    if (file >= 0)
        failed |= H5Fclose(file) < 0;
    free(table);
    free(values);
    if (!failed && rename(temporary, run_path(r, "diagnostics.hdf5", path)) == 0)
        return CLI_OK;
    remove(temporary);
    return cli_fail(CLI_FAILED, "%s/diagnostics.hdf5 cannot be written", r->directory);
}

#else

int run_export_diagnostics(const run *r)
{
    (void)r;
    return CLI_OK;
}

#endif
