// A stack of its own for a warp, so that it can suspend and go on later.
//
// A suspended computation is the bytes from its stack pointer up, which can be saved and restored,
// because it always runs at the same addresses. That is how a warp splits in two (warp/warp.h).
// Therefore frames on such a stack must hold plain data wherever the warp may suspend.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace gantry::simt {

/// The point where a suspended computation goes on; valid until it is resumed.
using Resumption = void*;

class FiberStack {
public:
  /// Reserved for the functions of exec/, and for frames of kernels beyond their last check.
  static constexpr std::size_t kReserve = 2 << 20;

  /// Mapped pages, with a guard below them.
  class Memory {
  public:
    Memory(Memory&& other) noexcept
        : bottom(std::exchange(other.bottom, nullptr)), size(other.size) {}
    Memory& operator=(Memory&&) = delete;
    ~Memory();

    std::byte* bottom; ///< above the guard
    std::size_t size;  ///< bytes from there

  private:
    friend class FiberStack;
    Memory(std::byte* begin, std::size_t bytes) : bottom(begin), size(bytes) {}
  };
  /// A multiple of the page's size of bytes; nothing if there is no address space for them.
  [[nodiscard]] static std::optional<Memory> map(std::size_t size);

  explicit FiberStack(Memory memory);
  ~FiberStack();
  FiberStack(const FiberStack&) = delete;
  FiberStack& operator=(const FiberStack&) = delete;

  [[nodiscard]] std::byte* top() const { return top_; }
  [[nodiscard]] const std::byte* limit() const { return memory_.bottom + kReserve; }

  /// A computation that calls `entry(argument)` when it is first resumed; `entry` never returns.
  [[nodiscard]] Resumption start(void (*entry)(void*), void* argument);
  /// Goes on at `to` on this stack; returns when that computation, or one that it has switched to,
  /// suspends, with where that did.
  [[nodiscard]] Resumption resume(Resumption to);
  /// On this stack: returns to the resume() that runs it, and from here when resumed again.
  void suspend();
  /// On this stack: goes on at `at` on another one, under the same resume(); returns when resumed
  /// again at the point that is left in `here`. A suspend() and a resume() in one step.
  void switch_to(FiberStack& to, Resumption at, Resumption& here);
  /// Whether switch_to() is there: sanitizers are told of the host's steps only.
  static const bool kSwitches;

  /// The bytes in use by a computation that is suspended at `at`.
  [[nodiscard]] std::vector<std::byte> save(Resumption at) const;
  /// Puts saved bytes back, to resume the computation that they were taken from.
  void restore(const std::vector<std::byte>& bytes);

private:
  /// Handed to a computation that goes on: its stack, and where the one before it has suspended.
  struct Step {
    FiberStack* to;
    Resumption* left;
    Resumption host; ///< null if it was the host that left
  };
  void entered(const Step& step, Resumption left);

  Memory memory_;
  std::byte* top_ = nullptr;
  Resumption host_ = nullptr; ///< where the running resume() stands
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  [[maybe_unused]] void* sanitizer_ =
      nullptr; ///< ThreadSanitizer's fiber, AddressSanitizer's fake stack
  [[maybe_unused]] void* sanitizer_host_ = nullptr;
  [[maybe_unused]] const void* host_bottom_ = nullptr;
  [[maybe_unused]] std::size_t host_size_ = 0;

  friend struct FiberEntry;
};

} // namespace gantry::simt
