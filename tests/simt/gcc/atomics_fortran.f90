! Atomics and critical sections by the threads of several teams.
program atomics
  implicit none
  integer, parameter :: n = 400
  integer :: total, largest, bits, ticket, tickets(n), drawn(n), i, seen
  real(8) :: sum_of
  integer(8) :: wide
  call require_device()
  total = 0
  largest = 0
  bits = 0
  ticket = 0
  sum_of = 0
  wide = 0
  !$omp target teams distribute parallel do num_teams(4) private(seen) &
  !$omp& map(tofrom: total, largest, bits, ticket, sum_of, wide) map(from: tickets)
  do i = 1, n
    !$omp atomic
    total = total + i
    !$omp atomic
    largest = max(largest, mod(i * 77, 503))
    !$omp atomic
    bits = ior(bits, ishft(1, mod(i, 17)))
    !$omp atomic
    sum_of = sum_of + 0.5d0 * i
    !$omp atomic
    wide = wide + 10000000000_8
    !$omp atomic capture
    seen = ticket
    ticket = ticket + 1
    !$omp end atomic
    tickets(i) = seen + 1
  end do
  call check(total == n * (n + 1) / 2, 'add')
  call check(largest == maxval([(mod(i * 77, 503), i = 1, n)]), 'max')
  call check(bits == 2**17 - 1, 'or')
  call check(sum_of == 0.25d0 * n * (n + 1), 'double')
  call check(wide == n * 10000000000_8, 'wide')
  drawn = 0
  do i = 1, n
    drawn(tickets(i)) = drawn(tickets(i)) + 1
  end do
  call check(all(drawn == 1), 'capture')

  total = 0
  !$omp target map(tofrom: total)
  !$omp parallel do num_threads(4)
  do i = 1, 60
    !$omp critical (sum)
    total = total + i
    !$omp end critical (sum)
  end do
  !$omp end target
  call check(total == 1830, 'critical')
  print '(a,i0)', 'atomics: ', total
  call pass()
contains
  include 'device.inc'
end program
