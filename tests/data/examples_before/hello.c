#include <myriad/myriad.h>
#include <stdio.h>

int main(void)
{
    myr_context *context;
    myr_particles *stars = NULL;
    myr_interaction *gravity = NULL;
    if (myr_context_create(&context) || myr_model_create(context, "plummer", 10000, 1, &stars) ||
        myr_interaction_create(context, "gravity", &gravity) || myr_interaction_set(gravity, "eps", 0.01) ||
        myr_interaction_evaluate(gravity, stars, stars))
        return fprintf(stderr, "%s\n", myr_context_message(context)), 1;
    for (int c = 0; c < 3; c++)
        printf("%.17g\n", myr_particles_component(stars, "acceleration", c)[0]);
    myr_interaction_destroy(&gravity);
    myr_particles_destroy(&stars);
    myr_context_destroy(&context);
    return 0;
}
