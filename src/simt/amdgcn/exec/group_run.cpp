#include "simt/amdgcn/exec/group_run.h"

#include "simt/amdgcn/exec/code_map.h"
#include "simt/amdgcn/exec/compiled_code.h"
#include "simt/amdgcn/exec/meanings.h"
#include "simt/amdgcn/exec/report.h"

#include <algorithm>
#include <thread>

namespace gantry::simt::amdgcn {

namespace {

/// Branches backwards and calls after which other waves of the work-group get their turn.
constexpr std::int32_t kTurn = 20'000;

/// Until something else comes than Next::kOn. Most code is plain, and does not ask.
template <bool kPlain>
Next run_on(Wave& wave) {
  for (;;) {
    const Instruction& instruction = *wave.pc;
    Meaning::Run run = __atomic_load_n(&instruction.run, __ATOMIC_ACQUIRE);
    if (run == nullptr) [[unlikely]] {
      const auto read = wave.code->read(&instruction);
      if (!read) {
        report_instruction(wave, instruction, read.error());
        return Next::kFault;
      }
      run = *read;
    }
    wave.pc = &instruction + instruction.size;
    const Next next = kPlain ? run(wave, instruction)
                             : run_in_mode(wave, instruction, interpreted(instruction, run));
    if (next != Next::kOn) [[unlikely]] {
      return next;
    }
  }
}

/// Has code compiled that has been interpreted for long: a kernel's, or where a wave is after a
/// whole turn.
void warm(const Launch& launch, const Wave& wave, Next next) {
  constexpr std::uint32_t kRun = 16; ///< what code without a loop is worth
  const auto turns = static_cast<std::uint32_t>(kTurn - wave.branches_left);
  if (launch.heat->add(turns + kRun)) {
    compile_beside(*launch.code, launch.code->at(launch.entry), launch.grid.lanes);
  }
  if (next == Next::kYield && wave.branches_left <= 0 && !is_entry_of_compiled(*wave.pc)) {
    compile_beside(*wave.code, wave.pc, launch.grid.lanes);
  }
}

Next run_wave(Wave& wave) {
  wave.branches_left = kTurn;
  for (;;) {
    const Next next = mode::is_plain(wave.mode) ? run_on<true>(wave) : run_on<false>(wave);
    if (next != Next::kMode) {
      return next;
    }
  }
}

} // namespace

GroupRun::GroupRun() {
  place_.memory = DeviceMemory::instance();
}

GroupRun::~GroupRun() {
  for (const std::uint64_t address : {shared_, private_}) {
    if (address != 0) {
      place_.memory->free(address);
    }
  }
}

bool GroupRun::begin(const Launch& launch, const DispatchChecks* checks) {
  dispatch_checks_ = checks;
  place_.checks = checks != nullptr ? &checks_ : nullptr;
  const std::int32_t device = launch.grid.device;
  if (shared_ == 0) {
    const auto made = place_.memory->allocate(
        Allocation{0, kMostGroupBytes, MemoryKind::kShared, device, 0, {}, false});
    if (!made) {
      return false;
    }
    shared_ = *made;
  }
  const unsigned waves = launch.waves();
  const std::uint64_t needed = std::uint64_t{launch.private_size} * kLanes * waves;
  if (needed > private_bytes_) {
    if (private_ != 0) {
      place_.memory->free(private_);
      private_ = 0;
      private_bytes_ = 0;
    }
    const auto made =
        place_.memory->allocate(Allocation{0, needed, MemoryKind::kLocal, device, 0, {}, false});
    if (!made) {
      return false;
    }
    private_ = *made;
    private_bytes_ = needed;
  }
  if (waves > wave_count_) {
    waves_ = std::make_unique<Wave[]>(waves);
    wave_count_ = waves;
  }
  place_.shared = std::bit_cast<std::byte*>(shared_);
  place_.shared_size = launch.shared_size;
  place_.private_memory = {private_, needed};
  place_.known.reset(!launch.grid.checks_memory);
  return true;
}

void GroupRun::set_registers(const Launch& launch, Wave& wave) {
  const RegisterPlan& plan = launch.registers;
  std::fill_n(wave.v[0], std::size_t{plan.vgprs} * kLanes, 0U);
  std::ranges::fill(wave.s, 0U);
  wave.mode = plan.mode;
  unsigned next = 0;
  const auto pair = [&](bool wanted, std::uint64_t value) {
    if (wanted) {
      wave.set_pair(next, value);
      next += 2;
    }
  };
  if (plan.private_buffer) { // of which code computes with the base alone
    constexpr std::uint32_t kSwizzled = 1U << 31;
    // Each lane its own dwords of 32 bits, of 64 lanes.
    constexpr std::uint32_t kLayout = 1U << 23 | 3U << 21 | 1U << 19 | 4U << 15 | 4U << 12;
    wave.set_pair(0, private_ | std::uint64_t{kSwizzled} << 32);
    wave.s[2] = ~0U;
    wave.s[3] = kLayout;
    next = 4;
  }
  pair(plan.dispatch, launch.packet);
  pair(plan.queue, launch.queue);
  pair(plan.kernarg, launch.kernarg);
  pair(plan.dispatch_id, 0);
  pair(plan.flat_scratch, private_);
  if (plan.private_size) {
    wave.s[next++] = launch.private_size;
  }
  next = std::max(next, plan.user_sgprs);
  for (unsigned i = 0; i < 3; ++i) {
    if (plan.group_id[i]) {
      wave.s[next++] = wave.group[i];
    }
  }
  if (plan.group_info) {
    wave.s[next++] = 0;
  }
  if (plan.private_offset) {
    wave.s[next++] = static_cast<std::uint32_t>(wave.scratch - private_);
  }
  const unsigned lanes = launch.grid.lanes;
  wave.lanes = 0;
  const unsigned items = wave.group_size[0] * wave.group_size[1] * wave.group_size[2];
  for (unsigned lane = 0; lane < lanes && wave.number * lanes + lane < items; ++lane) {
    const unsigned item = wave.number * lanes + lane;
    const unsigned x = item % wave.group_size[0];
    const unsigned y = item / wave.group_size[0] % wave.group_size[1];
    const unsigned z = item / wave.group_size[0] / wave.group_size[1];
    wave.lanes |= LaneMask{1} << lane;
    if (launch.grid.processor->packs_work_item) {
      wave.v[0][lane] = x | y << 10 | z << 20;
      continue;
    }
    wave.v[0][lane] = x;
    wave.v[1][lane] = plan.item_ids > 1 ? y : 0;
    wave.v[2][lane] = plan.item_ids > 2 ? z : 0;
  }
  wave.set_mask(scalar::kExec, wave.lanes);
}

void GroupRun::set_up(const Launch& launch, std::uint64_t number) {
  const std::uint32_t group[3] = {
      static_cast<std::uint32_t>(number % launch.groups[0]),
      static_cast<std::uint32_t>(number / launch.groups[0] % launch.groups[1]),
      static_cast<std::uint32_t>(number / launch.groups[0] / launch.groups[1])};
  for (unsigned i = 0; i < launch.waves(); ++i) {
    Wave& wave = waves_[i];
    wave.pc = launch.code->at(launch.entry);
    wave.code = launch.code;
    wave.place = &place_;
    wave.grid = &launch.grid;
    wave.all = launch.grid.lanes == kLanes ? ~LaneMask{0} : (LaneMask{1} << launch.grid.lanes) - 1;
    wave.private_size = launch.private_size;
    wave.scratch = private_ + std::uint64_t{i} * launch.private_size * kLanes;
    wave.number = i;
    wave.fault.reset();
    for (unsigned axis = 0; axis < 3; ++axis) {
      wave.group[axis] = group[axis];
      wave.group_size[axis] =
          std::min(launch.group[axis], launch.items[axis] - group[axis] * launch.group[axis]);
    }
    set_registers(launch, wave);
  }
}

std::optional<Fault> GroupRun::run(const Launch& launch, std::uint64_t number,
                                   const std::atomic<bool>& stop) {
  place_.known.begin_group(*place_.memory);
  set_up(launch, number);
  if (dispatch_checks_ != nullptr) {
    checks_.begin(*dispatch_checks_, number, launch.waves(), launch.grid.lanes, shared_,
                  launch.shared_size);
  }
  ready_.clear();
  waiting_.clear();
  for (unsigned i = 0; i < launch.waves(); ++i) {
    if (waves_[i].lanes != 0) {
      ready_.push_back(i);
    }
  }
  while (!ready_.empty()) {
    bool all_yielded = true;
    for (std::size_t i = 0; i < ready_.size();) {
      Wave& wave = waves_[ready_[i]];
      const Next next = run_wave(wave);
      if (launch.heat != nullptr) {
        warm(launch, wave, next);
      }
      switch (next) {
      case Next::kFault:
        return std::move(wave.fault);
      case Next::kBarrier:
        waiting_.push_back(ready_[i]);
        [[fallthrough]];
      case Next::kEnd:
        ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i));
        all_yielded = false;
        break;
      case Next::kYield:
      case Next::kMode:
      case Next::kOn:
        ++i;
        break;
      }
    }
    if (stop.load(std::memory_order_relaxed)) {
      return std::nullopt;
    }
    if (ready_.empty()) { // all that have not ended are there
      std::ranges::sort(waiting_);
      if (dispatch_checks_ != nullptr) {
        checks_.pass_barrier(waiting_);
      }
      ready_.swap(waiting_);
    } else if (all_yielded) { // they wait for another work-group, perhaps
      std::this_thread::yield();
    }
  }
  return std::nullopt;
}

} // namespace gantry::simt::amdgcn
