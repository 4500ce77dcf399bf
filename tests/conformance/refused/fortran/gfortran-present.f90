! gfortran | Syntax error in OpenMP variable list
! the `present` modifier
subroutine region(a)
  integer :: a(5)
  !$omp target map(present, tofrom: a)
  a(1) = 1
  !$omp end target
end subroutine
