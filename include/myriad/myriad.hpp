/* myriad.hpp - the C interface for C++17: objects that free what they own, and statuses as exceptions. No library: a
 * program links -lmyriad as one in C does. Every function of the C headers takes the objects of this header.
 *
 *   myriad::Context context;
 *   myriad::Particles stars = myriad::model(context, "plummer", 1000);
 *   myriad::Interaction gravity(context, "gravity");
 *   gravity.set("eps", 0.01).evaluate(stars);
 *   double ax = stars["acceleration"][0];
 *   myriad::Simulation motion(context, std::move(stars), std::move(gravity));
 *   motion.choose("leapfrog").set("dt", 1 / 64.).run(1);
 */
#ifndef MYRIAD_MYRIAD_HPP
#define MYRIAD_MYRIAD_HPP

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <myriad/myriad.h>

namespace myriad
{

/* A function of the library failed; what() is its sentence. */
class Error : public std::runtime_error
{
  public:
    Error(myr_status code, const std::string &text) : std::runtime_error(text), status(code)
    {
    }
    const myr_status status;
};

namespace detail
{
/* Destroys an object by its function, which takes a pointer to the pointer. */
template <typename T, void (*destroy)(T **)> struct Destroy {
    void operator()(T *object) const
    {
        destroy(&object);
    }
};
template <typename T, void (*destroy)(T **)> using Owner = std::unique_ptr<T, Destroy<T, destroy>>;
} // namespace detail

/* State of one user of the library; it must outlive all objects made in it. */
class Context
{
  public:
    Context()
    {
        myr_context *made = nullptr;
        const myr_status status = myr_context_create(&made);
        if (status)
            throw Error(status, myr_status_text(status));
        owner.reset(made);
    }
    Context(const Context &) = delete; /* others point to it */
    Context &operator=(const Context &) = delete;
    operator myr_context *() const
    {
        return owner.get();
    }
    Context &threads(int number)
    {
        return check(myr_context_set_threads(owner.get(), number)), *this;
    }
    /* Throws an error with the message of the context, unless the status is MYR_OK. */
    void check(myr_status status) const
    {
        if (!status)
            return;
        const std::string message = myr_context_message(owner.get());
        throw Error(status, message.empty() ? myr_status_text(status) : message);
    }

  private:
    detail::Owner<myr_context, myr_context_destroy> owner;
};

/* A field of particles: components of n numbers each, in the memory of the set. */
class Field
{
  public:
    Field(myr_particles *of, const char *field) : particles(of), name(field)
    {
    }
    /* One component, [n]; null if there is none. */
    double *operator[](int component) const
    {
        return myr_particles_component(particles, name, component);
    }

  private:
    myr_particles *particles;
    const char *name;
};

class Particles
{
  public:
    Particles(const Context &context, std::int64_t n)
    {
        myr_particles *made = nullptr;
        context.check(myr_particles_create(context, n, &made));
        owner.reset(made);
    }
    /* Owns a set that a function of C made. */
    explicit Particles(myr_particles *made) : owner(made)
    {
    }
    operator myr_particles *() const
    {
        return owner.get();
    }
    std::int64_t size() const
    {
        return myr_particles_count(owner.get());
    }
    /* Field of that name, which must outlive the use of the result. */
    Field operator[](const char *name) const
    {
        return Field(owner.get(), name);
    }
    /* Sets a field from values[n][components]. */
    Particles &set(const char *name, int components, const double *values)
    {
        const myr_status status = myr_particles_set(owner.get(), name, components, values);
        if (status)
            throw Error(status, myr_context_message(myr_particles_context(owner.get())));
        return *this;
    }
    myr_particles *release()
    {
        return owner.release();
    }

  private:
    detail::Owner<myr_particles, myr_particles_destroy> owner;
};

/* Particles of a model with the default parameters. */
inline Particles model(const Context &context, const char *name, std::int64_t n, std::uint64_t seed = 1)
{
    myr_particles *made = nullptr;
    context.check(myr_model_create(context, name, n, seed, &made));
    return Particles(made);
}

class Interaction
{
  public:
    Interaction(const Context &in, const char *kernel) : context(&in)
    {
        myr_interaction *made = nullptr;
        in.check(myr_interaction_create(in, kernel, &made));
        owner.reset(made);
    }
    operator myr_interaction *() const
    {
        return owner.get();
    }
    Interaction &choose(const char *key, const char *value)
    {
        return context->check(myr_interaction_choose(owner.get(), key, value)), *this;
    }
    Interaction &set(const char *parameter, double value)
    {
        return context->check(myr_interaction_set(owner.get(), parameter, value)), *this;
    }
    Interaction &evaluate(Particles &targets)
    {
        return evaluate(targets, targets);
    }
    Interaction &evaluate(Particles &targets, const Particles &sources)
    {
        return context->check(myr_interaction_evaluate(owner.get(), targets, sources)), *this;
    }
    myr_interaction *release()
    {
        return owner.release();
    }

  private:
    const Context *context;
    detail::Owner<myr_interaction, myr_interaction_destroy> owner;
};

class Simulation
{
  public:
    /* Takes the particles and the interaction; they stay where they are if this fails. */
    Simulation(const Context &in, Particles &&bodies, Interaction &&interaction) : context(&in)
    {
        myr_simulation *made = nullptr;
        in.check(myr_simulation_create(in, bodies, interaction, &made));
        owner.reset(made);
        bodies.release();
        interaction.release();
    }
    operator myr_simulation *() const
    {
        return owner.get();
    }
    Simulation &choose(const char *integrator)
    {
        return context->check(myr_simulation_choose(owner.get(), integrator)), *this;
    }
    Simulation &set(const char *parameter, double value)
    {
        return context->check(myr_simulation_set(owner.get(), parameter, value)), *this;
    }
    double time() const
    {
        return myr_simulation_time(owner.get());
    }
    /* Steps to a time. */
    Simulation &run(double until)
    {
        while (time() < until)
            context->check(myr_simulation_advance(owner.get(), until, until, INT64_MAX));
        return *this;
    }
    myr_conserved conserved()
    {
        myr_conserved found;
        context->check(myr_simulation_conserved(owner.get(), &found));
        return found;
    }
    /* The present particles, valid until the next call. */
    const myr_particles *particles()
    {
        const myr_particles *found = nullptr;
        context->check(myr_simulation_particles(owner.get(), &found));
        return found;
    }

  private:
    const Context *context;
    detail::Owner<myr_simulation, myr_simulation_destroy> owner;
};

} // namespace myriad

#endif
