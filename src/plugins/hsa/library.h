// The HSA runtime: its functions, its agents, and its errors as messages.
//
// The library is opened at the first need. Which one it is, is the one thing that the plugins `hsa`
// and `simt-amd` do not share: library_path() and what follows it are in library_hsa.cpp and in
// library_simt.cpp.
#pragma once

#include "plugins/gpu/status.h"
#include "plugins/last_error.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gantry/plugin.h>
#include <gantry/simt_hsa.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

namespace gantry::hsa {

/// The functions that the plugin uses.
#define GANTRY_HSA_FUNCTIONS(X)                                                                    \
  X(hsa_init)                                                                                      \
  X(hsa_status_string)                                                                             \
  X(hsa_system_get_info)                                                                           \
  X(hsa_iterate_agents)                                                                            \
  X(hsa_agent_get_info)                                                                            \
  X(hsa_agent_iterate_isas)                                                                        \
  X(hsa_isa_get_info_alt)                                                                          \
  X(hsa_amd_agent_iterate_memory_pools)                                                            \
  X(hsa_amd_memory_pool_get_info)                                                                  \
  X(hsa_amd_agent_memory_pool_get_info)                                                            \
  X(hsa_amd_memory_pool_allocate)                                                                  \
  X(hsa_amd_memory_pool_free)                                                                      \
  X(hsa_amd_agents_allow_access)                                                                   \
  X(hsa_amd_memory_lock)                                                                           \
  X(hsa_amd_memory_unlock)                                                                         \
  X(hsa_amd_memory_async_copy)                                                                     \
  X(hsa_amd_pointer_info)                                                                          \
  X(hsa_amd_register_system_event_handler)                                                         \
  X(hsa_signal_create)                                                                             \
  X(hsa_signal_destroy)                                                                            \
  X(hsa_signal_load_scacquire)                                                                     \
  X(hsa_signal_store_relaxed)                                                                      \
  X(hsa_signal_wait_scacquire)                                                                     \
  X(hsa_queue_create)                                                                              \
  X(hsa_queue_destroy)                                                                             \
  X(hsa_queue_add_write_index_relaxed)                                                             \
  X(hsa_queue_load_read_index_scacquire)                                                           \
  X(hsa_code_object_reader_create_from_memory)                                                     \
  X(hsa_code_object_reader_destroy)                                                                \
  X(hsa_executable_create_alt)                                                                     \
  X(hsa_executable_load_agent_code_object)                                                         \
  X(hsa_executable_freeze)                                                                         \
  X(hsa_executable_destroy)                                                                        \
  X(hsa_executable_get_symbol_by_name)                                                             \
  X(hsa_executable_symbol_get_info)

/// Those without which there are no times.
#define GANTRY_HSA_PROFILING(X)                                                                    \
  X(hsa_amd_profiling_set_profiler_enabled)                                                        \
  X(hsa_amd_profiling_async_copy_enable)                                                           \
  X(hsa_amd_profiling_get_dispatch_time)                                                           \
  X(hsa_amd_profiling_get_async_copy_time)

struct Library {
#define GANTRY_POINTER(name) decltype(&::name) name = nullptr;
  GANTRY_HSA_FUNCTIONS(GANTRY_POINTER)
  GANTRY_HSA_PROFILING(GANTRY_POINTER)
#undef GANTRY_POINTER
  /// The executor's alone; null with AMD's runtime.
  decltype(&::gantry_simt_hsa_set_freed) set_freed = nullptr;
  decltype(&::gantry_simt_hsa_allocate_at) allocate_at = nullptr;
  decltype(&::gantry_simt_hsa_use_host_memory) use_host_memory = nullptr;
  decltype(&::gantry_simt_hsa_get_fault) get_fault = nullptr;
  bool has_times = false; ///< the functions of GANTRY_HSA_PROFILING are there
  std::string problem;    ///< why there is none; empty if all that follows and precedes is good
  std::uint64_t timestamp_frequency = 0; ///< of the system's clock and of timeouts, in Hz
  hsa_agent_t host = {};                 ///< the first CPU
  std::vector<hsa_agent_t> gpus;         ///< that run kernels
};

/// The path or name of the runtime's library.
[[nodiscard]] std::string library_path();

/// Why it would not be that library that is found; empty if it would.
[[nodiscard]] std::string why_not_to_load();

/// What to do where the library cannot be loaded.
[[nodiscard]] std::string_view remedy_for_missing_library();

/// What to do where it is loaded and does not start.
[[nodiscard]] std::string_view remedy_for_failed_start();

/// What to do where it does not load a code object that is newer than version 5.
[[nodiscard]] std::string_view remedy_for_new_code();

/// What to do to find the access that a kernel failed with; empty if the runtime has said it.
[[nodiscard]] std::string_view remedy_for_faults();

/// Has `handler` called at the end of the process before the runtime ends; not at all if that goes
/// on as long as anything is left. The runtime has been initialised.
void at_library_end(void (*handler)());

[[nodiscard]] const Library& open_library();
inline constinit std::atomic<const Library*> opened_library = nullptr;

/// The runtime, opened and initialised by the first caller. Any thread.
[[nodiscard]] inline const Library& library() {
  const Library* const opened = opened_library.load(std::memory_order_acquire);
  return opened != nullptr ? *opened : open_library();
}

/// Whether this process was forked from the one that has initialised the runtime.
[[nodiscard]] bool is_forked();

using gpu::keep_failure;
using plugins::report;
using plugins::set_error;

/// The name of a status, or what the runtime says about it.
[[nodiscard]] std::string text_of(hsa_status_t status);

/// The plugin's status for what `call` returned, with its message kept.
std::int32_t refusal(hsa_status_t status, std::string_view call);

/// The same, or GANTRY_SUCCESS.
inline std::int32_t check(hsa_status_t status, std::string_view call) {
  return status == HSA_STATUS_SUCCESS ? std::int32_t{GANTRY_SUCCESS} : refusal(status, call);
}

/// Calls `visit` for everything that `iterate(callback, data)` shows.
template <typename Handle, typename Iterate, typename Visit>
hsa_status_t for_each(Iterate&& iterate, Visit&& visit) {
  return iterate(
      [](Handle handle, void* data) {
        (*static_cast<std::remove_reference_t<Visit>*>(data))(handle);
        return HSA_STATUS_SUCCESS;
      },
      static_cast<void*>(&visit));
}

} // namespace gantry::hsa

/// Calls a function of the runtime and returns from the function if it fails.
#define GANTRY_HSA_TRY(name, ...)                                                                  \
  GANTRY_STATUS_TRY(::gantry::hsa::check(::gantry::hsa::library().name(__VA_ARGS__), #name))
