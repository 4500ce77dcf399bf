// For tests: a warp of a kernel that nothing has parsed and nothing runs.
#pragma once

#include "simt/exec/blocks/block.h"
#include "simt/exec/programs/program_state.h"
#include "simt/memory/device_memory.h"

#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace gantry::simt::exec {

/// Kernel 'sum' of sum.cu and a function 'helper' without source lines, in the module 'sum.ptx';
/// block (3,1,0), threads (32 … 63, 0, 0), 64 static and 32 dynamic bytes of shared memory, 128 of
/// local.
class HandMadeWarp {
public:
  static constexpr std::uint32_t kStatic = 64, kDynamic = 32, kLocal = 128, kStride = 256;
  static constexpr Site kLoad = site_of(0, 0);    ///< line 5, sum.cu:12: ld.global.f32
  static constexpr Site kBarrier = site_of(0, 1); ///< line 6, sum.cu:13: bar.sync
  static constexpr Site kHelper = site_of(1, 0);  ///< line 9, no source: st.shared.u32

  HandMadeWarp() {
    make_module();
    program_->functions = {{0, 0, std::nullopt}, {0, 1, std::nullopt}};
    state_.program = program_;
    state_.options.device = 0;
    state_.function_base = kFirstHandle;
    state_.kernels.resize(2);
    launch.program = &state_;
    shared_ = window(kSharedWindow + kParameterWindow, MemoryKind::kShared);
    local_ = window(std::uint64_t{kStride} * kLanes, MemoryKind::kLocal);
    make_warp();
  }
  ~HandMadeWarp() {
    DeviceMemory::instance()->free(shared_);
    DeviceMemory::instance()->free(local_);
  }
  HandMadeWarp(const HandMadeWarp&) = delete;
  HandMadeWarp& operator=(const HandMadeWarp&) = delete;

  /// Gives the kernel a shared variable of 64 bytes.
  void add_shared_variable() {
    variable_.name = "tile";
    variable_.count = kStatic;
    ptx::ProgramVariable variable;
    variable.variable = &variable_;
    variable.name = variable_.name;
    variable.space = ptx::Space::kShared;
    program_->variables.push_back(variable);
    state_.kernels[0] = std::make_unique<PreparedKernel>();
    state_.kernels[0]->reachable.shared.push_back({0, 0});
  }

  Warp warp = {};
  Block block;
  Launch launch;

private:
  static std::uint64_t window(std::uint64_t size, MemoryKind kind) {
    Allocation what;
    what.size = size;
    what.kind = kind;
    return DeviceMemory::instance()->allocate(what).value();
  }

  static ptx::Instruction instruction(std::string_view name, std::uint32_t line,
                                      ptx::Modifier modifier, std::uint32_t source) {
    ptx::Instruction made;
    made.name = name;
    made.location = {line, 5};
    made.source = source;
    made.modifiers.insert(modifier);
    return made;
  }

  void make_module() {
    auto module = std::make_unique<ptx::Module>();
    module->name = "sum.ptx";
    module->text = ".version 8.0\n.target sm_90\n.visible .entry sum()\n{\n"
                   "    ld.global.f32 %f1, [%rd4];\r\n    bar.sync 0;\n}\n.func helper() {\n"
                   "\tst.shared.u32 [%r1], %r2;\n}\n";
    module->files.emplace_back(1, "sum.cu");
    ptx::Function kernel;
    kernel.name = "sum";
    kernel.is_entry = true;
    kernel.sources = {{1, 12, 3}, {1, 13, 3}};
    kernel.instructions.push_back(instruction("ld.global.f32", 5, ptx::Modifier::kGlobal, 1));
    kernel.instructions.push_back(instruction("bar.sync", 6, ptx::Modifier::kSync, 2));
    ptx::Function helper;
    helper.name = "helper";
    helper.instructions.push_back(instruction("st.shared.u32", 9, ptx::Modifier::kShared, 0));
    module->functions.push_back(std::move(kernel));
    module->functions.push_back(std::move(helper));
    program_->modules.push_back(std::move(module));
  }

  void make_warp() {
    block.launch = &launch;
    warp.block = &block;
    warp.warp_index = 1;
    warp.live = warp.exists = kAllLanes;
    warp.ctaid[0] = 3;
    warp.ctaid[1] = 1;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      lane_tid_[0][lane] = kLanes + lane;
    }
    for (unsigned axis = 0; axis < 3; ++axis) {
      warp.lane_tid[axis] = lane_tid_[axis].data();
    }
    warp.static_shared = kStatic;
    warp.dynamic_shared = kDynamic;
    warp.shared_size = kStatic + kDynamic;
    warp.shared = reinterpret_cast<std::byte*>(shared_);
    warp.parameters = reinterpret_cast<std::byte*>(shared_ + kSharedWindow);
    warp.local = reinterpret_cast<std::byte*>(local_);
    warp.local_size = kLocal;
    warp.local_used = 48;
    warp.local_stride = kStride;
  }

  std::shared_ptr<ptx::Program> program_ = std::make_shared<ptx::Program>();
  ProgramState state_;
  ptx::Variable variable_;
  std::uint64_t shared_ = 0, local_ = 0;
  std::array<std::array<std::uint32_t, kLanes>, 3> lane_tid_ = {};
};

} // namespace gantry::simt::exec
