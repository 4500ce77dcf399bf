include 'conformance.f90'

module cases
  use conformance
  use omp_lib
  implicit none
contains

  subroutine parallel_loops()
    integer :: a(1000), b(20, 30)
    integer :: i, j
    a = 0
    b = 0
    !$omp target teams distribute parallel do map(tofrom: a)
    do i = 1, 1000
      a(i) = a(i) + i
    end do
    call check(all(a == [(i, i = 1, 1000)]), 'each iteration runs once')
    !$omp target teams distribute parallel do simd collapse(2) map(tofrom: b)
    do j = 1, 30
      do i = 1, 20
        b(i, j) = b(i, j) + i * 100 + j
      end do
    end do
    call check(all(b == reshape([((i * 100 + j, i = 1, 20), j = 1, 30)], [20, 30])), 'collapse')
  end subroutine

  subroutine steps_and_bounds()
    integer :: a(100), n, i
    a = 0
    n = 0
    !$omp target teams distribute parallel do map(tofrom: a)
    do i = 99, 3, -4
      a(i) = a(i) + 1
    end do
    call check(sum(a) == 25 .and. a(99) == 1 .and. a(3) == 1 .and. a(1) == 0, 'a step that is negative')
    !$omp target teams distribute parallel do map(tofrom: n)
    do i = 5, 4
      !$omp atomic
      n = n + 1
    end do
    call check(n == 0, 'a loop without iterations')
  end subroutine

  subroutine long_loops()
    integer(8) :: i, n
    integer(8) :: total
    n = 5000000000_8
    total = 0
    !$omp target teams distribute parallel do reduction(+: total) map(tofrom: total)
    do i = n, n + 999
      total = total + (i - n)
    end do
    call check(total == 499500, 'iterations of 64 bits')
  end subroutine

  subroutine schedules()
    integer :: a(64), i
    a = 0
    !$omp target map(tofrom: a)
    !$omp parallel do schedule(static, 3)
    do i = 1, 64
      a(i) = a(i) + 1
    end do
    !$omp parallel do schedule(dynamic, 5)
    do i = 1, 64
      a(i) = a(i) + 1
    end do
    !$omp parallel do schedule(guided)
    do i = 1, 64
      a(i) = a(i) + 1
    end do
    !$omp end target
    call check(all(a == 3), 'each iteration runs once, whatever the schedule')
  end subroutine

  subroutine distribute_and_parallel()
    integer :: a(8, 16), i, j
    a = 0
    !$omp target teams distribute map(tofrom: a) num_teams(4)
    do j = 1, 16
      !$omp parallel do
      do i = 1, 8
        a(i, j) = a(i, j) + i + j
      end do
    end do
    call check(all(a == reshape([((i + j, i = 1, 8), j = 1, 16)], [8, 16])), 'a parallel loop in a distributed one')
  end subroutine

  subroutine sums()
    integer :: n, i
    real(8) :: x
    real(4) :: y
    complex(8) :: z
    n = 10
    x = 0
    y = 0
    z = 0
    !$omp target teams distribute parallel do reduction(+: n, x, y) map(tofrom: n, x, y)
    do i = 1, 1000
      n = n + i
      x = x + i * 0.5d0
      y = y + 1
    end do
    call check(n == 500510 .and. x == 250250 .and. y == 1000, 'sums over teams')
    !$omp target parallel do reduction(+: z) map(tofrom: z)
    do i = 1, 100
      z = z + cmplx(i, -i, 8)
    end do
    call check(z == (5050d0, -5050d0), 'a sum of complex numbers')
  end subroutine

  subroutine other_reductions()
    integer :: low, high, bits, product, i
    logical :: every, some
    low = 1000
    high = -1000
    bits = 0
    product = 1
    every = .true.
    some = .false.
    !$omp target teams distribute parallel do reduction(min: low) reduction(max: high) reduction(ior: bits) &
    !$omp& map(tofrom: low, high, bits)
    do i = 1, 100
      low = min(low, i - 50)
      high = max(high, i)
      bits = ior(bits, iand(i, 12))
    end do
    !$omp target parallel do reduction(*: product) reduction(.and.: every) reduction(.or.: some) &
    !$omp& map(tofrom: product, every, some)
    do i = 1, 10
      product = product * merge(2, 1, mod(i, 2) == 0)
      every = every .and. i /= 7
      some = some .or. i == 3
    end do
    call check(low == -49 .and. high == 100 .and. bits == 12, 'min, max, ior')
    call check(product == 32 .and. .not. every .and. some, 'product, and, or')
  end subroutine

  subroutine array_reductions()
    integer :: h(4), i
    h = 0
    !$omp target parallel do reduction(+: h) map(tofrom: h)
    do i = 1, 100
      h(mod(i, 4) + 1) = h(mod(i, 4) + 1) + 1
    end do
    call check(all(h == 25), 'a reduction of an array')
  end subroutine

  subroutine privatisation()
    integer :: a(50), t, f, last, i
    f = 7
    t = -1
    last = 0
    !$omp target teams distribute parallel do private(t) map(from: a)
    do i = 1, 50
      t = i * 2
      a(i) = t
    end do
    !$omp target map(tofrom: a)
    !$omp parallel do firstprivate(f)
    do i = 1, 50
      a(i) = a(i) + f
    end do
    !$omp end target
    call check(all(a == [(2 * i + 7, i = 1, 50)]) .and. t == -1, 'private and firstprivate')
    !$omp target map(tofrom: last)
    !$omp parallel do lastprivate(last)
    do i = 1, 50
      last = i
    end do
    !$omp end target
    call check(last == 50, 'lastprivate')
  end subroutine

  subroutine private_arrays()
    integer :: a(32), w(4), i, k
    w = 100
    a = 0
    !$omp target teams distribute parallel do private(w, k) map(tofrom: a)
    do i = 1, 32
      do k = 1, 4
        w(k) = i * k
      end do
      a(i) = w(1) + w(2) + w(3) + w(4)
    end do
    call check(all(a == [(10 * i, i = 1, 32)]) .and. all(w == 100), 'a private array')
  end subroutine

  subroutine synchronisation()
    integer :: n, singles, masters, threads
    n = 0
    singles = 0
    masters = 0
    threads = 0
    !$omp target parallel map(tofrom: n, singles, masters, threads) num_threads(4)
    !$omp critical
    n = n + 1
    !$omp end critical
    !$omp barrier
    !$omp single
    singles = singles + 1
    threads = omp_get_num_threads()
    !$omp end single
    !$omp masked
    masters = masters + 1
    !$omp end masked
    !$omp end target parallel
    call check(n == threads .and. singles == 1 .and. masters == 1, 'critical, single, masked')
  end subroutine

  subroutine atomics()
    integer :: n, old, i
    real(8) :: x
    integer :: seen(100)
    n = 0
    x = 0
    seen = 0
    !$omp target teams distribute parallel do map(tofrom: n, x, seen) private(old)
    do i = 1, 100
      !$omp atomic capture
      old = n
      n = n + 1
      !$omp end atomic
      seen(old + 1) = 1
      !$omp atomic update
      x = x + 0.5d0
    end do
    call check(n == 100 .and. x == 50 .and. all(seen == 1), 'update and capture')
  end subroutine

  subroutine conditions()
    integer :: n
    logical :: host, yes
    yes = .true.
    n = 0
    host = .false.
    !$omp target if(.not. yes) map(tofrom: n, host)
    n = 1
    host = omp_is_initial_device()
    !$omp end target
    call check(n == 1 .and. host, 'a false if clause: on the host')
    !$omp target device(omp_get_initial_device()) map(tofrom: n, host)
    n = 2
    !$omp end target
    call check(n == 2, 'the device clause')
  end subroutine

  subroutine nowait_and_depend()
    integer :: a(100), b(100), i
    a = 1
    b = 0
    !$omp parallel
    !$omp single
    !$omp target nowait depend(out: a) map(tofrom: a)
    do i = 1, 100
      a(i) = a(i) + i
    end do
    !$omp end target
    !$omp target nowait depend(in: a) depend(out: b) map(to: a) map(from: b)
    do i = 1, 100
      b(i) = a(i) * 2
    end do
    !$omp end target
    !$omp taskwait
    !$omp end single
    !$omp end parallel
    call check(all(b == [(2 * i + 2, i = 1, 100)]), 'regions wait for those that they depend on')
  end subroutine

  subroutine leagues()
    integer :: members(3), i
    members = 0
    !$omp target teams distribute num_teams(3) thread_limit(2) map(tofrom: members)
    do i = 1, 3
      members(i) = 10 * omp_get_num_teams() + omp_get_team_num()
    end do
    call check(all(members == [30, 31, 32]), 'as many teams as the clause names')
  end subroutine

  subroutine chunks()
    integer :: a(40), i
    a = -1
    !$omp target teams distribute dist_schedule(static, 5) num_teams(4) map(from: a)
    do i = 1, 40
      a(i) = omp_get_team_num()
    end do
    call check(all(a == [(mod((i - 1) / 5, 4), i = 1, 40)]), 'chunks are dealt out in turn')
  end subroutine

  subroutine limits_beside_numbers()
    integer :: most, i, limit, wanted
    limit = 2
    wanted = 8
    most = 0
    !$omp target teams distribute parallel do num_threads(wanted) thread_limit(limit) reduction(max: most) map(tofrom: most)
    do i = 1, 40
      most = max(most, omp_get_num_threads())
    end do
    call check(most >= 1 .and. most <= 2, 'no team has more threads than thread_limit allows')
  end subroutine

  subroutine simd_loops()
    real(4) :: a(100), b(100)
    integer :: i
    a = 2
    b = 1
    !$omp target simd map(tofrom: a) map(to: b)
    do i = 1, 100
      a(i) = a(i) * 3 + b(i)
    end do
    call check(all(a == 7), 'target simd')
  end subroutine

