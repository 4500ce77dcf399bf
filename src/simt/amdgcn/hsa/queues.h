// Queues: rings of packets that a thread executes in order (HSA Runtime, "Architected Queuing
// Language").
//
// A queue is an amd_queue_t in memory that device code may access, with its ring and its doorbell
// beside it. Its thread starts with the first ring of the doorbell. A packet whose header is not
// valid yet is waited for; one that is done has an invalid header again, and its completion signal
// is one less. Packets that may overlap, because their barrier bit is not set, do not.
//
// After a fault a queue is inactive: its packets are not executed any more, and their completion
// signals fail.
#pragma once

#include "simt/amdgcn/exec/executor.h"
#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/handles.h"
#include "simt/amdgcn/hsa/signals.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <hsa/amd_hsa_queue.h>
#include <hsa/hsa.h>
#include <tl/expected.hpp>

namespace gantry::simt::hsa {

using QueueCallback = void (*)(hsa_status_t status, hsa_queue_t* source, void* data);

/// Any 64 bytes of a ring, which the header says the kind of.
union Packet {
  std::uint16_t header;
  hsa_kernel_dispatch_packet_t dispatch;
  hsa_barrier_and_packet_t barrier_and;
  hsa_barrier_or_packet_t barrier_or;
  hsa_agent_dispatch_packet_t agent_dispatch;
};
static_assert(sizeof(Packet) == 64);

/// Why a packet cannot be executed, or what went wrong when it was.
struct PacketError {
  hsa_status_t status = HSA_STATUS_ERROR;
  amdgcn::Fault fault;
};

class Queue : public std::enable_shared_from_this<Queue> {
public:
  /// `size` is a power of two. Null if there is no memory.
  [[nodiscard]] static std::shared_ptr<Queue> create(Agent& agent, std::uint32_t size,
                                                     hsa_queue_type32_t type,
                                                     QueueCallback callback, void* data);
  ~Queue();

  [[nodiscard]] hsa_queue_t* handle() const { return &queue_->hsa_queue; }
  [[nodiscard]] std::uint64_t read_index() const;
  /// What the write index was.
  std::uint64_t add_to_write_index(std::uint64_t count);

  /// There may be new packets. Starts the thread if there is none.
  void ring();
  /// No packet begins any more; waits for the one that is executed, unless this is its thread.
  void end();

  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

private:
  Queue() = default;
  /// Gives the memory and the doorbell back.
  void release();
  void serve();
  bool process_next();
  /// Executes the packet, or says why it cannot be. False if a signal that it depends on has
  /// failed, or the queue has ended.
  [[nodiscard]] tl::expected<bool, PacketError> execute(Packet& packet, std::uint16_t type);
  [[nodiscard]] tl::expected<bool, PacketError> dispatch(hsa_kernel_dispatch_packet_t& packet);
  [[nodiscard]] tl::expected<bool, PacketError> wait_for(const hsa_signal_t (&handles)[5],
                                                         bool for_all);
  void deactivate(const PacketError& error);

  Agent* agent_ = nullptr;
  amd_queue_t* queue_ = nullptr; ///< the ring lies behind it
  Packet* ring_ = nullptr;
  Signal* doorbell_ = nullptr;
  QueueCallback callback_ = nullptr;
  void* data_ = nullptr;

  std::atomic<std::uint32_t> rings_ = 0;
  std::atomic<bool> ended_ = false;
  std::atomic<bool> is_released_ = false;
  bool is_inactive_ = false; ///< the thread's own

  std::mutex mutex_;
  std::condition_variable stopped_;
  bool has_thread_ = false;
  std::atomic<std::uint64_t> thread_ = 0; ///< its system's number
};

class Queues {
public:
  [[nodiscard]] static Queues& instance();

  void add(std::shared_ptr<Queue> queue);
  /// Null if it is none.
  [[nodiscard]] std::shared_ptr<Queue> find(const hsa_queue_t* queue) const;
  [[nodiscard]] std::shared_ptr<Queue> remove(const hsa_queue_t* queue);
  /// Ends all.
  void clear();

  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;

private:
  Queues() = default;
  Handles<Queue> queues_; ///< by address
};

} // namespace gantry::simt::hsa
