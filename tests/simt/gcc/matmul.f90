! Linear algebra: matmul, transpose, dot_product and loops over blocks of a matrix.
program linear_algebra
  implicit none
  integer, parameter :: n = 16
  real(8) :: a(n, n), b(n, n), c(n, n), d(n, n), v(n), w(n)
  integer :: i, j, k
  call require_device()
  do j = 1, n
    do i = 1, n
      a(i, j) = i + 0.5d0 * j
      b(i, j) = i - j
    end do
  end do
  v = [(1d0 * i, i = 1, n)]
  !$omp target teams distribute parallel do collapse(2) num_teams(4) map(to: a, b) map(from: c)
  do j = 1, n
    do i = 1, n
      c(i, j) = 0
      do k = 1, n
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
  call check(all(abs(c - matmul(a, b)) < 1d-9), 'product')
  !$omp target map(to: a, v) map(from: d, w)
  d = transpose(a)
  w = matmul(a, v)
  w(1) = dot_product(a(1, :), v)
  !$omp end target
  call check(all(d == transpose(a)), 'transpose')
  call check(all(abs(w - matmul(a, v)) < 1d-9), 'matmul')
  print '(a,f0.3)', 'linear algebra: ', c(3, 5)
  call pass()
contains
  include 'device.inc'
end program
