#include "simt/driver/event.h"

#include "simt/driver/stream.h"

namespace gantry::simt::driver {

void Event::record(Stream& stream) {
  const std::lock_guard lock(mutex_);
  ++record_;
  time_.reset();
  if (captured()) {
    capture_ = {};
    captured_.store(false, std::memory_order_release);
  }
  if (!timed() || stream.settled()) {
    position_ = stream.mark();
    if (timed()) {
      time_ = Clock::now();
    }
    return;
  }
  position_ = stream.enqueue(
      [self = shared_from_this(), record = record_](CUresult) noexcept { self->pass(record); });
}

void Event::pass(std::uint64_t record) {
  const std::lock_guard lock(mutex_);
  if (record == record_) {
    time_ = Clock::now();
  }
}

void Event::set_capture(StreamCapture capture) {
  const std::lock_guard lock(mutex_);
  ++record_;
  time_.reset();
  position_ = {};
  capture_ = std::move(capture);
  captured_.store(true, std::memory_order_release);
}

StreamCapture Event::capture() const {
  const std::lock_guard lock(mutex_);
  return capture_;
}

Position Event::position() const {
  const std::lock_guard lock(mutex_);
  return position_;
}

bool Event::passed() const {
  const std::lock_guard lock(mutex_);
  return position_.stream == nullptr || position_.stream->reached(position_.sequence);
}

void Event::wait() const {
  const Position position = this->position();
  if (position.stream != nullptr) {
    position.stream->wait(position.sequence);
  }
}

CUresult Event::error() const {
  const Position position = this->position();
  return position.stream == nullptr ? CUDA_SUCCESS : position.stream->group().error();
}

CUresult Event::elapsed(const Event& start, const Event& end, float& milliseconds) {
  if (!start.timed() || !end.timed() || start.position().stream == nullptr ||
      end.position().stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  const auto time_of = [](const Event& event) {
    const std::lock_guard lock(event.mutex_);
    return event.time_;
  };
  const auto from = time_of(start);
  const auto to = time_of(end);
  if (!start.passed() || !end.passed() || !from || !to) {
    return CUDA_ERROR_NOT_READY;
  }
  milliseconds = std::chrono::duration<float, std::milli>(*to - *from).count();
  return CUDA_SUCCESS;
}

} // namespace gantry::simt::driver
