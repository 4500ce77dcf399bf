include 'conformance.f90'

module cases
  use conformance
  implicit none
contains

  subroutine allocated_before()
    real(8), allocatable :: a(:), b(:, :)
    integer :: i, j
    allocate (a(100), b(3, 4))
    a = 1
    b = 0
    !$omp target map(tofrom: a, b)
    do i = 1, size(a)
      a(i) = a(i) + i
    end do
    do j = 1, 4
      do i = 1, 3
        b(i, j) = i * j
      end do
    end do
    !$omp end target
    call check(all(a == [(i + 1, i = 1, 100)]), 'an allocatable is mapped with its data')
    call check(b(3, 4) == 12, 'of two dimensions')
  end subroutine

  subroutine implicitly_mapped()
    integer, allocatable :: a(:)
    allocate (a(7))
    a = 3
    !$omp target
    a(7) = 8
    !$omp end target
    call check(all(a(1:6) == 3) .and. a(7) == 8, 'an allocatable without a clause is mapped tofrom')
  end subroutine

  subroutine bounds_and_status()
    integer, allocatable :: a(:), none(:)
    integer :: lower, upper, length
    logical :: there, absent
    allocate (a(-3:6))
    a = 1
    there = .false.
    absent = .true.
    !$omp target map(tofrom: a, none, lower, upper, length, there, absent)
    lower = lbound(a, 1)
    upper = ubound(a, 1)
    length = size(a)
    there = allocated(a)
    absent = allocated(none)
    a(-3) = 9
    !$omp end target
    call check(lower == -3 .and. upper == 6 .and. length == 10, 'bounds are those of the host')
    call check(there .and. .not. absent, 'and so is whether it is allocated')
    call check(a(-3) == 9 .and. a(6) == 1, 'elements')
  end subroutine

  subroutine enter_and_exit_data()
    real(8), allocatable :: a(:)
    integer :: i
    allocate (a(1000))
    a = 1
    !$omp target enter data map(to: a)
    !$omp target teams distribute parallel do
    do i = 1, size(a)
      a(i) = a(i) * i
    end do
    !$omp target teams distribute parallel do
    do i = 1, size(a)
      a(i) = a(i) + 1
    end do
    !$omp target exit data map(from: a)
    call check(all(a == [(i + 1, i = 1, 1000)]), 'regions share what was mapped')
  end subroutine

  subroutine allocated_anew()
    integer, allocatable :: a(:)
    integer :: round, i
    do round = 1, 4
      allocate (a(10 * round))
      a = round
      !$omp target data map(tofrom: a)
      !$omp target
      do i = 1, size(a)
        a(i) = a(i) + i
      end do
      !$omp end target
      !$omp end target data
      call check(a(10 * round) == round + 10 * round, 'another size each time')
      deallocate (a)
    end do
  end subroutine

  subroutine grown_by_assignment()
    integer, allocatable :: a(:)
    integer :: i
    a = [1, 2, 3]
    !$omp target map(tofrom: a)
    a(1) = 10
    !$omp end target
    a = [a, 4, 5]
    !$omp target map(tofrom: a)
    do i = 1, size(a)
      a(i) = a(i) * 2
    end do
    !$omp end target
    call check(all(a == [20, 4, 6, 8, 10]), 'assignment makes another object')
  end subroutine

  subroutine updated()
    real(4), allocatable :: a(:)
    allocate (a(10))
    a = 1
    !$omp target data map(to: a)
    a = 2
    !$omp target update to(a(1:5))
    !$omp target map(alloc: a)
    a(1) = a(1) + 10
    a(10) = a(10) + 10
    !$omp end target
    !$omp target update from(a)
    !$omp end target data
    call check(a(1) == 12, 'what was updated')
    call check(a(10) == 11 .or. shares_memory() .and. a(10) == 12, 'what was not')
  end subroutine

  subroutine scalars()
    integer, allocatable :: n
    allocate (n)
    n = 4
    !$omp target map(tofrom: n)
    n = n + 1
    !$omp end target
    call check(n == 5, 'an allocatable scalar')
  end subroutine

  subroutine dummy_arguments()
    real(8), allocatable :: a(:)
    call make(a, 12)
    call add(a)
    call check(all(a == 3), 'allocatable dummy arguments')
  end subroutine

  subroutine make(x, n)
    real(8), allocatable, intent(out) :: x(:)
    integer, intent(in) :: n
    allocate (x(n))
    !$omp target map(from: x)
    x(:) = 1
    !$omp end target
  end subroutine

  subroutine add(x)
    real(8), allocatable, intent(inout) :: x(:)
    integer :: i
    !$omp target teams distribute parallel do map(tofrom: x)
    do i = 1, size(x)
      x(i) = x(i) + 2
    end do
  end subroutine

  subroutine sections()
    integer, allocatable :: a(:)
    integer :: i
    allocate (a(100))
    a = 1
    !$omp target map(tofrom: a(21:40))
    do i = 21, 40
      a(i) = 2
    end do
    !$omp end target
    call check(all(a(21:40) == 2) .and. count(a == 1) == 80, 'a section of an allocatable')
  end subroutine

  subroutine sections_of_several_dimensions()
    integer, allocatable :: a(:, :, :)
    integer :: i
    allocate (a(50, 10, 10))
    a = 1
    !$omp target data map(tofrom: a(:40, 3, 4))
    !$omp target map(alloc: a(:40, 3, 4))
    do i = 1, 40
      a(i, 3, 4) = i
    end do
    !$omp end target
    !$omp end target data
    call check(all(a(:40, 3, 4) == [(i, i = 1, 40)]) .and. count(a == 1) == 4961, 'a part of a column')
  end subroutine

end module

program allocatables
  use cases
  call case('allocated_before', 'fortran.allocatable', allocated_before)
  call case('implicitly_mapped', 'fortran.allocatable', implicitly_mapped)
  call case('bounds_and_status', 'fortran.allocatable-bounds', bounds_and_status)
  call case('enter_and_exit_data', 'fortran.allocatable-data', enter_and_exit_data)
  call case('allocated_anew', 'fortran.allocatable-data', allocated_anew)
  call case('grown_by_assignment', 'fortran.allocatable-data', grown_by_assignment)
  call case('updated', 'fortran.allocatable-update', updated)
  call case('scalars', 'fortran.allocatable-scalar', scalars)
  call case('dummy_arguments', 'fortran.allocatable-argument', dummy_arguments)
  call case('sections', 'fortran.allocatable-section', sections)
  call case('sections_of_several_dimensions', 'fortran.allocatable-section-dimensions', &
    sections_of_several_dimensions)
end program
