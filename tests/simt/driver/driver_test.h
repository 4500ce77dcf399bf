// What the tests of the driver share: a context, kernels, gates that hold a stream, and meetings.
#pragma once

#include "cuda_library.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#define EXPECT_OK(call) EXPECT_EQ(call, CUDA_SUCCESS)
#define ASSERT_OK(call) ASSERT_EQ(call, CUDA_SUCCESS)

/// A module of small kernels:
///   empty()                         does nothing
///   fill(u64 out, u32 value, u32 n) out[i] = value
///   add(u64 out, u32 value, u32 n)  out[i] += value
///   count(u64 out)                  atomically adds 1 to *out, by each thread
///   store(u64 address)              writes a word there
///   trap()                          traps
///   mixed(u8, u64, b8[12], u16)     parameters of several kinds
///   few() .maxntid 64; exact() .reqntid 32; shared() with 1024 bytes of static shared memory
/// and variables: u32 words[16] = {1, 2, 3}, u64 pointer = words, .const f32 constant[4].
extern const char* const kKernels;

/// How often the tests launch what clients launch for hours. AddressSanitizer keeps a stack of its
/// own for each warp that has begun.
#if __has_feature(address_sanitizer)
inline constexpr unsigned kManyLaunches = 50;
#else
inline constexpr unsigned kManyLaunches = 1000;
#endif

/// The driver initialised, and a context of its own current on the thread, which ends with the
/// test.
class DriverTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  CUfunction function(const char* name);
  CUdeviceptr allocate(std::size_t bytes);
  std::vector<std::uint32_t> words(CUdeviceptr address, std::size_t count);
  CUresult launch_fill(CUdeviceptr out, std::uint32_t value, std::uint32_t count,
                       CUstream stream = nullptr, const char* kernel = "fill");

  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
};

/// A stream stands at a gate until it is opened. On NVIDIA's driver all host functions come one
/// after the other, so meanwhile no other host function is called there.
class Gate {
public:
  ~Gate() { open(); }
  void close_in(CUstream stream) {
    EXPECT_OK(cuda().cuLaunchHostFunc(stream, &Gate::wait_at, this));
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  /// Returns when a stream has come to the gate.
  void await_arrival() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return arrived_; });
  }

  /// The host function; its argument is the gate.
  static void wait_at(void* self) {
    auto* const gate = static_cast<Gate*>(self);
    std::unique_lock lock(gate->mutex_);
    gate->arrived_ = true;
    gate->changed_.notify_all();
    gate->changed_.wait(lock, [gate] { return gate->open_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  bool arrived_ = false;
};

/// Host functions that wait for each other: each returns when all have been called.
class Meeting {
public:
  explicit Meeting(int size) : size_(size) {}
  /// The function; its argument is the meeting.
  static void join(void* self) {
    auto* const meeting = static_cast<Meeting*>(self);
    std::unique_lock lock(meeting->mutex_);
    ++meeting->arrived_;
    meeting->changed_.notify_all();
    meeting->changed_.wait(lock, [meeting] { return meeting->arrived_ >= meeting->size_; });
  }
  [[nodiscard]] int arrived() const {
    const std::lock_guard lock(mutex_);
    return arrived_;
  }

private:
  const int size_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
};
