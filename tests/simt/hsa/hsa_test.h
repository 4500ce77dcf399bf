// The HSA library as programs find it, and what tests need again and again.
#pragma once

#include "fake_executor.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

namespace simt_hsa_test {

/// Ends the process if the library has it not.
[[nodiscard]] void* symbol(const char* name);

/// The library's function of that name.
#define HSA(name) reinterpret_cast<decltype(&::name)>(::simt_hsa_test::symbol(#name))

inline constexpr auto kSuccess = HSA_STATUS_SUCCESS;

/// The contents of a file of tests/simt/corpus/code_objects.
[[nodiscard]] std::string code_object(const std::string& name);

class HsaTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  [[nodiscard]] hsa_signal_t signal(std::int64_t value) const;
  [[nodiscard]] static std::int64_t value(hsa_signal_t signal);
  /// Waits at most ten seconds.
  [[nodiscard]] static std::int64_t wait(hsa_signal_t signal, hsa_signal_condition_t condition,
                                         std::int64_t compared);
  /// Memory that the host and GPUs may access.
  [[nodiscard]] void* memory(std::size_t bytes, hsa_amd_memory_pool_t pool) const;
  template <typename T>
  [[nodiscard]] T* memory(std::size_t count = 1) const {
    auto* const made = static_cast<T*>(memory(count * sizeof(T), kernarg));
    std::memset(static_cast<void*>(made), 0, count * sizeof(T));
    return made;
  }

  hsa_agent_t cpu = {};
  hsa_agent_t gpu = {};
  std::vector<hsa_agent_t> gpus;
  hsa_amd_memory_pool_t kernarg = {}; ///< the host's
  hsa_amd_memory_pool_t host = {};
  hsa_amd_memory_pool_t device = {};
  hsa_amd_memory_pool_t group = {};
};

/// With an executable that has the kernels first and second.
class KernelTest : public HsaTest {
protected:
  void SetUp() override;

  struct Told {
    hsa_status_t status = HSA_STATUS_SUCCESS;
    hsa_queue_t* queue = nullptr;
    std::atomic<int> times = 0; ///< the last that is written
  };
  [[nodiscard]] hsa_queue_t* queue(Told* told = nullptr, std::uint32_t size = 64) const;
  /// Puts a kernel dispatch into a queue. What it gives back says when it is done: 0.
  hsa_signal_t dispatch(hsa_queue_t* queue, const Command& command) const;
  hsa_signal_t barrier(hsa_queue_t* queue, hsa_packet_type_t type,
                       const std::vector<hsa_signal_t>& signals) const;
  /// The packet that is next, without a header.
  template <typename Packet>
  static Packet* next_packet(hsa_queue_t* queue, std::uint64_t& index) {
    index = HSA(hsa_queue_add_write_index_relaxed)(queue, 1);
    auto* const packet = static_cast<Packet*>(queue->base_address) + (index & (queue->size - 1));
    std::memset(reinterpret_cast<char*>(packet) + 2, 0, sizeof *packet - 2);
    return packet;
  }
  static void submit(hsa_queue_t* queue, void* packet, hsa_packet_type_t type, std::uint64_t index);
  [[nodiscard]] std::uint64_t address(const char* name) const;

  std::string bytes;
  hsa_executable_t executable = {};
  std::uint64_t kernel = 0;
};

} // namespace simt_hsa_test
