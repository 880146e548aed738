/* objects.cpp - objects of myriad.hpp that the example does not use: fields of a function, other particles in a
 * simulation, arrays on a GPU, ranks. */
#include <cmath>
#include <cstdio>
#include <cstring>

#include <myriad/myriad.hpp>

static int failures;

#define EXPECT(what) ((what) ? (void)0 : (void)(failures++, std::printf("line %d: not so: %s\n", __LINE__, #what)))

/* The status of the error that a call throws; MYR_OK if it throws none. */
template <typename Call> static myr_status status_of(Call call)
{
    try {
        call();
    } catch (const myriad::Error &error) {
        return error.status;
    }
    return MYR_OK;
}

/* A body on a spring of frequency 1, at rest at (1, 0, 0). */
static myriad::Particles body(const myriad::Context &context)
{
    const double x[] = {1, 0, 0}, v[] = {0, 0, 0}, m = 1;
    myriad::Particles made(context, 1);
    made.set("position", 3, x).set("velocity", 3, v).set("mass", 1, &m);
    return made;
}

static void spring(const myr_field_points &p)
{
    for (int c = 0; c < 3; c++)
        for (std::int64_t i = 0; i < p.n; i++)
            p.acceleration[c][i] = -p.position[c][i];
}

static myriad::Simulation motion_of(const myriad::Context &context)
{
    myriad::Interaction gravity(context, "gravity");
    gravity.set("eps", 0.01);
    myriad::Simulation motion(context, body(context), std::move(gravity));
    motion.choose("leapfrog").set("dt", 1 / 64.).add(myriad::External(context, "spring"));
    return motion;
}

static void try_field(myriad::Context &context)
{
    int calls = 0, thrown = 0;
    bool works = true;
    context.define_field("spring", [&](const myr_field_points &p) {
        calls++;
        if (!works)
            throw 42;
        spring(p);
    });
    myriad::Simulation motion = motion_of(context);
    motion.run(1);
    EXPECT(calls >= 64);
    const double x = myr_particles_component_const(motion.particles(), "position", 0)[0];
    EXPECT(std::fabs(x - std::cos(1.)) < 3e-5); /* measured: 8.6e-6 */
    works = false;
    try {
        motion.run(2);
    } catch (int number) {
        thrown = number;
    }
    EXPECT(thrown == 42);
    EXPECT(motion.time() == 1 && myr_particles_component_const(motion.particles(), "position", 0)[0] == x);
    EXPECT(status_of([&] { motion.set("dt", -1); }) == MYR_ERROR_VALUE); /* and not the 42 of before */
    works = true;
    EXPECT(motion.run(2).time() == 2);
}

static void try_replace(myriad::Context &context)
{
    context.define_field("spring", spring);
    myriad::Simulation motion = motion_of(context);
    motion.run(0.5);
    myriad::Particles bad(context, 2), two = myriad::model(context, "plummer", 2);
    EXPECT(status_of([&] { motion.replace(std::move(bad)); }) != MYR_OK);
    EXPECT(bad.size() == 2 && motion.size() == 1); /* NOLINT: it still has its particles */
    myr_particles_set_name(two, 1, "Vega");
    EXPECT(motion.replace(std::move(two)).run(1).size() == 2);
    EXPECT(std::strcmp(myr_particles_name(motion.particles(), 1), "Vega") == 0);
    EXPECT(status_of([&] { motion.device_array("position"); }) == MYR_ERROR_UNAVAILABLE); /* no GPU moves it */
}

/* Objects that C makes are destroyed with their owners, and functions of C take them. */
static void try_objects(myriad::Context &context)
{
    myriad::ModelSpec king(context, "king");
    EXPECT(myr_model_spec_set(king, "W0", 5) == MYR_OK);
    myriad::Topology water(context, 3, 2);
    const myr_topology *kept = water;
    myriad::Topology moved = std::move(water);
    EXPECT(static_cast<myr_topology *>(moved) == kept && !static_cast<myr_topology *>(water)); /* NOLINT */
    EXPECT(status_of([&] { myriad::CsvTable(context, "no such file"); }) != MYR_OK);
    EXPECT(status_of([&] { myriad::Observable(context, "rdv", myr_observable_options()); }) == MYR_ERROR_NAME);
}

int main()
{
    myriad::Context context;
    context.threads(1).join();
    EXPECT(context.rank() == 0 && context.ranks() == 1);
    try_field(context);
    try_replace(context);
    try_objects(context);
    EXPECT(status_of([&] { myriad::External(context, "nfv"); }) == MYR_ERROR_NAME);
    return failures != 0;
}
