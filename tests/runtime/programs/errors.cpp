// Programs that must end with a message; the argument names the mistake.
#include <cstring>
#include <string>

#include <omp.h>

int main(int argc, char** argv) {
  const std::string mistake = argc > 1 ? argv[1] : "";
  int values[100] = {};
  int* part = values;
  if (mistake == "extend") {
#pragma omp target enter data map(to : part[0 : 50])
#pragma omp target enter data map(to : values)
  } else if (mistake == "present") {
#pragma omp target map(present, to : values)
    values[0] = 1;
  } else if (mistake == "present-update") {
#pragma omp target update to(present : values)
  } else if (mistake == "null") {
    part = nullptr;
#pragma omp target map(to : part[0 : 50])
    (void)part;
  } else if (mistake == "device-number") {
#pragma omp target device(77)
    {
    }
  } else if (mistake == "leak") {
#pragma omp target enter data map(to : values)
    (void)omp_target_alloc(64, omp_get_default_device());
  } else if (mistake == "attached") {
    struct {
      long before;
      int* pointer;
    } holder{0, values};
#pragma omp target enter data map(to : holder, holder.pointer[0 : 100])
#pragma omp target exit data map(delete : values)
#pragma omp target exit data map(delete : holder)
  } else {
#pragma omp target
    {
    }
  }
}
