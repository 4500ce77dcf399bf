// A complete device plugin: a device that is a part of this process, with memory of its own. It
// runs the images that Gantry makes for x86-64.
//
// Built against the installed header alone; docs/plugins.md goes through it.
#include <gantry/plugin.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

// Errors: a message for each thread, and the status that the call returns.

thread_local std::string message;

gantry_status fail(gantry_status status, std::string text) {
  message = std::move(text);
  return status;
}

} // namespace

// The handles. Gantry knows them by pointer only.

struct gantry_device {
  int number;
};

struct gantry_kernel {
  void* function;
};

struct gantry_image {
  gantry_device* device;
  std::string path; // of a copy
  int file;
  std::mutex mutex;
  void* library = nullptr;
  std::map<std::string, gantry_kernel, std::less<>> kernels; // their addresses are handed out
};

namespace {

// The plugin, and its devices.

const char* error_message() noexcept {
  return message.c_str();
}

gantry_status count_devices(std::int32_t* count) noexcept {
  *count = 1;
  return GANTRY_SUCCESS;
}

gantry_status open_device(std::int32_t, const gantry_device_settings* settings,
                          gantry_device** device) noexcept {
  if (*settings->options != '\0') {
    return fail(GANTRY_INVALID_OPTION, std::string("example devices have no options, such as '") +
                                           settings->options + "'");
  }
  *device = new gantry_device{settings->openmp_number};
  return GANTRY_SUCCESS;
}

gantry_status close_device(gantry_device* device) noexcept {
  delete device;
  return GANTRY_SUCCESS;
}

gantry_status get_properties(gantry_device*, gantry_device_properties* properties) noexcept {
  gantry_device_properties known = {};
  known.size = properties->size;
  known.description = "this process, as an example";
  std::memcpy(properties, &known, std::min(properties->size, sizeof known));
  return GANTRY_SUCCESS;
}

// Images: shared objects, which the dynamic loader loads from a copy in memory.

std::int32_t accepts_image(const void* bytes, std::size_t size) noexcept {
  Elf64_Ehdr header;
  if (size < sizeof header) {
    return 0;
  }
  std::memcpy(&header, bytes, sizeof header);
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_type == ET_DYN &&
         header.e_machine == EM_X86_64;
}

/// The dynamic loader believes what the headers say, and crashes where the file ends before.
bool is_whole(const char* bytes, std::size_t size) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes, sizeof header);
  for (int i = 0; i < header.e_phnum; ++i) {
    const std::uint64_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
    Elf64_Phdr segment;
    if (at > size || size - at < sizeof segment) {
      return false;
    }
    std::memcpy(&segment, bytes + at, sizeof segment);
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset) {
      return false;
    }
  }
  return true;
}

gantry_status create_image(gantry_device* device, const void* bytes, std::size_t size,
                           const char* path, gantry_image** image) noexcept {
  if (!is_whole(static_cast<const char*>(bytes), size)) {
    return fail(GANTRY_FAILURE, "the image is damaged: it ends before its last segment");
  }
  if (path != nullptr) {
    unlink(path);
  }
  const int file = path == nullptr ? memfd_create("example-image", MFD_CLOEXEC)
                                   : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 || write(file, bytes, size) != static_cast<ssize_t>(size)) {
    const std::string why = std::strerror(errno);
    close(file);
    return fail(GANTRY_FAILURE, "the image cannot be copied: " + why);
  }
  *image = new gantry_image{
      device, path == nullptr ? "/proc/self/fd/" + std::to_string(file) : path, file, {}, {}, {}};
  return GANTRY_SUCCESS;
}

/// What omp_get_device_num() returns in the image, a constant to its code.
void set_device_number(gantry_image* image) {
  if (void* const number = dlsym(image->library, "__gantry_device_number"); number != nullptr) {
    const auto page = reinterpret_cast<std::uintptr_t>(number) & ~std::uintptr_t{4095};
    mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE);
    std::memcpy(number, &image->device->number, sizeof(int));
    mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ);
  }
}

