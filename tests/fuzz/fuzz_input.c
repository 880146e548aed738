/* fuzz_input.c - the reader of input files against any bytes: no crash, no unbounded memory; and what is accepted must
 * survive being written as an effective input and read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "input/input.h"

/* Writes an accepted input and reads it back: that must be accepted, too. */
static void fuzz_again(const input *in)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&bytes, &size);
    if (!memory)
        return;
    input_write(in, memory);
    fclose(memory);
    input *again = input_from_bytes("again", bytes, size, NULL);
    if (again && again->tree->errors > 0) {
        fprintf(stderr, "an effective input is refused:\n%s\n", bytes);
        tree_report(again->tree);
        abort();
    }
    input_destroy(&again);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input *in = input_from_bytes("fuzz", (const char *)data, size, NULL);
    if (in && in->tree->errors == 0)
        fuzz_again(in);
    input_destroy(&in);
    return 0;
}

static const char *const seeds[] = {
    "particles: {model: plummer, n: 10}\nrun: {end: 1}\n",

    "units:\n  system: astronomical\n  length: kpc\n  mass: 1e10 Msun\n  velocity: km/s\n"
    "particles:\n  model: king\n  W0: 6\n  n: 2000\n  length_scale: 2 pc\n  mass_function: kroupa\n"
    "integrator: {name: leapfrog, dt: 0.5 Myr}\n"
    "external:\n  - kind: nfw\n    mass: 1e12 Msun\n  - {kind: tidal, rate: 25 km/s/kpc}\n"
    "run:\n  end: 10 Gyr\n  wall_time: 2 h\n  energy_limit: 1e-3\n"
    "output:\n  directory: \"a b\"\n  fields: [position, velocity]\n  snapshots: none\n  diagnostics: ends\n",

    "units: {system: astronomical, length: pc, mass: Msun, time: Myr}\n"
    "particles:\n  - {model: plummer, n: 10, position: [1 kpc, 0, 0], rotation: [30 deg, 0, 1], type: 4}\n"
    "  - file: a b.csv\n    columns: {x: \"X [pc]\", mass: 4, name: \"#\"}\n    units: {position: pc, velocity: km/s}\n"
    "    velocity: [0, 1e2 km/s, -3]\n"
    "  - {file: c.txt, columns: [x, y, z, skip], negative_masses: true, type: keep}\n"
    "run: {end: 1 Gyr}\n",

    "# a comment\n%YAML 1.2\n---\nrun: &a\n  steps: 1e3 # more\nparticles: *a\n...\n",

    "units: {system: amber}\nparticles:\n  file: 'it''s.csv'\n  format: csv\n"
    "interaction: {kernel: lennard_jones, sigma: 3.4 Angstrom, epsilon: 0.238 kcal/mol}\n"
    "integrator:\n  ? name\n  : leapfrog\n  dt: |\n    2 fs\nrun: {steps: 0x10}\n",
};

size_t fuzz_seed(int k, uint8_t *to, size_t room)
{
    if (!tree_can_parse() || k < 0 || k >= (int)(sizeof seeds / sizeof seeds[0]) || strlen(seeds[k]) > room)
        return 0;
    memcpy(to, seeds[k], strlen(seeds[k]));
    return strlen(seeds[k]);
}
