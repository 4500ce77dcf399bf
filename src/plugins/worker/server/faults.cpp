#include "plugins/worker/server/faults.h"

#include "plugins/worker/futex.h"
#include "plugins/worker/server/machine.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <gantry/plugin.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gantry::worker {

namespace {

Control* control = nullptr;

thread_local Channel* channel_of_thread = nullptr;
thread_local std::uintptr_t stack_begin = 0;
thread_local std::uintptr_t stack_end = 0;

/// Enough for what a handler calls, and what the system stores for it.
constexpr std::size_t kHandlerStack = 64 << 10;
/// A frame this large may step over the end of a stack; larger ones are stacks of another kind.
constexpr std::uintptr_t kLargestFrame = std::uintptr_t{1} << 32;
/// So far from a frame its function may access what it has not made room for.
constexpr std::uintptr_t kBelowFrame = 1 << 20;

/// The calling thread's, which goes with it.
class HandlerStack {
public:
  HandlerStack() : memory_(std::make_unique_for_overwrite<std::byte[]>(kHandlerStack)) {}
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;
  ~HandlerStack() {
    const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    sigaltstack(&none, nullptr);
  }

  void use() {
    const stack_t stack = {.ss_sp = memory_.get(), .ss_flags = 0, .ss_size = kHandlerStack};
    sigaltstack(&stack, nullptr);
  }

private:
  std::unique_ptr<std::byte[]> memory_;
};

/// The handler in the thread of a kernel that takes too long.
constexpr int kTimeSignal = SIGXCPU;

struct LoadedCode {
  std::atomic<std::uint64_t> image{0};
  std::atomic<std::uint64_t> begin{0};
  std::atomic<std::uint64_t> end{0};
  std::atomic<std::uint64_t> code_begin{0}; ///< what can be executed of it
  std::atomic<std::uint64_t> code_end{0};
};
constexpr std::size_t kKnownImages = 256;
std::array<LoadedCode, kKnownImages> images;

const LoadedCode* image_with(std::uint64_t address) {
  const auto found = std::ranges::find_if(images, [&](const LoadedCode& code) {
    return code.image.load(std::memory_order_acquire) != 0 && address >= code.begin.load() &&
           address < code.end.load();
  });
  return found == images.end() ? nullptr : &*found;
}

bool is_code(const LoadedCode& image, std::uint64_t address) {
  return address >= image.code_begin.load() + kLongestCall && address < image.code_end.load();
}

/// The kernel that the calling thread is at work for, as far as that can be told: a thread that
/// libomp has made works for many in the course of time.
std::uint64_t current_kernel() {
  if (channel_of_thread != nullptr) {
    if (const std::uint64_t kernel = channel_of_thread->kernel.load(); kernel != 0) {
      return kernel;
    }
  }
  const std::uint32_t count = control->channel_count.load();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (const std::uint64_t kernel = control->channels[i].kernel.load(); kernel != 0) {
      return kernel;
    }
  }
  return 0;
}

/// The one that may write the fault; others wait for the end, which comes soon.
Fault& claim() {
  std::uint32_t free = 0;
  if (!control->fault.claimed.compare_exchange_strong(free, 1)) {
    for (;;) {
      ::pause();
    }
  }
  return control->fault;
}

[[noreturn]] void end(Fault& fault) {
  fault.complete.store(1, std::memory_order_release);
  const std::uint32_t count = control->channel_count.load();
  for (std::uint32_t i = 0; i < count; ++i) {
    wake_all(control->channels[i].finished);
  }
  syscall(SYS_exit_group, EXIT_FAILURE);
  __builtin_unreachable();
}

/// Takes `address` for the code, if it is behind a call in an image.
const LoadedCode* image_that_called(std::uint64_t address) {
  const LoadedCode* const found = image_with(address);
  return found != nullptr && is_code(*found, address) && is_behind_call(address) ? found : nullptr;
}

/// Notes the code that was interrupted, or the next caller's that lies in an image.
void note_code(Fault& fault, const Interrupted& at) {
  std::uint64_t address = at.code;
  const LoadedCode* code = image_with(address);
  const auto take_caller = [&](std::uint64_t candidate) {
    code = image_that_called(candidate);
    address = code == nullptr ? address : candidate - 1;
  };
  if (code == nullptr) {
    take_caller(at.caller);
  }
  for (std::uintptr_t place = at.stack;
       code == nullptr && place >= stack_begin && place + sizeof(std::uint64_t) <= stack_end;
       place += sizeof(std::uint64_t)) {
    take_caller(*reinterpret_cast<const std::uint64_t*>(place));
  }
  fault.code = address;
  fault.image = code == nullptr ? 0 : code->image.load();
  fault.image_code = code == nullptr ? 0 : address - code->begin.load();
}

