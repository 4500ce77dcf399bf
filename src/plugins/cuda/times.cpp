#include "plugins/cuda/times.h"

#include "base/monotonic.h"

#include <cmath>

namespace gantry::cuda {

std::int32_t QueueTimes::mark(const Device& device, CUstream stream) {
  GANTRY_STATUS_TRY(enter(device));
  CUevent event = nullptr;
  GANTRY_CUDA_TRY(cuEventCreate, &event, 0);
  marks_.push_back(event);
  GANTRY_CUDA_TRY(cuEventRecord, event, stream);
  return GANTRY_SUCCESS;
}

std::int32_t QueueTimes::begin(CUstream stream) {
  GANTRY_CUDA_TRY(cuEventCreate, &base_, 0);
  GANTRY_CUDA_TRY(cuEventRecord, base_, stream);
  GANTRY_CUDA_TRY(cuEventSynchronize, base_);
  base_time_ = monotonic_now();
  return GANTRY_SUCCESS;
}

std::int32_t QueueTimes::record(const Device& device, CUstream stream, bool on) {
  GANTRY_STATUS_TRY(enter(device));
  release();
  on_ = on;
  return on ? begin(stream) : std::int32_t{GANTRY_SUCCESS};
}

std::uint64_t QueueTimes::time_of(CUevent event) const {
  float milliseconds = 0;
  if (driver().cuEventElapsedTime(&milliseconds, base_, event) != CUDA_SUCCESS) {
    return 0;
  }
  return base_time_ + static_cast<std::uint64_t>(std::llround(double{milliseconds} * 1e6));
}

std::int32_t QueueTimes::read(const Device& device, CUstream stream, gantry_interval* times,
                              std::size_t capacity, std::size_t& count) {
  count = marks_.size() / 2;
  if (!on_) {
    return GANTRY_SUCCESS;
  }
  GANTRY_STATUS_TRY(enter(device));
  for (std::size_t i = 0; i < count && i < capacity; ++i) {
    const gantry_interval interval = {.begin = time_of(marks_[2 * i]),
                                      .end = time_of(marks_[2 * i + 1])};
    times[i] = interval.begin != 0 && interval.end != 0 ? interval : gantry_interval{};
  }
  // What the events count is a float, which is exact for short times only.
  release();
  return begin(stream);
}

void QueueTimes::release() {
  for (const CUevent event : marks_) {
    (void)driver().cuEventDestroy_v2(event);
  }
  marks_.clear();
  if (base_ != nullptr) {
    (void)driver().cuEventDestroy_v2(std::exchange(base_, nullptr));
  }
}

} // namespace gantry::cuda
