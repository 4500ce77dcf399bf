include 'conformance.f90'

module cases
  use conformance
  use omp_lib
  implicit none
contains

  subroutine one_thread_outside()
    integer :: before, after, total, i
    before = 0
    after = 0
    total = 0
    !$omp target map(tofrom: before, after, total)
    before = before + 1
    !$omp parallel do reduction(+: total)
    do i = 1, 100
      total = total + before
    end do
    after = after + before
    !$omp end target
    call check(before == 1 .and. after == 1 .and. total == 100, 'one thread runs what is outside of a region')
  end subroutine

  subroutine several_regions()
    integer :: threads, count
    threads = 0
    count = 0
    !$omp target map(tofrom: threads, count)
    !$omp parallel
    !$omp atomic
    count = count + 1
    !$omp single
    threads = omp_get_num_threads()
    !$omp end single
    !$omp end parallel
    !$omp parallel
    !$omp atomic
    count = count + 1
    !$omp end parallel
    !$omp end target
    call check(threads > 0 .and. count == 2 * threads, 'all threads run each region')
  end subroutine

  subroutine variables_of_the_block()
    integer :: total, i
    total = 0
    !$omp target map(tofrom: total)
    block
      integer :: numbers(100), more
      more = 7
      !$omp parallel do
      do i = 1, 100
        numbers(i) = i + more
      end do
      more = 1
      !$omp parallel do reduction(+: total)
      do i = 1, 100
        total = total + numbers(101 - i) * more
      end do
    end block
    !$omp end target
    call check(total == 5750, 'regions share the variables of the one that begins them')
  end subroutine

  subroutine sums_of_the_block()
    integer :: result, i
    result = 0
    !$omp target map(tofrom: result)
    block
      integer :: total
      total = 5
      !$omp parallel do reduction(+: total)
      do i = 1, 100
        total = total + i
      end do
      result = total
    end block
    !$omp end target
    call check(result == 5055, 'a sum in a variable of the block')
  end subroutine

  subroutine regions_in_a_loop()
    integer :: steps, values(64), i, step
    values = 0
    steps = 0
    !$omp target map(tofrom: steps, values)
    do step = 1, 5
      steps = steps + 1
      !$omp parallel do
      do i = 1, 64
        values(i) = values(i) + step * i
      end do
    end do
    !$omp end target
    call check(steps == 5 .and. all(values == [(15 * i, i = 1, 64)]), 'a region in each step of a loop')
  end subroutine

  subroutine regions_in_distributed_loops()
    integer :: rows(8), values(8, 50), i, row
    rows = 0
    values = 0
    !$omp target teams distribute map(tofrom: rows, values) num_teams(3)
    do row = 1, 8
      rows(row) = rows(row) + row
      !$omp parallel do
      do i = 1, 50
        values(row, i) = values(row, i) + rows(row) * i
      end do
      rows(row) = rows(row) + 100
    end do
    call check(all(rows == [(row + 100, row = 1, 8)]), 'a team runs its rows once')
    call check(all(values == reshape([((row * i, row = 1, 8), i = 1, 50)], [8, 50])), 'its threads share them')
  end subroutine

  subroutine sums_in_distributed_loops()
    integer :: sums(6), i, row
    sums = 0
    !$omp target teams distribute map(tofrom: sums)
    do row = 1, 6
      block
        integer :: total
        total = row
        !$omp parallel do reduction(+: total)
        do i = 1, 40
          total = total + i
        end do
        sums(row) = total
      end block
    end do
    call check(all(sums == [(820 + row, row = 1, 6)]), 'a sum for each row')
  end subroutine

  subroutine in_procedures()
    integer :: values(60), i
    values = 0
    !$omp target map(tofrom: values)
    call add_all(values, 60)
    !$omp end target
    call check(all(values == [(i * 60 + 3, i = 1, 60)]), 'a procedure with variables and a region')
  end subroutine

  subroutine add_all(values, n)
    !$omp declare target
    integer, intent(in) :: n
    integer, intent(inout) :: values(n)
    integer :: i, factors(n), more
    more = 3
    call fill(factors, n)
    !$omp parallel do
    do i = 1, n
      values(i) = values(i) + factors(n + 1 - i) * i + more
    end do
  end subroutine

  subroutine fill(factors, n)
    !$omp declare target
    integer, intent(in) :: n
    integer, intent(out) :: factors(n)
    integer :: i
    !$omp parallel do
    do i = 1, n
      factors(i) = n
    end do
  end subroutine

end module

program regions
  use cases
  call case('one_thread_outside', 'fortran.parallel', one_thread_outside)
  call case('several_regions', 'fortran.parallel', several_regions)
  call case('variables_of_the_block', 'fortran.parallel-sharing', variables_of_the_block)
  call case('sums_of_the_block', 'fortran.parallel-sharing', sums_of_the_block)
  call case('regions_in_a_loop', 'fortran.parallel', regions_in_a_loop)
  call case('regions_in_distributed_loops', 'fortran.distribute', regions_in_distributed_loops)
  call case('sums_in_distributed_loops', 'fortran.distribute', sums_in_distributed_loops)
  call case('in_procedures', 'fortran.parallel-procedure', in_procedures)
end program
