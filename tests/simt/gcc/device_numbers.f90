! Device numbers: the devices are numbered from 0 on, and the host comes behind them.
program device_numbers
  use omp_lib
  implicit none
  integer :: number, i
  call require_device()
  call check(omp_get_initial_device() == omp_get_num_devices(), 'the host comes last')
  call check(omp_get_device_num() == omp_get_initial_device(), 'the program begins on the host')
  if (omp_get_num_devices() > 0) then
    do i = 0, omp_get_num_devices() - 1
      number = -1
      !$omp target device(i) map(from: number)
      number = omp_get_device_num()
      !$omp end target
      call check(number == i, 'a region knows its device')
    end do
  end if
  print '(a)', 'device numbers'
  call pass()
contains
  include 'device.inc'
end program
