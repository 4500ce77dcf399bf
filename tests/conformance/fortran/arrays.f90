include 'conformance.f90'

module cases
  use conformance
  implicit none
contains

  subroutine whole_arrays()
    real(8) :: a(100), b(100)
    integer :: i
    a = [(i, i = 1, 100)]
    b = 0
    !$omp target map(to: a) map(from: b)
    do i = 1, 100
      b(i) = 2 * a(i)
    end do
    !$omp end target
    call check(all(b == 2 * a), 'b is twice a')
  end subroutine

  subroutine implicitly_mapped()
    integer :: a(10), n
    n = 3
    a = 1
    !$omp target
    a = a + n
    n = 100
    !$omp end target
    call check(all(a == 4), 'an array is mapped tofrom')
    call check(n == 3, 'a scalar is firstprivate')
  end subroutine

  subroutine bounds()
    integer :: a(-5:5, 0:3), b(-2:2)
    integer :: i, lower(2), upper(2)
    a = 0
    !$omp target map(tofrom: a, b, lower, upper)
    do i = -5, 5
      a(i, 0) = i
    end do
    b(-2) = 7
    lower = lbound(a)
    upper = ubound(a)
    !$omp end target
    call check(all(a(:, 0) == [(i, i = -5, 5)]), 'elements are found by their own indices')
    call check(b(-2) == 7, 'the first element')
    call check(all(lower == [-5, 0]) .and. all(upper == [5, 3]), 'the bounds are those of the host')
  end subroutine

  subroutine sections_of_arrays()
    integer :: a(100)
    integer :: i
    a = 1
    !$omp target map(tofrom: a(11:20))
    do i = 11, 20
      a(i) = i
    end do
    !$omp end target
    call check(all(a(1:10) == 1) .and. all(a(21:) == 1), 'what the section leaves out is as it was')
    call check(all(a(11:20) == [(i, i = 11, 20)]), 'the section is copied')
  end subroutine

  subroutine sections_with_run_time_bounds()
    integer :: a(100)
    integer :: i, first, last
    a = 1
    call ends(first, last)
    !$omp target data map(tofrom: a(first:last))
    !$omp target
    do i = first, last
      a(i) = a(i) + i
    end do
    !$omp end target
    !$omp end target data
    call check(all(a(first:last) == [(i + 1, i = first, last)]), 'the section is copied')
    call check(a(first - 1) == 1 .and. a(last + 1) == 1, 'its neighbours are not')
  end subroutine

  subroutine ends(first, last)
    integer, intent(out) :: first, last
    first = 40
    last = 60
  end subroutine

  subroutine columns_and_planes()
    real(4) :: a(4, 5, 6)
    integer :: i, j
    a = 1
    !$omp target map(tofrom: a(:, :, 3))
    do j = 1, 5
      do i = 1, 4
        a(i, j, 3) = i * 10 + j
      end do
    end do
    !$omp end target
    call check(a(4, 5, 3) == 45 .and. a(1, 1, 3) == 11, 'a plane is a section')
    call check(all(a(:, :, 2) == 1) .and. all(a(:, :, 4) == 1), 'other planes are as they were')
  end subroutine

  subroutine assumed_shape_arguments()
    integer :: a(20), b(4, 5)
    a = 0
    b = 0
    call fill(a(3:12))
    call fill_two(b)
    call check(all(a(3:12) == 5) .and. a(2) == 0 .and. a(13) == 0, 'the dummy argument is what it stands for')
    call check(b(4, 5) == 45 .and. b(1, 2) == 12, 'of two dimensions')
  end subroutine

  subroutine fill(x)
    integer, intent(inout) :: x(:)
    integer :: i
    !$omp target map(tofrom: x)
    do i = 1, size(x)
      x(i) = 5
    end do
    !$omp end target
  end subroutine

  subroutine fill_two(x)
    integer, intent(inout) :: x(:, :)
    integer :: i, j
    !$omp target teams distribute parallel do collapse(2) map(tofrom: x)
    do j = 1, size(x, 2)
      do i = 1, size(x, 1)
        x(i, j) = i * 10 + j
      end do
    end do
  end subroutine

  subroutine explicit_shape_arguments()
    real(8) :: a(30)
    a = 1
    call scale(a, 30, 3d0)
    call check(all(a == 3), 'an array with a length of its own')
    call scale_assumed_size(a, 10)
    call check(all(a(1:10) == 6) .and. all(a(11:) == 3), 'an assumed-size array by its section')
  end subroutine

  subroutine scale(x, n, factor)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    real(8), intent(in) :: factor
    integer :: i
    !$omp target teams distribute parallel do map(tofrom: x)
    do i = 1, n
      x(i) = x(i) * factor
    end do
  end subroutine

  subroutine scale_assumed_size(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(*)
    integer :: i
    !$omp target map(tofrom: x(1:n))
    do i = 1, n
      x(i) = x(i) * 2
    end do
    !$omp end target
  end subroutine

  subroutine automatic_arrays()
    call with_length(17)
    call with_length(1)
  end subroutine

  subroutine with_length(n)
    integer, intent(in) :: n
    integer :: a(n), b(0:n)
    integer :: i
    a = 2
    b = 1
    !$omp target map(tofrom: a, b)
    do i = 1, n
      b(i) = a(i) * i
    end do
    !$omp end target
    call check(b(0) == 1 .and. b(n) == 2 * n, 'arrays whose length the caller gives')
  end subroutine

  subroutine zero_sized_arrays()
    integer :: a(0), n
    n = 0
    !$omp target map(tofrom: a, n)
    n = size(a) + 1
    !$omp end target
    call check(n == 1, 'an array without elements is mapped')
  end subroutine

  subroutine presence_over_constructs()
    integer :: a(50)
    a = 1
    !$omp target enter data map(to: a)
    a = 100
    !$omp target
    a = a + 1
    !$omp end target
    !$omp target exit data map(from: a)
    if (shares_memory()) then
      call check(all(a == 101), 'the object itself')
    else
      call check(all(a == 2), 'the region finds what was mapped before')
    end if
  end subroutine

  subroutine updates()
    integer :: a(20)
    integer :: i
    a = 1
    !$omp target data map(alloc: a)
    !$omp target update to(a)
    !$omp target
    do i = 1, 20
      a(i) = a(i) + i
    end do
    !$omp end target
    !$omp target update from(a(5:8))
    call check(all(a(5:8) == [6, 7, 8, 9]), 'a section is updated')
    if (.not. shares_memory()) call check(a(4) == 1 .and. a(9) == 1, 'and no more than that')
    !$omp end target data
  end subroutine

end module

program arrays
  use cases
  call case('whole_arrays', 'fortran.array', whole_arrays)
  call case('implicitly_mapped', 'fortran.implicit', implicitly_mapped)
  call case('bounds', 'fortran.bounds', bounds)
  call case('sections_of_arrays', 'fortran.section', sections_of_arrays)
  call case('sections_with_run_time_bounds', 'fortran.section', sections_with_run_time_bounds)
  call case('columns_and_planes', 'fortran.section', columns_and_planes)
  call case('assumed_shape_arguments', 'fortran.assumed-shape', assumed_shape_arguments)
  call case('explicit_shape_arguments', 'fortran.argument', explicit_shape_arguments)
  call case('automatic_arrays', 'fortran.automatic', automatic_arrays)
  call case('zero_sized_arrays', 'fortran.zero-size', zero_sized_arrays)
  call case('presence_over_constructs', 'fortran.presence', presence_over_constructs)
  call case('updates', 'fortran.update', updates)
end program
