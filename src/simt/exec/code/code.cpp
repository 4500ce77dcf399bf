#include "simt/exec/code/code.h"

#include "simt/exec/code/code_cache.h"
#include "simt/exec/code/compiler_library.h"
#include "simt/exec/code/improver.h"
#include "simt/host/thread_pool.h"
#include "simt/ptx/call_interface.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <sys/mman.h>

namespace gantry::simt::exec {

namespace {

/// The code that a function may begin with, best first; the last one is made if the cache has none.
std::span<const Tier> first_tiers() {
  static constexpr std::array kTiers = {Tier::kOptimised, Tier::kQuick};
  switch (settings().code) {
  case CodeChoice::kOptimised:
    return std::span(kTiers).first(1);
  case CodeChoice::kQuick:
    return std::span(kTiers).last(1);
  case CodeChoice::kAuto:
    break;
  }
  return kTiers;
}

} // namespace

FaultCode fault_without_code() {
  return compiler_is_gone(first_tiers().back()) ? FaultCode::kDeinitialized
                                                : FaultCode::kIllegalInstruction;
}

std::shared_ptr<ProgramCode> ProgramCode::of(std::shared_ptr<const ptx::Program> program,
                                             BindSteps bind_steps) {
  static std::mutex mutex;
  static auto* known = new std::map<std::array<std::uint64_t, 2>, std::weak_ptr<ProgramCode>>;
  const std::lock_guard lock(mutex);
  std::weak_ptr<ProgramCode>& place = (*known)[program->hash];
  std::shared_ptr<ProgramCode> code = place.lock();
  if (!code) {
    code = std::make_shared<ProgramCode>(std::move(program), bind_steps);
    place = code;
  }
  return code;
}

ProgramCode::ProgramCode(std::shared_ptr<const ptx::Program> program, BindSteps bind_steps)
    : program_(std::move(program)), bind_steps_(bind_steps), one_lane_(program_->functions.size()),
      published_(program_->functions.size()) {
  for (unsigned geometry = 0; geometry < kGeometries; ++geometry) {
    tables_[geometry].resize(program_->functions.size());
    entries_[geometry].resize(program_->functions.size());
  }
  for (std::uint32_t index = 0; index < program_->functions.size(); ++index) {
    const ptx::Function& function = program_->definition(index);
    callees_.push_back({ptx::interface_of(function).signature(), function.is_entry,
                        program_->functions[index].system_call.has_value()});
  }
}

ProgramCode::~ProgramCode() {
  for (const Mapping& mapping : mappings_) {
    munmap(mapping.address, mapping.size);
  }
}

Code* ProgramCode::table(Geometry geometry) {
  return tables_[static_cast<unsigned>(geometry)].data();
}

Code ProgramCode::known(std::uint32_t function, Geometry geometry) const {
  return __atomic_load_n(&tables_[static_cast<unsigned>(geometry)][function], __ATOMIC_ACQUIRE);
}

const CallPlan& ProgramCode::call_plan(Site site, std::uint32_t function) {
  const std::lock_guard lock(call_plans_mutex_);
  std::unique_ptr<CallPlan>& plan = call_plans_[{site, function}];
  if (!plan) {
    plan = std::make_unique<CallPlan>(plan_call(*program_, site, function));
  }
  return *plan;
}

tl::expected<const OneLaneCode*, std::string> ProgramCode::one_lane(std::uint32_t function) {
  if (const OneLaneCode* ready = published_[function].load(std::memory_order_acquire)) {
    return ready;
  }
  const std::lock_guard lock(mutex_);
  std::unique_ptr<OneLaneCode>& place = one_lane_[function];
  if (!place) {
    auto code = std::make_unique<OneLaneCode>();
    CompileRequest request;
    request.program = program_.get();
    request.function = function;
    request.tier = first_tiers().back();
    std::string error;
    if (!decode(request, *code, error)) {
      return tl::unexpected(std::move(error));
    }
    bind_steps_(*code);
    place = std::move(code);
    published_[function].store(place.get(), std::memory_order_release);
  }
  return place.get();
}

tl::expected<void, std::string> ProgramCode::make_ready(std::uint32_t function, Mode mode,
                                                        Geometry geometry) {
  const auto outcome = [](auto made) -> tl::expected<void, std::string> {
    return std::move(made).map([](auto&&) {});
  };
  return mode == Mode::kInterpret ? outcome(one_lane(function)) : outcome(of(function, geometry));
}

bool ProgramCode::lacks_code(std::span<const std::uint32_t> functions, Mode mode,
                             Geometry geometry) const {
  return std::ranges::any_of(functions, [&](std::uint32_t function) {
    if (callees_[function].is_system) {
      return false;
    }
    if (mode == Mode::kInterpret) {
      return published_[function].load(std::memory_order_acquire) == nullptr;
    }
    return known(function, geometry) == nullptr &&
           std::ranges::none_of(first_tiers(), [&](Tier tier) {
             return is_cached(cache_key(request_for(function, geometry, tier)));
           });
  });
}

tl::expected<ProgramCode::Entry, std::string> ProgramCode::of(std::uint32_t function,
                                                              Geometry geometry) {
  std::unique_lock lock(mutex_);
  Entry& entry = entries_[static_cast<unsigned>(geometry)][function];
  made_.wait(lock, [&] { return !entry.is_being_made; });
  if (entry.code != nullptr) {
    return entry;
  }
  entry.is_being_made = true;
  lock.unlock();
  std::string error;
  std::optional<CodeImage> image = first_image(function, geometry, error);
  lock.lock();
  entry.is_being_made = false;
  made_.notify_all();
  if (!image) {
    return tl::unexpected(std::move(error));
  }
  return publish(function, geometry, *image).map([&] {
    if (entry.quick_bytes != 0 && is_hot_) {
      exec::improve(shared_from_this(), function, geometry);
    }
    return entry;
  });
}

tl::expected<ProgramCode::Entry, std::string>
ProgramCode::of_all(std::span<const std::uint32_t> functions, Geometry geometry) {
  constexpr std::size_t kLarge = 250; // instructions, which take tens of milliseconds
  std::vector<std::uint32_t> large;
  if (known(functions.front(), geometry) == nullptr) {
    for (const std::uint32_t function : functions.subspan(1)) {
      if (known(function, geometry) == nullptr && !callees_[function].is_system &&
          program_->definition(function).instructions.size() >= kLarge) {
        large.push_back(function);
      }
    }
  }
  if (large.empty()) {
    return of(functions.front(), geometry);
  }
  // What cannot be compiled is reported when it is called.
  std::atomic<std::size_t> next = 0;
  const auto threads = std::min<std::size_t>(ThreadPool::cores(), large.size() + 1);
  tl::expected<Entry, std::string> first;
  ThreadPool::instance().run(static_cast<unsigned>(threads), [&](unsigned thread) {
    if (thread == 0) {
      first = of(functions.front(), geometry);
    }
    for (std::size_t i = next++; i < large.size(); i = next++) {
      (void)of(large[i], geometry);
    }
  });
  return first;
}

CompileRequest ProgramCode::request_for(std::uint32_t function, Geometry geometry,
                                        Tier tier) const {
  return {program_.get(),
          function,
          geometry,
          tier,
          settings().checks.memory,
          settings().checks.watches_accesses(),
          settings().checks.watches_blocks()};
}

std::optional<CodeImage> ProgramCode::first_image(std::uint32_t function, Geometry geometry,
                                                  std::string& error) {
  std::optional<CodeImage> image;
  for (const Tier tier : first_tiers()) {
    image = cached_code(cache_key(request_for(function, geometry, tier)));
    if (image) {
      return image;
    }
  }
  const CompileRequest request = request_for(function, geometry, first_tiers().back());
  image.emplace();
  if (!compile(request, *image, error)) {
    return std::nullopt;
  }
  keep_code(cache_key(request), *image);
  return image;
}

tl::expected<void, std::string> ProgramCode::publish(std::uint32_t function, Geometry geometry,
                                                     const CodeImage& image) {
  const std::size_t size = image.bytes.size();
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return tl::unexpected(fmt::format("no memory for {} bytes of code", size));
  }
  std::memcpy(memory, image.bytes.data(), size);
  mprotect(memory, size, PROT_READ | PROT_EXEC);
  mappings_.push_back({memory, size});
  Entry& entry = entries_[static_cast<unsigned>(geometry)][function];
  entry.code = reinterpret_cast<Code>(static_cast<std::byte*>(memory) + image.entry);
  entry.may_suspend = image.may_suspend;
  entry.quick_bytes = image.tier == Tier::kQuick ? size : 0;
  __atomic_store_n(&tables_[static_cast<unsigned>(geometry)][function], entry.code,
                   __ATOMIC_RELEASE);
  return {};
}

