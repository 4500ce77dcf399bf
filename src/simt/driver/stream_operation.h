// One thing that a stream does: a launch, a copy, a call of the host, or to wait for another
// stream.
#pragma once

#include "gantry/cuda_driver.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace gantry::simt::driver {

class Stream;

/// A place in a stream: it is reached when the operation with that number, and so all before it,
/// have ended.
struct Position {
  std::shared_ptr<Stream> stream;
  std::uint64_t sequence = 0;
};

/// Nodes are used again by their stream, and what they do is stored inside them, so that a launch
/// allocates nothing.
struct StreamOperation {
  static constexpr std::size_t kStorage = 384;

  StreamOperation* next = nullptr;
  std::uint64_t sequence = 0;
  /// Runs on a thread of the driver, never on one of the program that waits: it calls the program.
  bool driver_thread = false;
  /// If it has a stream: what is waited for before it runs.
  Position awaited;

  void (*run)(StreamOperation& self, CUresult status) = nullptr; ///< null: only waits
  void (*destroy)(StreamOperation& self) = nullptr;
  alignas(16) std::byte storage[kStorage];

  /// `work(status)` is called once: status is the error that ended the context's work, if one did.
  template <typename Work>
  void set(Work&& work) {
    using Stored = std::decay_t<Work>;
    static_assert(sizeof(Stored) <= kStorage && alignof(Stored) <= 16);
    static_assert(std::is_nothrow_constructible_v<Stored, Work&&>);
    ::new (static_cast<void*>(storage)) Stored(std::forward<Work>(work));
    run = [](StreamOperation& self, CUresult status) { self.stored<Stored>()(status); };
    destroy = [](StreamOperation& self) { self.stored<Stored>().~Stored(); };
  }

  void clear() {
    if (destroy != nullptr) {
      destroy(*this);
    }
    run = nullptr;
    destroy = nullptr;
    driver_thread = false;
    awaited = {};
  }

private:
  template <typename Stored>
  Stored& stored() {
    return *std::launder(reinterpret_cast<Stored*>(storage));
  }
};

} // namespace gantry::simt::driver
