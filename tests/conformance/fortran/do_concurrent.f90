! flags: -fdo-concurrent-to-openmp=device
! compilers: flang22
include 'conformance.f90'

module cases
  use conformance
  use iso_c_binding
  implicit none
contains

  !> Whether the loop that took the address ran where the device's storage is.
  logical function on_device(inside, outside)
    integer(c_intptr_t), intent(in) :: inside, outside
    on_device = (inside == outside) .eqv. shares_memory()
  end function

  subroutine one_index()
    integer, target :: a(100)
    integer(c_intptr_t) :: place(100)
    integer :: i
    a = 0
    place = 0
    do concurrent (i = 1:100)
      a(i) = i * 3
      place(i) = loc(a(i))
    end do
    call check(all(a == [(i * 3, i = 1, 100)]), 'each iteration runs once')
    call check(on_device(place(1), loc(a(1))), 'on the device')
  end subroutine

  subroutine several_indices()
    integer :: a(10, 20), i, j
    a = 0
    do concurrent (i = 1:10, j = 1:20)
      a(i, j) = i * 100 + j
    end do
    call check(all(a == reshape([((i * 100 + j, i = 1, 10), j = 1, 20)], [10, 20])), 'two indices')
  end subroutine

  subroutine allocatables()
    real(8), allocatable :: x(:), y(:)
    integer :: i
    allocate (x(1000), y(1000))
    x = 2
    y = 1
    do concurrent (i = 1:size(x))
      y(i) = 3 * x(i) + y(i)
    end do
    call check(all(y == 7), 'allocatable arrays')
  end subroutine

  subroutine local_variables()
    integer :: a(50), t, i
    t = -1
    do concurrent (i = 1:50) local(t)
      t = i + 1
      a(i) = t * 2
    end do
    call check(all(a == [(2 * i + 2, i = 1, 50)]) .and. t == -1, 'local')
  end subroutine

  subroutine reductions()
    integer :: a(100), total, i
    a = 2
    total = 5
    do concurrent (i = 1:100) reduce(+: total)
      total = total + a(i)
    end do
    call check(total == 205, 'reduce')
  end subroutine

end module

program do_concurrent
  use cases
  call case('one_index', 'fortran.do-concurrent', one_index)
  call case('several_indices', 'fortran.do-concurrent', several_indices)
  call case('allocatables', 'fortran.do-concurrent', allocatables)
  call case('local_variables', 'fortran.do-concurrent', local_variables)
  call case('reductions', 'fortran.do-concurrent-reduce', reductions)
end program
