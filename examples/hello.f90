! The Fortran interface on one page: a star cluster, its accelerations, and a simulation. `make fortran` makes the module:
!
!   gfortran build/fortran/myriad.f90 examples/hello.f90 -J build/fortran -L build -lmyriad_run -lmyriad -Wl,-rpath,$PWD/build
program hello
    use myriad
    implicit none
    type(c_ptr) :: context = c_null_ptr, stars = c_null_ptr, gravity = c_null_ptr, motion = c_null_ptr
    type(c_ptr) :: now = c_null_ptr
    type(myr_conserved) :: before, after
    real(c_double), pointer :: ax(:)
    real(c_double) :: net(1)
    call check(myr_context_create(context))
    call check(myr_model_create(context, "plummer"//c_null_char, 1000_c_int64_t, 1_c_int64_t, stars))
    call check(myr_interaction_create(context, "gravity"//c_null_char, gravity))
    call check(myr_interaction_set(gravity, "eps"//c_null_char, 0.05_c_double))
    call check(myr_interaction_evaluate(gravity, stars, stars))
    call c_f_pointer(myr_particles_component(stars, "acceleration"//c_null_char, 0), ax, [myr_particles_count(stars)])
    call check(myr_interaction_net(gravity, "acceleration"//c_null_char, 0, net))
    print "(a, es24.16, a, es10.2)", "acceleration of the first star along x", ax(1), ", net", net(1)

    call check(myr_simulation_create(context, stars, gravity, motion)) ! owns both from here on
    call check(myr_simulation_choose(motion, "leapfrog"//c_null_char))
    call check(myr_simulation_set(motion, "dt"//c_null_char, 1 / 128d0))
    call check(myr_simulation_conserved(motion, before))
    do while (myr_simulation_time(motion) < 0.25d0)
        call check(myr_simulation_step(motion, 0.25_c_double))
    end do
    call check(myr_simulation_conserved(motion, after))
    call check(myr_simulation_particles(motion, now))
    print "(a, i0, a, f8.6, a, es8.1)", "steps ", myr_simulation_steps(motion), ", time ", after%time, ", energy error ", &
        after%energy / before%energy - 1
    print "(2a)", "integrator ", myr_string(myr_simulation_integrator(motion))
    call myr_simulation_destroy(motion)
    call myr_context_destroy(context)
contains
    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status == MYR_OK) return
        print "(a)", myr_string(myr_context_message(context))
        error stop
    end subroutine
end program
