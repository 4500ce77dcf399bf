include 'conformance.f90'

module cases
  use conformance
  implicit none
contains

  subroutine integers()
    integer(1) :: a
    integer(2) :: b
    integer(4) :: c
    integer(8) :: d
    a = 100
    b = 30000
    c = 2000000000
    d = 9000000000000000000_8
    !$omp target map(tofrom: a, b, c, d)
    a = a + 27_1
    b = b / 7_2
    c = mod(c, 1000007)
    d = ishft(d, -3)
    !$omp end target
    call check(a == 127 .and. b == 4285 .and. c == mod(2000000000, 1000007) .and. d == 1125000000000000000_8, &
      'integers of all kinds')
  end subroutine

  subroutine bits()
    integer :: n(6)
    n = 12
    !$omp target map(tofrom: n)
    n(1) = iand(n(1), 10)
    n(2) = ieor(n(2), 10)
    n(3) = not(n(3))
    n(4) = popcnt(n(4))
    n(5) = leadz(n(5))
    n(6) = merge(1, 0, btest(n(6), 3))
    !$omp end target
    call check(all(n == [8, 6, -13, 2, 28, 1]), 'bit intrinsics')
  end subroutine

  subroutine logicals()
    logical :: p, q(3)
    p = .true.
    q = [.true., .false., .true.]
    !$omp target map(tofrom: p, q)
    p = p .and. q(2)
    q(1) = .not. q(1)
    q(2) = q(2) .neqv. .true.
    !$omp end target
    call check(.not. p .and. .not. q(1) .and. q(2), 'logicals')
  end subroutine

  subroutine complex_numbers()
    complex(8) :: z, w
    complex(4) :: c
    z = (1, 2)
    w = (3, -1)
    c = (0, 1)
    !$omp target map(tofrom: z, w, c)
    z = z * w
    w = conjg(w) / (2d0, 0d0)
    c = c * c
    !$omp end target
    call check(z == (5d0, 5d0) .and. w == (1.5d0, 0.5d0) .and. c == (-1.0, 0.0), 'complex arithmetic')
  end subroutine

  subroutine mathematics()
    real(8) :: x(12), y(12)
    real(4) :: s(4), t(4)
    integer :: i
    x = 0.5d0
    s = 0.5
    !$omp target map(to: x, s) map(from: y, t)
    y(1) = sin(x(1))
    y(2) = cos(x(2))
    y(3) = exp(x(3))
    y(4) = log(x(4))
    y(5) = sqrt(x(5))
    y(6) = atan2(x(6), 2d0)
    y(7) = x(7)**2.5d0
    y(8) = tanh(x(8))
    y(9) = erf(x(9))
    y(10) = gamma(x(10))
    y(11) = hypot(x(11), 1d0)
    y(12) = acos(x(12))
    t(1) = tan(s(1))
    t(2) = sinh(s(2))
    t(3) = log10(s(3))
    t(4) = s(4)**3
    !$omp end target
    call check(all(abs(y - [sin(x(1)), cos(x(2)), exp(x(3)), log(x(4)), sqrt(x(5)), atan2(x(6), 2d0), x(7)**2.5d0, &
      tanh(x(8)), erf(x(9)), gamma(x(10)), hypot(x(11), 1d0), acos(x(12))]) < 1d-14), 'double precision')
    call check(all(abs(t - [tan(s(1)), sinh(s(2)), log10(s(3)), s(4)**3]) < 1e-6), 'single precision')
  end subroutine

#ifndef GANTRY_FOR_GPU /* see refused/ */
  subroutine complex_mathematics()
    complex(8) :: z(4), w(4)
    real(8) :: r
    z = (0.5d0, 0.25d0)
    r = 0
    !$omp target map(to: z) map(from: w) map(tofrom: r)
    w(1) = exp(z(1))
    w(2) = sqrt(z(2))
    w(3) = sin(z(3))
    w(4) = log(z(4))
    r = abs(z(1))
    !$omp end target
    call check(all(abs(w - [exp(z(1)), sqrt(z(2)), sin(z(3)), log(z(4))]) < 1d-14), 'functions of complex numbers')
    call check(abs(r - abs(z(1))) < 1d-15, 'the absolute value')
  end subroutine