bool ProgramCode::has_run(std::uint32_t kernel, Geometry geometry,
                          const std::vector<std::uint32_t>& reachable, std::uint64_t nanoseconds) {
  // Measured: what the optimiser takes for a function, by the size of its quick code.
  constexpr std::uint64_t kNanosecondsPerByte = 4000;
  const std::lock_guard lock(mutex_);
  std::vector<Entry>& entries = entries_[static_cast<unsigned>(geometry)];
  Entry& entry = entries[kernel];
  entry.ran += nanoseconds;
  if (settings().code != CodeChoice::kAuto || entry.quick_bytes == 0) {
    return false;
  }
  if (entry.ran < entry.quick_bytes * kNanosecondsPerByte) {
    return true;
  }
  is_hot_ = true;
  for (const std::uint32_t function : reachable) {
    if (entries[function].quick_bytes != 0) {
      exec::improve(shared_from_this(), function, geometry);
    }
  }
  return true;
}

void ProgramCode::improve(std::uint32_t function, Geometry geometry, void (*between_passes)()) {
  CompileRequest request = request_for(function, geometry, Tier::kOptimised);
  request.between_passes = between_passes;
  CodeImage image;
  std::string error;
  const bool made = compile_here(request, image, error);
  if (made) {
    keep_code(cache_key(request), image);
  }
  const std::lock_guard lock(mutex_);
  if (!made || !publish(function, geometry, image)) {
    entries_[static_cast<unsigned>(geometry)][function].quick_bytes = 0; // it stays as it is
  }
}

} // namespace gantry::simt::exec
