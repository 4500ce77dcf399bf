include 'conformance.f90'

module cases
  use conformance
  implicit none
contains

  subroutine of_one_shape()
    integer, allocatable :: a(:, :), b(:, :)
    integer :: i
    allocate (a(3, 4), b(3, 4))
    a = 0
    b = reshape([(i, i = 1, 12)], [3, 4])
    !$omp target map(tofrom: a) map(to: b)
    a = b
    !$omp end target
    call check(all(a == b), 'an allocatable gets the values of another')
  end subroutine

  subroutine of_scalars()
    real(8), allocatable :: a(:), n
    allocate (a(-2:5), n)
    a = 0
    n = 4
    !$omp target map(tofrom: a, n)
    a = 7
    n = n + 1
    !$omp end target
    call check(all(a == 7) .and. lbound(a, 1) == -2 .and. n == 5, 'an array gets the value of a scalar')
  end subroutine

  subroutine of_overlapping_arrays()
    integer, allocatable :: a(:), b(:)
    integer :: i
    allocate (a(10), b(10))
    a = [(i, i = 1, 10)]
    b = a
    !$omp target map(tofrom: a, b)
    a = a(10:1:-1)
    b(2:10) = b(1:9)
    !$omp end target
    call check(all(a == [(11 - i, i = 1, 10)]), 'an array gets its own values backwards')
    call check(all(b == [1, (i, i = 1, 9)]), 'a section gets the one before it')
  end subroutine

  subroutine of_sections()
    integer, allocatable :: a(:), b(:, :)
    integer :: i
    allocate (a(4), b(4, 6))
    a = 0
    b = reshape([(i, i = 1, 24)], [4, 6])
    !$omp target map(tofrom: a) map(to: b)
    a = b(2, 6:3:-1)
    !$omp end target
    call check(all(a == [22, 18, 14, 10]), 'a row backwards')
  end subroutine

  subroutine of_characters()
    character(5), allocatable :: a(:)
    character(3) :: b(2)
    allocate (a(2))
    a = '12345'
    b = ['abc', 'xyz']
    !$omp target map(tofrom: a) map(to: b)
    a = b
    !$omp end target
    call check(a(1) == 'abc  ' .and. a(2) == 'xyz  ', 'characters are filled up with blanks')
  end subroutine

  subroutine to_what_is_not_allocated()
    integer :: total, n
    total = 0
    n = 0
    !$omp target map(tofrom: total, n)
    block
      integer, allocatable :: a(:)
      a = [1, 2, 3]
      n = size(a)
      total = a(1) + a(2) + a(3)
    end block
    !$omp end target
    call check(n == 3 .and. total == 6, 'an allocatable of the region is allocated')
  end subroutine

end module

program assignment
  use cases
  call case('of_one_shape', 'fortran.assignment', of_one_shape)
  call case('of_scalars', 'fortran.assignment', of_scalars)
  call case('of_overlapping_arrays', 'fortran.assignment', of_overlapping_arrays)
  call case('of_sections', 'fortran.assignment', of_sections)
  call case('of_characters', 'fortran.assignment', of_characters)
  call case('to_what_is_not_allocated', 'fortran.assignment-allocates', to_what_is_not_allocated)
end program
