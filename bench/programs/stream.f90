! A triad and a dot product over arrays that are mapped once: bandwidth of each (docs/fortran.md).
program st
  use omp_lib
  implicit none
  integer, parameter :: n = 20000000
  real(8), allocatable :: a(:), b(:), c(:)
  real(8) :: t, best, s
  integer :: i, r
  allocate(a(n), b(n), c(n))
  a = 1; b = 2; c = 0
  !$omp target data map(to: a, b) map(tofrom: c)
  best = 1e9
  do r = 1, 8
    t = omp_get_wtime()
    !$omp target teams distribute parallel do
    do i = 1, n
      c(i) = a(i) + 3d0 * b(i)
    end do
    best = min(best, omp_get_wtime() - t)
  end do
  print *, 'triad GB/s', 24d-9 * n / best
  best = 1e9
  do r = 1, 8
    s = 0
    t = omp_get_wtime()
    !$omp target teams distribute parallel do reduction(+:s) map(tofrom: s)
    do i = 1, n
      s = s + a(i) * b(i)
    end do
    best = min(best, omp_get_wtime() - t)
  end do
  print *, 'dot GB/s', 16d-9 * n / best, s
  !$omp end target data
end program
