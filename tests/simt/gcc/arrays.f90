! Arrays: bounds, strides, whole-array expressions, sections, several dimensions, passed to procedures.
program arrays
  implicit none
  integer, parameter :: n = 40
  integer :: a(n), b(0:n-1), c(-3:6, 5), d(4, 3, 2)
  real(8) :: x(n), y(n)
  integer :: i, j, k, total
  call require_device()

  !$omp target map(from: a, b)
  do i = 1, n
    a(i) = i * i
  end do
  b = a + 1
  b(1:n-1:2) = -b(1:n-1:2)
  !$omp end target
  do i = 1, n
    call check(a(i) == i * i, 'a')
    call check(b(i - 1) == merge(-1, 1, mod(i, 2) == 0) * (i * i + 1), 'b')
  end do

  !$omp target teams distribute parallel do collapse(2) num_teams(4) map(from: c)
  do j = 1, 5
    do i = -3, 6
      c(i, j) = 10 * i + j
    end do
  end do
  call check(c(-3, 1) == -29 .and. c(6, 5) == 65 .and. sum(c) == 50 * 15 + 50 * 3, 'c')

  !$omp target map(from: d, total)
  do concurrent (k = 1:2, j = 1:3, i = 1:4)
    d(i, j, k) = i * 100 + j * 10 + k
  end do
  total = sum(d(2:3, :, 1)) + maxval(d) + size(d, 2) + ubound(d, 1)
  !$omp end target
  call check(total == 3 * 500 + 2 * 60 + 6 + 432 + 3 + 4, 'total')

  x = [(0.5d0 * i, i = 1, n)]
  !$omp target map(to: x) map(from: y)
  call scale(x, y, n)
  !$omp end target
  call check(all(y == 2 * x + 1), 'y')
  print '(a,i0)', 'arrays: ', total
  call pass()
contains
  subroutine scale(from, to, length)
    !$omp declare target
    integer, intent(in) :: length
    real(8), intent(in) :: from(length)
    real(8), intent(out) :: to(length)
    integer :: element
    do element = 1, length
      to(element) = 2 * from(element) + 1
    end do
  end subroutine
  include 'device.inc'
end program
