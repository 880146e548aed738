/* The C++ interface on one page: a star cluster, its accelerations, a simulation, and an exception.
 *
 *   c++ -std=c++17 -I include examples/hello.cpp -L build -lmyriad -Wl,-rpath,$PWD/build */
#include <cstdio>
#include <myriad/myriad.hpp>

int main()
{
    myriad::Context context;
    try {
        myriad::Particles stars = myriad::model(context, "plummer", 1000);
        myriad::Interaction gravity(context, "gravity");
        gravity.set("eps", 0.05).evaluate(stars);
        std::printf("%.17g\n", stars["acceleration"][0][0]);
        myriad::Simulation motion(context, std::move(stars), std::move(gravity));
        motion.choose("leapfrog").set("dt", 1 / 128.);
        const double before = motion.conserved().energy;
        motion.run(0.25);
        std::printf("energy error %.1e at time %g\n", motion.conserved().energy / before - 1, motion.time());
        myriad::Interaction(context, "gravty");
    } catch (const myriad::Error &error) {
        std::printf("%s\n", error.what());
    }
    return 0;
}
