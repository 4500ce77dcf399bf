! zaxpy in Fortran, on every device there is.
program zaxpy
  use omp_lib
  implicit none
  integer, parameter :: n = 1024
  complex(8) :: x(n), y(n), expected(n), a
  logical :: on_host
  integer :: device, i

  a = (2d0, 1d0)
  x = [(cmplx(i, -i, 8), i = 1, n)]
  expected = a * x + 1
  do device = 0, omp_get_num_devices() - 1
    y = 1
    on_host = .true.
    !$omp target teams distribute parallel do device(device) map(to: x) map(tofrom: y)
    do i = 1, n
      y(i) = a * x(i) + y(i)
    end do
    !$omp target device(device) map(from: on_host)
    on_host = omp_is_initial_device()
    !$omp end target
    print '(a, i0, 3a)', 'device ', device, ': ', trim(merge('the host ran it', 'ran on it      ', on_host)), &
      trim(merge(', as expected', ', WRONG      ', all(y == expected)))
  end do
end program
