module procedures
  implicit none
contains
  subroutine fill(values, n, factor)
    !$omp declare target
    integer, intent(in) :: n, factor
    integer, intent(inout) :: values(n)
    integer :: i, numbers(n)
    !$omp parallel do
    do i = 1, n
      numbers(n + 1 - i) = (n + 1 - i) * factor
    end do
    !$omp parallel do
    do i = 1, n
      values(i) = values(i) + numbers(i)
    end do
  end subroutine

  integer function total(values, n)
    !$omp declare target
    integer, intent(in) :: n, values(n)
    integer :: i, sum
    sum = 0
    !$omp parallel do reduction(+: sum)
    do i = 1, n
      sum = sum + values(i)
    end do
    total = sum
  end function
end module
