// The CUDA driver under test: every entry point of gantry/cuda_driver.h, looked up by name in the
// library that SIMT_TEST_LIBCUDA names, or in the one that was built.
#pragma once

#include "gantry/cuda_driver.h"

struct CudaLibrary {
#define GANTRY_CUDA_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  GANTRY_CUDA_ENTRIES(GANTRY_CUDA_MEMBER)
#undef GANTRY_CUDA_MEMBER
  void* library = nullptr;
  /// The library is the simulated driver, not one of NVIDIA's.
  bool is_simulated = true;

  /// A name that need not be in the table.
  [[nodiscard]] void* find(const char* name) const;
};

/// Ends the program if the library cannot be loaded or lacks an entry.
[[nodiscard]] const CudaLibrary& cuda();
