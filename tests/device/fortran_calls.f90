! A region that calls procedures of another file (fortran_procedures.f90), which begin parallel regions.
program fortran_calls
  use omp_lib
  use procedures
  implicit none
  integer :: values(200), result, i
  logical :: on_host
  values = 1
  result = 0
  on_host = .true.
  !$omp target map(tofrom: values, result) map(from: on_host)
  block
    integer :: factor
    on_host = omp_is_initial_device()
    factor = 3
    call fill(values, 200, factor)
    result = total(values, 200)
  end block
  !$omp end target
  if (on_host) error stop 'it did not run on a device'
  if (any(values /= [(3 * i + 1, i = 1, 200)])) error stop 'what the first procedure wrote'
  if (result /= 60500) error stop 'what the second procedure added'
  print *, 'as expected'
end program