gantry_status load_image(gantry_image* image) noexcept {
  const std::lock_guard lock(image->mutex); // the others wait, and find it loaded
  if (image->library == nullptr) {
    image->library = dlopen(image->path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (image->library == nullptr) {
      return fail(GANTRY_FAILURE, dlerror());
    }
    set_device_number(image);
  }
  return GANTRY_SUCCESS;
}

gantry_status destroy_image(gantry_image* image) noexcept {
  if (image->library != nullptr) {
    dlclose(image->library);
  }
  close(image->file);
  delete image;
  return GANTRY_SUCCESS;
}

gantry_status find_symbol(gantry_image* image, gantry_symbol& symbol) {
  void* const found = *symbol.name == '\0' ? nullptr : dlsym(image->library, symbol.name);
  if (found == nullptr) {
    return fail(GANTRY_NOT_FOUND, "the image has no such symbol");
  }
  if (symbol.kind == GANTRY_SYMBOL_KERNEL) {
    const std::lock_guard lock(image->mutex);
    symbol.kernel = &image->kernels.try_emplace(symbol.name, gantry_kernel{found}).first->second;
  }
  symbol.address = found;
  symbol.bytes = 0; // not known
  return GANTRY_SUCCESS;
}

gantry_status find_symbols(gantry_image* image, gantry_symbol* symbols,
                           std::size_t count) noexcept {
  gantry_status first = GANTRY_SUCCESS;
  for (gantry_symbol& symbol : std::span(symbols, count)) {
    symbol.status = find_symbol(image, symbol);
    first = first == GANTRY_SUCCESS ? symbol.status : first;
  }
  return first;
}

// Memory.

gantry_status allocate(gantry_device*, const gantry_allocation* request, void** address) noexcept {
  if (posix_memalign(address, 64, request->bytes) != 0) {
    return fail(GANTRY_OUT_OF_MEMORY, std::to_string(request->bytes) + " bytes cannot be had");
  }
  return GANTRY_SUCCESS;
}

gantry_status release(gantry_device*, void* address) noexcept {
  std::free(address);
  return GANTRY_SUCCESS;
}

gantry_status copy_to_device(gantry_device*, void* to, const void* from,
                             std::uint64_t bytes) noexcept {
  std::memmove(to, from, bytes);
  return GANTRY_SUCCESS;
}

gantry_status copy_to_host(gantry_device*, void* to, const void* from,
                           std::uint64_t bytes) noexcept {
  std::memmove(to, from, bytes);
  return GANTRY_SUCCESS;
}

// Launches: a kernel is a function whose parameters are words, here at most kMost of them.

constexpr std::size_t kMost = 384;

template <std::size_t>
using Word = void*;

template <std::size_t... I>
void call(void* function, void* const* arguments, std::index_sequence<I...>) {
  reinterpret_cast<void (*)(Word<I>...)>(function)(arguments[I]...);
}

gantry_status launch(gantry_device*, gantry_kernel* kernel, const gantry_launch* launch) noexcept {
  const auto& teams = launch->num_teams;
  const auto& threads = launch->thread_limit;
  if (std::max({teams[1], teams[2], threads[1], threads[2]}) > 1) {
    return fail(GANTRY_FAILURE, "the device runs leagues of one dimension");
  }
  if (launch->argument_count > kMost) {
    return fail(GANTRY_FAILURE, "the kernel has too many parameters");
  }
  // A function does not look at arguments behind its own: by the C calling convention the caller
  // removes them from the stack.
  std::array<void*, kMost> arguments = {};
  std::copy_n(launch->arguments, launch->argument_count, arguments.begin());
  launch->argument_count <= 16
      ? call(kernel->function, arguments.data(), std::make_index_sequence<16>())
      : call(kernel->function, arguments.data(), std::make_index_sequence<kMost>());
  return GANTRY_SUCCESS;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const gantry_plugin*
gantry_get_plugin(std::uint32_t) noexcept {
  // Members that are not named are optional functions, and null.
  static const gantry_plugin plugin = {
      .size = sizeof(gantry_plugin),
      .version = GANTRY_PLUGIN_VERSION,
      .error_message = error_message,
      .count_devices = count_devices,
      .accepts_image = accepts_image,
      .open_device = open_device,
      .close_device = close_device,
      .get_properties = get_properties,
      .create_image = create_image,
      .load_image = load_image,
      .destroy_image = destroy_image,
      .find_symbols = find_symbols,
      .allocate = allocate,
      .release = release,
      .copy_to_device = copy_to_device,
      .copy_to_host = copy_to_host,
      .launch = launch,
  };
  return &plugin;
}
