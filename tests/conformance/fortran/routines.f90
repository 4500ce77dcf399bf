include 'conformance.f90'

module cases
  use conformance
  use omp_lib
  use iso_c_binding
  implicit none

contains

  subroutine device_numbers()
    integer :: inside, devices
    inside = -1
    !$omp target map(from: inside)
    inside = omp_get_device_num()
    !$omp end target
    devices = omp_get_num_devices()
    call check(devices > 0 .and. inside == omp_get_default_device(), 'the region runs on the default device')
    call check(omp_is_initial_device(), 'the host is the initial device')
    call omp_set_default_device(omp_get_initial_device())
    call check(omp_get_default_device() == omp_get_initial_device(), 'the default device can be set')
    call omp_set_default_device(0)
  end subroutine

  subroutine teams_and_threads()
    integer :: threads(4), level
    threads = -1
    level = -1
    !$omp target map(tofrom: threads, level)
    !$omp parallel num_threads(4)
    if (omp_get_thread_num() < 4) threads(omp_get_thread_num() + 1) = omp_get_num_threads()
    if (omp_get_thread_num() == 0) level = omp_get_level()
    !$omp end parallel
    !$omp end target
    call check(threads(1) >= 1 .and. threads(1) <= 4 .and. level == 1, 'threads of a parallel region on the device')
  end subroutine

  subroutine device_memory()
    type(c_ptr) :: there
    integer, target :: a(10), b(10)
    integer(c_size_t), parameter :: kBytes = 40, kNone = 0
    integer :: i
    a = [(i, i = 1, 10)]
    b = 0
    there = omp_target_alloc(kBytes, 0)
    call check(c_associated(there), 'memory of the device')
    call check(omp_target_memcpy(there, c_loc(a), kBytes, kNone, kNone, 0, omp_get_initial_device()) == 0, 'a copy there')
    call check(omp_target_memcpy(c_loc(b), there, kBytes, kNone, kNone, omp_get_initial_device(), 0) == 0, 'and back')
    call check(all(a == b), 'has the values')
    call omp_target_free(there, 0)
  end subroutine

  subroutine presence()
    integer, target :: a(10)
    a = 1
    call check(omp_target_is_present(c_loc(a), 0) == 0 .or. shares_memory(), 'not mapped')
    !$omp target data map(to: a)
    call check(omp_target_is_present(c_loc(a), 0) /= 0, 'mapped')
    !$omp end target data
  end subroutine

  subroutine associated_memory()
    type(c_ptr) :: there
    integer, target :: a(10)
    integer(c_size_t), parameter :: kBytes = 40, kNone = 0
    there = omp_target_alloc(kBytes, 0)
    a = 3
    call check(omp_target_associate_ptr(c_loc(a), there, kBytes, kNone, 0) == 0, 'associated')
    !$omp target update to(a)
    !$omp target map(tofrom: a)
    a(4) = a(4) + 1
    !$omp end target
    !$omp target update from(a)
    call check(a(4) == 4 .and. a(5) == 3, 'the region uses the memory that was associated')
    call check(omp_target_disassociate_ptr(c_loc(a), 0) == 0, 'disassociated')
    call omp_target_free(there, 0)
  end subroutine

end module

program routines
  use cases
  call case('device_numbers', 'fortran.routines', device_numbers)
  call case('teams_and_threads', 'fortran.routines', teams_and_threads)
  call case('device_memory', 'fortran.device-memory', device_memory)
  call case('presence', 'fortran.device-memory', presence)
  call case('associated_memory', 'fortran.device-memory', associated_memory)
end program
