! gfortran -foffload=nvptx-none | alias definitions not supported in this configuration
! recursive procedures on GPUs
module m
contains
  recursive integer function factorial(n) result(f)
    !$omp declare target
    integer, intent(in) :: n
    f = 1
    if (n > 1) f = n * factorial(n - 1)
  end function
end module
program region
  use m
  integer :: n
  n = 5
  !$omp target map(tofrom: n)
  n = factorial(n)
  !$omp end target
end program