#ifndef GANTRY_FOR_AMD /* see refused/fortran/flang-sections-amd.f90 */
  subroutine sections_and_tasks()
    integer :: a(2), n
    a = 0
    n = 0
    !$omp target map(tofrom: a, n)
    !$omp parallel sections
    !$omp section
    a(1) = 1
    !$omp section
    a(2) = 2
    !$omp end parallel sections
    !$omp end target
    call check(all(a == [1, 2]), 'sections')
  end subroutine
#endif

end module

program constructs
  use cases
  call case('parallel_loops', 'fortran.loop', parallel_loops)
  call case('steps_and_bounds', 'fortran.loop', steps_and_bounds)
  call case('long_loops', 'fortran.loop', long_loops)
  call case('schedules', 'fortran.schedule', schedules)
  call case('distribute_and_parallel', 'fortran.distribute', distribute_and_parallel)
  call case('sums', 'fortran.reduction', sums)
  call case('other_reductions', 'fortran.reduction', other_reductions)
  call case('array_reductions', 'fortran.reduction-array', array_reductions)
  call case('privatisation', 'fortran.private', privatisation)
  call case('private_arrays', 'fortran.private', private_arrays)
  call case('synchronisation', 'fortran.synchronisation', synchronisation)
  call case('atomics', 'fortran.atomic', atomics)
  call case('conditions', 'fortran.condition', conditions)
  call case('nowait_and_depend', 'fortran.nowait', nowait_and_depend)
  call case('leagues', 'fortran.league', leagues)
  call case('chunks', 'fortran.chunk', chunks)
  call case('limits_beside_numbers', 'fortran.thread-limit', limits_beside_numbers)
  call case('simd_loops', 'fortran.simd', simd_loops)
#ifndef GANTRY_FOR_AMD
  call case('sections_and_tasks', 'fortran.sections', sections_and_tasks)
#endif
end program
