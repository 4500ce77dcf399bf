#include "runtime/core/host/module_path.h"

#include "runtime/core/host/lock.h"

#include <algorithm>
#include <filesystem>
#include <span>

#include <dlfcn.h>
#include <link.h>

namespace gantry::core {

std::string library_folder() {
  expect_no_lock("the dynamic loader is asked");
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&library_folder), &info) == 0 ||
      info.dli_fname == nullptr) {
    return {};
  }
  // A program may have found the library through one of the links in lib/gantry itself.
  std::error_code error;
  const auto library = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::string() : (library.parent_path() / "gantry").string();
}

namespace {

struct Search {
  std::uintptr_t address;
  Module found;
};

int look_at(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  std::uintptr_t begin = ~std::uintptr_t{0};
  std::uintptr_t end = 0;
  for (const auto& segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    if (segment.p_type == PT_LOAD) {
      begin = std::min<std::uintptr_t>(begin, info->dlpi_addr + segment.p_vaddr);
      end = std::max<std::uintptr_t>(end, info->dlpi_addr + segment.p_vaddr + segment.p_memsz);
    }
  }
  if (search.address < begin || search.address >= end) {
    return 0;
  }
  for (const auto& segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    const std::uintptr_t in_segment = search.address - info->dlpi_addr - segment.p_vaddr;
    if (segment.p_type == PT_LOAD && search.address >= info->dlpi_addr + segment.p_vaddr &&
        in_segment < segment.p_filesz) {
      search.found.offset = segment.p_offset + in_segment;
      search.found.address_in_file = search.address - info->dlpi_addr;
    }
  }
  search.found.begin = begin;
  search.found.end = end;
  if (*info->dlpi_name != '\0') {
    search.found.path = info->dlpi_name;
  } else {
    search.found.path = executable_path();
  }
  return 1;
}

} // namespace

std::string executable_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "program" : path.string();
}

Module module_of(const void* address) {
  // Not dladdr: it waits for the lock that a thread in dlopen holds while constructors run.
  expect_no_lock("the dynamic loader is asked");
  Search search{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

} // namespace gantry::core
