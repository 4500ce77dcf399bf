! flang --offload-arch=gfx906 | Call parameter type does not match function signature
! sections in a region on AMD's GPUs
program region
  integer :: n
  n = 0
  !$omp target map(tofrom: n)
  !$omp parallel sections
  !$omp section
  n = 1
  !$omp end parallel sections
  !$omp end target
end program
