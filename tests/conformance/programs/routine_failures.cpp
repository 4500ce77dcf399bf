// Device routines that cannot do what they are asked for. tests/runtime has every message.
#include "conformance.h"

static const int host = omp_get_initial_device();

CASE(values_for_failure, "routine.errors") {
  int x = 1;
  void* memory = omp_target_alloc(16, 0);
  CHECK(omp_target_alloc(~size_t{0} / 2, 0) == nullptr);
  CHECK(omp_target_memcpy(nullptr, &x, sizeof x, 0, 0, 0, host) != 0);
  CHECK(omp_target_memcpy(memory, nullptr, sizeof x, 0, 0, 0, host) != 0);
  CHECK(omp_target_memcpy(memory, &x, 16, 8, 0, 0, host) != 0);
  CHECK(omp_target_associate_ptr(&x, memory, sizeof x, 0, host) != 0);
  CHECK(omp_target_associate_ptr(nullptr, memory, sizeof x, 0, 0) != 0);
  CHECK(omp_target_disassociate_ptr(&x, 0) != 0);
  omp_target_free(memory, 0);
}

CASE(present_storage_cannot_be_associated, "routine.omp_target_associate_ptr",
     "routine.omp_target_disassociate_ptr", "routine.errors") {
  int x = 1;
  void* memory = omp_target_alloc(sizeof x, 0);
#pragma omp target data map(tofrom : x) device(0)
  {
    CHECK(omp_target_associate_ptr(&x, memory, sizeof x, 0, 0) != 0);
    CHECK(omp_target_disassociate_ptr(&x, 0) != 0);
    CHECK(omp_target_is_present(&x, 0));
  }
  omp_target_free(memory, 0);
}

CASE_WITH(numbers_that_no_device_has, "OMP_TARGET_OFFLOAD=DEFAULT", "routine.device-numbers") {
  int x = 1;
  const int beyond = omp_get_num_devices() + 1;
  CHECK(omp_target_alloc(8, beyond) == nullptr);
  CHECK(!omp_target_is_present(&x, beyond));
  CHECK(omp_get_mapped_ptr(&x, beyond) == nullptr);
  CHECK(omp_target_memcpy(&x, &x, sizeof x, 0, 0, host, beyond) != 0);
  CHECK(omp_target_associate_ptr(&x, &x, sizeof x, 0, beyond) != 0);
}

DEATH_CASE(mandatory_offloading_to_no_device, "omp_target_alloc: device number 77 does not exist",
           "routine.device-numbers", "environment.target-offload-mandatory") {
  (void)omp_target_alloc(8, 77);
}

DEATH_CASE(freeing_on_no_device, "omp_target_free: device number 77 does not exist",
           "routine.device-numbers", "routine.omp_target_free") {
  omp_target_free(omp_target_alloc(8, 0), 77);
}

DEATH_CASE(freeing_twice, "was freed already", "routine.omp_target_free") {
  void* memory = omp_target_alloc(8, 0);
  omp_target_free(memory, 0);
  omp_target_free(memory, 0);
}

DEATH_CASE(omp_invalid_device_as_a_device, "the device number is omp_invalid_device",
           "routine.device-numbers") {
  (void)omp_target_alloc(8, -2);
}
