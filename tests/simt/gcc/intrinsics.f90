! Intrinsic functions on the device against the same on the host.
program intrinsics
  implicit none
  integer, parameter :: n = 24, many = 22, whole = 16
  real(8) :: x(n), r(many, n), expected(many)
  real :: s(6, n), expected_single(6)
  integer :: k(whole, n), expected_whole(whole)
  integer :: i
  call require_device()
  x = [(0.31d0 * i - 3.3d0, i = 1, n)]
  !$omp target map(to: x) map(from: r, s, k)
  !$omp parallel do num_threads(4)
  do i = 1, n
    call double_functions(x(i), r(:, i))
    call single_functions(real(x(i)), s(:, i))
    call integer_functions(i * 7919, i - 12, k(:, i))
  end do
  !$omp end target
  do i = 1, n
    call double_functions(x(i), expected)
    call check(all(abs(r(:, i) - expected) <= 1d-13 * max(1d0, abs(expected))), 'double')
    call single_functions(real(x(i)), expected_single)
    call check(all(abs(s(:, i) - expected_single) <= 4e-6 * max(1.0, abs(expected_single))), 'real')
    call integer_functions(i * 7919, i - 12, expected_whole)
    call check(all(k(:, i) == expected_whole), 'integer')
  end do
  print '(a,i0)', 'intrinsics: ', many + whole + 6
  call pass()
contains
  subroutine double_functions(v, f)
    !$omp declare target
    real(8), intent(in) :: v
    real(8), intent(out) :: f(many)
    f(1) = sin(v)
    f(2) = cos(v)
    f(3) = tan(v / 3)
    f(4) = asin(v / 5)
    f(5) = acos(v / 5)
    f(6) = atan2(v, 1.5d0)
    f(7) = exp(v)
    f(8) = log(abs(v) + 1)
    f(9) = log10(abs(v) + 2)
    f(10) = sqrt(abs(v))
    f(11) = abs(v) ** 1.5d0
    f(12) = v ** 5
    f(13) = sinh(v) + cosh(v) + tanh(v)
    f(14) = mod(v, 0.7d0)
    f(15) = modulo(v, 0.7d0)
    f(16) = sign(2d0, v)
    f(17) = aint(v) + anint(v)
    f(18) = floor(v) + ceiling(v) + nint(v)
    f(19) = max(v, 0.5d0) - min(v, -0.5d0) + dim(v, 1d0)
    f(20) = erf(v) + gamma(abs(v) + 1)
    f(21) = hypot(v, 2d0) + fraction(v) + exponent(v)
    f(22) = scale(v, 3) + spacing(v) + bessel_j0(v)
  end subroutine

  subroutine single_functions(v, f)
    !$omp declare target
    real, intent(in) :: v
    real, intent(out) :: f(6)
    f(1) = sin(v) * cos(v)
    f(2) = exp(v / 2)
    f(3) = log(abs(v) + 0.5)
    f(4) = sqrt(abs(v)) + abs(v) ** 0.3
    f(5) = atan(v) + tanh(v)
    f(6) = mod(v, 0.5) + aint(v)
  end subroutine

  subroutine integer_functions(a, b, f)
    !$omp declare target
    integer, intent(in) :: a, b
    integer, intent(out) :: f(whole)
    f(1) = iand(a, 255) + ior(b, 7)
    f(2) = ieor(a, b)
    f(3) = ishft(a, 3) + ishft(a, -2)
    f(4) = ishftc(a, 5)
    f(5) = popcnt(a) * 100 + leadz(a)
    f(6) = trailz(a) + poppar(a)
    f(7) = ibits(a, 4, 6)
    f(8) = ibset(a, 30) + ibclr(b, 0)
    f(9) = mod(a, 13) * 100 + modulo(b, 5)
    f(10) = merge(1, 2, btest(a, 3))
    f(11) = abs(b) + sign(3, b)
    f(12) = max(a, b, 7) - min(b, 3)
    f(13) = not(b)
    f(14) = shiftr(a, 4) + shifta(b, 1)
    f(15) = b ** 3
    f(16) = int(real(a, 8) / 3) + dot_product([a, b], [1, 2])
  end subroutine
  include 'device.inc'
end program
