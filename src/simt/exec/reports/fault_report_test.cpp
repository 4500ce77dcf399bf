#include "simt/exec/reports/fault_report.h"

#include "simt/exec/reports/report.h"
#include "simt/exec/testing/hand_made_warp.h"
#include "simt/memory/device_heap.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::simt::exec {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class FaultReport : public testing::Test {
protected:
  /// The fault of an access of 4 bytes by lane 2.
  Fault access(std::uint64_t address, AccessSpace space = AccessSpace::kGeneric,
               Site site = HandMadeWarp::kLoad, AccessKind kind = AccessKind::kLoad) {
    std::uint64_t addresses[kLanes] = {};
    addresses[2] = address;
    return access_fault(made.warp, 1U << 2, addresses, 4, kind, space, site);
  }

  static std::uint64_t allocate(std::uint64_t size, MemoryKind kind = MemoryKind::kDevice,
                                std::string name = {}, std::int32_t device = 0) {
    Allocation what;
    what.size = size;
    what.kind = kind;
    what.name = std::move(name);
    what.device = device;
    return DeviceMemory::instance()->allocate(what).value();
  }

  HandMadeWarp made;
};

TEST_F(FaultReport, Places) {
  const auto place = [&](Site site) { return short_position(look_up(made.warp, site)); };
  EXPECT_EQ(place(HandMadeWarp::kLoad), "sum.cu:12");
  EXPECT_EQ(place(HandMadeWarp::kHelper), "PTX line 9");
  EXPECT_EQ(place(site_of(0, 99)), "");
  EXPECT_EQ(place(site_of(99, 0)), "");
}

TEST_F(FaultReport, Threads) {
  EXPECT_EQ(threads_of(made.warp, 1), "block (3,1,0), thread (32,0,0)");
  EXPECT_EQ(threads_of(made.warp, 0xF0), "block (3,1,0), thread (36,0,0) and 3 more of the warp");
}

TEST_F(FaultReport, AWholeReport) {
  const std::uint64_t address = allocate(4096);
  const std::uint64_t past = address + 4100;
  std::uint64_t addresses[kLanes] = {};
  addresses[2] = addresses[3] = past;
  const Fault fault = access_fault(made.warp, 0xC, addresses, 4, AccessKind::kLoad,
                                   AccessSpace::kGeneric, HandMadeWarp::kLoad);
  EXPECT_EQ(fault.code, FaultCode::kIllegalAddress);
  EXPECT_EQ(
      fault.report,
      fmt::format("gantry: error: kernel 'sum' (sum.cu:12): invalid global load of 4 bytes at "
                  "{:#x}\n"
                  "  by block (3,1,0), thread (34,0,0) and 1 more of the warp\n"
                  "  at PTX line 5 of sum.ptx: ld.global.f32 %f1, [%rd4];\n"
                  "  the address is 4 bytes past the end of device memory of 4096 bytes at "
                  "[{:#x}, {:#x})\n",
                  past, address, address + 4096));
  DeviceMemory::instance()->free(address);
}

TEST_F(FaultReport, AFunctionThatTheKernelCalls) {
  const Fault fault = access(100, AccessSpace::kShared, HandMadeWarp::kHelper, AccessKind::kStore);
  EXPECT_THAT(fault.report, StartsWith("gantry: error: kernel 'sum' (PTX line 9): invalid shared "
                                       "store of 4 bytes at offset 100\n"));
  EXPECT_THAT(fault.report,
              HasSubstr("at PTX line 9 of sum.ptx, function 'helper': st.shared.u32 [%r1], %r2;"));
}

TEST_F(FaultReport, Allocations) {
  const std::uint64_t address = allocate(100);
  EXPECT_THAT(access(address + 100).report, HasSubstr("the address is the end of device memory"));
  EXPECT_THAT(access(address - 8).report, HasSubstr("the address is 8 bytes before device memory"));
  const std::uint64_t odd = allocate(10, MemoryKind::kGlobal, "table");
  EXPECT_THAT(access(odd + 8).report,
              HasSubstr("the access reaches 2 bytes past the end of variable 'table' of 10 bytes"));
  DeviceMemory::instance()->free(address);
  DeviceMemory::instance()->free(odd);
  const Fault freed = access(address + 40);
  EXPECT_THAT(freed.report, HasSubstr("the address is 40 bytes into device memory of 100 bytes"));
  EXPECT_THAT(freed.report, HasSubstr("which was freed"));
  EXPECT_THAT(freed.report, HasSubstr("hint: free memory after"));
}

