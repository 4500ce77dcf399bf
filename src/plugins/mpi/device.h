// A device of a node, as the program has it.
#pragma once

#include "plugins/mpi/divided_memory.h"
#include "plugins/mpi/job.h"
#include "plugins/mpi/leased_memory.h"
#include "plugins/mpi/protocol.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gantry/plugin.h>

/// The opaque kernel of gantry/plugin.h.
struct gantry_kernel {
  std::uint32_t number = 0; ///< the node's
  std::string name;
};

/// The opaque image: its bytes, which the node has too.
struct gantry_image {
  gantry_device& device;
  std::uint32_t number = 0;
  gantry::mpi::ImageName name = {};
  std::vector<std::byte> bytes = {};
  std::string file = {}; ///< that a copy is to be kept in there
  std::mutex mutex = {}; ///< of loading
  std::atomic<bool> is_loaded = false;
};

/// The opaque device. What is not said to be locked is immutable.
struct gantry_device {
  gantry_device(gantry::mpi::Job& of, gantry::mpi::RemoteNode& on, std::uint32_t far_number);

  gantry::mpi::Job& job;
  gantry::mpi::RemoteNode& node;
  const std::uint32_t far;        ///< its number on the node
  std::uint32_t capabilities = 0; ///< the far plugin's
  std::string name;               ///< "mpi-2-cuda-0 on host"
  std::string description;
  bool is_cpu = false;     ///< it runs the host's own images
  bool is_visible = false; ///< the node's process can access the device's memory
  bool is_checked = false; ///< what is wrong with blocks is to be said when they are freed
  gantry::mpi::DividedMemory divided; ///< unless the device watches over what it gives:
  gantry::mpi::LeasedMemory leased;
  /// The device is lost, or something is to be said of a block that was freed.
  std::atomic<bool> has_trouble{false};

  std::mutex mutex; ///< of what follows
  bool is_lost = false;
  std::string why_lost;
  std::string damage;
  std::vector<std::unique_ptr<gantry_kernel>> kernels; ///< by their numbers
  std::vector<gantry_image*> images;
  std::deque<std::string> texts;       ///< of its fault
  std::vector<gantry_queue*> arrivals; ///< queues of its own in which nothing is

  // For what is done at once, with a queue each (queue.h):
  struct Direct {
    std::mutex mutex;
    gantry_queue* queue = nullptr;
  };
  Direct out, in;
};

namespace gantry::mpi {

using Device = ::gantry_device;

/// GANTRY_SUCCESS, or an error, kept, if the device cannot be used.
gantry_status enter(Device& device);

[[nodiscard]] bool is_lost(Device& device);

/// Keeps what the node says of a block that was freed, for the next call.
void note_damage(Device& device, std::string_view text);

/// Keeps a failure that the node tells of.
gantry_status report_failure(Device& device, gantry_status status, const std::string& message);

/// Forgets the devices that were added: for tests.
void forget_devices();

/// How a device's memory is had from its node.
[[nodiscard]] DividedMemory::Pieces pieces_of(Device& device);
[[nodiscard]] LeasedMemory::Calls leases_of(Device& device);

/// Asks the device's node and waits for the answer, whose failure is kept; `write` gets the
/// request's record.
template <typename Write>
gantry_status ask(Device& device, Kind kind, std::size_t bytes, Write write, Answer& answer) {
  const std::uint32_t request = device.node.ask(kind, bytes, write);
  answer = device.job.answer_of(device.node, request);
  return answer.status == GANTRY_SUCCESS ? answer.status
                                         : report_failure(device, answer.status, answer.message);
}

} // namespace gantry::mpi
