! What every Fortran program of the conformance suite has: cases, each with the rules of rules.txt that it shows.
! A program is one file that includes this one; its main program calls `case` for each of its cases.
!
!   PROGRAM                every case
!   PROGRAM --list         a line a case: name, rules, environment and message, separated by tabs
!   PROGRAM CASE…          these cases
!
! run.py runs them; a case there is a process of its own.
module conformance
  implicit none
  private
  public :: case, check, shares_memory

  interface
    subroutine body()
    end subroutine
  end interface

  logical :: failed = .false.

contains

  subroutine case(name, rules, run)
    character(*), intent(in) :: name, rules
    procedure(body) :: run
    character(200) :: argument
    integer :: i
    logical :: chosen
    chosen = command_argument_count() == 0
    do i = 1, command_argument_count()
      call get_command_argument(i, argument)
      if (argument == '--list') then
        print '(6a)', name, char(9), rules, char(9), char(9)
        return
      end if
      chosen = chosen .or. argument == name
    end do
    if (.not. chosen) return
    call run()
    call check(runs_on_device(), 'target regions run on a device')
    if (failed) then
      print '(2a)', name, ' failed'
      stop 1
    end if
  end subroutine

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (.not. holds) then
      write (0, '(2a)') 'expected: ', what
      failed = .true.
    end if
  end subroutine

  logical function runs_on_device()
    use omp_lib
    logical :: on_host
    on_host = .true.
    !$omp target map(from: on_host)
    on_host = omp_is_initial_device()
    !$omp end target
    runs_on_device = .not. on_host
  end function

  !> Whether the default device maps an object onto itself.
  logical function shares_memory()
    integer :: probe
    probe = 1
    !$omp target data map(to: probe)
    !$omp target map(alloc: probe)
    probe = 2
    !$omp end target
    !$omp end target data
    shares_memory = probe == 2
  end function

end module
