! gfortran | List item .b. with allocatable components is not permitted in map clause
! allocatable components in map clauses
subroutine region()
  type box
    real(8), allocatable :: values(:)
  end type
  type(box) :: b
  !$omp target map(tofrom: b%values)
  b%values(1) = 1
  !$omp end target
end subroutine
