! gfortran | Syntax error in OpenMP variable list
! common blocks in map and motion clauses
subroutine region()
  integer :: a, b(5)
  common /block/ a, b
  !$omp target map(tofrom: /block/)
  b(5) = a
  !$omp end target
end subroutine
