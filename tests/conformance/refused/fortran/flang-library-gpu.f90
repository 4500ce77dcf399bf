! flang --offload-arch=sm_70 | _FortranAAssign
! assignment to whole allocatables on GPUs, which Flang makes by its library: Debian has it for the host alone
program region
  integer, allocatable :: n
  allocate (n)
  n = 4
  !$omp target map(tofrom: n)
  n = n + 1
  !$omp end target
end program
