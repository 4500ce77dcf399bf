#include "simt/exec/run/grid.h"

#include "simt/exec/checks/grid_checks.h"
#include "simt/exec/code/code.h"
#include "simt/exec/engine/scheduler.h"
#include "simt/exec/evaluator/evaluator.h"
#include "simt/exec/run/block_place.h"
#include "simt/exec/run/cluster_run.h"
#include "simt/host/settings.h"
#include "simt/host/thread_pool.h"
#include "simt/memory/device_heap.h"
#include "simt/memory/device_memory.h"
#include "simt/memory/range_allocator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <sched.h>
#include <utility>

namespace gantry::simt::exec {

namespace {

using Clock = std::chrono::steady_clock;

/// The memory in which the blocks of a cooperative launch meet. Code of nvcc's cooperative groups
/// finds its address in %envreg1 (the upper half) and %envreg2, counts arrivals in its second word,
/// and traps where the address is 0.
class GridBarrier {
public:
  explicit GridBarrier(const ProgramState& program) {
    Allocation what;
    what.size = kBytes;
    what.kind = MemoryKind::kGlobal;
    what.name = "barrier of the grid";
    what.device = program.options.device;
    what.context = program.options.context;
    DeviceMemory& memory = *DeviceMemory::instance();
    address_ = memory.allocate(what).value_or(0);
    if (address_ == 0) {
      return;
    }
    std::memset(reinterpret_cast<void*>(address_), 0, kBytes);
    if (memory.uninitialised() != nullptr) {
      memory.uninitialised()->mark_written(address_, kBytes);
    }
  }
  ~GridBarrier() {
    if (address_ != 0) {
      DeviceMemory::instance()->free(address_);
    }
  }
  GridBarrier(const GridBarrier&) = delete;
  GridBarrier& operator=(const GridBarrier&) = delete;
  /// 0 if there was no memory for it.
  [[nodiscard]] std::uint64_t address() const { return address_; }

private:
  static constexpr std::uint64_t kBytes = 64;
  std::uint64_t address_ = 0;
};

thread_local const Grid* current_grid = nullptr;

// Machine code of kernels lacks the prefix that UndefinedBehaviorSanitizer looks for.
__attribute__((no_sanitize("function"))) void run_code(Code code, Warp& warp) {
  code(&warp, warp.exists, nullptr, nullptr);
}

void warp_main(void* argument) {
  Warp& warp = *static_cast<Warp*>(argument);
  if (current_grid->interpreted) {
    evaluate(warp);
  } else {
    run_code(current_grid->code(), warp);
  }
  end_lanes(warp, warp.live);
  warp.block->scheduler->end();
}

class Worker {
public:
  Worker(Grid& grid, unsigned thread) : grid_(grid), thread_(thread) {}

  void run() {
    current_grid = &grid_;
    if (grid_.in_clusters) {
      run_clusters();
    } else if (!grid_.interpreted && !grid_.may_suspend) {
      run_straight();
    } else {
      run_in_turns();
    }
    for (Resident& resident : residents_) {
      free_.push_back(std::move(resident));
    }
    for (Resident& resident : free_) {
      close_slot(std::move(resident.slot));
    }
    current_grid = nullptr;
  }

private:
  // Blocks whose warps never wait: block after block, warp after warp, on one stack.
  void run_straight() {
    if (!take_blocks()) {
      return;
    }
    std::optional<Resident> opened = open_resident();
    if (!opened) {
      return;
    }
    residents_.push_back(*std::move(opened));
    Resident& resident = residents_.back();
    for (const auto& warp : resident.slot->warps) {
      warp->warp.stack_limit = resident.slot->warps[0]->stack.limit();
    }
    resident.scheduler->begin_straight(
        *resident.slot, [](void* worker) { static_cast<Worker*>(worker)->straight(); }, this);
    (void)resident.scheduler->turn();
  }

  [[noreturn]] void straight() {
    BlockSlot& slot = *residents_.back().slot;
    do {
      const Code code = grid_.code();
      set_block(grid_, slot, first_++, 0, thread_);
      for (std::uint32_t i = 0; i < grid_.warps; ++i) {
        run_code(code, slot.warps[i]->warp);
      }
      if (slot.block.watch) {
        fail_if(slot.warps[0]->warp, slot.block.watch->end(slot.warps[0]->warp));
      }
    } while (take_blocks());
    slot.block.scheduler->end();
  }

  // Blocks whose warps may wait: each warp on its own stack, and in turns.
  void run_in_turns() {
    while (!grid_.launch->failed.load(std::memory_order_relaxed)) {
      if (residents_.empty() && !begin_block()) {
        break;
      }
      bool idle = true;
      for (std::size_t i = 0; i < residents_.size(); ++i) {
        const Turn turn = residents_[i].scheduler->turn();
        idle &= turn == Turn::kIdle;
        if (turn == Turn::kEnded) {
          free_.push_back(std::move(residents_[i]));
          residents_.erase(residents_.begin() + static_cast<std::ptrdiff_t>(i--));
        }
      }
      // The blocks here may wait for a block that has not begun.
      if (idle && !residents_.empty() && !begin_block()) {
        sched_yield();
      }
    }
  }

