! target data, present data, updates of sections, private variables, if and device clauses.
program data_regions
  implicit none
  integer, parameter :: n = 128
  integer :: a(n), b(n), scalar, i, total
  call require_device()
  a = [(i, i = 1, n)]
  b = 0
  !$omp target data map(to: a) map(from: b)
  !$omp target
  do i = 1, n
    b(i) = a(i) * 2
  end do
  !$omp end target
  a(33:64) = 1000
  !$omp target update to(a(33:64))
  !$omp target teams distribute parallel do num_teams(2)
  do i = 1, n
    b(i) = b(i) + a(i)
  end do
  !$omp end target data
  call check(b(1) == 3 .and. b(n) == 3 * n .and. b(40) == 1080, 'data')

  scalar = 5
  total = 0
  !$omp target firstprivate(scalar) map(tofrom: total)
  scalar = scalar + 1
  total = total + scalar
  !$omp end target
  call check(scalar == 5 .and. total == 6, 'firstprivate')

  !$omp target map(tofrom: total) if (n > 1000)
  total = total + 1
  !$omp end target
  call check(total == 7, 'if')

  !$omp parallel num_threads(2)
  !$omp single
  !$omp target nowait map(tofrom: a) depend(out: a)
  a = a + 1
  !$omp end target
  !$omp target nowait map(tofrom: a) depend(inout: a)
  a = a * 2
  !$omp end target
  !$omp taskwait
  !$omp end single
  !$omp end parallel
  call check(a(1) == 4 .and. a(n) == 2 * n + 2, 'nowait')
  print '(a,i0)', 'data regions: ', b(40)
  call pass()
contains
  include 'device.inc'
end program
