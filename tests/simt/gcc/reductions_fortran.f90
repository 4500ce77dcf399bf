! Every reduction operator of Fortran, over teams and threads, and a reduction over an array.
program reductions
  implicit none
  integer, parameter :: n = 500
  integer :: values(n), bins(0:7), expected(0:7)
  integer :: i, total, product_of, smallest, largest, bits_and, bits_or, bits_xor
  logical :: every, some, equal, unequal
  real(8) :: sum_of
  call require_device()
  values = [(mod(i * 37, 101) + 1, i = 1, n)]
  total = 5
  product_of = 1
  smallest = huge(1)
  largest = -huge(1)
  bits_and = -1
  bits_or = 0
  bits_xor = 9
  every = .true.
  some = .false.
  equal = .true.
  unequal = .false.
  sum_of = 0
  !$omp target teams distribute parallel do num_teams(4) map(to: values) &
  !$omp& reduction(+: total, sum_of) reduction(min: smallest) reduction(max: largest) &
  !$omp& reduction(iand: bits_and) reduction(ior: bits_or) reduction(ieor: bits_xor) &
  !$omp& reduction(.and.: every) reduction(.or.: some) reduction(.eqv.: equal) &
  !$omp& reduction(.neqv.: unequal) reduction(*: product_of)
  do i = 1, n
    total = total + values(i)
    sum_of = sum_of + 0.25d0 * values(i)
    smallest = min(smallest, values(i))
    largest = max(largest, values(i))
    bits_and = iand(bits_and, not(shiftl(1, mod(values(i), 5))))
    bits_or = ior(bits_or, shiftl(1, mod(values(i), 20)))
    bits_xor = ieor(bits_xor, values(i) * i)
    every = every .and. values(i) > 0
    some = some .or. values(i) == 101
    equal = equal .eqv. values(i) > 50
    unequal = unequal .neqv. values(i) > 50
    if (mod(i, 50) == 0) product_of = product_of * 3
  end do
  call check(total == 5 + sum(values), '+')
  call check(sum_of == 0.25d0 * sum(values), '+ of reals')
  call check(smallest == minval(values) .and. largest == maxval(values), 'min and max')
  call check(bits_and == not(31), 'iand')
  call check(bits_or == shiftl(1, 20) - 1, 'ior')
  call check(bits_xor == ieor(9, fold()), 'ieor')
  call check(every .and. some, '.and. and .or.')
  call check(equal .eqv. mod(count(values <= 50), 2) == 0, '.eqv.')
  call check(unequal .eqv. mod(count(values > 50), 2) == 1, '.neqv.')
  call check(product_of == 3**10, '*')

  bins = 0
  !$omp target map(to: values) map(tofrom: bins)
  !$omp parallel do reduction(+: bins)
  do i = 1, n
    bins(mod(values(i), 8)) = bins(mod(values(i), 8)) + 1
  end do
  !$omp end target
  expected = 0
  do i = 1, n
    expected(mod(values(i), 8)) = expected(mod(values(i), 8)) + 1
  end do
  call check(all(bins == expected), 'bins')
  print '(a,i0)', 'reductions: ', total
  call pass()
contains
  integer function fold()
    integer :: element
    fold = 0
    do element = 1, n
      fold = ieor(fold, values(element) * element)
    end do
  end function
  include 'device.inc'
end program