  // Clusters, each with its blocks in turns.
  void run_clusters() {
    while (!grid_.launch->failed.load(std::memory_order_relaxed)) {
      if (clusters_.empty() && !begin_cluster()) {
        break;
      }
      bool idle = true;
      for (std::size_t i = 0; i < clusters_.size(); ++i) {
        const Turn turn = clusters_[i]->turn();
        idle &= turn == Turn::kIdle;
        if (turn == Turn::kEnded) {
          free_clusters_.push_back(std::move(clusters_[i]));
          clusters_.erase(clusters_.begin() + static_cast<std::ptrdiff_t>(i--));
        }
      }
      if (idle && !clusters_.empty() && !begin_cluster()) {
        sched_yield();
      }
    }
  }

  bool begin_cluster() {
    if (!take_blocks()) {
      return false;
    }
    if (free_clusters_.empty()) {
      std::unique_ptr<ClusterRun> opened = open_cluster();
      if (opened == nullptr) {
        return false;
      }
      free_clusters_.push_back(std::move(opened));
    }
    clusters_.push_back(std::move(free_clusters_.back()));
    free_clusters_.pop_back();
    const std::vector<Resident>& blocks = clusters_.back()->blocks();
    for (std::uint32_t rank = 0; rank < blocks.size(); ++rank) {
      clear(blocks[rank].slot->block);
      // As the watch looks for it.
      blocks[rank].slot->block.cluster = &clusters_.back()->cluster();
      set_block(grid_, *blocks[rank].slot, first_, rank, thread_);
    }
    ++first_;
    clusters_.back()->begin(warp_main);
    return true;
  }

  [[nodiscard]] std::unique_ptr<ClusterRun> open_cluster() {
    const std::shared_ptr<SharedWindows> windows =
        SharedWindows::make(grid_.blocks_of_cluster, grid_.launch->program->options.device);
    std::vector<Resident> blocks;
    for (std::uint32_t rank = 0; windows != nullptr && rank < grid_.blocks_of_cluster; ++rank) {
      Resident resident;
      resident.slot = open_slot(grid_, windows, rank);
      if (resident.slot == nullptr) {
        break;
      }
      resident.scheduler = std::make_unique<Scheduler>();
      blocks.push_back(std::move(resident));
    }
    if (blocks.size() == grid_.blocks_of_cluster) {
      return std::make_unique<ClusterRun>(std::move(blocks));
    }
    if (clusters_.empty()) {
      fail_without_memory();
    }
    return nullptr;
  }

  static void clear(Block& block) {
    block.barriers = {};
    block.mbarriers.clear();
    block.progress = 0;
  }

  // Makes first_ a block to run next; false if there are none left.
  bool take_blocks() {
    if (first_ != last_) {
      return !grid_.launch->failed.load(std::memory_order_relaxed);
    }
    report_time();
    first_ = grid_.next.fetch_add(grid_.chunk, std::memory_order_relaxed);
    last_ = std::min(grid_.blocks, first_ + grid_.chunk);
    if (first_ >= grid_.blocks) {
      first_ = last_ = grid_.blocks;
      return false;
    }
    return !grid_.launch->failed.load(std::memory_order_relaxed);
  }

  // Tells how long quick code has run, which may be worth improving.
  void report_time() {
    if (!grid_.is_quick.load(std::memory_order_relaxed)) {
      return;
    }
    const Clock::time_point before = std::exchange(looked_, Clock::now());
    ProgramState& program = *grid_.launch->program;
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(looked_ - before);
    if (!program.code->has_run(grid_.launch->kernel, grid_.launch->geometry,
                               grid_.kernel->reachable.functions,
                               static_cast<std::uint64_t>(time.count()))) {
      grid_.is_quick.store(false, std::memory_order_relaxed);
    }
  }

  // A slot for another block; nothing if there is no memory for it. Then the launch ends, unless
  // this thread has blocks that will end and give back their slots.
  [[nodiscard]] std::optional<Resident> open_resident() {
    Resident resident;
    resident.slot = open_slot(grid_);
    if (resident.slot == nullptr) {
      if (residents_.empty()) {
        fail_without_memory();
      }
      return std::nullopt;
    }
    resident.scheduler = std::make_unique<Scheduler>();
    resident.slot->block.scheduler = resident.scheduler.get();
    return resident;
  }