#endif

  subroutine rounding()
    real(8) :: x(5)
    integer :: n(6)
    x = [2.5d0, -2.5d0, 2.4d0, -2.6d0, 7.9d0]
    !$omp target map(to: x) map(from: n)
    n(1) = nint(x(1))
    n(2) = int(x(2))
    n(3) = floor(x(4))
    n(4) = ceiling(x(3))
    n(5) = nint(aint(x(5)))
    n(6) = modulo(-7, 3)
    !$omp end target
    call check(all(n == [3, -2, -3, 3, 7, 2]), 'conversions')
  end subroutine

  subroutine extremes()
    real(8) :: x(4)
    integer :: n(3)
    x = [3d0, -1d0, 2d0, 0d0]
    n = 0
    !$omp target map(tofrom: x) map(from: n)
    x(4) = max(x(1), x(2), x(3)) + min(x(1), x(2)) + abs(x(2)) + sign(x(3), x(2)) + dim(x(1), x(3))
    n(1) = huge(n(1))
    n(2) = sign(3, -1)
    n(3) = max(2, 9, 4)
    !$omp end target
    call check(x(4) == 3 - 1 + 1 - 2 + 1 .and. n(1) == huge(1) .and. n(2) == -3 .and. n(3) == 9, 'max, min, sign, dim')
  end subroutine

  subroutine array_expressions()
    real(8) :: a(20), b(20), c(20)
    integer :: i
    a = [(i, i = 1, 20)]
    b = 2
    !$omp target map(to: a, b) map(from: c)
    c = a * b + 1
    where (c > 20)
      c = 0
    end where
    c(1:5) = a(16:20)
    !$omp end target
    call check(all(c(1:5) == a(16:20)) .and. c(6) == 13 .and. all(c(10:) == 0), 'whole arrays, sections, where')
  end subroutine

  subroutine array_functions()
    real(8) :: a(10), s, d, m
    integer :: i, n
    a = [(i, i = 1, 10)]
    s = 0
    d = 0
    m = 0
    n = 0
    !$omp target map(to: a) map(tofrom: s, d, m, n)
    s = sum(a)
    d = dot_product(a, a)
    m = maxval(a) + minval(a)
    n = count(a > 5)
    !$omp end target
    call check(s == 55 .and. d == 385 .and. m == 11 .and. n == 5, 'sum, dot_product, maxval, count')
  end subroutine

  subroutine characters()
    character(5) :: word
    character :: letter
    integer :: code
    word = 'abcde'
    letter = 'x'
    code = 0
    !$omp target map(tofrom: word, letter, code)
    letter = word(3:3)
    word(1:1) = 'Z'
    code = ichar(word(2:2))
    !$omp end target
    call check(letter == 'c' .and. word == 'Zbcde' .and. code == 98, 'characters')
  end subroutine

  subroutine control_flow()
    integer :: n(5), i, k
    n = 0
    !$omp target map(tofrom: n)
    do i = 1, 100
      if (i == 50) exit
      if (mod(i, 2) == 0) cycle
      n(1) = n(1) + 1
    end do
    k = 3
    do while (k > 0)
      n(2) = n(2) + k
      k = k - 1
    end do
    select case (n(1))
    case (:20)
      n(3) = 1
    case (21:30)
      n(3) = 2
    case default
      n(3) = 3
    end select
    block
      integer :: local
      local = n(2) * 2
      n(4) = local
    end block
    associate (last => n(5))
      last = 8
    end associate
    !$omp end target
    call check(all(n == [25, 6, 2, 12, 8]), 'loops, select, block, associate')
  end subroutine

end module

program values
  use cases
  call case('integers', 'fortran.integer', integers)
  call case('bits', 'fortran.integer', bits)
  call case('logicals', 'fortran.logical', logicals)
  call case('complex_numbers', 'fortran.complex', complex_numbers)
  call case('mathematics', 'fortran.mathematics', mathematics)
#ifndef GANTRY_FOR_GPU
  call case('complex_mathematics', 'fortran.mathematics-complex', complex_mathematics)
#endif
  call case('rounding', 'fortran.mathematics', rounding)
  call case('extremes', 'fortran.mathematics', extremes)
  call case('array_expressions', 'fortran.array-expression', array_expressions)
  call case('array_functions', 'fortran.array-function', array_functions)
  call case('characters', 'fortran.character', characters)
  call case('control_flow', 'fortran.control', control_flow)
end program
