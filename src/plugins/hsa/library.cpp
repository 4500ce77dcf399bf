#include "plugins/hsa/library.h"

#include <memory>

#include <dlfcn.h>
#include <pthread.h>

namespace gantry::hsa {

namespace {

std::atomic<bool> forked = false;

/// AMD's runtime has texts that begin with the status' name, which says enough: what is behind it
/// is general.
std::string text_of(const Library& library, hsa_status_t status) {
  const char* text = nullptr;
  (void)library.hsa_status_string(status, &text);
  std::string_view said = text != nullptr ? text : "";
  if (said.starts_with("HSA_")) {
    return std::string(said.substr(0, said.find_first_of(":. ")));
  }
  said.remove_suffix(said.ends_with('.') ? 1 : 0);
  return said.empty() ? fmt::format("status {:#x}", static_cast<unsigned>(status))
                      : fmt::format("status {:#x} ({})", static_cast<unsigned>(status), said);
}

void find_agents(Library& library) {
  bool has_host = false;
  (void)for_each<hsa_agent_t>(library.hsa_iterate_agents, [&](hsa_agent_t agent) {
    hsa_device_type_t type = HSA_DEVICE_TYPE_DSP;
    std::uint32_t features = 0;
    if (library.hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) != HSA_STATUS_SUCCESS ||
        library.hsa_agent_get_info(agent, HSA_AGENT_INFO_FEATURE, &features) !=
            HSA_STATUS_SUCCESS) {
      return;
    }
    if (type == HSA_DEVICE_TYPE_CPU && !has_host) {
      library.host = agent;
      has_host = true;
    } else if (type == HSA_DEVICE_TYPE_GPU && (features & HSA_AGENT_FEATURE_KERNEL_DISPATCH) != 0) {
      library.gpus.push_back(agent);
    }
  });
  if (!has_host && !library.gpus.empty()) {
    library.problem = "the HSA runtime shows GPUs and no CPU, whose memory they need";
  }
}

/// Without a problem, the runtime is ready.
void start(Library& library) {
  if (const hsa_status_t status = library.hsa_init(); status != HSA_STATUS_SUCCESS) {
    library.problem = fmt::format("the HSA runtime cannot be used: hsa_init: {}{}",
                                  text_of(library, status), remedy_for_failed_start());
    return;
  }
  (void)pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
  if (library.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY,
                                  &library.timestamp_frequency) != HSA_STATUS_SUCCESS ||
      library.timestamp_frequency == 0) {
    library.problem = "the HSA runtime does not say how its clock counts";
    return;
  }
  find_agents(library);
}

// Never closed: kernels may run while the process ends.
Library make_library() {
  Library library;
  library.problem = why_not_to_load();
  if (!library.problem.empty()) {
    return library;
  }
  const std::string path = library_path();
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    library.problem = fmt::format("the HSA runtime's library cannot be loaded: {}; {}", dlerror(),
                                  remedy_for_missing_library());
    return library;
  }
#define GANTRY_LOOK_UP(name)                                                                       \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, #name));                   \
  if (library.name == nullptr) {                                                                   \
    library.problem =                                                                              \
        fmt::format("the HSA runtime '{}' lacks {}; install a newer one", path, #name);            \
    return library;                                                                                \
  }
  GANTRY_HSA_FUNCTIONS(GANTRY_LOOK_UP)
#undef GANTRY_LOOK_UP
  library.has_times = true;
#define GANTRY_LOOK_UP(name)                                                                       \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, #name));                   \
  library.has_times = library.has_times && library.name != nullptr;
  GANTRY_HSA_PROFILING(GANTRY_LOOK_UP)
#undef GANTRY_LOOK_UP
  library.set_freed =
      reinterpret_cast<decltype(library.set_freed)>(dlsym(handle, "gantry_simt_hsa_set_freed"));
  library.allocate_at =
      reinterpret_cast<decltype(library.allocate_at)>(dlsym(handle, "gantry_simt_hsa_allocate_at"));
  library.use_host_memory = reinterpret_cast<decltype(library.use_host_memory)>(
      dlsym(handle, "gantry_simt_hsa_use_host_memory"));
  library.get_fault =
      reinterpret_cast<decltype(library.get_fault)>(dlsym(handle, "gantry_simt_hsa_get_fault"));
  start(library);
  return library;
}

} // namespace

const Library& open_library() {
  // Without a lock, which that of a static variable would be: a thread that is inside dlopen may
  // come here while this one waits for the dynamic loader. The first to be done counts; the runtime
  // counts how often it is initialised.
  auto made = std::make_unique<const Library>(make_library());
  const Library* opened = nullptr;
  if (opened_library.compare_exchange_strong(opened, made.get(), std::memory_order_acq_rel,
                                             std::memory_order_acquire)) {
    opened = made.release();
  }
  return *opened;
}

bool is_forked() {
  return forked.load(std::memory_order_relaxed);
}

std::string text_of(hsa_status_t status) {
  return text_of(library(), status);
}

std::int32_t refusal(hsa_status_t status, std::string_view call) {
  return report(status == HSA_STATUS_ERROR_OUT_OF_RESOURCES ? GANTRY_OUT_OF_MEMORY : GANTRY_FAILURE,
                "{}: {}", call, text_of(status));
}

} // namespace gantry::hsa
