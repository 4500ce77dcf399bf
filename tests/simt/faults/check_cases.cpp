#include "fault_case.h"

namespace gantry::simt::testing {

namespace {

const Shape kBlock = {{1}, {64}};
const Shape kThreeWarps = {{1}, {96}};
const Shape kWarp = {{1}, {32}};
const Shape kBlocks = {{8}, {64}};
const Shape kTwoBlocks = {{2}, {32}};

const Argument kBuffer = in_buffer<512, 0>;

/// A kernel of which the two accesses of a race are checked for.
FaultCase race(const char* name, const Shape& shape, std::vector<std::string> fragments) {
  fragments.emplace_back(kLine);
  fragments.emplace_back("the other one is at PTX line");
  return {name, kBuffer, shape, CUDA_ERROR_LAUNCH_FAILED, std::move(fragments), "race"};
}

FaultCase fault(const char* name, const char* check, const Shape& shape,
                std::vector<std::string> fragments) {
  return {name, kBuffer, shape, CUDA_ERROR_LAUNCH_FAILED, std::move(fragments), check};
}

/// One in which nothing may be found.
FaultCase clean(const char* name, const char* check, const Shape& shape = kBlock) {
  return {name, kBuffer, shape, CUDA_SUCCESS, {}, check};
}

} // namespace

const std::vector<FaultCase>& check_cases() {
  static const std::vector<FaultCase> cases = {
      race("race_load", kBlock,
           {"race in shared memory: store of 4 bytes at offset 128",
            "by block (0,0,0), thread (32,0,0)", "not ordered with a read at PTX line",
            "by thread (0,0,0)", "'buffer'"}),
      race("race_store", kBlock,
           {"race in shared memory: store of 4 bytes at offset 0", "thread (32,0,0)",
            "not ordered with a write at PTX line", "by thread (0,0,0)"}),
      race("race_store_after_load", kBlock,
           {"race in shared memory: load of 4 bytes at offset 128", "thread (0,0,0)",
            "not ordered with a write at PTX line", "by thread (32,0,0)"}),
      race("race_lanes", kWarp,
           {"load of 4 bytes at offset 4", "thread (0,0,0)", "a write at PTX line",
            "by thread (1,0,0)"}),
      race("race_shuffle", kWarp,
           {"load of 4 bytes at offset 4", "a write at PTX line", "by thread (1,0,0)"}),
      race("race_matrix", kWarp,
           {"race in shared memory: load of 8 bytes at offset 16", "thread (0,0,0)",
            "a write at PTX line", "by thread (1,0,0)"}),
      race("race_global", kBlock,
           {"race in global memory: store of 4 bytes at 0x",
            "not ordered with reads at PTX line 15 by several threads of the block",
            "device memory of 512 bytes"}),
      race("race_generic", kBlock,
           {"race in shared memory: store of 4 bytes at offset 0", "a read at PTX line",
            "by thread (0,0,0)"}),
      race("race_part", kBlock,
           {"store of 1 byte at offset 2", "thread (40,0,0)", "a write at PTX line",
            "by thread (0,0,0)"}),
      race("race_no_fence", kBlock,
           {"load of 4 bytes at offset 4", "thread (32,0,0)", "a write at PTX line",
            "by thread (0,0,0)"}),
      race("race_weak_flag", kBlock,
           {"load of 4 bytes at offset 0", "thread (32,0,0)", "a write at PTX line",
            "by thread (0,0,0)"}),
      race("race_half_barrier", kThreeWarps,
           {"load of 4 bytes at offset 128", "thread (64,0,0)", "a write at PTX line",
            "by thread (32,0,0)"}),
      race("race_blocks", kBlocks,
           {"race in global memory: store of 4 bytes at 0x", kLine,
            "not ordered with a write at PTX line", "by block (", "no barrier orders the blocks"}),
      race("race_blocks_read", {{64}, {64}},
           {"store of 4 bytes at 0x", kLine, "not ordered with reads at PTX line",
            "by threads of several blocks"}),
      race("race_block_scope", kBlocks,
           {"race in global memory: atomic operation of 4 bytes", kLine, "a write at PTX line",
            "by block ("}),
      race("race_ticket_no_fence", kBlocks,
           {"race in global memory: load of 4 bytes", kLine, "a write at PTX line", "by block ("}),
      race("race_ticket_of_block", kBlocks,
           {"race in global memory: load of 4 bytes", kLine, "a write at PTX line", "by block ("}),
      race("race_lock_of_block", kBlocks,
           {"race in global memory: load of 4 bytes", kLine, "a write at PTX line", "by block ("}),
      clean("ordered_by_ticket", "race,sync", kBlocks),
      clean("ordered_by_lock_of_blocks", "race,sync", kBlocks),
      clean("ordered_by_release_of_blocks", "race,sync", kTwoBlocks),
      clean("ordered_by_barriers", "all"),
      clean("ordered_by_lanes", "all", kWarp),
      clean("ordered_matrix", "all", kWarp),
      clean("ordered_in_lockstep", "all"),
      clean("ordered_by_lock", "all"),
      clean("ordered_by_release", "all"),
      clean("ordered_by_fences", "init,sync"),
      clean("ordered_by_arrival", "all"),
      clean("ordered_by_atomics", "race,sync"),
      clean("ordered_by_guess", "race"),
      clean("unordered_bytes", "all"),
      fault("uninitialised_global", "init", kBlock,
            {"global load of 4 bytes at 0x", "which nothing has been written to", kLine,
             "device memory of 512 bytes", "mapped to the device"}),
      fault("uninitialised_shared", "init", kBlock,
            {"shared load of 4 bytes at offset 0 in 'buffer', which nothing has been written to",
             kLine, "when the block begins"}),
      fault("uninitialised_matrix", "init", kWarp,
            {"shared load of 8 bytes at offset 144", "thread (9,0,0)", kLine}),
      fault("uninitialised_atomic", "init", kBlock, {"global atomic operation of 4 bytes", kLine}),
      fault("uninitialised_heap", "init", kBlock,
            {"load of 4 bytes", kLine, "malloc in device code"}),
      clean("written_in_part", "all"),
      fault("mbarrier_twice", "sync", kBlock,
            {"mbarrier at offset 0 in 'barrier': it is initialised a second time", kLine}),
      clean("ordered_by_mbarrier", "all"),
      // Whichever of the two warps comes first.
      race("race_mbarrier_no_wait", kBlock,
           {"race in shared memory", "of 4 bytes at offset 16 in 'buffer'", "thread (0,0,0)",
            "thread (32,0,0)"}),
      race("race_mbarrier_relaxed", kBlock,
           {"race in shared memory: load of 4 bytes at offset 16 in 'buffer'", "thread (32,0,0)"}),
      race("race_mbarrier_one_test", kBlock,
           {"race in shared memory", "of 4 bytes at offset 16 in 'buffer'", "thread (0,0,0)",
            "thread (32,0,0)"}),
      race("race_mbarrier_init", kWarp,
           {"race in shared memory: atomic operation of 8 bytes at offset 0 in 'barrier'",
            "a write at PTX line", "by thread (0,0,0)"}),
      clean("ordered_by_bulk", "race,sync"),
      race("race_bulk_no_wait", kBlock, {"race in shared memory", "in 'buffer'", "thread (0,0,0)"}),
      {"race_bulk_store",
       kBuffer,
       kBlock,
       CUDA_ERROR_LAUNCH_FAILED,
       {"race in shared memory", "in 'buffer'"},
       "race"},
      clean("ordered_by_cluster", "all", kTwoBlocks),
      race("race_cluster", kTwoBlocks,
           {"race in shared memory: load of 4 bytes at offset 0 of block (0,0,0)",
            "by block (1,0,0), thread (0,0,0)", "a write at PTX line", "by block (0,0,0)"}),
      fault("divergent_barrier", "sync", kBlock,
            {"barrier 0: other threads of the warp have come to it elsewhere", "PTX line",
             "they came at PTX line"}),
      clean("divergent_barrier_allowed", "all"),
      clean("malloc_fails", "all"),
      clean("heap_in_turns", "race", {{64}, {32}}),
      fault("foreign_mask", "sync", kBlock,
            {"lane 5 is not in the mask 0x00000004 that it gives", kLine, "thread (5,0,0)"}),
      fault("masks_differ", "sync", kBlock,
            {"lane 8 gives the mask 0xffffffff, and lane 0, which that names, gives 0x000000ff",
             kLine}),
      fault("open_barrier", "sync", kThreeWarps,
            {"the block ends, and barrier 1 for 64 threads has not passed", kLine}),
  };
  return cases;
}

} // namespace gantry::simt::testing
