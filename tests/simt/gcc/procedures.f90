! Recursive and elemental procedures, optional arguments. (They are internal: of a recursive one that
! others may see GCC 12 makes an alias, which it then refuses.)
program procedures
  implicit none
  integer(8) :: value
  integer :: list(30), i, sums(2)
  real :: x(6)
  call require_device()
  list = [(mod(i * 37, 61), i = 1, 30)]
  x = [1, 2, 3, 4, 5, 6]
  !$omp target map(from: value, sums) map(tofrom: list, x)
  value = factorial(15_8)
  call sort(list, 1, 30)
  x = halved(x) + halved(2.0)
  sums(1) = added(5)
  sums(2) = added(5, 6)
  !$omp end target
  call check(value == 1307674368000_8, 'factorial')
  do i = 2, 30
    call check(list(i - 1) < list(i), 'sorted')
  end do
  call check(all(x == [1.5, 2.0, 2.5, 3.0, 3.5, 4.0]), 'elemental')
  call check(all(sums == [5, 11]), 'optional')
  print '(a,i0)', 'procedures: ', value
  call pass()
contains
  recursive function factorial(n) result(value)
    !$omp declare target
    integer(8), intent(in) :: n
    integer(8) :: value
    if (n <= 1) then
      value = 1
    else
      value = n * factorial(n - 1)
    end if
  end function

  recursive subroutine sort(values, first, last)
    !$omp declare target
    integer, intent(inout) :: values(*)
    integer, intent(in) :: first, last
    integer :: i, j, pivot, swapped
    if (first >= last) return
    pivot = values((first + last) / 2)
    i = first
    j = last
    do
      do while (values(i) < pivot)
        i = i + 1
      end do
      do while (pivot < values(j))
        j = j - 1
      end do
      if (i >= j) exit
      swapped = values(i)
      values(i) = values(j)
      values(j) = swapped
      i = i + 1
      j = j - 1
    end do
    call sort(values, first, i - 1)
    call sort(values, j + 1, last)
  end subroutine

  elemental real function halved(x)
    !$omp declare target
    real, intent(in) :: x
    halved = x / 2
  end function

  integer function added(a, b)
    !$omp declare target
    integer, intent(in) :: a
    integer, intent(in), optional :: b
    added = a
    if (present(b)) added = added + b
  end function

  include 'device.inc'
end program
