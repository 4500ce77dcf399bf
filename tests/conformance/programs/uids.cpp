// compilers: clang22
// Unique identifiers of devices (OpenMP 6.0).
#include "conformance.h"

#include <cstring>

CASE(every_device_has_one, "routine.omp_get_uid_from_device", "routine.omp_get_device_from_uid") {
  const int devices = omp_get_num_devices();
  CHECK(devices > 1);
  for (int i = 0; i <= devices; ++i) {
    const char* uid = omp_get_uid_from_device(i);
    CHECK(uid != nullptr && *uid != '\0');
    CHECK_EQUAL(omp_get_device_from_uid(uid), i);
    CHECK(omp_get_uid_from_device(i) == uid);
    for (int j = 0; j < i; ++j) {
      CHECK(strcmp(uid, omp_get_uid_from_device(j)) != 0);
    }
  }
  CHECK(omp_get_uid_from_device(-1) == omp_get_uid_from_device(devices));
  CHECK(omp_get_uid_from_device(omp_invalid_device) == nullptr);
  CHECK(omp_get_uid_from_device(devices + 1) == nullptr);
  CHECK_EQUAL(omp_get_device_from_uid("no such device"), omp_invalid_device);
  CHECK_EQUAL(omp_get_device_from_uid(nullptr), omp_invalid_device);
}
