#include "runtime/abi/ompt/connection.h"

#include "runtime/abi/ompt/provider.h"
#include "runtime/abi/ompt/start_log.h"
#include "runtime/abi/ompt/tool.h"
#include "runtime/core/reports/diagnostics.h"
#include "runtime/core/runtime/runtime.h"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <pthread.h>

// libomp's, when it is in the process.
extern "C" __attribute__((weak)) int __kmpc_global_num_threads(void* location);

namespace gantry::abi::ompt {

namespace {

using Connect = void (*)(ompt_start_tool_result_t*);

/// The module that holds a function.
void* module_of(void* function) {
  Dl_info info{};
  return function != nullptr && dladdr(function, &info) != 0 ? info.dli_fbase : nullptr;
}

Connect connect_of_libomp() {
  return reinterpret_cast<Connect>(dlsym(RTLD_DEFAULT, "ompt_libomp_connect"));
}

/// libomp has one itself, which only looks for others.
bool is_a_tools(void* start_tool) {
  return start_tool != nullptr &&
         module_of(start_tool) != module_of(reinterpret_cast<void*>(connect_of_libomp()));
}

/// The ompt_start_tool of a tool that is in the process: the program's own, or a preloaded one.
StartTool tool_in_process() {
  for (void* const scope : {RTLD_DEFAULT, RTLD_NEXT}) {
    if (void* const found = dlsym(scope, "ompt_start_tool"); is_a_tools(found)) {
      return reinterpret_cast<StartTool>(found);
    }
  }
  return nullptr;
}

bool is_disabled() {
  return tool_setting() != ToolSetting::kEnabled;
}

/// Section 21.3.2.
const char* tool_libraries() {
  const char* const libraries = secure_getenv("OMP_TOOL_LIBRARIES");
  return libraries == nullptr ? "" : libraries;
}

bool may_have_tool() {
  return !is_disabled() && (*tool_libraries() != '\0' || tool_in_process() != nullptr);
}

/// libomp has looked for a tool already, and asking it costs nothing.
bool libomp_is_at_work() {
  return __kmpc_global_num_threads != nullptr && __kmpc_global_num_threads(nullptr) > 0;
}

/// libomp calls this at once if it has a tool.
int connected(ompt_function_lookup_t look_up, int /*initial_device*/, ompt_data_t* /*data*/) {
  Host host;
  host.get_callback = reinterpret_cast<ompt_get_callback_t>(look_up("ompt_get_callback"));
  host.task_data = reinterpret_cast<ompt_data_t* (*)()>(look_up("ompt_get_task_data"));
  if (host.get_callback != nullptr) {
    Tool::instance().begin(host);
  }
  return 1;
}

/// libomp has called the tool's own: nothing may be told any more, and nothing of devices' ends.
void disconnected(ompt_data_t* /*data*/) {
  Tool::instance().end(Tool::Last::kNothing);
}

/// Everything that is asked of the dynamic loader, before anything that other threads wait for: one
/// of them may hold the loader's lock, in a library's constructor, and come here.
struct Parties {
  Connect libomp = connect_of_libomp();
  StartTool tool = tool_in_process();
  OpenedLibraries opened; ///< where there is no libomp, which opens them itself

  Parties() {
    if (libomp == nullptr) {
      opened = open_libraries(tool_libraries());
    }
  }
};

void warn_of_log_file() {
  static std::atomic<bool> told{false};
  if (may_have_tool() && !told.exchange(true)) {
    core::write_warning(
        "OMP_TOOL_VERBOSE_INIT names a file, to which LLVM's libomp would write when "
        "it has closed it; a tool is told nothing of devices. Name stdout or stderr");
  }
}

void start(Parties parties) {
  if (parties.libomp != nullptr) {
    if (start_log_is_file()) {
      return warn_of_log_file();
    }
    static ompt_start_tool_result_t ours{connected, disconnected, {}};
    parties.libomp(&ours);
  } else if (Provider& provider = Provider::instance();
             provider.start(parties.tool, std::move(parties.opened))) {
    Tool::instance().begin(provider.host());
  }
  if (!Tool::instance().active()) {
    return;
  }
  // libomp's handler, which ends the tool, was registered before, and so runs later.
  (void)std::atexit([] {
    if (Tool::instance().active()) {
      Tool::instance().end(Tool::Last::kDevices);
      Provider::instance().finish();
    }
  });
  // The devices are the parent's, and threads that were in callbacks or deliver traces are gone.
  (void)pthread_atfork(nullptr, nullptr, [] { Tool::instance().forget(); });
}

enum class Step : int { kNotBegun, kUnderWay, kDone };
constinit std::atomic<Step> step{Step::kNotBegun};
constinit thread_local bool starts_it = false;

/// No tool is looked for, or there is none. libomp, if it is there, says that itself.
void tell_of_absence() {
  static std::atomic<bool> told{false};
  if (told.exchange(true) || connect_of_libomp() != nullptr) {
    return;
  }
  switch (tool_setting()) {
  case ToolSetting::kInvalid:
    return warn_of_tool_setting();
  case ToolSetting::kDisabled:
    return write_start_log("OMP tool disabled.\n");
  case ToolSetting::kEnabled:
    return write_start_log("Search for OMP tool in current address space... Failed.\n"
                           "No OMP_TOOL_LIBRARIES defined.\n"
                           "No OMP tool loaded.\n");
  }
}

/// Connects, unless that is done. Without a tool it is done if this is the last attempt.
void attempt(bool is_last) {
  Step now = step.load(std::memory_order_acquire);
  if (now == Step::kNotBegun) {
    if (!is_last && (is_disabled() || (!may_have_tool() && !libomp_is_at_work()))) {
      return tell_of_absence();
    }
    Parties parties;
    if (step.compare_exchange_strong(now, Step::kUnderWay)) {
      starts_it = true;
      start(std::move(parties));
      starts_it = false;
      const bool has_tool = Tool::instance().active();
      if (is_last && !has_tool) {
        Tool::instance().give_up();
      }
      step.store(is_last || has_tool ? Step::kDone : Step::kNotBegun, std::memory_order_release);
      return;
    }
  }
  // The tool itself may ask for devices while it is started. And before the last attempt this
  // thread may be inside libomp's initialisation, which the other one waits for.
  while (is_last && !starts_it && step.load(std::memory_order_acquire) == Step::kUnderWay) {
    std::this_thread::yield();
  }
}

/// Before the first device is opened. It may be libomp that asks for the number of devices, while
/// it initialises itself: then it says of the tool that it is about to start that there is none.
void before_use() {
  attempt(false);
}

} // namespace

void settle() {
  attempt(true);
}

void prepare() {
  static std::atomic<bool> prepared{false};
  if (prepared.exchange(true)) {
    return;
  }
  core::Runtime::instance().set_before_use(before_use);
  if (may_have_tool()) {
    Tool::instance().expect();
  }
}

} // namespace gantry::abi::ompt
