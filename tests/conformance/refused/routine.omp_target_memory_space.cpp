// -fopenmp-version=60 | undefined reference to `omp_get_device_memspace'
#include <omp.h>

int main() {
  return omp_get_device_memspace(0, omp_default_mem_space) == omp_null_mem_space;
}
