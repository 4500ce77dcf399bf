! Arrays whose extents change after they were mapped.
module arrays
  implicit none
  integer, allocatable :: declared(:)
  !$omp declare target(declared)
end module

program descriptors
  use arrays
  implicit none
  integer, pointer :: p(:)
  integer, target :: x(5), y(10)
  integer, allocatable :: a(:)
  integer :: n, s
  call require_device()
  x = 1
  y = 2
  !$omp target enter data map(to: x, y)
  p => x
  !$omp target enter data map(to: p)
  p => y
  n = -1
  s = -1
  !$omp target map(tofrom: n, s) map(to: p)
  n = size(p)
  s = sum(p)
  !$omp end target
  call check(n == 10 .and. s == 20, 'a pointer that was associated anew')
  !$omp target data map(tofrom: a)
  allocate (a(7))
  a = 3
  !$omp target map(tofrom: n, s) map(to: a)
  n = size(a)
  s = sum(a)
  !$omp end target
  call check(n == 7 .and. s == 21, 'an array that was allocated when it was mapped already')
  !$omp end target data
  allocate (declared(8))
  declared = 4
  !$omp target map(tofrom: n, s) map(to: declared)
  n = size(declared)
  s = sum(declared)
  !$omp end target
  call check(n == 8 .and. s == 32, 'a declare target array')
  print '(a)', 'descriptors'
  call pass()
contains
  include 'device.inc'
end program
