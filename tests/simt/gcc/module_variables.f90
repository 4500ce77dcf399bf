! Variables and procedures of modules with declare target, updates, save.
module counters
  implicit none
  integer :: number = 40
  real(8) :: table(5) = [0.5d0, 1.5d0, 4d0, 8.25d0, -1d0]
  integer :: primes(6) = [2, 3, 5, 7, 11, 13]
  !$omp declare target(number, table, primes)
contains
  integer function next()
    !$omp declare target
    integer, save :: last = 100
    last = last + 1
    next = last
  end function

  integer function prime(i)
    !$omp declare target
    integer, intent(in) :: i
    prime = primes(i)
  end function
end module

program module_variables
  use counters
  implicit none
  integer :: results(5), seen
  call require_device()
  !$omp target map(from: results)
  number = number + 2
  results(1) = number
  results(2) = int(table(4) * 4)
  results(3) = next()
  results(4) = next()
  results(5) = prime(6) * prime(3)
  table(1) = 77
  !$omp end target
  call check(all(results == [42, 33, 101, 102, 65]), 'results')
  !$omp target update from(number, table)
  call check(number == 42 .and. table(1) == 77, 'update from')
  number = 7
  !$omp target update to(number)
  !$omp target map(from: seen)
  seen = number
  !$omp end target
  call check(seen == 7, 'update to')
  print '(a,i0)', 'module variables: ', results(5)
  call pass()
contains
  include 'device.inc'
end program
