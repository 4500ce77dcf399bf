// Copies between device memory and memory of the program that the driver has not pinned: by way of
// pinned buffers, in pieces, so that the driver copies one piece while the next is written. The
// calling thread does not wait for the last ones.
//
// A stream keeps the buffer of a single piece. The others go back when the stream is done, and
// some of them are kept for the device's next stream: pinned memory is taken from the whole
// machine.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace gantry::gpu {

/// Where pinned memory comes from. GANTRY_SUCCESS or an error, kept. In a thread that may use the
/// device.
class PinnedSource {
public:
  virtual ~PinnedSource() = default;
  virtual std::int32_t allocate_pinned(std::size_t size, void*& memory) = 0;
  virtual std::int32_t free_pinned(void* memory) = 0;
};

/// The pinned buffers of one device's streams. They belong to the device, and end with it. Any
/// thread.
class PinnedBuffers {
public:
  explicit PinnedBuffers(PinnedSource& source) : source_(source) {}
  PinnedBuffers(const PinnedBuffers&) = delete;
  PinnedBuffers& operator=(const PinnedBuffers&) = delete;

  /// GANTRY_SUCCESS or an error, kept. In a thread that may use the device.
  std::int32_t take(std::byte*& buffer);
  /// Nothing uses the buffer any more.
  void give_back(std::byte* buffer);
  /// Frees those that no stream has, in a thread that may use the device.
  std::int32_t free_kept();

  /// Of those that there are, in use or kept.
  [[nodiscard]] std::size_t bytes() const;

private:
  PinnedSource& source_;
  std::mutex mutex_;
  std::vector<std::byte*> kept_; ///< while no stream has them
  std::atomic<std::size_t> count_ = 0;
};

/// Puts copies between buffers and device memory into one stream. GANTRY_SUCCESS or an error, kept.
class StagedCopies {
public:
  static constexpr unsigned kBuffers = 4;

  virtual ~StagedCopies() = default;
  /// A copy to the device from the buffer of that number.
  virtual std::int32_t copy_in(unsigned buffer, void* to, const std::byte* memory,
                               std::size_t size) = 0;
  virtual std::int32_t copy_out(unsigned buffer, std::byte* memory, const void* from,
                                std::size_t size) = 0;
  /// Waits for the last copy of that buffer, if there was one.
  virtual std::int32_t wait_for(unsigned buffer) = 0;
};

/// The buffers of one stream. Used by one thread at a time, which may use the device.
class Staging {
public:
  Staging(PinnedBuffers& pinned, StagedCopies& copies) : pinned_(pinned), copies_(copies) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  /// Nothing is left to be done.
  ~Staging();

  /// Puts a copy to the device into the stream. `from` may change when this returns.
  std::int32_t submit(void* to, const void* from, std::size_t size);
  /// Puts a copy from the device into the stream: `to` has it after finish().
  std::int32_t retrieve(void* to, const void* from, std::size_t size);
  /// When the stream is done: copies what is still in the buffers to where it belongs.
  void finish() {
    if (undelivered_) {
      deliver_all();
    }
    turn_ = 0;
    if (has_many_) {
      give_back_many();
    }
  }
  /// When the stream has failed: leaves it.
  void give_up();

private:
  /// Pinned memory that is made when it is needed first.
  struct Buffer {
    std::byte* memory = nullptr;
    void* to = nullptr; ///< where its content belongs; null: nowhere
    std::size_t size = 0;
  };

  void deliver_all();
  void give_back_many();

  /// The next buffer in turn, with which the stream is done; its number.
  std::int32_t next(unsigned& number);

  PinnedBuffers& pinned_;
  StagedCopies& copies_;
  static constexpr unsigned kBuffers = StagedCopies::kBuffers;
  std::array<Buffer, kBuffers> buffers_;
  unsigned turn_ = 0;        ///< of the buffer that was used longest ago
  bool undelivered_ = false; ///< some buffer's content belongs somewhere
  bool has_many_ = false;    ///< buffers other than the first have memory
};

} // namespace gantry::gpu
