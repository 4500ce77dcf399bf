! flang | not yet implemented: Unhandled clause FIRSTPRIVATE in TARGET construct
! `firstprivate` on a combined construct with `target`
subroutine region(a, f)
  integer :: a(10), f, i
  !$omp target teams distribute parallel do map(from: a) firstprivate(f)
  do i = 1, 10
    a(i) = f
  end do
end subroutine
