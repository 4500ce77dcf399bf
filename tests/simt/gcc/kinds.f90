! Integers and logicals of every kind, conversions between them and reals.
program kinds
  use iso_fortran_env, only: int8, int16, int32, int64
  implicit none
  integer(int8) :: bytes(6)
  integer(int16) :: halves(6)
  integer(int32) :: words(6)
  integer(int64) :: longs(6)
  logical(1) :: flags(6)
  real :: singles(6)
  real(8) :: doubles(6)
  integer :: i
  call require_device()
  !$omp target map(from: bytes, halves, words, longs, flags, singles, doubles)
  !$omp parallel do num_threads(3)
  do i = 1, 6
    bytes(i) = int(i * 40 - 120, int8)
    halves(i) = int(bytes(i), int16) * 200_int16
    words(i) = int(halves(i)) * 60000 + i
    longs(i) = int(words(i), int64) * 3000000000_int64
    flags(i) = mod(words(i), 2) == 0
    singles(i) = real(halves(i)) / 4
    doubles(i) = real(longs(i), 8) / 1024 + singles(i)
  end do
  !$omp end target
  do i = 1, 6
    call check(bytes(i) == i * 40 - 120, 'bytes')
    call check(halves(i) == bytes(i) * 200, 'halves')
    call check(words(i) == halves(i) * 60000 + i, 'words')
    call check(longs(i) == words(i) * 3000000000_int64, 'longs')
    call check(flags(i) .eqv. mod(i, 2) == 0, 'flags')
    call check(singles(i) == halves(i) / 4.0, 'singles')
    call check(doubles(i) == real(longs(i), 8) / 1024 + singles(i), 'doubles')
  end do
  print '(a,i0)', 'kinds: ', longs(6)
  call pass()
contains
  include 'device.inc'
end program
