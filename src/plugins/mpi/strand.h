// A queue of the program's, as far as a node knows of it.
#pragma once

#include "plugins/mpi/protocol.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include <gantry/plugin.h>

namespace gantry::mpi {

/// One thread at a time puts something in, which those members belong to that are not said to be
/// others'.
struct Strand {
  std::uint32_t number = 0;
  std::uint64_t posted = 0;      ///< operations that were put in
  std::uint64_t asked = 0;       ///< up to which the node says when they are done
  bool is_timed = false;         ///< times of what is put in are wanted
  std::uint64_t timed_since = 0; ///< when the first of `timed` was put in

  // Of RemoteNode's lock for what is to be sent:
  std::size_t last_record = 0;    ///< where the last operation's record is
  std::uint64_t last_message = 0; ///< in which message

  std::atomic<std::uint64_t> done{0};      ///< operations that the node has told of
  std::atomic<std::uint32_t> transfers{0}; ///< that have begun and are not done
  std::atomic<std::uint64_t> timed{0};     ///< operations with kTimed since times were read

  // Of RemoteNode's other lock:
  struct Retrieval {
    std::uint64_t operation;
    std::span<std::byte> host;
    CopyFacts facts; ///< of bytes that are not in a record
  };
  std::deque<Retrieval> retrievals;      ///< whose bytes have not come
  gantry_status status = GANTRY_SUCCESS; ///< of the first failure
  std::string message;
  std::atomic<bool> has_failed{false};
  std::vector<gantry_interval> times; ///< that the node has told, by its clock
  std::uint64_t times_told = 0;       ///< when the last of them came

  /// All that was put in is done, as the node was asked to say.
  [[nodiscard]] bool is_done() const {
    return done.load(std::memory_order_acquire) >= posted &&
           transfers.load(std::memory_order_acquire) == 0;
  }
};

} // namespace gantry::mpi