TEST_F(FaultReport, MemoryThatIsKeptForLater) {
  const std::uint64_t address = allocate(100);
  DeviceMemory& memory = *DeviceMemory::instance();
  memory.set_accessible(address, 100, false);
  EXPECT_FALSE(memory.accessible(address, 1));
  const Fault kept = access(address + 40);
  EXPECT_THAT(kept.report, HasSubstr("the address is 40 bytes into device memory of 100 bytes"));
  EXPECT_THAT(kept.report, HasSubstr("which was freed"));
  memory.set_accessible(address, 50, true); // less of it than before
  EXPECT_TRUE(memory.accessible(address, 50));
  EXPECT_FALSE(memory.accessible(address, 51));
  memory.set_accessible(address, 100, true);
  EXPECT_TRUE(memory.accessible(address, 100));
  EXPECT_THAT(access(address + 100).report, Not(HasSubstr("which was freed")));
  DeviceMemory::instance()->free(address);
}

TEST_F(FaultReport, AnotherDevicesMemory) {
  const std::uint64_t address = allocate(64, MemoryKind::kDevice, {}, 1);
  EXPECT_THAT(access(address + 64).report, HasSubstr(" of device 1"));
  DeviceMemory::instance()->free(address);
}

TEST_F(FaultReport, Null) {
  EXPECT_THAT(access(0).report, HasSubstr("the address is null\n"));
  EXPECT_THAT(access(8).report, HasSubstr("the address is null plus 8 bytes\n"));
  EXPECT_EQ(access(0).code, FaultCode::kIllegalAddress);
}

TEST_F(FaultReport, HostMemory) {
  alignas(4) char on_stack[16] = {};
  const auto on_heap = std::make_unique<int>(1);
  for (const void* address :
       {static_cast<const void*>(on_stack), static_cast<const void*>(on_heap.get()),
        static_cast<const void*>("on host")}) {
    const Fault fault = access(reinterpret_cast<std::uint64_t>(address) & ~std::uint64_t{3});
    EXPECT_EQ(fault.code, FaultCode::kIllegalAddress);
    EXPECT_THAT(fault.report, HasSubstr("the address is host memory (not mapped for the device)"));
    EXPECT_THAT(fault.report, HasSubstr("hint: pass the kernel memory from cuMemAlloc"));
  }
}

TEST_F(FaultReport, PastRegisteredHostMemory) {
  std::vector<int> host(100);
  const auto address = reinterpret_cast<std::uint64_t>(host.data());
  ASSERT_TRUE(DeviceMemory::instance()->register_host(address, 200, 0));
  EXPECT_THAT(access(address + 208).report,
              HasSubstr("nearest: the address is 8 bytes past the end of registered host memory"));
  DeviceMemory::instance()->unregister_host(address);
}

TEST_F(FaultReport, NothingAtAll) {
  for (const std::uint64_t address :
       {std::uint64_t{0x10'0000}, std::uint64_t{0xDEAD'BEEF'DEAD'BEEC}, ~std::uint64_t{3}}) {
    EXPECT_THAT(access(address).report, HasSubstr("nothing is at the address"));
  }
}

TEST_F(FaultReport, AFunctionIsNoData) {
  EXPECT_THAT(access(kFirstHandle + 16).report,
              HasSubstr("the address is that of function 'helper', which is no data"));
}

TEST_F(FaultReport, Misaligned) {
  const std::uint64_t address = allocate(64);
  const Fault fault = access(address + 6);
  EXPECT_EQ(fault.code, FaultCode::kMisalignedAddress);
  EXPECT_THAT(fault.report, HasSubstr("misaligned global load of 4 bytes"));
  EXPECT_THAT(fault.report, HasSubstr("the address is 2 bytes past a multiple of 4\n"));
  EXPECT_THAT(fault.report, HasSubstr("the address is 6 bytes into device memory of 64 bytes"));
  DeviceMemory::instance()->free(address);
}

