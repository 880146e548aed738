! fortran.f90 - the GRAPE calls from Fortran, as old programs make them: implicit interfaces, arguments by reference.
! Stops with 1 where a force is not that of a sum in double precision (errors seen: 2.6e-7).
program fortran
    implicit none
    integer, parameter :: n = 100
    double precision :: x(3, n), v(3, n), m(n), a(3, n), jerk(3, n), pot(n), h2(n), zero(3)
    double precision :: wanted(3), wanted_pot, worst
    integer :: idx(n), list(n), nearest(n), i, j, length, failed
    failed = 0
    zero = 0
    do i = 1, n ! a swarm without a random number
        x(:, i) = (/ sin(1.7d0 * i), cos(2.3d0 * i), sin(0.9d0 * i * i) /)
        v(:, i) = (/ cos(0.3d0 * i), sin(1.1d0 * i), cos(5.0d0 * i) /)
        m(i) = 1d0 / n * (1 + mod(i, 3))
        idx(i) = i
        h2(i) = 0.25d0
    end do
    call test_g5
    call test_g6
    if (failed /= 0) stop 1
    print *, 'the Fortran calls give the forces of double sums'

contains

    ! Acceleration and potential of body i, with or without the body itself, G = 1.
    subroutine sum_double(i, eps2, itself)
        integer, intent(in) :: i
        double precision, intent(in) :: eps2
        logical, intent(in) :: itself
        double precision :: s
        integer :: k
        wanted = 0
        wanted_pot = 0
        do k = 1, n
            if (k == i .and. .not. itself) cycle
            s = sum((x(:, k) - x(:, i))**2) + eps2
            wanted = wanted + m(k) * (x(:, k) - x(:, i)) / (s * sqrt(s))
            wanted_pot = wanted_pot - m(k) / sqrt(s)
        end do
    end subroutine

    subroutine expect(what, ok)
        character(*), intent(in) :: what
        logical, intent(in) :: ok
        if (ok) return
        print *, 'FAILED: ', what
        failed = failed + 1
    end subroutine

    subroutine test_g5
        integer, external :: g5_get_number_of_pipelines, g5_get_jmemsize
        call g5_open()
        call g5_set_range(-2d0, 2d0, m(1))
        call g5_set_eps_to_all(0.1d0)
        call g5_set_xmj(0, 40, x, m)
        call g5_set_jp(40, n - 40, m(41), x(1, 41))
        call g5_set_n(n)
        call g5_calculate_force_on_x(x, a, pot, n)
        worst = 0
        do i = 1, n
            call sum_double(i, 0.01d0, .true.)
            worst = max(worst, maxval(abs(a(:, i) - wanted)), abs(pot(i) + wanted_pot) / abs(wanted_pot))
        end do
        call expect('g5 forces', worst < 1d-6)
        call g5_set_xi(10, x)
        call g5_run()
        call g5_get_force(10, a, pot)
        call sum_double(10, 0.01d0, .true.)
        call expect('g5_get_force', maxval(abs(a(:, 10) - wanted)) < 1d-6)
        call g5_set_xmjMC(3, 0, n, x, m)
        call g5_set_nMC(3, n)
        call g5_calculate_force_on_xMC(3, x, a, pot, n)
        call expect('g5 board 3', maxval(abs(a(:, 10) - wanted)) < 1d-6)
        call expect('g5 numbers', g5_get_number_of_pipelines() > 0 .and. g5_get_jmemsize() > n)
        call g5_close()
        print *, 'largest error of g5: ', worst
    end subroutine

    subroutine test_g6
        integer, external :: g6_npipes, g6calc_lasthalf, g6calc_lasthalf2, g6_read_neighbour_list, g6_get_neighbour_list
        call g6_open(0)
        call g6_set_tunit(51)
        call g6_set_xunit(51)
        ! sent as they were half a time unit ago, moving straight
        do i = 1, n
            call g6_set_j_particle(0, i - 1, idx(i), 0.5d0, 0.125d0, m(i), zero, zero, zero, v(1, i), x(:, i) - 0.5d0 * v(:, i))
        end do
        call g6_set_ti(0, 1d0)
        call g6calc_firsthalf(0, n, n, idx, x, v, a, jerk, pot, 0.01d0, h2)
        call expect('g6calc_lasthalf', g6calc_lasthalf(0, n, n, idx, x, v, 0.01d0, h2, a, jerk, pot) == 0)
        worst = 0
        do i = 1, n
            call sum_double(i, 0.01d0, .false.)
            worst = max(worst, maxval(abs(a(:, i) - wanted)), abs(pot(i) - wanted_pot) / abs(wanted_pot))
        end do
        call expect('g6 forces', worst < 1d-6)
        call g6calc_firsthalf(0, n, n, idx, x, v, a, jerk, pot, 0.01d0, h2)
        call expect('g6calc_lasthalf2', g6calc_lasthalf2(0, n, n, idx, x, v, 0.01d0, h2, a, jerk, pot, nearest) == 0)
        call expect('g6_read_neighbour_list', g6_read_neighbour_list(0) == 0)
        do i = 1, n
            j = g6_get_neighbour_list(0, i - 1, n, length, list)
            call expect('g6_get_neighbour_list', j == 0 .and. length == count(sum((x - spread(x(:, i), 2, n))**2, 1) <= 0.25d0) - 1)
            call expect('nearest', nearest(i) /= i .and. (length == 0 .or. any(list(1:length) == nearest(i))))
        end do
        call expect('g6_npipes', g6_npipes() > 0)
        call g6_close(0)
        print *, 'largest error of g6: ', worst
    end subroutine
end program
