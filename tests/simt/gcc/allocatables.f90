! Allocatable arrays and pointers: mapped, in data regions, of a module, unallocated ones.
module storage
  implicit none
  integer, allocatable :: shared_values(:)
end module

program allocatables
  use storage
  implicit none
  real(8), allocatable :: a(:), b(:, :)
  integer, allocatable, target :: c(:)
  integer, allocatable :: nothing(:)
  integer, pointer :: p(:)
  integer :: i, j, total
  logical :: is_allocated(2)
  call require_device()
  allocate (a(100), b(5, 8), c(50))
  a = 1
  !$omp target enter data map(to: a) map(alloc: b)
  !$omp target teams distribute parallel do num_teams(3)
  do i = 1, size(a)
    a(i) = a(i) + i
  end do
  !$omp target
  do j = 1, size(b, 2)
    do i = 1, size(b, 1)
      b(i, j) = a(i) * j
    end do
  end do
  !$omp end target
  !$omp target update from(a(1:10))
  call check(a(10) == 11, 'updated')
  !$omp target exit data map(from: a, b)
  call check(a(100) == 101 .and. b(5, 8) == 48 .and. b(1, 1) == 2, 'exit data')

  c = [(i, i = 1, 50)]
  p => c(10:20)
  total = 0
  !$omp target map(to: c) map(tofrom: p, total)
  do i = 1, size(p)
    total = total + p(i)
    p(i) = 0
  end do
  !$omp end target
  call check(total == 165, 'pointer')

  !$omp target map(from: is_allocated) map(to: a, nothing)
  is_allocated = [allocated(a), allocated(nothing)]
  !$omp end target
  call check(is_allocated(1) .and. .not. is_allocated(2), 'allocated')

  allocate (shared_values(-2:7))
  shared_values = 4
  total = 0
  !$omp target map(tofrom: shared_values, total)
  do i = lbound(shared_values, 1), ubound(shared_values, 1)
    total = total + shared_values(i) * i
    shared_values(i) = i
  end do
  !$omp end target
  call check(total == 4 * 25 .and. shared_values(-2) == -2, 'module')
  print '(a,i0)', 'allocatables: ', total
  call pass()
contains
  include 'device.inc'
end program
