! flang -fopenmp-version=52 | 'fir.shape' op using value defined outside the region
! a common block in a map clause
subroutine region()
  integer :: a, b(5)
  common /block/ a, b
  !$omp target map(tofrom: /block/)
  b(5) = a
  !$omp end target
end subroutine
