#include "simt/amdgcn/hsa/process.h"

#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/copies.h"
#include "simt/amdgcn/hsa/events.h"
#include "simt/amdgcn/hsa/executables.h"
#include "simt/amdgcn/hsa/faults.h"
#include "simt/amdgcn/hsa/mapped_memory.h"
#include "simt/amdgcn/hsa/memory.h"
#include "simt/amdgcn/hsa/queues.h"
#include "simt/amdgcn/hsa/signals.h"
#include "simt/host/settings.h"
#include "simt/memory/device_memory.h"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include <pthread.h>
#include <unistd.h>

namespace gantry::simt::hsa {

Process& Process::instance() {
  static auto* const process = new Process;
  return *process;
}

namespace {

thread_local bool in_fault_callback = false;

void end_if_in_fault_callback(int status, void* /*unused*/) {
  if (in_fault_callback) {
    std::fflush(nullptr);
    _exit(status);
  }
}

} // namespace

InFaultCallback::InFaultCallback() {
  in_fault_callback = true;
  on_exit(end_if_in_fault_callback, nullptr); // what is registered last runs first
}
InFaultCallback::~InFaultCallback() {
  in_fault_callback = false;
}

namespace {

/// What GANTRY_SIMT_PROCESSOR names, or null and the reason.
const amdgcn::Processor* chosen_processor(const std::string& name, std::string& error) {
  const amdgcn::Processor* const processor = amdgcn::find_processor(name);
  if (processor != nullptr) {
    return processor;
  }
  std::string known;
  for (const amdgcn::Processor& other : amdgcn::processors()) {
    known += known.empty() ? "" : ", ";
    known += other.name;
  }
  error = "GANTRY_SIMT_PROCESSOR: '" + name + "' is not one of " + known;
  return nullptr;
}

} // namespace

hsa_status_t Process::open() {
  const Settings& settings = simt::settings();
  std::string error = settings.error;
  const amdgcn::Processor* const processor =
      error.empty() ? chosen_processor(settings.processor, error) : nullptr;
  if (processor == nullptr) {
    static bool told = false;
    if (!std::exchange(told, true)) {
      std::fprintf(stderr, "gantry: error: %s\n", error.c_str());
    }
    return HSA_STATUS_ERROR;
  }
  if (DeviceMemory::instance() == nullptr) {
    std::fputs("gantry: error: there is no address space for the memory of simulated devices; the "
               "limit of virtual memory (ulimit -v) may be too low\n",
               stderr);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  Agents::instance().create(settings, *processor);
  pthread_atfork(nullptr, nullptr, [] { Process::instance().end(); });
  opened_ = true;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Process::initialise() {
  if (ended_.load()) {
    return HSA_STATUS_ERROR;
  }
  const std::lock_guard lock(mutex_);
  if (count_ == std::numeric_limits<std::int32_t>::max()) {
    return HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
  }
  if (!opened_) {
    if (const hsa_status_t status = open(); status != HSA_STATUS_SUCCESS) {
      return status;
    }
  }
  ++count_;
  ready_.store(true, std::memory_order_release);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Process::shut_down() {
  if (!is_ready()) { // a child process must not touch what its parent's threads may have locked
    return HSA_STATUS_ERROR_NOT_INITIALIZED;
  }
  const std::lock_guard lock(mutex_);
  if (count_ == 0) {
    return HSA_STATUS_ERROR_NOT_INITIALIZED;
  }
  if (--count_ != 0) {
    return HSA_STATUS_SUCCESS;
  }
  ready_.store(false, std::memory_order_release);
  // First who uses the rest.
  Events::instance().clear();
  Faults::instance().clear();
  Queues::instance().clear();
  Copies::instance().clear();
  Executables::instance().clear();
  Signals::instance().clear();
  MappedMemory::instance().clear();
  Memory::instance().clear();
  return HSA_STATUS_SUCCESS;
}

void Process::end() {
  ended_.store(true);
  ready_.store(false, std::memory_order_release);
}

namespace {

// Runs after the exit handlers of runtimes that were made while the program ran; those that call in
// later still (from destructors of libraries) are told so.
[[gnu::destructor]] void end_of_process() {
  Process::instance().end();
}

} // namespace

} // namespace gantry::simt::hsa
