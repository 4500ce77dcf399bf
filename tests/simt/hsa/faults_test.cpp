// What is told of kernels that go wrong, and that nobody waits for ever then.
#include "hsa_test.h"

#include <chrono>
#include <cstdlib>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <gantry/simt_hsa.h>

namespace simt_hsa_test {
namespace {

using FaultTest = KernelTest;

TEST_F(FaultTest, EachKindHasItsStatus) {
  for (const auto& [deed, status] :
       {std::pair{Deed::kMemoryFault, static_cast<hsa_status_t>(HSA_STATUS_ERROR_MEMORY_FAULT)},
        {Deed::kTrap, HSA_STATUS_ERROR_EXCEPTION},
        {Deed::kIllegalInstruction,
         static_cast<hsa_status_t>(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION)},
        {Deed::kInvalidPacket, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT}}) {
    Told told;
    hsa_queue_t* const made = queue(&told);
    testing::internal::CaptureStderr();
    EXPECT_LT(wait(dispatch(made, {deed, 64, 0}), HSA_SIGNAL_CONDITION_LT, 1), 0);
    EXPECT_EQ(told.times, 1);
    EXPECT_EQ(told.status, status);
    EXPECT_EQ(told.queue, made);
    // The queue executes nothing any more, and says so to who waits.
    auto* const word = memory<std::uint64_t>();
    const hsa_signal_t later =
        dispatch(made, {Deed::kStore, reinterpret_cast<std::uint64_t>(word), 1});
    EXPECT_LT(wait(later, HSA_SIGNAL_CONDITION_LT, 1), 0);
    EXPECT_EQ(*word, 0u);
    EXPECT_EQ(told.times, 1);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "gantry: error: a fault that a test asks for\n");
    // Others do.
    EXPECT_EQ(wait(dispatch(queue(), {}), HSA_SIGNAL_CONDITION_LT, 1), 0);
    EXPECT_EQ(HSA(hsa_queue_destroy)(made), kSuccess);
  }
}

TEST_F(FaultTest, WrongAccessesAreToldToTheSystemsHandler) {
  hsa_amd_event_t event = {};
  const auto handler = [](const hsa_amd_event_t* told, void* data) {
    *static_cast<hsa_amd_event_t*>(data) = *told;
    return HSA_STATUS_SUCCESS;
  };
  EXPECT_EQ(HSA(hsa_amd_register_system_event_handler)(nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(HSA(hsa_amd_register_system_event_handler)(handler, &event), kSuccess);
  EXPECT_EQ(HSA(hsa_amd_register_system_event_handler)(handler, &event), HSA_STATUS_ERROR);
  testing::internal::CaptureStderr();
  EXPECT_LT(wait(dispatch(queue(), {Deed::kMemoryFault, 0xdead000, 0}), HSA_SIGNAL_CONDITION_LT, 1),
            0);
  (void)testing::internal::GetCapturedStderr();
  EXPECT_EQ(event.event_type, HSA_AMD_GPU_MEMORY_FAULT_EVENT);
  EXPECT_EQ(event.memory_fault.agent.handle, gpu.handle);
  EXPECT_EQ(event.memory_fault.virtual_address, 0xdead000u);
}

TEST_F(FaultTest, WhatItWasCanBeAskedFor) {
  const auto fault_of = HSA(gantry_simt_hsa_get_fault);
  gantry_simt_fault fault = {};
  EXPECT_EQ(fault_of(cpu, &fault), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(fault_of(gpu, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(fault_of(gpu, &fault), HSA_STATUS_ERROR) << "one of the runtime before";
  testing::internal::CaptureStderr();
  EXPECT_LT(wait(dispatch(queue(), {Deed::kMemoryFault, 0xdead000, 0}), HSA_SIGNAL_CONDITION_LT, 1),
            0);
  (void)testing::internal::GetCapturedStderr();
  ASSERT_EQ(fault_of(gpu, &fault), kSuccess);
  EXPECT_STREQ(fault.what, "what a test asks for");
  EXPECT_STREQ(fault.kernel, "kernel");
  EXPECT_STREQ(fault.position, "kernel.c:7");
  EXPECT_EQ(fault.access, GANTRY_SIMT_FAULT_WRITE);
  EXPECT_EQ(fault.is_invalid, 1);
  EXPECT_EQ(fault.address, 0xdead000u);
}

TEST_F(FaultTest, WrongPacketsAreFaults) {
  const auto submitted = [&](hsa_packet_type_t type, auto&& change) {
    Told told;
    hsa_queue_t* const made = queue(&told);
    std::uint64_t index = 0;
    auto* const packet = next_packet<hsa_kernel_dispatch_packet_t>(made, index);
    packet->setup = 1;
    packet->kernel_object = kernel;
    packet->completion_signal = signal(1);
    change(*packet);
    testing::internal::CaptureStderr();
    submit(made, packet, type, index);
    for (int i = 0; i < 500 && told.times == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(told.status, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    EXPECT_EQ(HSA(hsa_queue_destroy)(made), kSuccess);
    return testing::internal::GetCapturedStderr();
  };
  using Packet = hsa_kernel_dispatch_packet_t;
  using testing::HasSubstr;
  EXPECT_THAT(submitted(HSA_PACKET_TYPE_KERNEL_DISPATCH,
                        [&](Packet& packet) { packet.kernel_object = kernel + 8; }),
              HasSubstr("where no kernel is loaded"));
  EXPECT_THAT(
      submitted(HSA_PACKET_TYPE_KERNEL_DISPATCH, [](Packet& packet) { packet.kernel_object = 0; }),
      HasSubstr("kernel object 0x0"));
  EXPECT_THAT(submitted(HSA_PACKET_TYPE_KERNEL_DISPATCH, [](Packet& packet) { packet.setup = 0; }),
              HasSubstr("0 dimensions"));
  EXPECT_THAT(submitted(HSA_PACKET_TYPE_KERNEL_DISPATCH,
                        [](Packet& packet) { packet.completion_signal = {77}; }),
              HasSubstr("completion signal 0x4d"));
  EXPECT_THAT(submitted(HSA_PACKET_TYPE_AGENT_DISPATCH, [](Packet&) {}),
              HasSubstr("agent dispatch"));
  EXPECT_THAT(submitted(static_cast<hsa_packet_type_t>(9), [](Packet&) {}), HasSubstr("type 9"));
  EXPECT_THAT(submitted(HSA_PACKET_TYPE_BARRIER_AND,
                        [](Packet& packet) {
                          packet.kernel_object = 99; // where the fourth signal is
                        }),
              HasSubstr("waits for the signal 0x63"));
}

TEST_F(FaultTest, WhoDependsOnAFailedSignalFails) {
  testing::internal::CaptureStderr();
  const hsa_signal_t failed = dispatch(queue(), {Deed::kTrap, 0, 0});
  hsa_queue_t* const other = queue();
  EXPECT_LT(wait(barrier(other, HSA_PACKET_TYPE_BARRIER_AND, {failed}), HSA_SIGNAL_CONDITION_LT, 1),
            0);
  EXPECT_EQ(wait(dispatch(other, {}), HSA_SIGNAL_CONDITION_LT, 1), 0) << "the queue goes on";
  auto* const words = memory<std::uint64_t>(2);
  const hsa_signal_t copied = signal(1);
  ASSERT_EQ(HSA(hsa_amd_memory_async_copy)(words, gpu, words + 1, gpu, 8, 1, &failed, copied),
            kSuccess);
  EXPECT_LT(wait(copied, HSA_SIGNAL_CONDITION_LT, 1), 0);
  (void)testing::internal::GetCapturedStderr();
}

TEST_F(FaultTest, ACallbackMayDestroyTheQueue) {
  struct Seen {
    hsa_status_t destroyed = HSA_STATUS_ERROR;
  } seen;
  const auto callback = [](hsa_status_t, hsa_queue_t* source, void* data) {
    static_cast<Seen*>(data)->destroyed = HSA(hsa_queue_destroy)(source);
  };
  hsa_queue_t* made = nullptr;
  ASSERT_EQ(HSA(hsa_queue_create)(gpu, 64, HSA_QUEUE_TYPE_MULTI, callback, &seen, 0, 0, &made),
            kSuccess);
  testing::internal::CaptureStderr();
  EXPECT_LT(wait(dispatch(made, {Deed::kTrap, 0, 0}), HSA_SIGNAL_CONDITION_LT, 1), 0);
  (void)testing::internal::GetCapturedStderr();
  EXPECT_EQ(seen.destroyed, kSuccess);
}

// A runtime's exit handler may wait for a lock of the thread that waits for the kernel.
TEST_F(FaultTest, ACallbackMayEndTheProcess) {
  EXPECT_EQ(HSA(hsa_shut_down)(), kSuccess); // a child would have no runtime
  const pid_t child = fork();
  if (child == 0) {
    // Threads and the runtime are this process's own from here on.
    execl("/proc/self/exe", "simt_hsa_api_test", "--gtest_filter=FaultTest.DISABLED_EndsTheProcess",
          "--gtest_also_run_disabled_tests", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 37);
  ASSERT_EQ(HSA(hsa_init)(), kSuccess);
}

TEST_F(FaultTest, DISABLED_EndsTheProcess) {
  alarm(20);
  std::atexit([] {
    for (;;) { // as one that waits for a lock
      pause();
    }
  });
  const auto callback = [](hsa_status_t, hsa_queue_t*, void*) { std::exit(37); };
  hsa_queue_t* made = nullptr;
  ASSERT_EQ(HSA(hsa_queue_create)(gpu, 64, HSA_QUEUE_TYPE_MULTI, callback, nullptr, 0, 0, &made),
            kSuccess);
  (void)wait(dispatch(made, {Deed::kTrap, 0, 0}), HSA_SIGNAL_CONDITION_EQ, 0);
}

} // namespace
} // namespace simt_hsa_test