TEST_F(FaultReport, SharedMemory) {
  const Fault past = access(HandMadeWarp::kStatic + HandMadeWarp::kDynamic + 4,
                            AccessSpace::kShared, HandMadeWarp::kHelper, AccessKind::kAtomic);
  EXPECT_EQ(past.code, FaultCode::kIllegalAddress);
  EXPECT_THAT(past.report, HasSubstr("invalid shared atomic operation of 4 bytes at offset 100"));
  EXPECT_THAT(past.report, HasSubstr("the address is 4 bytes past the end of the block's shared "
                                     "memory of 96 bytes (64 static, 32 dynamic)"));
  EXPECT_THAT(past.report, Not(HasSubstr("hint")));

  made.add_shared_variable();
  made.warp.dynamic_shared = 0;
  made.warp.shared_size = 64;
  const Fault missing = access(64, AccessSpace::kShared, HandMadeWarp::kHelper, AccessKind::kStore);
  EXPECT_THAT(missing.report,
              HasSubstr("the last variable before it is 'tile', 64 bytes at offset 0"));
  EXPECT_THAT(missing.report, Not(HasSubstr("hint")));
}

TEST_F(FaultReport, SharedMemoryByAGenericAddress) {
  const auto shared = reinterpret_cast<std::uint64_t>(made.warp.shared);
  EXPECT_THAT(access(shared + 100).report,
              HasSubstr("the address is 4 bytes past the end of the block's shared memory"));
  const std::uint64_t other = allocate(64, MemoryKind::kShared);
  EXPECT_THAT(access(other + 4).report,
              HasSubstr("4 bytes into the shared memory of another block"));
  DeviceMemory::instance()->free(other);
}

TEST_F(FaultReport, LocalMemory) {
  const Fault past = access(132, AccessSpace::kLocal);
  EXPECT_THAT(past.report, HasSubstr("invalid local load of 4 bytes at offset 132"));
  EXPECT_THAT(past.report, HasSubstr("the address is 4 bytes past the end of the thread's local "
                                     "memory of 128 bytes, 48 in use"));
  const auto local = reinterpret_cast<std::uint64_t>(made.warp.local);
  const Fault generic = access(local + std::uint64_t{2} * HandMadeWarp::kStride + 132);
  EXPECT_THAT(generic.report, HasSubstr("4 bytes past the end of the thread's local memory"));
  EXPECT_THAT(generic.report, Not(HasSubstr("another thread")));
  EXPECT_THAT(access(local + std::uint64_t{5} * HandMadeWarp::kStride + 132).report,
              HasSubstr("local memory of another thread, (37,0,0)"));
}

TEST_F(FaultReport, InFrontOfAWindow) {
  made.add_shared_variable();
  const auto before = [](std::int64_t bytes) { return static_cast<std::uint64_t>(-bytes); };
  const Fault local = access(before(271872), AccessSpace::kLocal);
  EXPECT_THAT(local.report, HasSubstr("invalid local load of 4 bytes at offset -271872"));
  EXPECT_THAT(local.report, HasSubstr("the address is 271872 bytes before the thread's local "
                                      "memory of 128 bytes, 48 in use"));
  const Fault shared = access(before(4), AccessSpace::kShared);
  EXPECT_THAT(shared.report, HasSubstr("invalid shared load of 4 bytes at offset -4"));
  EXPECT_THAT(shared.report,
              HasSubstr("the address is 4 bytes before the block's shared memory of"));
  EXPECT_THAT(shared.report, Not(HasSubstr("last variable")));
}

TEST_F(FaultReport, TheHeapOfDeviceCode) {
  const std::uint64_t block = device_malloc(0, 40);
  EXPECT_THAT(access(block + 44).report,
              HasSubstr("4 bytes past the end of a block from malloc in device code of 40 bytes"));
  device_free(0, block);
  EXPECT_THAT(access(block + 8).report, HasSubstr("which was freed"));

  const Fault twice =
      heap_fault(made.warp, 1, block, FreeResult::kFreedAlready, HandMadeWarp::kLoad);
  EXPECT_EQ(twice.code, FaultCode::kLaunchFailed);
  EXPECT_THAT(twice.report, HasSubstr(fmt::format("free of {:#x}, a block freed already", block)));
  EXPECT_THAT(twice.report,
              HasSubstr("0 bytes into a block from malloc in device code of 40 bytes"));
  const Fault foreign = heap_fault(made.warp, 1, 16, FreeResult::kNotFromHeap, HandMadeWarp::kLoad);
  EXPECT_THAT(foreign.report, HasSubstr("free of 0x10, no block of the heap"));
  release_heap(0);
}

