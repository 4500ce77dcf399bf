! Smooths a row on the device, where the caller may have it already: for docs/mixed-compilers.md.
subroutine smooth(row, n) bind(c)
  use iso_c_binding
  integer(c_int), value :: n
  real(c_double), intent(inout) :: row(n)
  real(c_double) :: before(n)
  integer :: i
!$omp target data map(tofrom: row) map(alloc: before)
!$omp target teams distribute parallel do
  do i = 1, n
    before(i) = row(i)
  end do
!$omp target teams distribute parallel do
  do i = 2, n - 1
    row(i) = (before(i - 1) + 2 * before(i) + before(i + 1)) / 4
  end do
!$omp end target data
end subroutine
