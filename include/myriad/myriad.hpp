/* myriad.hpp - the C interface for C++17: objects that free what they own, and statuses as exceptions. No library: a
 * program links -lmyriad as one in C does, and -lmyriad_run for myriad::Run. Every function of the C headers takes the
 * objects of this header.
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
#include <exception>
#include <forward_list>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <myriad/myriad.h>
#include <myriad/run.h>

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
    /* Joins the ranks that a launcher started. */
    Context &join()
    {
        return check(myr_ranks_open(owner.get())), *this;
    }
    /* Joins the ranks of a communicator of the program, an MPI_Comm. */
    template <typename Communicator> Context &join(const Communicator &communicator)
    {
        return check(myr_ranks_open_communicator(owner.get(), &communicator)), *this;
    }
    int rank() const
    {
        return myr_ranks_me(owner.get());
    }
    int ranks() const
    {
        return myr_ranks_count(owner.get());
    }
    /* Makes a function an external field, which External then takes by its name. What it throws comes out of the call
     * that needed the field, and the state is the one before the step. */
    using FieldFunction = std::function<void(const myr_field_points &)>;
    Context &define_field(const char *name, FieldFunction function)
    {
        fields.push_front({this, std::move(function)});
        return check(myr_external_register(owner.get(), name, Defined::call, &fields.front())), *this;
    }
    /* Throws an error with the message of the context, unless the status is MYR_OK; or what a function of the program
     * threw. */
    void check(myr_status status) const
    {
        const std::exception_ptr cause = std::exchange(thrown, nullptr);
        if (!status)
            return;
        if (cause && status == MYR_ERROR_CANCELLED)
            std::rethrow_exception(cause);
        const std::string message = myr_context_message(owner.get());
        throw Error(status, message.empty() ? myr_status_text(status) : message);
    }

  private:
    struct Defined {
        const Context *context;
        FieldFunction function;
        static int call(void *user, const myr_field_points *points)
        {
            const Defined *self = static_cast<const Defined *>(user);
            try {
                self->function(*points);
            } catch (...) {
                self->context->thrown = std::current_exception();
                return 1;
            }
            return 0;
        }
    };
    mutable std::exception_ptr thrown;
    std::forward_list<Defined> fields; /* those that another has replaced stay too */
    detail::Owner<myr_context, myr_context_destroy> owner;
};

namespace detail
{
/* An object of C that its owner destroys. Functions of C take it. */
template <typename T, void (*destroy)(T **)> class Object
{
  public:
    /* Owns an object that a function of C made. */
    explicit Object(T *made) : owner(made)
    {
    }
    operator T *() const
    {
        return owner.get();
    }
    T *release()
    {
        return owner.release();
    }

  protected:
    /* create(T **made) gives a status. */
    template <typename Create> Object(const Context &context, Create create)
    {
        T *made = nullptr;
        context.check(create(&made));
        owner.reset(made);
    }

  private:
    Owner<T, destroy> owner;
};
} // namespace detail

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

/* External field of the library, of a plug-in, or of a function that the context has. */
class External
{
  public:
    External(const Context &in, const char *kind) : context(&in)
    {
        myr_external *made = nullptr;
        in.check(myr_external_create(in, kind, &made));
        owner.reset(made);
    }
    operator myr_external *() const
    {
        return owner.get();
    }
    External &set(const char *parameter, double value)
    {
        return context->check(myr_external_set(owner.get(), parameter, value)), *this;
    }
    myr_external *release()
    {
        return owner.release();
    }

