// See lost_device.cpp.
__attribute__((constructor)) static void use_the_device() {
  for (;;) {
    int number = 0;
#pragma omp target map(tofrom : number)
    ++number;
  }
}
