! do simd, do concurrent, steps, schedules and early exits from loops.
program loops
  implicit none
  integer, parameter :: n = 300
  integer :: a(n), b(n), found, i, j, total
  real :: x(n), y(n)
  call require_device()
  x = [(0.5 * i, i = 1, n)]
  !$omp target map(to: x) map(from: y)
  !$omp simd
  do i = 1, n
    y(i) = x(i) * 2 + 1
  end do
  !$omp end target
  call check(all(y == x * 2 + 1), 'simd')

  a = 0
  !$omp target map(tofrom: a)
  !$omp parallel do simd schedule(dynamic, 7) num_threads(4)
  do i = 1, n, 3
    a(i) = i
  end do
  !$omp end target
  call check(sum(a) == 14950 .and. a(2) == 0, 'steps')

  !$omp target map(from: b)
  do concurrent (i = 1:n)
    b(i) = n - i
  end do
  !$omp end target
  call check(b(1) == n - 1 .and. b(n) == 0, 'do concurrent')

  !$omp target map(to: b) map(from: found)
  found = -1
  do i = 1, n
    if (b(i) == 100) then
      found = i
      exit
    end if
  end do
  !$omp end target
  call check(found == 200, 'exit')

  total = 0
  !$omp target map(tofrom: total)
  !$omp parallel do reduction(+: total) schedule(guided) num_threads(4)
  outer: do i = 1, 60
    do j = 1, 60
      if (i * j > 100) cycle outer
      if (mod(i + j, 3) == 0) cycle
      total = total + i * j
    end do
  end do outer
  !$omp end target
  call check(total == expected(), 'cycle')
  print '(a,i0)', 'loops: ', total
  call pass()
contains
  integer function expected()
    integer :: p, q
    expected = 0
    do p = 1, 60
      do q = 1, 60
        if (p * q <= 100 .and. mod(p + q, 3) /= 0) expected = expected + p * q
      end do
    end do
  end function
  include 'device.inc'
end program
