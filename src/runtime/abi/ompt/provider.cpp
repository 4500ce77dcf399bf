#include "runtime/abi/ompt/provider.h"

#include "runtime/abi/ompt/start_log.h"
#include "runtime/core/runtime/runtime.h"

#include <array>
#include <atomic>
#include <string>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

// libgomp's, when it is in the process.
extern "C" {
__attribute__((weak)) int omp_get_num_procs();
__attribute__((weak)) int omp_get_num_places();
__attribute__((weak)) int omp_get_place_num_procs(int place);
__attribute__((weak)) void omp_get_place_proc_ids(int place, int* ids);
__attribute__((weak)) int omp_get_place_num();
__attribute__((weak)) int omp_get_partition_num_places();
__attribute__((weak)) void omp_get_partition_place_nums(int* numbers);
__attribute__((weak)) int omp_in_parallel();
}

namespace gantry::abi::ompt {

namespace {

constexpr unsigned kOpenmp52 = 202111;
constexpr const char* kName = "Gantry, for programs of GCC: constructs for devices only";

constexpr std::size_t kMostCallbacks = 64; // the codes of OpenMP 5.2 end at 39
constinit std::array<std::atomic<ompt_callback_t>, kMostCallbacks> registered;

bool is_told(ompt_callbacks_t which) {
  switch (which) {
  case ompt_callback_device_initialize:
  case ompt_callback_device_finalize:
  case ompt_callback_device_load:
  case ompt_callback_device_unload:
  case ompt_callback_target:
  case ompt_callback_target_emi:
  case ompt_callback_target_data_op:
  case ompt_callback_target_data_op_emi:
  case ompt_callback_target_submit:
  case ompt_callback_target_submit_emi:
    return true;
  default:
    return false;
  }
}

ompt_set_result_t set_callback(ompt_callbacks_t which, ompt_callback_t callback) {
  const auto code = static_cast<std::size_t>(which);
  if (code == 0 || code >= kMostCallbacks) {
    return ompt_set_error;
  }
  registered[code].store(callback);
  if (!is_told(which)) {
    return ompt_set_never;
  }
  if (Tool::instance().active()) {
    Tool::instance().take_callbacks();
  }
  return ompt_set_always;
}

int get_callback(ompt_callbacks_t which, ompt_callback_t* callback) {
  const auto code = static_cast<std::size_t>(which);
  *callback = code < kMostCallbacks ? registered[code].load() : nullptr;
  return *callback != nullptr && is_told(which) ? 1 : 0;
}

/// What a tool keeps for a thread; also the data of its task, as tasks are not known here.
ompt_data_t* get_thread_data() {
  static constinit thread_local ompt_data_t data{};
  return &data;
}

ompt_data_t* task_data() {
  static constinit thread_local ompt_data_t data{};
  return &data;
}

struct NamedState {
  int number;
  const char* name;
};
constexpr std::array kStates{
    NamedState{ompt_state_work_serial, "ompt_state_work_serial"},
    NamedState{ompt_state_work_parallel, "ompt_state_work_parallel"},
    NamedState{ompt_state_undefined, "ompt_state_undefined"},
};

int enumerate_states(int current, int* next, const char** name) {
  std::size_t i = 0;
  if (current != ompt_state_undefined || *next != 0) {
    while (i < kStates.size() && kStates[i].number != current) {
      ++i;
    }
    ++i;
  }
  if (i >= kStates.size()) {
    return 0;
  }
  *next = kStates[i].number;
  *name = kStates[i].name;
  return 1;
}

int enumerate_mutex_impls(int /*current*/, int* /*next*/, const char** /*name*/) {
  return 0;
}

int get_state(ompt_wait_id_t* wait) {
  if (wait != nullptr) {
    *wait = 0;
  }
  return omp_in_parallel != nullptr && omp_in_parallel() != 0 ? ompt_state_work_parallel
                                                              : ompt_state_work_serial;
}

int get_parallel_info(int /*ancestor*/, ompt_data_t** /*data*/, int* /*team_size*/) {
  return 0; // there is none that is known
}

int get_task_info(int ancestor, int* flags, ompt_data_t** data, ompt_frame_t** frame,
                  ompt_data_t** parallel, int* thread) {
  static constinit thread_local ompt_frame_t no_frame{};
  if (ancestor != 0) {
    return 0;
  }
  const auto set = [](auto* place, auto value) {
    if (place != nullptr) {
      *place = value;
    }
  };
  set(flags, ompt_task_initial);
  set(data, task_data());
  set(frame, &no_frame);
  set(parallel, static_cast<ompt_data_t*>(nullptr));
  set(thread, 0);
  return 2; // it is there, and its information
}

int get_task_memory(void** address, std::size_t* size, int /*block*/) {
  *address = nullptr;
  *size = 0;
  return 0;
}

std::uint64_t get_unique_id() {
  return Tool::unique_id();
}

int get_num_procs() {
  return omp_get_num_procs != nullptr ? omp_get_num_procs()
                                      : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

int get_num_places() {
  return omp_get_num_places != nullptr ? omp_get_num_places() : 0;
}

int get_place_proc_ids(int place, int size, int* ids) {
  if (omp_get_place_num_procs == nullptr || omp_get_place_proc_ids == nullptr || place < 0 ||
      place >= get_num_places()) {
    return 0;
  }
  const int count = omp_get_place_num_procs(place);
  if (count <= size) {
    omp_get_place_proc_ids(place, ids);
  }
  return count;
}

int get_place_num() {
  return omp_get_place_num != nullptr ? omp_get_place_num() : -1;
}

int get_partition_place_nums(int size, int* numbers) {
  if (omp_get_partition_num_places == nullptr || omp_get_partition_place_nums == nullptr) {
    return 0;
  }
  const int count = omp_get_partition_num_places();
  if (count <= size) {
    omp_get_partition_place_nums(numbers);
  }
  return count;
}

int get_proc_id() {
  return sched_getcpu();
}

/// Whether the calling thread is in a target region is not known outside of its callbacks.
int get_target_info(std::uint64_t* /*device*/, ompt_id_t* /*target*/, ompt_id_t* /*operation*/) {
  return 0;
}

int get_num_devices() {
  return core::Runtime::instance().open_devices();
}

void finalize_tool() {
  Tool::instance().end(Tool::Last::kDevices);
  Provider::instance().finish();
}

ompt_interface_fn_t look_up(const char* name) {
  struct Named {
    std::string_view name;
    ompt_interface_fn_t function;
  };
  const auto named = [](std::string_view called, auto* function) {
    return Named{called, reinterpret_cast<ompt_interface_fn_t>(function)};
  };
  const Named functions[] = {
      named("ompt_enumerate_states", enumerate_states),
      named("ompt_enumerate_mutex_impls", enumerate_mutex_impls),
      named("ompt_set_callback", set_callback),
      named("ompt_get_callback", get_callback),
      named("ompt_get_state", get_state),
      named("ompt_get_parallel_info", get_parallel_info),
      named("ompt_get_task_info", get_task_info),
      named("ompt_get_task_memory", get_task_memory),
      named("ompt_get_thread_data", get_thread_data),
      named("ompt_get_unique_id", get_unique_id),
      named("ompt_finalize_tool", finalize_tool),
      named("ompt_get_num_procs", get_num_procs),
      named("ompt_get_num_places", get_num_places),
      named("ompt_get_place_proc_ids", get_place_proc_ids),
      named("ompt_get_place_num", get_place_num),
      named("ompt_get_partition_place_nums", get_partition_place_nums),
      named("ompt_get_proc_id", get_proc_id),
      named("ompt_get_target_info", get_target_info),
      named("ompt_get_num_devices", get_num_devices),
  };
  for (const Named& function : functions) {
    if (function.name == name) {
      return function.function;
    }
  }
  return nullptr;
}

} // namespace

Provider& Provider::instance() {
  static constinit Provider provider;
  return provider;
}

void ToolLibrary::Close::operator()(void* library) const {
  dlclose(library);
}

OpenedLibraries open_libraries(std::string_view names) {
  OpenedLibraries opened;
  std::string& log = opened.log;
  log = names.empty()
            ? std::string("No OMP_TOOL_LIBRARIES defined.\n")
            : fmt::format("Searching tool libraries...\nOMP_TOOL_LIBRARIES = {}\n", names);
  const auto note = [&](const void* found) {
    const char* const reason = found == nullptr ? dlerror() : nullptr;
    log += found != nullptr ? std::string("Success.\n")
                            : fmt::format("Failed: {}\n", reason == nullptr ? "null" : reason);
  };
  while (!names.empty()) {
    const std::size_t end = names.find(':');
    const std::string name(names.substr(0, end));
    names = end == std::string_view::npos ? std::string_view() : names.substr(end + 1);
    if (name.empty()) {
      continue;
    }
    log += fmt::format("Opening {}... ", name);
    ToolLibrary library{.handle{dlopen(name.c_str(), RTLD_LAZY)}, .start_tool = nullptr};
    note(library.handle.get());
    if (library.handle != nullptr) {
      log += fmt::format("Searching for ompt_start_tool in {}... ", name);
      void* const found = dlsym(library.handle.get(), "ompt_start_tool");
      note(found);
      library.start_tool = reinterpret_cast<StartTool>(found);
    }
    if (library.start_tool != nullptr) {
      opened.libraries.push_back(std::move(library));
    }
  }
  return opened;
}

bool Provider::start(StartTool start_tool, OpenedLibraries opened) {
  if (std::exchange(has_tried_, true)) {
    return false;
  }
  const bool is_started = try_tools(start_tool, std::move(opened.libraries));
  write_start_log(fmt::format("Search for OMP tool in current address space... {}\n{}{}\n",
                              start_tool != nullptr ? "Success." : "Failed.", opened.log,
                              is_started ? "Tool was started and is using the OMPT interface."
                                         : "No OMP tool loaded."));
  return is_started;
}

bool Provider::try_tools(StartTool start_tool, std::vector<ToolLibrary> libraries) {
  if (start_tool != nullptr && try_tool(start_tool)) {
    return true;
  }
  for (ToolLibrary& library : libraries) {
    if (try_tool(library.start_tool)) {
      library_ = library.handle.release();
      return true;
    }
  }
  return false;
}

bool Provider::try_tool(StartTool start_tool) {
  ompt_start_tool_result_t* const result = start_tool(kOpenmp52, kName);
  if (result == nullptr || result->initialize == nullptr) {
    return false;
  }
  const int initial_device = core::Runtime::instance().device_count({"ompt_start_tool"});
  if (result->initialize(look_up, initial_device, &result->tool_data) == 0) {
    return false;
  }
  result_ = result;
  return true;
}

Host Provider::host() const {
  return {.get_callback = get_callback,
          .task_data = task_data,
          .tells_changes = true,
          .tells_unload = true};
}

void Provider::finish() {
  if (ompt_start_tool_result_t* const result = std::exchange(result_, nullptr);
      result != nullptr && result->finalize != nullptr) {
    result->finalize(&result->tool_data);
  }
}

} // namespace gantry::abi::ompt
