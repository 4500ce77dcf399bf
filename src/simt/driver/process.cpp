#include "simt/driver/process.h"

#include "simt/driver/device.h"
#include "simt/host/settings.h"
#include "simt/memory/device_memory.h"

#include <cstdio>
#include <pthread.h>
#include <utility>

namespace gantry::simt::driver {

Process& Process::instance() {
  static Process* const process = new Process;
  return *process;
}

CUresult Process::initialise() {
  const std::lock_guard lock(mutex_);
  const State state = state_.load(std::memory_order_acquire);
  if (state != State::kUninitialised) {
    return ready();
  }
  const Settings& settings = simt::settings();
  if (!settings.error.empty()) {
    static bool told = false;
    if (!std::exchange(told, true)) {
      std::fprintf(stderr, "gantry: error: %s\n", settings.error.c_str());
    }
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (settings.devices == 0) {
    return CUDA_ERROR_NO_DEVICE;
  }
  if (DeviceMemory::instance() == nullptr) {
    std::fputs("gantry: error: there is no address space for the memory of simulated devices; the "
               "limit of virtual memory (ulimit -v) may be too low\n",
               stderr);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  for (unsigned ordinal = 0; ordinal < settings.devices; ++ordinal) {
    devices_.push_back(std::make_unique<Device>(static_cast<int>(ordinal), settings));
  }
  pthread_atfork(nullptr, nullptr, [] {
    Process& process = Process::instance();
    State expected = State::kReady;
    process.state_.compare_exchange_strong(expected, State::kForked);
  });
  state_.store(State::kReady, std::memory_order_release);
  return CUDA_SUCCESS;
}

Device* Process::device(CUdevice ordinal) const {
  return ordinal >= 0 && ordinal < device_count()
             ? devices_[static_cast<std::size_t>(ordinal)].get()
             : nullptr;
}

namespace {

// Runs after the exit handlers of runtimes that were made while the program ran; those that call in
// later still (from destructors of libraries) are told so.
[[gnu::destructor]] void end_of_process() {
  Process::instance().end();
}

} // namespace

} // namespace gantry::simt::driver
