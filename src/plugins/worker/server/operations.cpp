#include "plugins/worker/server/operations.h"

#include "base/monotonic.h"
#include "plugins/cpu/entries.h"
#include "plugins/cpu/image.h"
#include "plugins/cpu/thread_limit.h"
#include "plugins/last_error.h"
#include "plugins/worker/futex.h"
#include "plugins/worker/server/faults.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gantry/plugin.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gantry::worker {

namespace {

template <typename T>
T* pointer(std::uint64_t word) {
  return reinterpret_cast<T*>(word);
}

template <typename T>
std::uint64_t word(T* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

std::string text(const Channel& channel) {
  return {reinterpret_cast<const char*>(channel.payload), channel.payload_size};
}

struct Search {
  std::uintptr_t address; ///< that is in the wanted module
  ImageExtent found;
};

int look_at(dl_phdr_info* module, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  ImageExtent extent{.begin = ~std::uint64_t{0}, .code_begin = ~std::uint64_t{0}};
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr) & segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) {
      continue;
    }
    const std::uint64_t begin = module->dlpi_addr + segment.p_vaddr;
    const std::uint64_t end = begin + segment.p_memsz;
    extent.begin = std::min(extent.begin, begin / kPageSize * kPageSize);
    extent.end = std::max(extent.end, (end + kPageSize - 1) / kPageSize * kPageSize);
    if ((segment.p_flags & PF_X) != 0) {
      extent.code_begin = std::min(extent.code_begin, begin);
      extent.code_end = std::max(extent.code_end, end);
    }
  }
  if (search.address < extent.begin || search.address >= extent.end) {
    return 0;
  }
  search.found = extent;
  return 1;
}

int memory_file = -1;

/// An emulator keeps books of every page that is mapped, so there only those that are in use are.
/// False, with errno, if what is to be accessible is not; the other way a failure leaves a mistake
/// unseen and nothing wrong.
bool set_accessible(const Control& control, std::uint64_t offset, std::uint64_t size,
                    bool accessible) {
  auto* const begin = pointer<void>(control.memory_begin + offset);
  if (control.emulated == 0) {
    return mprotect(begin, size, accessible ? PROT_READ | PROT_WRITE : PROT_NONE) == 0 ||
           !accessible;
  }
  if (accessible) {
    return mmap(begin, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
                memory_file, static_cast<off_t>(offset)) != MAP_FAILED;
  }
  munmap(begin, size);
  return true;
}

/// The operations that one channel carries.
class Server {
public:
  Server(gantry_device& device, Control& control, Channel& channel)
      : device_(device), control_(control), channel_(channel) {}

  void perform() {
    const std::int32_t code = result();
    channel_.code = code;
    if (code != GANTRY_SUCCESS) {
      const std::string_view message = plugins::last_error();
      channel_.payload_size = message.size();
      std::memcpy(channel_.payload, message.data(), message.size());
    }
  }

private:
  std::int32_t result() {
    auto* const image = pointer<gantry_image>(channel_.image.image);
    SymbolArguments& symbol = channel_.symbol;
    switch (channel_.operation) {
    case Operation::kAppend:
      appended_.insert(appended_.end(), channel_.payload, channel_.payload + channel_.payload_size);
      break;
    case Operation::kCreateImage:
      return create_image();
    case Operation::kLoadImage:
      return load_image(image);
    case Operation::kDestroyImage: {
      // First: the handler of a fault reads the code of the images that are noted.
      forget_image(word(image));
      const std::int32_t code = cpu::entries::destroy_image(image);
      flush();
      return code;
    }
    case Operation::kFindKernel: {
      gantry_kernel* kernel = nullptr;
      const std::int32_t code =
          pointer<gantry_image>(symbol.image)->find_kernel(text(channel_).c_str(), kernel);
      symbol.place = word(kernel);
      return code;
    }
    case Operation::kFindVariable: {
      void* address = nullptr;
      const std::int32_t code = pointer<gantry_image>(symbol.image)
                                    ->find_variable(text(channel_).c_str(), address, symbol.size);
      symbol.place = word(address);
      return code;
    }
    case Operation::kSetFunctions: {
      const std::vector<std::byte> table = std::exchange(appended_, {});
      return cpu::entries::set_function_map(
          &device_, reinterpret_cast<const __omp_offloading_fptr_map_ty*>(table.data()),
          table.size() / sizeof(__omp_offloading_fptr_map_ty));
    }
    case Operation::kWrite:
      std::memcpy(pointer<std::byte>(channel_.copy.address), channel_.payload,
                  channel_.payload_size);
      break;
    case Operation::kRead:
      std::memcpy(channel_.payload, pointer<std::byte>(channel_.copy.address), channel_.copy.size);
      break;
    case Operation::kApplyChanges:
      return apply_changes(control_);
    case Operation::kLaunch:
      return launch();
    case Operation::kEnd:
      flush();
      _exit(EXIT_SUCCESS);
    }
    return GANTRY_SUCCESS;
  }

