include 'conformance.f90'

module cases
  use conformance
  use iso_c_binding
  implicit none
contains

  subroutine pointers_to_arrays()
    integer, pointer :: p(:)
    integer :: i
    allocate (p(20))
    p = 1
    !$omp target map(tofrom: p)
    do i = 1, size(p)
      p(i) = p(i) + i
    end do
    !$omp end target
    call check(all(p == [(i + 1, i = 1, 20)]), 'a pointer is mapped with what it points to')
    deallocate (p)
  end subroutine

  subroutine pointers_to_variables()
    integer, target :: a(30)
    integer, pointer :: p(:)
    a = 1
    p => a(11:20)
    !$omp target map(tofrom: p)
    p(1) = 5
    p(10) = 6
    !$omp end target
    call check(a(11) == 5 .and. a(20) == 6 .and. a(10) == 1 .and. a(21) == 1, 'a section by a pointer')
  end subroutine

  subroutine bounds_of_pointers()
    integer, target :: a(10)
    integer, pointer :: p(:)
    integer :: lower, upper
    a = 0
    p(-4:) => a
    !$omp target map(tofrom: p, lower, upper)
    lower = lbound(p, 1)
    upper = ubound(p, 1)
    p(-4) = 3
    !$omp end target
    call check(lower == -4 .and. upper == 5 .and. a(1) == 3, 'bounds of the pointer')
  end subroutine

  subroutine disassociated_pointers()
    integer, pointer :: p(:)
    logical :: there
    p => null()
    there = .true.
    !$omp target map(to: p) map(from: there)
    there = associated(p)
    !$omp end target
    call check(.not. there, 'a disassociated pointer stays so')
  end subroutine

  subroutine pointer_scalars()
    real(8), pointer :: p
    allocate (p)
    p = 2
    !$omp target map(tofrom: p)
    p = p * 3
    !$omp end target
    call check(p == 6, 'a pointer to a scalar')
    deallocate (p)
  end subroutine

  subroutine use_device_addr()
    integer, target :: a(10)
    a = 1
    !$omp target data map(tofrom: a)
    !$omp target data use_device_addr(a)
    call add_on_device(c_loc(a), 10)
    !$omp end target data
    !$omp end target data
    call check(all(a == 4), 'the address of the corresponding list item')
  end subroutine

  subroutine add_on_device(address, n)
    type(c_ptr), intent(in) :: address
    integer, intent(in) :: n
    !$omp target is_device_ptr(address)
    block
      integer, pointer :: p(:)
      integer :: i
      call c_f_pointer(address, p, [n])
      do i = 1, n
        p(i) = p(i) + 3
      end do
    end block
    !$omp end target
  end subroutine

  subroutine has_device_addr()
    integer, target :: a(10)
    integer :: i
    a = 2
    !$omp target data map(tofrom: a)
    !$omp target data use_device_addr(a)
    !$omp target has_device_addr(a)
    do i = 1, 10
      a(i) = a(i) * 2
    end do
    !$omp end target
    !$omp end target data
    !$omp end target data
    call check(all(a == 4), 'an object that is on the device already')
  end subroutine

end module

program pointers
  use cases
  call case('pointers_to_arrays', 'fortran.pointer', pointers_to_arrays)
  call case('pointers_to_variables', 'fortran.pointer', pointers_to_variables)
  call case('bounds_of_pointers', 'fortran.pointer-bounds', bounds_of_pointers)
  call case('disassociated_pointers', 'fortran.pointer-null', disassociated_pointers)
  call case('pointer_scalars', 'fortran.pointer-scalar', pointer_scalars)
  call case('use_device_addr', 'fortran.device-addr', use_device_addr)
  call case('has_device_addr', 'fortran.device-addr', has_device_addr)
end program
