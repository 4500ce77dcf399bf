! Assignments that a GPU cannot make: each ends the program with a message.
program fortran_failures
  type point
    integer :: x, y
  end type
  type(point) :: points(3), others(3)
  integer, allocatable :: numbers(:)
  character(:), allocatable :: text
  character(20) :: which
  allocate (numbers(3))
  numbers = 1
  text = 'abc'
  call get_command_argument(1, which)
  if (which == 'shape') then
    !$omp target map(tofrom: numbers)
    numbers = [1, 2, 3, 4]
    !$omp end target
  else if (which == 'type') then
    points = point(1, 2)
    !$omp target map(from: others) map(to: points)
    others = points
    !$omp end target
  else
    !$omp target map(tofrom: text)
    text = 'abcd'
    !$omp end target
  end if
  print *, 'on'
end program