TEST_F(FaultReport, Traps) {
  const auto code = [&](Trap reason) {
    const Fault fault = trap_fault(made.warp, 1, reason, HandMadeWarp::kLoad);
    EXPECT_THAT(fault.report, StartsWith("gantry: error: kernel 'sum' (sum.cu:12): "));
    EXPECT_THAT(fault.report, HasSubstr("  by block (3,1,0), thread (32,0,0)\n"));
    return fault.code;
  };
  EXPECT_EQ(code(Trap::kTrap), FaultCode::kLaunchFailed);
  EXPECT_EQ(code(Trap::kStackOverflow), FaultCode::kStackError);
  EXPECT_EQ(code(Trap::kLocalOverflow), FaultCode::kStackError);
  EXPECT_EQ(code(Trap::kNotSupported), FaultCode::kIllegalInstruction);
  EXPECT_EQ(code(Trap::kBarriersDiffer), FaultCode::kIllegalInstruction);
  EXPECT_EQ(code(Trap::kFellOff), FaultCode::kLaunchFailed);
  EXPECT_EQ(code(Trap::kBranchIndex), FaultCode::kInvalidPc);
  EXPECT_EQ(code(Trap::kLanesMissing), FaultCode::kLaunchFailed);
  EXPECT_EQ(code(Trap::kLanesApart), FaultCode::kLaunchFailed);
  EXPECT_EQ(code(Trap::kNotShared), FaultCode::kIllegalAddress);
}

TEST_F(FaultReport, Calls) {
  const Fault null = call_fault(made.warp, 1, 0, HandMadeWarp::kLoad);
  EXPECT_EQ(null.code, FaultCode::kInvalidPc);
  EXPECT_THAT(null.report, HasSubstr("call of 0x0, which is no function"));
  EXPECT_THAT(null.report, HasSubstr("the address is null"));
  const auto host = reinterpret_cast<std::uint64_t>(&call_fault);
  EXPECT_THAT(call_fault(made.warp, 1, host, HandMadeWarp::kLoad).report,
              HasSubstr("host memory (not mapped for the device)"));
}

TEST_F(FaultReport, Barriers) {
  const Fault fault = barrier_fault(made.warp, kAllLanes, 16, 0, "there are barriers 0 to 15",
                                    HandMadeWarp::kBarrier);
  EXPECT_EQ(fault.code, FaultCode::kLaunchFailed);
  EXPECT_THAT(
      fault.report,
      StartsWith("gantry: error: kernel 'sum' (sum.cu:13): barrier 16 for all threads: there "
                 "are barriers 0 to 15\n"));
}

TEST_F(FaultReport, Assertions) {
  const Fault fault = assert_fault(made.warp, 3, "n > 0", "sum.cu", 12, "void sum(int)");
  EXPECT_EQ(fault.code, FaultCode::kAssert);
  EXPECT_EQ(fault.report,
            "sum.cu:12: void sum(int): block: [3,1,0], thread: [32,0,0] Assertion `n > 0` failed.\n"
            "sum.cu:12: void sum(int): block: [3,1,0], thread: [33,0,0] Assertion `n > 0` failed.\n"
            "gantry: error: kernel 'sum' (sum.cu:12): an assertion failed\n");
}

TEST_F(FaultReport, Deadlocks) {
  Waiting at_barrier;
  at_barrier.what = Waiting::For::kBarrier;
  at_barrier.active = 0xFF;
  at_barrier.id = 1;
  at_barrier.threads = 64;
  at_barrier.site = HandMadeWarp::kBarrier;
  made.block.barriers[1].arrived[1] = 0xFF;
  Waiting for_lanes;
  for_lanes.what = Waiting::For::kLanes;
  for_lanes.active = 0x100;
  for_lanes.lanes = 0xFF;
  for_lanes.site = HandMadeWarp::kHelper;
  const Fault fault = deadlock_fault({{&made.warp, &at_barrier}, {&made.warp, &for_lanes}});
  EXPECT_EQ(fault.code, FaultCode::kLaunchFailed);
  EXPECT_THAT(fault.report,
              StartsWith("gantry: error: kernel 'sum': deadlock: no thread of block "
                         "(3,1,0) can go on\n"
                         "  warp 1, thread (32,0,0) and 7 more: waits for barrier 1 for "
                         "64 threads, of which 8 have come at sum.cu:13 (bar.sync)\n"
                         "  warp 1, thread (40,0,0): waits for lanes 0x000000ff of its "
                         "warp at PTX line 9 (st.shared.u32)\n"));
  EXPECT_NE(deadlock_fault({}).report, "");
}

} // namespace
} // namespace gantry::simt::exec
