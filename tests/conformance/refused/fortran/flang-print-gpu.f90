! flang --offload-arch=sm_70 | _FortranAioBeginExternalListOutput
! print in a region on GPUs, for the same reason
program region
  !$omp target
  print *, 'on the device'
  !$omp end target
end program
