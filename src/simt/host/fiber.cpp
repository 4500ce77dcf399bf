#include "simt/host/fiber.h"

#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GANTRY_ASAN 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_feature(thread_sanitizer)
#define GANTRY_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif
#endif

namespace gantry::simt {

namespace {

namespace context = boost::context::detail;

constexpr std::size_t kGuard = 64 << 10;

// Copies without sanitizers, because frames have red zones between their variables.
__attribute__((no_sanitize("address", "thread"), noinline)) void
copy_frames(std::byte* to, const std::byte* from, std::size_t size) {
  auto* words = reinterpret_cast<volatile std::uint64_t*>(to);
  const auto* source = reinterpret_cast<const volatile std::uint64_t*>(from);
  for (std::size_t i = 0; i < size / sizeof(std::uint64_t); ++i) {
    words[i] = source[i];
  }
}

} // namespace

std::optional<FiberStack::Memory> FiberStack::map(std::size_t size) {
  void* memory = mmap(nullptr, size + kGuard, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    return std::nullopt;
  }
  mprotect(memory, kGuard, PROT_NONE);
  return Memory(static_cast<std::byte*>(memory) + kGuard, size);
}

FiberStack::Memory::~Memory() {
  if (bottom != nullptr) {
    munmap(bottom - kGuard, size + kGuard);
  }
}

FiberStack::FiberStack(Memory memory) : memory_(std::move(memory)) {
  // Stacks begin at different offsets in a page. Otherwise the frames of a block's warps, which
  // take turns, would compete for the same cache lines.
  static std::atomic<unsigned> made = 0;
  top_ = memory_.bottom + memory_.size -
         std::size_t{made.fetch_add(1, std::memory_order_relaxed) % 59} * 1216;
}

FiberStack::~FiberStack() {
#if GANTRY_TSAN
  if (sanitizer_ != nullptr) {
    __tsan_destroy_fiber(sanitizer_);
  }
#endif
#if GANTRY_ASAN
  __asan_unpoison_memory_region(memory_.bottom, memory_.size);
#endif
}

#if GANTRY_ASAN || GANTRY_TSAN
const bool FiberStack::kSwitches = false;
#else
const bool FiberStack::kSwitches = true;
#endif

Resumption FiberStack::resume(Resumption to) {
#if GANTRY_TSAN
  sanitizer_host_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizer_, 0);
#endif
#if GANTRY_ASAN
  __asan_unpoison_memory_region(memory_.bottom, memory_.size);
  __sanitizer_start_switch_fiber(&sanitizer_host_, memory_.bottom, memory_.size);
#endif
  Step step{this, &host_, nullptr};
  const context::transfer_t from = context::jump_fcontext(to, &step);
#if GANTRY_ASAN
  __sanitizer_finish_switch_fiber(sanitizer_host_, nullptr, nullptr);
#endif
  return from.fctx;
}

// The frames of this function and the next may be copied while they are suspended. Afterwards they
// use only what the resuming computation hands over.
void FiberStack::suspend() {
#if GANTRY_TSAN
  __tsan_switch_to_fiber(sanitizer_host_, 0);
#endif
#if GANTRY_ASAN
  __sanitizer_start_switch_fiber(&sanitizer_, host_bottom_, host_size_);
#endif
  const context::transfer_t from = context::jump_fcontext(host_, nullptr);
  entered(*static_cast<const Step*>(from.data), from.fctx);
}

void FiberStack::switch_to(FiberStack& to, Resumption at, Resumption& here) {
  Step step{&to, &here, host_};
  const context::transfer_t from = context::jump_fcontext(at, &step);
  entered(*static_cast<const Step*>(from.data), from.fctx);
}

void FiberStack::entered(const Step& step, Resumption left) {
  host_ = step.host;
  *step.left = left;
#if GANTRY_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &host_bottom_, &host_size_);
#endif
}

struct FiberEntry {
  static void enter(context::transfer_t from) {
    const auto& step = *static_cast<const FiberStack::Step*>(from.data);
    FiberStack* stack = step.to;
    stack->entered(step, from.fctx);
    stack->entry_(stack->argument_);
    std::abort(); // entry() never returns
  }
};

Resumption FiberStack::start(void (*entry)(void*), void* argument) {
  entry_ = entry;
  argument_ = argument;
#if GANTRY_TSAN
  // The functions of the computation before, which was left and never returned from, stay on the
  // sanitizer's own stack of calls, which is small.
  if (sanitizer_ != nullptr) {
    __tsan_destroy_fiber(sanitizer_);
  }
  sanitizer_ = __tsan_create_fiber(0);
#endif
  return context::make_fcontext(top(), static_cast<std::size_t>(top_ - memory_.bottom),
                                &FiberEntry::enter);
}

std::vector<std::byte> FiberStack::save(Resumption at) const {
  const auto* from = static_cast<const std::byte*>(at);
  std::vector<std::byte> bytes(static_cast<std::size_t>(top() - from));
  copy_frames(bytes.data(), from, bytes.size());
  return bytes;
}

void FiberStack::restore(const std::vector<std::byte>& bytes) {
  copy_frames(top() - bytes.size(), bytes.data(), bytes.size());
}

} // namespace gantry::simt
