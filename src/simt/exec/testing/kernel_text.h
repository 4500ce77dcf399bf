// For tests: PTX texts that are run, in the mode that GANTRY_SIMT_MODE names.
#pragma once

#include "simt/exec/run/loaded_program.h"
#include "simt/memory/device_memory.h"
#include "simt/ptx/parser.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gantry::simt::exec {

/// A module of one text, loaded.
class KernelText {
public:
  /// `body` comes after the module's directives.
  explicit KernelText(const std::string& body) {
    auto module = ptx::parse(".version 8.3\n.target sm_90\n.address_size 64\n" + body, "test.ptx");
    if (!module) {
      ADD_FAILURE() << module.error().text("test.ptx") << '\n' << body;
      return;
    }
    std::vector<std::unique_ptr<ptx::Module>> modules;
    modules.push_back(std::move(*module));
    auto program = ptx::link(std::move(modules));
    if (!program) {
      ADD_FAILURE() << program.error();
      return;
    }
    auto loaded = LoadedProgram::load(std::move(*program), {});
    if (!loaded) {
      ADD_FAILURE() << loaded.error();
      return;
    }
    program_ = std::move(*loaded);
  }

  /// Runs kernel `k` whose one parameter is the address of `memory`, which it may change.
  [[nodiscard]] tl::expected<void, Fault> run(std::vector<std::uint64_t>& memory,
                                              const LaunchShape& shape) {
    if (!program_) {
      return {};
    }
    Allocation what;
    what.size = memory.size() * sizeof(std::uint64_t);
    const std::uint64_t address = DeviceMemory::instance()->allocate(what).value();
    std::memcpy(reinterpret_cast<void*>(address), memory.data(), what.size);
    const auto kernel = program_->kernel("k");
    EXPECT_TRUE(kernel);
    std::array<std::byte, 8> parameters;
    std::memcpy(parameters.data(), &address, sizeof address);
    auto outcome = program_->run(*kernel, shape, parameters.data());
    std::memcpy(memory.data(), reinterpret_cast<void*>(address), what.size);
    DeviceMemory::instance()->free(address);
    return outcome;
  }

  /// As run(), of blocks of one dimension; a fault is a failure of the test.
  [[nodiscard]] std::vector<std::uint64_t> results(std::vector<std::uint64_t> memory,
                                                   std::uint32_t threads) {
    LaunchShape shape;
    shape.block[0] = threads;
    const auto outcome = run(memory, shape);
    if (!outcome) {
      ADD_FAILURE() << outcome.error().report;
    }
    return memory;
  }

  /// The fault of a run on one word of memory; kLaunchTimeout stands for none.
  [[nodiscard]] Fault fault(std::uint32_t threads) {
    std::vector<std::uint64_t> memory(1);
    LaunchShape shape;
    shape.block[0] = threads;
    const auto outcome = run(memory, shape);
    if (outcome) {
      ADD_FAILURE() << "no fault";
      return {FaultCode::kLaunchTimeout, {}};
    }
    return outcome.error();
  }

private:
  std::unique_ptr<LoadedProgram> program_;
};

using Words = std::vector<std::uint64_t>;

/// A kernel whose body has %lane in r0, the address of its memory in d0 and of memory[tid] in d1.
inline std::string kernel_of_body(const std::string& body, const std::string& before = {}) {
  return before + R"(
.visible .entry k(.param .u64 memory) {
  .reg .pred p<10>; .reg .b16 h<10>; .reg .b32 r<30>; .reg .b64 d<30>;
  ld.param.u64 d0, [memory];
  mov.u32 r0, %tid.x;
  mad.wide.u32 d1, r0, 8, d0;
)" + body +
         "\n}\n";
}

inline Words run_body(const std::string& body, std::uint32_t threads,
                      const std::string& before = {}) {
  return KernelText(kernel_of_body(body, before)).results(Words(threads), threads);
}

} // namespace gantry::simt::exec
