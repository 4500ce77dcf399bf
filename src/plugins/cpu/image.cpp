#include "plugins/cpu/image.h"

#include "base/system_limits.h"
#include "plugins/cpu/device.h"
#include "plugins/cpu/entries.h"
#include "plugins/cpu/full_teams.h"
#include "plugins/cpu/image_binding.h"
#include "plugins/image_entries.h"
#include "plugins/last_error.h"
#include "plugins/memory_file.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

#include <dlfcn.h>
#include <fcntl.h>
#include <gantry/gpu_image.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace gantry::cpu;
using gantry::plugins::report;

namespace {

/// Set by this plugin, read by the device library in the image; see gantry/cpu_image.h.
constexpr const char* kDeviceNumberSymbol = "__gantry_device_number";
constexpr const char* kFunctionsSymbol = "__gantry_functions";
constexpr const char* kGccImageSymbol = "__gantry_gcc_image";

std::int32_t report_system_error(const char* what) {
  const int error = errno;
  return report(GANTRY_FAILURE, "{}: {}{}", what, std::generic_category().message(error),
                gantry::remedy_for(error));
}

/// Not through a mapping: pages that the system has no room for would be a signal there.
bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written < 0 ? 0 : written));
  }
  return true;
}

/// "/proc/1234/fd/", of this process. Not "/proc/self/fd/", where a debugger, which opens what the
/// process has loaded, finds files of its own, and waits for ever if that is a pipe.
std::string folder_of_descriptors() {
  char process[32];
  const ssize_t size = readlink("/proc/self", process, sizeof process);
  return fmt::format("/proc/{}/fd/",
                     size <= 0 ? "self"
                               : std::string_view(process, static_cast<std::size_t>(size)));
}

/// A spelling of the path of an open file that no other image of the process has: a serial number
/// in binary, its digits written as "./" and "/". Where it begins is this plugin's own, because the
/// process may have another one with this code in it.
std::string unique_path(int descriptor) {
  static std::atomic<std::uint64_t> last{reinterpret_cast<std::uintptr_t>(&last) >> 4};
  std::string path = folder_of_descriptors();
  for (std::uint64_t serial = ++last; serial != 0; serial >>= 1) {
    path += (serial & 1) != 0 ? "./" : "/";
  }
  return path + fmt::to_string(descriptor);
}

/// The element that "#N" stands for, or null.
template <typename Element>
const Element* at_position(std::span<const Element> table, std::string_view name) {
  std::size_t position = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), position);
  const bool good =
      name.starts_with('#') && error == std::errc() && end == name.data() + name.size();
  return good && position < table.size() ? &table[position] : nullptr;
}

/// The address in the file that "@HEX" stands for, if the image has it.
std::optional<std::uint64_t> address_in_file(std::string_view name, const gantry_image& image) {
  std::uint64_t address = 0;
  const char* const last = name.data() + name.size();
  if (!name.starts_with('@')) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(name.data() + 1, last, address, 16);
  return error == std::errc() && end == last && image.covers(address) ? std::optional(address)
                                                                      : std::nullopt;
}

template <typename T>
void set_variable(std::span<std::byte> contents, const ElfImage& elf, const char* name, T value) {
  const Elf64_Sym* symbol = elf.find(name);
  if (symbol == nullptr) {
    return; // not linked by Gantry
  }
  if (const auto offset = elf.file_offset(symbol->st_value, sizeof(T))) {
    std::memcpy(contents.data() + *offset, &value, sizeof(T));
  }
}

/// What a kernel of Flang's has besides its function.
void find_league(const char* name, const gantry_image& image, gantry_kernel& kernel) {
  const Elf64_Sym* const league = image.find("__gantry_run_league");
  const Elf64_Sym* const environment =
      league == nullptr ? nullptr : image.find((std::string(name) + "_kernel_environment").c_str());
  if (environment == nullptr || environment->st_size < sizeof(gantry_kernel_environment) ||
      !image.covers(environment->st_value) ||
      !image.covers(environment->st_value + sizeof(gantry_kernel_environment) - 1)) {
    return;
  }
  kernel.run_league = reinterpret_cast<gantry_run_league*>(image.at(league->st_value));
  // Flang describes kernels for CPUs as those for GPUs.
  const auto& described =
      *static_cast<const gantry_kernel_environment*>(image.at(environment->st_value));
  kernel.thread_limit = static_cast<std::uint32_t>(std::max(described.max_threads, 0));
}

} // namespace

std::int32_t gantry_image::unload() {
  if (void* handle = handle_.load(std::memory_order_acquire); handle != nullptr) {
    device_.functions.remove(this);
    dlclose(handle);
  }
  munmap(contents_.data(), contents_.size());
  close_file();
  return GANTRY_SUCCESS;
}

void gantry_image::close_file() {
  if (const int descriptor = descriptor_.exchange(-1); descriptor >= 0) {
    close(descriptor);
  }
}