  void fail_without_memory() {
    Launch& launch = *grid_.launch;
    const ptx::Function& kernel = launch.program->program->definition(launch.kernel);
    launch.fail(
        {FaultCode::kOutOfResources,
         fmt::format(
             "gantry: error: kernel '{}': no memory for a block of {} threads with {} bytes "
             "of local memory each\n  hint: lower CU_LIMIT_STACK_SIZE (cuCtxSetLimit) or "
             "GANTRY_SIMT_THREADS, or raise the process's limit of address space\n",
             kernel.name, grid_.threads, grid_.local_bytes)});
  }

  bool begin_block() {
    if (!take_blocks()) {
      return false;
    }
    Resident resident;
    if (free_.empty()) {
      std::optional<Resident> opened = open_resident();
      if (!opened) {
        return false;
      }
      resident = *std::move(opened);
    } else {
      resident = std::move(free_.back());
      free_.pop_back();
    }
    Block& block = resident.slot->block;
    clear(block);
    set_block(grid_, *resident.slot, first_++, 0, thread_);
    resident.scheduler->begin(*resident.slot, warp_main);
    residents_.push_back(std::move(resident));
    return true;
  }

  Grid& grid_;
  unsigned thread_;
  Clock::time_point looked_ = Clock::now(); ///< when report_time() was last called
  std::uint64_t first_ = 0, last_ = 0;      ///< blocks taken and not begun
  std::vector<Resident> residents_;
  std::vector<Resident> free_;
  std::vector<std::unique_ptr<ClusterRun>> clusters_;
  std::vector<std::unique_ptr<ClusterRun>> free_clusters_;
};

/// Bytes of each thread's local memory: the limit is for recursions, and what the functions'
/// variables take is there in any case, up to what a GPU has. In few sizes, as slots of one size
/// are kept.
std::uint32_t local_window(std::uint64_t limit, std::uint64_t needed) {
  constexpr std::uint64_t kStep = 64 << 10;
  return static_cast<std::uint32_t>(
      needed <= limit / 2
          ? limit
          : std::max(limit, std::min(round_up(limit + needed, kStep), Limits::kMostLocalBytes)));
}

} // namespace

unsigned thread_count() {
  static const unsigned count = settings().threads != 0 ? settings().threads : ThreadPool::cores();
  return count;
}

void run_grid(Launch& launch) {
  Grid grid{};
  grid.launch = &launch;
  ProgramState& program = *launch.program;
  grid.kernel = &program.prepared(launch.kernel);
  launch.geometry = geometry_of(launch.shape);
  grid.interpreted = program.mode() == Mode::kInterpret;
  const auto fail = [&](std::string why) { launch.fail({fault_without_code(), std::move(why)}); };
  if (grid.interpreted) {
    auto code = program.code->one_lane(launch.kernel);
    if (!code) {
      return fail(std::move(code.error()));
    }
  } else {
    const ptx::Reachable& reachable = grid.kernel->reachable;
    auto entry = program.code->of_all(std::span(reachable.functions).first(reachable.direct),
                                      launch.geometry);
    if (!entry) {
      return fail(std::move(entry.error()));
    }
    grid.may_suspend = entry->may_suspend;
    grid.is_quick = entry->quick_bytes != 0;
    grid.functions = program.code->table(launch.geometry);
  }
  if (settings().checks.watches_blocks()) {
    launch.watch = std::make_unique<GridChecks>(launch, settings().checks);
  }
  const LaunchShape& shape = launch.shape;
  grid.threads = shape.block[0] * shape.block[1] * shape.block[2];
  grid.warps = (grid.threads + kLanes - 1) / kLanes;
  grid.shared_size = grid.kernel->facts.static_shared + shape.dynamic_shared;
  grid.local_bytes =
      local_window(limits_of(program.options.device).local_bytes, grid.kernel->facts.local_bytes);
  grid.in_clusters = shape.in_clusters || grid.kernel->facts.has_cluster_barrier;
  grid.blocks_of_cluster = shape.blocks_of_cluster();
  grid.blocks =
      std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2] / grid.blocks_of_cluster;
  std::optional<GridBarrier> barrier;
  if (shape.cooperative) {
    grid.barrier = barrier.emplace(program).address();
    if (grid.barrier == 0) {
      launch.fail({FaultCode::kOutOfResources,
                   "gantry: error: no memory for the barrier of a cooperative launch\n"});
      return;
    }
  }
  const unsigned threads =
      static_cast<unsigned>(std::min<std::uint64_t>(thread_count(), grid.blocks));
  // Enough pieces that the threads end together, and few enough that taking one costs nothing.
  grid.chunk = std::clamp<std::uint64_t>(grid.blocks / (std::uint64_t{threads} * 16), 1, 64);
  ThreadPool::instance().run(threads, [&](unsigned thread) { Worker(grid, thread).run(); });
}

} // namespace gantry::simt::exec
