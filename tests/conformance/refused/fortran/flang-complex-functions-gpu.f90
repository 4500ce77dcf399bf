! flang --offload-arch=sm_70 | not yet implemented: handle complex return types
! functions of complex numbers on GPUs: exp, sin, log, …
program region
  complex(8) :: z
  z = (1, 1)
  !$omp target map(tofrom: z)
  z = exp(z)
  !$omp end target
end program
