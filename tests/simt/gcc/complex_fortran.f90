! Complex numbers of both kinds.
program complex_numbers
  implicit none
  integer, parameter :: n = 16
  complex(8) :: z(n), r(5, n), expected(5)
  complex :: s(n)
  integer :: i
  call require_device()
  z = [(cmplx(0.25d0 * i - 2, 0.5d0 * i - 3, 8), i = 1, n)]
  !$omp target map(to: z) map(from: r, s)
  !$omp parallel do num_threads(4)
  do i = 1, n
    call compute(z(i), r(:, i))
    s(i) = cmplx(real(i), 1.0) ** 2
  end do
  !$omp end target
  do i = 1, n
    call compute(z(i), expected)
    call check(all(abs(r(:, i) - expected) <= 1d-13 * max(1d0, abs(expected))), 'double')
    call check(abs(s(i) - cmplx(i * i - 1, 2 * i)) < 1e-4, 'single')
  end do
  print '(a,f0.4)', 'complex: ', real(sum(z * conjg(z)))
  call pass()
contains
  subroutine compute(v, f)
    !$omp declare target
    complex(8), intent(in) :: v
    complex(8), intent(out) :: f(5)
    f(1) = v * v + conjg(v)
    f(2) = v / (1d0, 0.5d0)
    f(3) = abs(v) + aimag(v)
    f(4) = exp(v / 4)
    f(5) = sqrt(v)
  end subroutine
  include 'device.inc'
end program
