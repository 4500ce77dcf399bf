include 'conformance.f90'

module types
  implicit none

  type point
    real(8) :: x = 0, y = 0
  end type

  type box
    integer :: n = 0
    type(point) :: corner
    real(8), allocatable :: values(:)
  end type

  type nested
    integer :: tag = 0
    type(box) :: inner
  end type

  type list
    integer :: length = 0
    real(8), pointer :: items(:) => null()
  end type

  type, extends(point) :: point_in_space
    real(8) :: z = 0
  end type

  type counter
    integer :: count = 0
  contains
    procedure :: add
  end type

contains

  subroutine add(this, n)
    !$omp declare target
    class(counter), intent(inout) :: this
    integer, intent(in) :: n
    this%count = this%count + n
  end subroutine

end module

module cases
  use conformance
  use types
  implicit none
contains

  subroutine whole_objects()
    type(point) :: p, q(5)
    p = point(1, 2)
    q = p
    !$omp target map(tofrom: p, q)
    p%x = p%x + 10
    q(5)%y = 7
    !$omp end target
    call check(p%x == 11 .and. p%y == 2, 'an object is mapped as a whole')
    call check(q(5)%y == 7 .and. q(4)%y == 2, 'an array of objects')
  end subroutine

  subroutine members()
    type(point) :: p
    p = point(1, 2)
    !$omp target map(tofrom: p%y)
    p%y = 5
    !$omp end target
    call check(p%x == 1 .and. p%y == 5, 'a component alone')
  end subroutine

#ifndef __GFORTRAN__ /* refuses allocatable components in map clauses */
  subroutine allocatable_components()
    type(box) :: b
    integer :: i
    allocate (b%values(10))
    b%values = 1
    b%n = 10
    !$omp target map(tofrom: b, b%values)
    do i = 1, b%n
      b%values(i) = b%values(i) + i
    end do
    b%corner%x = 4
    !$omp end target
    call check(all(b%values == [(i + 1, i = 1, 10)]), 'an allocatable component that is named')
    call check(b%corner%x == 4, 'its object')
  end subroutine

  subroutine allocatable_components_alone()
    type(box) :: b
    integer :: i
    allocate (b%values(10))
    b%values = 1
    !$omp target map(tofrom: b%values)
    do i = 1, 10
      b%values(i) = b%values(i) + i
    end do
    !$omp end target
    call check(all(b%values == [(i + 1, i = 1, 10)]), 'a component without its object')
  end subroutine

  subroutine allocatable_components_implicitly()
    type(box) :: b
    allocate (b%values(10))
    b%values = 1
    !$omp target map(tofrom: b)
    b%values(3) = 5
    b%n = 1
    !$omp end target
    call check(b%values(3) == 5 .and. b%n == 1, 'the object maps its allocatable components')
  end subroutine

  subroutine components_of_components()
    type(nested) :: a
    allocate (a%inner%values(4))
    a%inner%values = 2
    !$omp target map(tofrom: a%inner%values, a%tag)
    a%inner%values(4) = 3
    a%tag = 6
    !$omp end target
    call check(a%tag == 6 .and. a%inner%values(4) == 3 .and. a%inner%values(1) == 2, 'components of components')
  end subroutine

  subroutine over_several_constructs()
    type(box) :: b
    integer :: i
    allocate (b%values(100))
    b%values = 1
    !$omp target enter data map(to: b) map(to: b%values)
    !$omp target teams distribute parallel do
    do i = 1, 100
      b%values(i) = b%values(i) * i
    end do
    !$omp target update from(b%values)
    call check(b%values(100) == 100, 'update of a component')
    !$omp target exit data map(release: b%values) map(release: b)
  end subroutine

  subroutine dummy_arguments()
    type(box) :: b
    allocate (b%values(3))
    b%values = 0
    call fill(b)
    call check(all(b%values == 2), 'an object that is an argument')
  end subroutine

  subroutine fill(b)
    type(box), intent(inout) :: b
    integer :: i
    !$omp target map(tofrom: b%values)
    do i = 1, 3
      b%values(i) = 2
    end do
    !$omp end target
  end subroutine
#endif

  subroutine pointer_components()
    type(list) :: l
    integer :: i
    allocate (l%items(8))
    l%items = 1
    l%length = 8
    !$omp target map(to: l) map(tofrom: l%items)
    do i = 1, l%length
      l%items(i) = i
    end do
    !$omp end target
    call check(all(l%items == [(i, i = 1, 8)]), 'what a pointer component points to')
    deallocate (l%items)
  end subroutine

  subroutine extended_types()
    type(point_in_space) :: p
    p%x = 1
    p%z = 3
    !$omp target map(tofrom: p)
    p%x = p%x + p%z
    p%point%y = 9
    !$omp end target
    call check(p%x == 4 .and. p%y == 9 .and. p%z == 3, 'components of the parent type')
  end subroutine

  subroutine type_bound_procedures()
    type(counter) :: c
    c%count = 1
    !$omp target map(tofrom: c)
    call c%add(4)
    !$omp end target
    call check(c%count == 5, 'a call of a type-bound procedure')
  end subroutine

end module

program derived_types
  use cases
  call case('whole_objects', 'fortran.type', whole_objects)
  call case('members', 'fortran.component', members)
#ifndef __GFORTRAN__
  call case('allocatable_components', 'fortran.allocatable-component', allocatable_components)
  call case('allocatable_components_alone', 'fortran.allocatable-component', allocatable_components_alone)
  call case('allocatable_components_implicitly', 'fortran.allocatable-component-implicit', &
    allocatable_components_implicitly)
  call case('components_of_components', 'fortran.component', components_of_components)
  call case('over_several_constructs', 'fortran.allocatable-component', over_several_constructs)
  call case('dummy_arguments', 'fortran.allocatable-component', dummy_arguments)
#endif
  call case('pointer_components', 'fortran.pointer-component', pointer_components)
  call case('extended_types', 'fortran.extended-type', extended_types)
  call case('type_bound_procedures', 'fortran.type-bound', type_bound_procedures)
end program