/// `stack` is the stack pointer, which a large frame takes far beyond the end.
bool is_stack_overflow(std::uintptr_t accessed, std::uintptr_t stack) {
  const std::uintptr_t end = stack_begin + kPageSize;
  return stack_begin != 0 && stack < end && stack + kLargestFrame > stack_begin && accessed < end &&
         accessed + kBelowFrame > std::min(stack, stack_begin);
}

void on_signal(int signal, siginfo_t* information, void* context) {
  Fault& fault = claim();
  const Interrupted at = interrupted(*information, context);
  fault.access = static_cast<std::uint32_t>(at.access);
  fault.kernel = current_kernel();
  fault.address = at.accessed;
  fault.value = signal;
  switch (signal) {
  case SIGSEGV:
  case SIGBUS:
    fault.known = at.accessed_is_known ? 1 : 0;
    fault.kind = is_stack_overflow(at.accessed, at.stack) ? FaultKind::kStack : FaultKind::kAccess;
    break;
  case SIGFPE:
    fault.kind = FaultKind::kArithmetic;
    break;
  case SIGILL:
  case SIGTRAP:
    fault.kind = FaultKind::kInstruction;
    break;
  case SIGABRT:
    fault.kind = FaultKind::kAbort;
    break;
  case kTimeSignal: // which the system sends too, at a limit of the processor's time
    fault.kind = information->si_code == SI_TKILL && information->si_pid == getpid()
                     ? FaultKind::kTime
                     : FaultKind::kSignal;
    break;
  default:
    fault.kind = FaultKind::kSignal;
    break;
  }
  note_code(fault, at);
  end(fault);
}

void on_exit_called(int status, void* /*unused*/) {
  // Not all files: that would wait for one that another thread reads.
  std::fflush(stdout);
  std::fflush(stderr);
  Fault& fault = claim();
  fault.kernel = current_kernel();
  fault.kind = FaultKind::kExit;
  fault.value = status;
  note_code(fault, {.stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0))});
  end(fault);
}

} // namespace

void enter_thread(Channel* channel) {
  channel_of_thread = channel;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* lowest = nullptr;
    std::size_t size = 0;
    pthread_attr_getstack(&attributes, &lowest, &size);
    stack_begin = reinterpret_cast<std::uintptr_t>(lowest);
    stack_end = stack_begin + size;
    pthread_attr_destroy(&attributes);
  }
  thread_local HandlerStack stack;
  stack.use();
}

Channel* current_channel() {
  return channel_of_thread;
}

void watch_for_faults(Control& shared) {
  control = &shared;
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGTERM,
                           SIGINT, SIGQUIT, SIGHUP, SIGALRM, SIGPIPE, kTimeSignal}) {
    struct sigaction inherited = {};
    sigaction(signal, nullptr, &inherited);
    if (signal != SIGPIPE || inherited.sa_handler != SIG_IGN) {
      sigaction(signal, &action, nullptr);
    }
  }
  on_exit(on_exit_called, nullptr);
}

void note_image(std::uint64_t image, const ImageExtent& extent) {
  for (LoadedCode& code : images) {
    std::uint64_t free = 0;
    if (code.image.compare_exchange_strong(free, image)) {
      code.code_begin = extent.code_begin;
      code.code_end = extent.code_end;
      code.begin = extent.begin;
      code.end = extent.end;
      return;
    }
  }
}

void forget_image(std::uint64_t image) {
  for (LoadedCode& code : images) {
    if (code.image.load() == image) {
      code.end = 0;
      code.begin = 0;
      code.code_end = 0;
      code.code_begin = 0;
      code.image = 0;
    }
  }
}

void end_by_time(Channel& channel) {
  // The kernel's own thread says where it is; if it does not within half a second, nobody knows.
  constexpr timespec kHalfSecond = {.tv_sec = 0, .tv_nsec = 500'000'000};
  syscall(SYS_tgkill, getpid(), channel.thread, kTimeSignal);
  nanosleep(&kHalfSecond, nullptr);
  Fault& fault = claim();
  fault.kind = FaultKind::kTime;
  fault.kernel = channel.kernel.load();
  end(fault);
}

} // namespace gantry::worker
