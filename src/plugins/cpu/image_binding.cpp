#include "plugins/cpu/image_binding.h"

#include <cerrno>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gantry::cpu {

namespace {

/// libgantry has it too, for the host's code in such a program.
constexpr std::string_view kHostsTeams = "GOMP_teams4";

/// A library that the process has; null if it has not. It stays until the process ends: both
/// libraries have threads.
void* library(const char* name) {
  return dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

} // namespace

bool bind_import(const ElfImage::Import& import, std::byte* base, void* value) {
  static std::mutex mutex; // several threads may load an image at once
  const std::lock_guard lock(mutex);
  std::byte* const word = base + import.address;
  const auto page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::byte* const page = word - reinterpret_cast<std::uintptr_t>(word) % page_size;
  const auto size = static_cast<std::size_t>(word - page) + sizeof value;
  if (import.read_only && mprotect(page, size, PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  __atomic_store_n(reinterpret_cast<void**>(word), value, __ATOMIC_RELAXED);
  return !import.read_only || mprotect(page, size, PROT_READ) == 0;
}

std::optional<std::string> bind_to_libgomp(const ElfImage& elf, std::byte* base) {
  void* const libomp = library("libomp.so.5");
  void* const libgomp = libomp == nullptr ? nullptr : library("libgomp.so.1");
  if (libgomp == nullptr) {
    return std::nullopt;
  }
  std::optional<std::string> problem;
  elf.for_each_import([&](const ElfImage::Import& import) {
    if (!import.name.starts_with("GOMP_") && !import.name.starts_with("omp_")) {
      return;
    }
    const std::string name(import.name);
    void* const found = dlsym(RTLD_DEFAULT, name.c_str());
    void* const meant = dlsym(libgomp, name.c_str());
    if (found != nullptr && meant != nullptr && found != meant &&
        (found == dlsym(libomp, name.c_str()) || name == kHostsTeams) &&
        !bind_import(import, base, meant)) {
      problem = fmt::format("the image's reference to {} cannot be bound to libgomp: {}", name,
                            std::generic_category().message(errno));
    }
  });
  return problem;
}

} // namespace gantry::cpu
