#include "cuda_library.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace {

CudaLibrary load() {
  CudaLibrary result;
  const char* const given = std::getenv("SIMT_TEST_LIBCUDA");
  result.is_simulated = given == nullptr;
  const char* const path = given != nullptr ? given : SIMT_TEST_DEFAULT_LIBCUDA;
  result.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (result.library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
#define GANTRY_CUDA_FIND(type, name, parameters)                                                   \
  result.name = reinterpret_cast<type(*) parameters>(result.find(#name));                          \
  if (result.name == nullptr) {                                                                    \
    std::fprintf(stderr, "%s has no %s\n", path, #name);                                           \
    std::exit(2);                                                                                  \
  }
  GANTRY_CUDA_ENTRIES(GANTRY_CUDA_FIND)
#undef GANTRY_CUDA_FIND
  return result;
}

} // namespace

void* CudaLibrary::find(const char* name) const {
  return dlsym(library, name);
}

const CudaLibrary& cuda() {
  static const CudaLibrary library = load();
  return library;
}
