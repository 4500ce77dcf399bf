// What a queue's thread does with each packet.
#include "base/monotonic.h"
#include "simt/amdgcn/exec/executor.h"
#include "simt/amdgcn/hsa/events.h"
#include "simt/amdgcn/hsa/executables.h"
#include "simt/amdgcn/hsa/faults.h"
#include "simt/amdgcn/hsa/process.h"
#include "simt/amdgcn/hsa/queues.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <hsa/hsa_ext_amd.h>

namespace gantry::simt::hsa {

namespace {

/// The type of a packet, which is in its header, the last that is written of it.
std::uint16_t type_of(Packet& packet) {
  const unsigned header = std::atomic_ref(packet.header).load(std::memory_order_acquire);
  return static_cast<std::uint16_t>(header >> HSA_PACKET_HEADER_TYPE &
                                    ((1U << HSA_PACKET_HEADER_WIDTH_TYPE) - 1));
}

/// All kinds have it at the same place.
hsa_signal_t completion_of(const Packet& packet) {
  constexpr std::size_t kPlace = offsetof(hsa_kernel_dispatch_packet_t, completion_signal);
  static_assert(kPlace == offsetof(hsa_barrier_and_packet_t, completion_signal) &&
                kPlace == offsetof(hsa_barrier_or_packet_t, completion_signal) &&
                kPlace == offsetof(hsa_agent_dispatch_packet_t, completion_signal));
  return packet.dispatch.completion_signal;
}

tl::unexpected<PacketError> invalid(const std::string& why) {
  const std::string what = "a packet of a queue " + why;
  return tl::unexpected(PacketError{HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
                                    {.kind = amdgcn::FaultKind::kInvalidPacket,
                                     .what = what,
                                     .report = "gantry: error: " + what}});
}

PacketError error_of(amdgcn::Fault fault) {
  PacketError error;
  switch (fault.kind) {
  case amdgcn::FaultKind::kMemory:
    error.status = status_of(HSA_STATUS_ERROR_MEMORY_FAULT);
    break;
  case amdgcn::FaultKind::kIllegalInstruction:
    error.status = status_of(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION);
    break;
  case amdgcn::FaultKind::kInvalidPacket:
    error.status = HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
    break;
  case amdgcn::FaultKind::kTrap:
    error.status = HSA_STATUS_ERROR_EXCEPTION;
    break;
  }
  error.fault = std::move(fault);
  return error;
}

} // namespace

bool Queue::process_next() {
  const std::uint64_t index = read_index();
  Packet& packet = ring_[index & (queue_->hsa_queue.size - 1)];
  const std::uint16_t type = type_of(packet);
  if (type == HSA_PACKET_TYPE_INVALID) {
    return false;
  }
  const std::uint64_t began = monotonic_now();
  const hsa_signal_t completion = completion_of(packet);
  bool is_done = false;
  if (!is_inactive_) {
    const auto executed = execute(packet, type);
    is_done = executed.value_or(false);
    if (!executed) {
      deactivate(executed.error());
    }
  }
  std::atomic_ref(packet.header).store(HSA_PACKET_TYPE_INVALID, std::memory_order_release);
  std::atomic_ref(const_cast<std::uint64_t&>(queue_->read_dispatch_id)).store(index + 1);
  // Not there if the program has not waited for it, or the packet had none.
  if (Signal* const signal = Signals::instance().find(completion)) {
    if (is_done) {
      complete(*signal, began, monotonic_now());
    } else {
      fail(*signal);
    }
  }
  return true;
}

tl::expected<bool, PacketError> Queue::execute(Packet& packet, std::uint16_t type) {
  const hsa_signal_t completion = completion_of(packet);
  if (completion.handle != 0 && Signals::instance().find(completion) == nullptr) {
    return invalid(
        fmt::format("has the completion signal {:#x}, which is none", completion.handle));
  }
  switch (type) {
  case HSA_PACKET_TYPE_KERNEL_DISPATCH:
    return dispatch(packet.dispatch);
  case HSA_PACKET_TYPE_BARRIER_AND:
    return wait_for(packet.barrier_and.dep_signal, true);
  case HSA_PACKET_TYPE_BARRIER_OR:
    return wait_for(packet.barrier_or.dep_signal, false);
  case HSA_PACKET_TYPE_AGENT_DISPATCH:
    return invalid("is an agent dispatch, which a GPU's queue does not execute");
  default:
    return invalid(fmt::format("has type {}, which is not known", type));
  }
}

tl::expected<bool, PacketError> Queue::dispatch(hsa_kernel_dispatch_packet_t& packet) {
  // Whose code runs stays loaded meanwhile.
  const auto object = Executables::instance().object_of_kernel(packet.kernel_object);
  if (object == nullptr) {
    return invalid(fmt::format("has the kernel object {:#x}, where no kernel is loaded",
                               packet.kernel_object));
  }
  if (&object->agent() != agent_) {
    return invalid("has a kernel that is loaded for another agent");
  }
  const unsigned dimensions =
      packet.setup & ((1U << HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS) - 1);
  if (dimensions == 0) {
    return invalid("launches a kernel on a grid of 0 dimensions");
  }
  amdgcn::Dispatch dispatch;
  dispatch.processor = agent_->processor;
  dispatch.device = agent_->device;
  dispatch.packet = reinterpret_cast<std::uint64_t>(&packet);
  dispatch.queue = reinterpret_cast<std::uint64_t>(queue_);
  if (const auto run = amdgcn::run(dispatch); !run) {
    return tl::unexpected(error_of(run.error()));
  }
  return true;
}

tl::expected<bool, PacketError> Queue::wait_for(const hsa_signal_t (&handles)[5], bool for_all) {
  std::vector<Signal*> signals;
  for (const hsa_signal_t handle : handles) {
    if (handle.handle == 0) { // says nothing
      continue;
    }
    signals.push_back(Signals::instance().find(handle));
    if (signals.back() == nullptr) {
      return invalid(fmt::format("waits for the signal {:#x}, which is none", handle.handle));
    }
  }
  const auto is_zero = [](const Signal* signal) { return load(*signal) == 0; };
  const auto is_met = [&] {
    return for_all ? std::ranges::all_of(signals, is_zero)
                   : signals.empty() || std::ranges::any_of(signals, is_zero);
  };
  const auto failed = [](const Signal* signal) { return has_failed(*signal); };
  // One that has failed will not be 0.
  const auto is_hopeless = [&] {
    return for_all ? std::ranges::any_of(signals, failed) : std::ranges::all_of(signals, failed);
  };
  wait_until(signals, kForEver, [&] { return ended_.load() || is_met() || is_hopeless(); });
  return is_met();
}

void Queue::deactivate(const PacketError& error) {
  is_inactive_ = true;
  std::fprintf(stderr, "%s\n", error.fault.report.c_str());
  Faults::instance().keep(*agent_, error.fault);
  const InFaultCallback in_callback;
  if (error.fault.kind == amdgcn::FaultKind::kMemory) {
    Events::instance().tell_memory_fault(*agent_, error.fault.address);
  }
  if (callback_ != nullptr) {
    callback_(error.status, handle(), data_);
  }
}

} // namespace gantry::simt::hsa
