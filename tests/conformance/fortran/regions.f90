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

  subroutine reads_before_a_region()
    integer :: a(4096), i, x
    a = 5
    !$omp target map(tofrom: a)
    x = a(1)
    !$omp parallel do
    do i = 1, 4096
      a(i) = x + 1
    end do
    !$omp end target
    call check(all(a == 6), 'what is read before a region is what was there before')
  end subroutine

  subroutine private_arrays_of_teams()
    integer :: a(16, 8), t(16), i, j
    a = 0
    !$omp target teams distribute map(tofrom: a) private(t, j)
    do i = 1, 8
      !$omp parallel do
      do j = 1, 16
        t(j) = i * j
      end do
      do j = 1, 16
        a(j, i) = t(17 - j)
      end do
    end do
    call check(all(a == reshape([(((17 - j) * i, j = 1, 16), i = 1, 8)], [16, 8])), 'a private array is its team''s')
  end subroutine

  subroutine arrays_by_descriptors()
    integer :: total
    total = 0
    !$omp target map(tofrom: total)
    block
      integer, target :: w(40)
      integer, pointer :: p(:)
      integer :: i
      call count_up(w)
      p => w
      !$omp parallel do
      do i = 1, 40
        p(i) = p(i) * 2
      end do
      !$omp parallel do reduction(+: total)
      do i = 1, 40
        total = total + p(41 - i)
      end do
    end block
    !$omp end target
    call check(total == 1640, 'arrays that are passed and pointed to')
  end subroutine

  subroutine count_up(x)
    !$omp declare target
    integer, intent(out) :: x(:)
    integer :: i
    !$omp parallel do
    do i = 1, size(x)
      x(i) = i
    end do
  end subroutine

  subroutine automatic_arrays_of_blocks()
    real(8) :: total
    integer :: n, step, i
    n = 5000
    total = 0
    !$omp target map(tofrom: total)
    do step = 1, 1000
      block
        real(8) :: w(n)
        !$omp parallel do
        do i = 1, n
          w(i) = 1
        end do
        total = total + w(step) + w(n)
      end block
    end do
    !$omp end target
    call check(total == 2000, 'an automatic array ends with its block')
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
  call case('reads_before_a_region', 'fortran.parallel', reads_before_a_region)
  call case('private_arrays_of_teams', 'fortran.private', private_arrays_of_teams)
  call case('arrays_by_descriptors', 'fortran.parallel-sharing', arrays_by_descriptors)
  call case('automatic_arrays_of_blocks', 'fortran.parallel-sharing', automatic_arrays_of_blocks)
  call case('in_procedures', 'fortran.parallel-procedure', in_procedures)
end program
