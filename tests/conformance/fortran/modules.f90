include 'conformance.f90'

module data
  implicit none
  integer, save :: total = 5
  real(8), save :: table(10) = 1
  integer, parameter :: kFactor = 3
  integer, save :: not_declared(4) = 2
  integer, save :: linked(16) = 1
  real(8), allocatable, save :: shared(:)
  !$omp declare target to(total, table)
  !$omp declare target link(linked)

  integer :: da, db(3)
  common /declared/ da, db
  !$omp declare target(/declared/)

  interface twice
    procedure twice_integer, twice_real
  end interface

contains

  integer function twice_integer(n)
    !$omp declare target
    integer, intent(in) :: n
    twice_integer = 2 * n
  end function

  real(8) function twice_real(x)
    !$omp declare target
    real(8), intent(in) :: x
    twice_real = 2 * x
  end function

  subroutine count_up(n)
    !$omp declare target
    integer, intent(in) :: n
    total = total + n
  end subroutine

#ifndef __GFORTRAN__ /* see refused/fortran/gfortran-recursive-gpu.f90 */
  recursive integer function factorial(n) result(f)
    !$omp declare target
    integer, intent(in) :: n
    f = 1
    if (n > 1) f = n * factorial(n - 1)
  end function
#endif

  elemental real(8) function square(x)
    !$omp declare target
    real(8), intent(in) :: x
    square = x * x
  end function

end module

module cases
  use conformance
  use data
  implicit none
contains

  subroutine declared_variables()
    integer :: seen
    total = 5
    !$omp target update to(total)
    !$omp target map(from: seen)
    total = total + 1
    seen = total
    !$omp end target
    call check(seen == 6, 'a module variable that is declare target')
    !$omp target update from(total)
    call check(total == 6, 'target update copies it')
  end subroutine

  subroutine declared_arrays()
    real(8) :: seen
    table = 4
    !$omp target update to(table)
    !$omp target map(from: seen)
    table(2) = 6
    seen = sum(table)
    !$omp end target
    call check(seen == 42, 'an array that is declare target')
    !$omp target update from(table)
    call check(table(2) == 6, 'target update copies it')
  end subroutine

  subroutine linked_variables()
    linked = 1
    !$omp target map(tofrom: linked)
    linked(3) = linked(3) + 7
    !$omp end target
    call check(linked(3) == 8 .and. linked(4) == 1, 'a variable that is declare target link')
  end subroutine

  subroutine other_variables()
    not_declared = 2
    !$omp target map(tofrom: not_declared)
    not_declared = not_declared * kFactor
    !$omp end target
    call check(all(not_declared == 6), 'a module variable in a map clause, and a constant')
  end subroutine

  subroutine allocatable_variables()
    integer :: i
    allocate (shared(12))
    shared = 1
    !$omp target enter data map(to: shared)
    !$omp target map(alloc: shared)
    do i = 1, 12
      shared(i) = shared(i) + i
    end do
    !$omp end target
    !$omp target exit data map(from: shared)
    call check(shared(12) == 13, 'an allocatable module variable')
    deallocate (shared)
  end subroutine

  subroutine members_of_common_blocks()
    integer :: ca, cb(5)
    common /block/ ca, cb
    ca = 1
    cb = 2
    !$omp target map(tofrom: cb)
    cb(2) = 4
    !$omp end target
    call check(ca == 1 .and. cb(2) == 4, 'a variable of a common block')
  end subroutine

  subroutine declared_common_blocks()
    integer :: seen
    da = 3
    db = 4
    !$omp target update to(da, db)
    !$omp target map(from: seen)
    da = da + db(3)
    seen = da
    !$omp end target
    !$omp target update from(da, db)
    call check(seen == 7 .and. da == 7, 'a common block that is declare target')
  end subroutine

  subroutine module_procedures()
    integer :: n
    real(8) :: x, y(6)
    integer :: i
    x = 3
    y = 3
    n = 0
    !$omp target map(tofrom: x, y, n)
    n = twice(4)
    x = twice(x)
    do i = 1, 6
      y(i) = square(y(i))
    end do
    !$omp end target
    call check(n == 8 .and. x == 6, 'generic procedures')
    call check(all(y == 9), 'elemental procedures')
  end subroutine

#ifndef __GFORTRAN__
  subroutine recursive_procedures()
    integer :: n
    n = 5
    !$omp target map(tofrom: n)
    n = factorial(n)
    !$omp end target
    call check(n == 120, 'a recursive procedure')
  end subroutine
#endif

  subroutine procedures_that_use_variables()
    total = 0
    !$omp target update to(total)
    !$omp target
    call count_up(3)
    call count_up(4)
    !$omp end target
    !$omp target update from(total)
    call check(total == 7, 'a procedure with a module variable')
  end subroutine

  subroutine internal_procedures()
    integer :: n
    n = 2
    !$omp target map(tofrom: n)
    n = plus_one(n)
    !$omp end target
    call check(n == 3, 'an internal procedure')
  contains
    integer function plus_one(m)
      !$omp declare target
      integer, intent(in) :: m
      plus_one = m + 1
    end function
  end subroutine

end module

program modules
  use cases
  call case('declared_variables', 'fortran.declare-target', declared_variables)
  call case('declared_arrays', 'fortran.declare-target', declared_arrays)
  call case('linked_variables', 'fortran.link', linked_variables)
  call case('other_variables', 'fortran.module', other_variables)
  call case('allocatable_variables', 'fortran.module-allocatable', allocatable_variables)
  call case('members_of_common_blocks', 'fortran.common-member', members_of_common_blocks)
  call case('declared_common_blocks', 'fortran.common-declared', declared_common_blocks)
  call case('module_procedures', 'fortran.procedure', module_procedures)
#ifndef __GFORTRAN__
  call case('recursive_procedures', 'fortran.procedure-recursive', recursive_procedures)
#endif
  call case('procedures_that_use_variables', 'fortran.procedure', procedures_that_use_variables)
  call case('internal_procedures', 'fortran.procedure-internal', internal_procedures)
end program
