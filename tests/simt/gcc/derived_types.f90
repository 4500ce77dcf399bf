! Derived types: nested ones, arrays of them, as arguments, with procedures of a module.
module bodies
  implicit none
  type point
    real(8) :: x = 0, y = 0
  end type
  type body
    integer :: id = 0
    type(point) :: place
    real :: weights(3) = 1
    character(len=4) :: name = 'none'
  end type
contains
  pure real(8) function length_of(p)
    !$omp declare target
    type(point), intent(in) :: p
    length_of = p%x * p%x + p%y * p%y
  end function

  subroutine move(b, by)
    !$omp declare target
    type(body), intent(inout) :: b
    real(8), intent(in) :: by
    b%place%x = b%place%x + by
    b%place%y = b%place%y - by
  end subroutine
end module

program derived_types
  use bodies
  implicit none
  type(body) :: list(12), copy
  real(8) :: total
  integer :: i
  call require_device()
  do i = 1, 12
    list(i)%id = i
    list(i)%place = point(i, 2 * i)
  end do
  total = 0
  !$omp target map(tofrom: list) map(from: copy) map(tofrom: total)
  do i = 1, 12
    call move(list(i), 1d0)
    list(i)%weights(2) = real(i)
    total = total + length_of(list(i)%place)
    list(i)%name(1:1) = 'b'
  end do
  copy = list(7)
  !$omp end target
  do i = 1, 12
    call check(list(i)%place%x == i + 1 .and. list(i)%place%y == 2 * i - 1, 'place')
    call check(list(i)%weights(2) == i .and. list(i)%weights(3) == 1, 'weights')
    call check(list(i)%name == 'bone', 'name')
  end do
  call check(copy%id == 7 .and. copy%place%x == 8, 'copy')
  call check(total == 650 * 5 - 78 * 2 + 24, 'total')
  print '(a,f0.1)', 'derived types: ', total
  call pass()
contains
  include 'device.inc'
end program