  private:
    const Context *context;
    detail::Owner<myr_external, myr_external_destroy> owner;
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
    /* Takes an external field. */
    Simulation &add(External &&external)
    {
        context->check(myr_simulation_add_external(owner.get(), external));
        return external.release(), *this;
    }
    /* Goes on with other particles, which it takes; they stay where they are, and the motion is as it was, if this
     * fails. */
    Simulation &replace(Particles &&bodies)
    {
        context->check(myr_simulation_replace(owner.get(), bodies));
        return bodies.release(), *this;
    }
    std::int64_t size() const
    {
        return myr_simulation_count(owner.get());
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
    /* A field of bodies that move on a GPU, in the memory of the GPU (myr_simulation_device_array). */
    myr_device_array device_array(const char *field)
    {
        myr_device_array found;
        context->check(myr_simulation_device_array(owner.get(), field, &found));
        return found;
    }
    /* On ranks other than 0: executes the calls of rank 0 until rank 0 destroys its simulation. */
    void follow()
    {
        context->check(myr_simulation_follow(owner.get()));
    }

  private:
    const Context *context;
    detail::Owner<myr_simulation, myr_simulation_destroy> owner;
};

/* Parameters of a model: myriad::ModelSpec king(context, "king"). */
class ModelSpec : public detail::Object<myr_model_spec, myr_model_spec_destroy>
{
  public:
    using Object::Object;
    ModelSpec(const Context &in, const char *model)
        : Object(in, [&](myr_model_spec **made) { return myr_model_spec_create(in, model, made); })
    {
    }
};

/* Atoms, bonds, angles and dihedrals of a molecule. */
class Topology : public detail::Object<myr_topology, myr_topology_destroy>
{
  public:
    using Object::Object;
    Topology(const Context &in, std::int64_t atoms, int types)
        : Object(in, [&](myr_topology **made) { return myr_topology_create(in, atoms, types, made); })
    {
    }
};

/* Forces and energies of a molecule; the topology and the interaction must outlive it. */
class Molecule : public detail::Object<myr_molecule, myr_molecule_destroy>
{
  public:
    using Object::Object;
    Molecule(const Context &in, const Topology &topology, const Interaction &pairs,
             myr_exclusion_mode mode = MYR_EXCLUDE_ON_THE_FLY)
        : Object(in, [&](myr_molecule **made) { return myr_molecule_create(topology, pairs, mode, made); })
    {
    }
};

/* Simulations that move together; these outlive it. */
class Ensemble : public detail::Object<myr_ensemble, myr_ensemble_destroy>
{
  public:
    using Object::Object;
    Ensemble(const Context &in, std::int64_t n, myr_simulation *const *simulation)
        : Object(in, [&](myr_ensemble **made) { return myr_ensemble_create(in, n, simulation, made); })
    {
    }
};

/* Means over samples of particles in a box. */
class Observable : public detail::Object<myr_observable, myr_observable_destroy>
{
  public:
    using Object::Object;
    Observable(const Context &in, const char *kind, const myr_observable_options &options)
        : Object(in, [&](myr_observable **made) { return myr_observable_create(in, kind, &options, made); })
    {
    }
};

/* A table of numbers in a file. */
class CsvTable : public detail::Object<myr_csv_table, myr_csv_table_close>
{
  public:
    using Object::Object;
    CsvTable(const Context &in, const char *path)
        : Object(in, [&](myr_csv_table **made) { return myr_csv_table_open(in, path, made); })
    {
    }
};

/* A file that appears under its name when it is published, and not at all if it is destroyed before. */
class OutputFile : public detail::Object<myr_output_file, myr_output_file_discard>
{
  public:
    OutputFile(const Context &in, const char *path)
        : Object(in, [&](myr_output_file **made) { return myr_output_file_create(in, path, made); }), context(&in)
    {
    }
    void publish()
    {
        myr_output_file *file = release();
        context->check(myr_output_file_publish(&file));
    }

  private:
    const Context *context;
};

/* The run of an input file. The listener (null = none) must outlive it. */
class Run
{
  public:
    explicit Run(const myr_run_listener *listener = nullptr)
    {
        myr_run *made = nullptr;
        const myr_status status = myr_run_create(listener, &made);
        if (status)
            throw Error(status, myr_status_text(status));
        owner.reset(made);
    }
    operator myr_run *() const
    {
        return owner.get();
    }
    /* Throws the sentence of a failure of a function of runs. */
    void check(myr_status status) const
    {
        if (status)
            throw Error(status, myr_run_message(owner.get()));
    }
    Run &open(const char *path)
    {
        return check(myr_run_open(owner.get(), path)), *this;
    }

  private:
    detail::Owner<myr_run, myr_run_destroy> owner;
};

/* A live page of a simulation that its caller steps; the run is for messages only. Both must outlive it. */
class Watch
{
  public:
    Watch(const Run &run, myr_simulation *simulation, const char *directory)
    {
        myr_watch *made = nullptr;
        run.check(myr_watch_create(run, simulation, directory, &made));
        owner.reset(made);
    }
    operator myr_watch *() const
    {
        return owner.get();
    }

  private:
    detail::Owner<myr_watch, myr_watch_destroy> owner;
};

} // namespace myriad

#endif
