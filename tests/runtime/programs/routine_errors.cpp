// Mistakes with device routines; the argument names one. A routine that has a value for failure
// must return it: the program prints it and succeeds. Any other ends the program.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include <omp.h>

extern "C" {
void* llvm_omp_target_alloc_host(size_t size, int device);
void llvm_omp_target_free_device(void* pointer, int device);
void* llvm_omp_target_lock_mem(void* pointer, size_t size, int device);
}

static const int host = omp_get_initial_device();
static const int device = 0;
constexpr size_t kHuge = ~size_t{0};

static int rectangle(void* to, const void* from, size_t rows, size_t columns, size_t extent) {
  const size_t volume[] = {rows, columns}, zeros[] = {0, 0}, extents[] = {4, extent};
  return omp_target_memcpy_rect(to, from, 4, 2, volume, zeros, zeros, extents, extents, device,
                                host);
}

static int is_null(const void* pointer) {
  return pointer == nullptr ? 1 : 0;
}

int main(int, char** argv) {
  int values[16] = {};
  void* block = omp_target_alloc(sizeof values, device);
  omp_depend_t no_object = nullptr;
  const std::map<std::string, std::function<int()>> mistakes = {
      // Routines that return a value for failure.
      {"alloc-device", [] { return is_null(omp_target_alloc(8, 77)); }},
      {"alloc-size", [] { return is_null(omp_target_alloc(kHuge / 2, device)); }},
      {"present-device", [&] { return omp_target_is_present(values, -3); }},
      {"accessible-device", [&] { return omp_target_is_accessible(values, 4, 77); }},
      {"mapped-device", [&] { return is_null(omp_get_mapped_ptr(values, 77)); }},
      {"uid-device", [] { return is_null(omp_get_uid_from_device(77)); }},
      {"copy-device", [&] { return omp_target_memcpy(block, values, 4, 0, 0, device, 77); }},
      {"copy-null", [&] { return omp_target_memcpy(nullptr, values, 4, 0, 0, device, host); }},
      {"copy-past", [&] { return omp_target_memcpy(block, values, 8, 60, 0, device, host); }},
      {"copy-overflow",
       [&] { return omp_target_memcpy(block, values, 8, 0, kHuge - 2, device, host); }},
      {"copy-async-past",
       [&] { return omp_target_memcpy_async(block, values, 65, 0, 0, device, host, 0, nullptr); }},
      {"copy-async-objects",
       [&] {
         return omp_target_memcpy_async(block, values, 4, 0, 0, device, host, 1, &no_object);
       }},
      {"copy-async-list",
       [&] { return omp_target_memcpy_async(block, values, 4, 0, 0, device, host, 2, nullptr); }},
      {"copy-async-count",
       [&] { return omp_target_memcpy_async(block, values, 4, 0, 0, device, host, -1, nullptr); }},
      {"rectangle-null", [&] { return rectangle(block, nullptr, 4, 4, 4); }},
      {"rectangle-extents", [&] { return rectangle(block, values, 4, 5, 4); }},
      {"rectangle-overflow", [&] { return rectangle(block, values, 1, 1, kHuge / 4); }},
      {"rectangle-past", [&] { return rectangle(block, values, 4, 4, 5); }},
      {"associate-host", [&] { return omp_target_associate_ptr(values, block, 4, 0, host); }},
      {"associate-null", [&] { return omp_target_associate_ptr(nullptr, block, 4, 0, device); }},
      {"associate-past", [&] { return omp_target_associate_ptr(values, block, 64, 4, device); }},
      {"disassociate", [&] { return omp_target_disassociate_ptr(values, device); }},
      {"lock-null", [] { return is_null(llvm_omp_target_lock_mem(nullptr, 4, device)); }},
      {"host-device", [] { return is_null(llvm_omp_target_alloc_host(4, 77)); }},
      {"allocator-size",
       [] { return is_null(omp_alloc(kHuge / 2, llvm_omp_target_device_mem_alloc)); }},
      // Routines that do not.
      {"invalid-device", [] { return is_null(omp_target_alloc(8, omp_invalid_device)); }},
      {"free-twice",
       [&] {
         omp_target_free(block, device);
         omp_target_free(block, device);
         return 0;
       }},
      {"free-inside",
       [&] {
         omp_target_free(static_cast<char*>(block) + 4, device);
         return 0;
       }},
      {"free-unknown",
       [&] {
         omp_target_free(values, device);
         return 0;
       }},
      {"free-kind",
       [&] {
         llvm_omp_target_free_device(llvm_omp_target_alloc_host(8, device), device);
         return 0;
       }},
      {"free-device",
       [&] {
         omp_target_free(block, 77);
         return 0;
       }},
      {"fill-past", [&] { return is_null(omp_target_memset(block, 1, 65, device)); }},
      {"fill-null", [&] { return is_null(omp_target_memset(nullptr, 1, 4, device)); }},
      {"fill-async-past",
       [&] { return is_null(omp_target_memset_async(block, 1, 65, device, 0, nullptr)); }},
      {"interop",
       [&] {
         omp_interop_t object = values;
#pragma omp interop use(object)
         return 0;
       }},
  };
  // So that there is a device.
#pragma omp target
  {
  }
  std::printf("%d\n", mistakes.at(argv[1])());
}