std::int32_t gantry_image::load() {
  if (handle_.load(std::memory_order_acquire) != nullptr) {
    return GANTRY_SUCCESS;
  }
  // GCC's host code is in it as a whole, and may call what no image has.
  const bool of_gcc = find(kGccImageSymbol) != nullptr;
  void* handle = dlopen(path_.c_str(), (of_gcc ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL);
  if (handle == nullptr) {
    const std::string error = dlerror();
    std::string_view hint;
    if (error.ends_with(std::strerror(EMFILE))) {
      hint = gantry::remedy_for(EMFILE);
    } else if (access("/proc/self/fd", X_OK) != 0) {
      hint = "; images are loaded through /proc, mount it";
    }
    return report(GANTRY_FAILURE, "the device image does not load: {}{}", error, hint);
  }
  if (device_.full_teams) {
    find_openmp(handle);
  }
  auto* const base = reinterpret_cast<std::byte*>(static_cast<const link_map*>(handle)->l_addr);
  std::optional<std::string> problem;
  if (of_gcc) {
    problem = bind_to_libgomp(elf_, base);
  } else if (device_.full_teams) {
    problem = bind_full_teams(elf_, base);
  }
  if (problem) {
    dlclose(handle);
    return report(GANTRY_FAILURE, "{}", *problem);
  }
  void* first = nullptr;
  if (!handle_.compare_exchange_strong(first, handle, std::memory_order_acq_rel)) {
    dlclose(handle); // one reference is enough
  } else {
    device_.functions.add(this);
  }
  close_file();
  return GANTRY_SUCCESS;
}

void* gantry_image::base() const {
  return reinterpret_cast<void*>(
      static_cast<const link_map*>(handle_.load(std::memory_order_acquire))->l_addr);
}

const gantry_gcc_image* gantry_image::of_gcc() const {
  const Elf64_Sym* const symbol = find(kGccImageSymbol);
  return symbol == nullptr ? nullptr : static_cast<const gantry_gcc_image*>(at(symbol->st_value));
}

gantry_kernel* gantry_image::keep(gantry_kernel kernel) {
  kernel.image = this;
  kernel.full_teams = device_.full_teams;
  const std::lock_guard lock(mutex_);
  return &kernels_.try_emplace(kernel.function, kernel).first->second;
}

void* gantry_image::at(std::uint64_t address) const {
  return static_cast<std::byte*>(base()) + address;
}

gantry_status gantry_image::find_kernel(const char* name, gantry_kernel*& kernel) {
  if (const gantry_gcc_image* const gcc = of_gcc(); gcc != nullptr) {
    if (const auto address = address_in_file(name, *this)) {
      kernel = keep({.function = at(*address), .run = gcc->run});
      return GANTRY_SUCCESS;
    }
    const auto* const region = at_position(std::span(gcc->functions, gcc->functions_end), name);
    if (region == nullptr) {
      return report(GANTRY_NOT_FOUND, "the image has no target region of that number or address");
    }
    kernel = keep({.function = reinterpret_cast<void*>(*region), .run = gcc->run});
    return GANTRY_SUCCESS;
  }
  const Elf64_Sym* symbol = find(name);
  if (symbol == nullptr || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) {
    return report(GANTRY_NOT_FOUND, "the image defines no function of that name");
  }
  gantry_kernel found{.function = at(symbol->st_value)};
  find_league(name, *this, found);
  kernel = keep(found);
  return GANTRY_SUCCESS;
}

gantry_status gantry_image::find_variable(const char* name, void*& address,
                                          std::uint64_t& size) const {
  if (const gantry_gcc_image* const gcc = of_gcc(); gcc != nullptr) {
    if (const auto in_file = address_in_file(name, *this)) {
      address = at(*in_file);
      size = 0;
      return GANTRY_SUCCESS;
    }
    constexpr std::uint64_t kLink = std::uint64_t{1} << 63;
    const auto* const variable = at_position(std::span(gcc->variables, gcc->variables_end), name);
    if (variable == nullptr) {
      return report(GANTRY_NOT_FOUND, "the image has no variable of that number or address");
    }
    address = variable->address;
    size = variable->size & ~kLink;
    return GANTRY_SUCCESS;
  }
  const Elf64_Sym* symbol = find(name);
  if (symbol == nullptr || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT) {
    return report(GANTRY_NOT_FOUND, "the image defines no variable of that name");
  }
  address = at(symbol->st_value);
  size = symbol->st_size;
  return GANTRY_SUCCESS;
}

namespace gantry::cpu::entries {

gantry_status create_image(gantry_device* device, const void* bytes, size_t size, const char* file,
                           gantry_image** image) noexcept {
  if (file != nullptr) {
    unlink(file); // left by an earlier process of this number
  }
  const char* const where = file == nullptr ? "memory for the device image" : file;
  const int descriptor = file == nullptr ? gantry::plugins::make_memory_file("gantry-image")
                                         : open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return report_system_error(where);
  }
  void* mapped = MAP_FAILED;
  if (write_all(descriptor, {static_cast<const std::byte*>(bytes), size})) {
    mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  }
  if (mapped == MAP_FAILED) {
    const int32_t code = report_system_error(where);
    close(descriptor);
    if (file != nullptr) {
      unlink(file);
    }
    return code;
  }
  const std::span contents(static_cast<std::byte*>(mapped), size);
  const auto elf = ElfImage::open(contents);
  if (!elf) {
    munmap(mapped, size);
    close(descriptor);
    return report(GANTRY_FAILURE,
                  "the device image is damaged: its segments or its symbol table "
                  "lie outside its {} bytes",
                  size);
  }
  set_variable(contents, *elf, kDeviceNumberSymbol, device->openmp_number);
  set_variable(contents, *elf, kFunctionsSymbol, device->functions.table());
  // The copy is complete; what symbol look-ups touch comes back by itself.
  madvise(mapped, size, MADV_DONTNEED);
  *image = new gantry_image(*device, descriptor, file == nullptr ? unique_path(descriptor) : file,
                            contents, *elf);
  return GANTRY_SUCCESS;
}

GANTRY_IMAGE_ENTRIES

} // namespace gantry::cpu::entries