  /// What kernels have printed comes before what the program prints when it knows them to be done.
  static void flush() {
    std::fflush(stdout);
    std::fflush(stderr);
  }

  std::int32_t create_image() {
    const std::vector<std::byte> bytes = std::exchange(appended_, {});
    const std::string file = text(channel_);
    gantry_image* image = nullptr;
    const std::int32_t code = cpu::entries::create_image(
        &device_, bytes.data(), bytes.size(), file.empty() ? nullptr : file.c_str(), &image);
    channel_.image.image = word(image);
    return code;
  }

  std::int32_t load_image(gantry_image* image) {
    const std::int32_t code = cpu::entries::load_image(image);
    flush();
    GANTRY_STATUS_TRY(code);
    Search search{reinterpret_cast<std::uintptr_t>(image->base()), {}};
    dl_iterate_phdr(look_at, &search);
    note_image(word(image), search.found);
    channel_.image.begin = search.found.begin;
    channel_.image.end = search.found.end;
    return GANTRY_SUCCESS;
  }

  std::int32_t launch() {
    if (control_.changes_made.load(std::memory_order_acquire) !=
        control_.changes_posted.load(std::memory_order_acquire)) {
      GANTRY_STATUS_TRY(apply_changes(control_));
    }
    LaunchArguments& given = channel_.launch;
    gantry_launch launch = {};
    launch.size = sizeof launch;
    launch.kind = given.kind;
    launch.arguments = reinterpret_cast<void* const*>(channel_.payload);
    launch.argument_count = given.argument_count;
    std::ranges::copy(given.num_teams, launch.num_teams);
    std::ranges::copy(given.thread_limit, launch.thread_limit);
    launch.trip_count = given.trip_count;
    launch.dynamic_memory = given.dynamic_memory;
    auto* const kernel = pointer<gantry_kernel>(given.kernel);
    const bool timed = given.timed != 0;
    if (control_.time_limit != 0) {
      channel_.since.store(monotonic_now(), std::memory_order_relaxed);
    }
    channel_.kernel.store(given.kernel);
    cpu::set_thread_limit(*kernel, given.thread_limit[0]);
    const std::uint64_t begin = timed ? monotonic_now() : 0;
    const std::int32_t code = cpu::entries::launch(&device_, kernel, &launch);
    if (timed) {
      given.begin = begin;
      given.end = monotonic_now();
    }
    channel_.kernel.store(0);
    flush();
    return code;
  }

  gantry_device& device_; ///< of the cpu plugin's, the only one here
  Control& control_;
  Channel& channel_;
  std::vector<std::byte> appended_;
};

} // namespace

void use_memory(int descriptor) {
  memory_file = descriptor;
}

std::int32_t apply_changes(Control& control) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::uint64_t posted = control.changes_posted.load(std::memory_order_acquire);
  for (std::uint64_t i = control.changes_made.load(std::memory_order_relaxed); i < posted; ++i) {
    const Change& change = control.changes[i % kChanges];
    if (!set_accessible(control, change.first_page * kPageSize, change.pages * kPageSize,
                        change.accessible != 0)) {
      control.changes_made.store(i, std::memory_order_release);
      return plugins::report(GANTRY_FAILURE,
                             "{} bytes of device memory cannot be made accessible: {}; raise the "
                             "system's limit of mappings (vm.max_map_count)",
                             change.pages * kPageSize, std::strerror(errno));
    }
  }
  control.changes_made.store(posted, std::memory_order_release);
  return GANTRY_SUCCESS;
}

void serve(gantry_device& device, Control& control, Channel& channel) {
  channel.thread = gettid();
  Server server(device, control, channel);
  for (std::uint32_t number = 1;; ++number) {
    while (!spin_until(channel.posted, number, control.spins)) {
      channel.worker_sleeps.store(1);
      wait_in_system(channel.posted, number - 1);
      channel.worker_sleeps.store(0);
    }
    server.perform();
    channel.finished.store(number);
#if !defined(__x86_64__)
    // QEMU lets the load below overtake the store above.
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    if (channel.program_sleeps.load() != 0) {
      wake_all(channel.finished);
    }
  }
}

} // namespace gantry::worker
