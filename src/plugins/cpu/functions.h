// Calls by pointer on one device: the table that the device library in its images looks into.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <gantry/cpu_image.h>
#include <gantry/plugin.h>

namespace gantry::cpu {

/// Lives as long as the device: device code may look into it at any time. Any thread may call any
/// function; device code waits for no lock.
class Functions {
public:
  Functions();
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;

  /// What images have the address of.
  [[nodiscard]] const gantry_functions* table() const { return &table_; }

  /// See set_function_map of gantry/plugin.h.
  void set(std::span<const __omp_offloading_fptr_map_ty> pairs);

  /// `check` is asked about pointers that the table does not have.
  void set_check(void (*check)(const void* pointer, const void* call)) {
    __atomic_store_n(&table_.check, check, __ATOMIC_RELAXED);
  }

  /// An image that is loaded, and from now on has the sorted table too; until remove().
  void add(const gantry_image* image);
  void remove(const gantry_image* image);

  /// What the image knows whose code is at `address`; false if there is none.
  [[nodiscard]] bool locate(const void* address, gantry_unknown_function& unknown);

private:
  void make_room(std::size_t pairs);
  /// Sets the variables with the sorted table in an image.
  void show_sorted(const gantry_image& image);

  std::mutex mutex_;
  gantry_functions table_{};
  /// The slots in use come last; device code may still be reading the ones before.
  std::vector<std::unique_ptr<gantry_function_slot[]>> slots_;
  std::vector<__omp_offloading_fptr_map_ty> sorted_;
  std::vector<const gantry_image*> images_;
};

} // namespace gantry::cpu
