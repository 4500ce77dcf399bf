! Character variables: assignment, comparison, searching, conversions, in arrays.
program characters
  implicit none
  character(len=12) :: words(3), longest
  character(len=5) :: part
  integer :: results(8), i
  call require_device()
  words = [character(len=12) :: 'gantry', 'executor', 'of ptx']
  !$omp target map(tofrom: words) map(from: results, longest, part)
  results(1) = len_trim(words(2))
  results(2) = index(words(2), 'cut')
  results(3) = merge(1, 0, words(1) > words(2))
  results(4) = ichar(words(3)(4:4))
  results(5) = scan(words(3), 'xyz')
  results(6) = verify(words(1), 'agn')
  results(7) = len(words(1))
  longest = words(1)
  do i = 2, 3
    if (len_trim(words(i)) > len_trim(longest)) longest = words(i)
  end do
  part = words(2)(2:6)
  words(1)(1:1) = achar(iachar('g') - 32)
  results(8) = iachar(words(1)(1:1))
  !$omp end target
  call check(all(results == [8, 4, 1, ichar('p'), 6, 4, 12, ichar('G')]), 'results')
  call check(longest == 'executor' .and. part == 'xecut' .and. words(1) == 'Gantry', 'words')
  print '(2a)', 'characters: ', trim(words(1))
  call pass()
contains
  include 'device.inc'
end program
