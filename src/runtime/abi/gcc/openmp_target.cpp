#include "runtime/abi/gcc/openmp_target.h"

#include "runtime/abi/gcc/layouts.h"
#include "runtime/abi/gcc/program.h"
#include "runtime/core/host/module_path.h"
#include "runtime/core/runtime/runtime.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <span>

#include <elf.h>
#include <fmt/format.h>

namespace gantry::abi::gcc {

namespace {

/// The descriptors in use. Never destroyed: libraries go away when the process ends.
struct Known {
  std::mutex mutex;
  std::map<const void*, std::deque<OpenmpTarget>> descriptors;
  std::atomic<const void*> last{nullptr}; ///< known, and in most programs the only one
};

Known& known() {
  static auto* const instance = new Known;
  return *instance;
}

/// In GCC 5's programs the argument is __OFFLOAD_TABLE__, which begins with an address; in the same
/// place a descriptor has two small numbers.
bool is_descriptor(const OpenmpTargetHeader& header) {
  constexpr std::uint32_t kNewest = 0xffff;
  constexpr std::uint32_t kMost = 64;
  return header.version >= 1 && header.version <= kNewest && header.target_count >= 1 &&
         header.target_count <= kMost;
}

const OpenmpTargetEntry& entry_of(const OpenmpTargetHeader& header, std::size_t index) {
  return reinterpret_cast<const OpenmpTargetEntry*>(&header + 1)[index];
}

/// The host's pairs, less the zeros that a linker has put between those of two objects.
std::vector<VariableEntry> host_pairs(const OpenmpTargetHeader& header) {
  const auto* const begin =
      reinterpret_cast<const VariableEntry*>(&entry_of(header, header.target_count));
  std::vector<VariableEntry> pairs;
  std::copy_if(begin, header.host_end, std::back_inserter(pairs),
               [](const VariableEntry& pair) { return pair.address != nullptr; });
  return pairs;
}

} // namespace

bool use_openmp_target(const void* argument) {
  if (argument == nullptr) {
    return false;
  }
  Known& all = known();
  if (all.last.load(std::memory_order_acquire) == argument) {
    return true;
  }
  const auto& header = *static_cast<const OpenmpTargetHeader*>(argument);
  if (!is_descriptor(header)) {
    return true; // what devices have is known from its registration
  }
  const std::lock_guard lock(all.mutex);
  const auto [place, added] = all.descriptors.try_emplace(argument);
  if (added) {
    for (std::size_t i = 0; i < header.target_count; ++i) {
      const OpenmpTarget& target = place->second.emplace_back(argument, i);
      core::Runtime::instance().register_program(&target, argument, decode_openmp_target);
    }
  }
  all.last.store(argument, std::memory_order_release);
  return true;
}

void forget_openmp_target(const void* descriptor) {
  Known& all = known();
  std::deque<OpenmpTarget> removed;
  {
    const std::lock_guard lock(all.mutex);
    const auto found = all.descriptors.find(descriptor);
    if (found == all.descriptors.end()) {
      return;
    }
    removed = std::move(found->second);
    all.descriptors.erase(found);
    all.last.store(nullptr, std::memory_order_release);
  }
  const core::Module module = core::module_of(descriptor);
  for (const OpenmpTarget& target : removed) {
    core::Runtime::instance().unregister_program(&target, module.begin, module.end);
  }
}

Result<core::ProgramContents> decode_openmp_target(const void* registered) {
  auto& target = *static_cast<OpenmpTarget*>(const_cast<void*>(registered));
  const auto& header = *static_cast<const OpenmpTargetHeader*>(target.descriptor);
  if (header.version != kOpenmpTargetVersion) {
    return refuse("the program's __OPENMP_TARGET__ is of version {}, and this runtime knows {}; it "
                  "was linked by a newer Gantry",
                  header.version, kOpenmpTargetVersion);
  }
  const OpenmpTargetEntry& entry = entry_of(header, target.index);
  const std::vector<VariableEntry> pairs = host_pairs(header);
  if (pairs.size() != entry.address_count) {
    return refuse("the program's __OPENMP_TARGET__ has {} functions and variables of the host, and "
                  "{} of device code number {}; they must be equal and in the same order",
                  pairs.size(), entry.address_count, target.index);
  }
  const std::span blob(entry.blob, entry.blob_size);
  const bool has_addresses =
      blob.size() >= SELFMAG && std::memcmp(blob.data(), ELFMAG, SELFMAG) == 0;
  core::ProgramContents contents;
  contents.images.push_back(blob);
  const std::lock_guard lock(target.mutex);
  for (std::size_t i = target.names.size(); i < entry.address_count; ++i) {
    const std::uintptr_t address = entry.addresses[i];
    target.names.push_back(has_addresses ? fmt::format("@{:x}", address)
                                         : std::string(reinterpret_cast<const char*>(address)));
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    contents.entries.push_back(
        {pairs[i].size == 0 ? core::EntryKind::kKernel : core::EntryKind::kVariable,
         pairs[i].address, target.names[i].c_str(), pairs[i].size});
    contents.entries.back().nameless = has_addresses;
  }
  return contents;
}

} // namespace gantry::abi::gcc
