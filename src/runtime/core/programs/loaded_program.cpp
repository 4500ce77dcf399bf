#include "runtime/core/programs/loaded_program.h"

#include "runtime/core/host/settings.h"

#include <algorithm>
#include <utility>

namespace gantry::core {

namespace {

/// The image that suits the device best, of equal ones the first; `images.end()` if the device's
/// plugin has a use for none. If none runs on the device, one all the same: the plugin says why.
auto choose_image(const std::vector<std::span<const std::byte>>& images,
                  const PluginDevice& device) {
  auto best = images.end();
  std::uint32_t best_rank = 0;
  for (auto image = images.begin(); image != images.end(); ++image) {
    if (!device.plugin().accepts(*image)) {
      continue;
    }
    const std::uint32_t rank = device.rank(*image);
    if (best == images.end() || rank > best_rank) {
      best = image;
      best_rank = rank;
    }
  }
  return best;
}

/// Whether regions of the program may find on a device what others have left there. All images
/// count, because they come from the same sources, and not of each kind it can be told.
bool keeps_state(const ProgramContents& contents) {
  const auto is_variable = [](const ProgramEntry& entry) {
    return entry.kind == EntryKind::kVariable || entry.kind == EntryKind::kLink ||
           entry.kind == EntryKind::kLinkPointer || entry.kind == EntryKind::kLinkStorage;
  };
  return std::ranges::any_of(contents.entries, is_variable) ||
         (contents.has_own_variables != nullptr &&
          std::ranges::any_of(contents.images, contents.has_own_variables));
}

} // namespace

Result<std::shared_ptr<LoadedProgram>> LoadedProgram::stage(const RegisteredProgram& program,
                                                            PluginDevice& device,
                                                            const std::string& file,
                                                            const FindImage& find_image) {
  auto contents = GANTRY_TRY(program.decode());
  const auto image = choose_image(contents.images, device);
  if (image == contents.images.end()) {
    return nullptr;
  }
  const std::span<const std::byte> chosen = *image;
  std::swap(contents.images.front(), contents.images[image - contents.images.cbegin()]);
  const bool unified = contents.unified_shared_memory || program.unified_shared_memory;
  if (unified && !device.use_host_memory()) {
    return fail("the program requires unified_shared_memory, and this device cannot access the "
                "host's memory; map what its regions use and leave the requires directive out, or "
                "choose another device");
  }
  std::shared_ptr<Image> shared = find_image(chosen.data());
  if (shared == nullptr) {
    auto handle = device.create_image(chosen, file);
    if (!handle) {
      return file.empty() ? tl::unexpected(handle.error())
                          : with_context(handle.error(), "GANTRY_SAVE_IMAGES");
    }
    shared = std::make_shared<Image>(Image{chosen.data(), chosen.size(), std::move(*handle)});
  }
  std::shared_ptr<LoadedProgram> staged(new LoadedProgram(program.id, device, std::move(shared)));

  staged->unified_shared_memory_ = unified;
  staged->keeps_state_ = is_spreading() && core::keeps_state(contents);
  // Regions use a link variable without a map clause then: the host's.
  const auto has_value = [&](const ProgramEntry& entry) {
    return unified && entry.kind == EntryKind::kLink;
  };
  std::size_t names_size = 0;
  std::size_t values_size = 0;
  for (const ProgramEntry& entry : contents.entries) {
    names_size += std::char_traits<char>::length(entry.name) + 1;
    values_size += has_value(entry) ? entry.size : 0;
  }
  staged->names_.reserve(names_size); // so that the pointers below stay good
  staged->link_values_.reserve(values_size);
  staged->entries_ = std::move(contents.entries);
  staged->images_ = std::move(contents.images);
  for (ProgramEntry& entry : staged->entries_) {
    const std::size_t begin = staged->names_.size();
    staged->names_.append(entry.name).push_back('\0');
    entry.name = staged->names_.data() + begin;
    if (has_value(entry)) {
      entry.value = staged->link_values_.data() + staged->link_values_.size();
      staged->link_values_.append(static_cast<const char*>(entry.address), entry.size);
    }
  }
  return staged;
}

Result<LoadedProgram::Joined> LoadedProgram::load() const {
  GANTRY_TRY(device_.load_image(image_->handle.get()));
  std::vector<gantry_symbol> symbols;
  symbols.reserve(entries_.size());
  for (const ProgramEntry& entry : entries_) {
    const std::int32_t kind =
        entry.kind == EntryKind::kKernel ? GANTRY_SYMBOL_KERNEL : GANTRY_SYMBOL_VARIABLE;
    symbols.push_back({.name = entry.name,
                       .kind = kind,
                       .status = GANTRY_NOT_FOUND,
                       .kernel = nullptr,
                       .address = nullptr,
                       .bytes = 0});
  }
  std::string why_not_found;
  GANTRY_TRY(device_.find_symbols(image_->handle.get(), symbols, why_not_found));
  Joined joined;
  joined.kernels.reserve(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (symbols[i].status != GANTRY_SUCCESS) {
      return fail("the program has an offload entry for the {} '{}' and its device image does "
                  "not: {}; rebuild all of its objects with the same sources and options",
                  symbols[i].kind == GANTRY_SYMBOL_KERNEL ? "kernel" : "variable", symbols[i].name,
                  why_not_found);
    }
    GANTRY_TRY(join(entries_[i], symbols[i], joined));
  }
  return joined;
}

Status LoadedProgram::join(const ProgramEntry& entry, const gantry_symbol& symbol,
                           Joined& joined) const {
  switch (entry.kind) {
  case EntryKind::kVariable:
  case EntryKind::kLink:
    if (symbol.bytes != 0 && symbol.bytes != entry.size) {
      return fail("the variable '{}' has {} bytes on the host and {} in the device image; rebuild "
                  "all of its objects with the same sources and options",
                  entry.name, entry.size, symbol.bytes);
    }
    joined.variables.push_back({entry.address, entry.size, symbol.address, entry.shown_name(),
                                entry.name, entry.kind == EntryKind::kLink});
    return entry.kind == EntryKind::kLink && unified_shared_memory_
               ? device_.submit(symbol.address, entry.value, entry.size)
               : Status();
  case EntryKind::kLinkPointer:
    joined.link_pointers.push_back(
        {entry.address, entry.size, symbol.address, entry.shown_name(), entry.name});
    return !unified_shared_memory_
               ? Status()
               : device_.submit(symbol.address, static_cast<const void*>(&entry.address),
                                sizeof entry.address);
  case EntryKind::kLinkStorage:
    joined.link_storage.push_back(
        {entry.address, entry.size, symbol.address, entry.shown_name(), entry.name});
    return {};
  case EntryKind::kUnifiedVariable:
    return device_.submit(symbol.address, static_cast<const void*>(&entry.value),
                          sizeof entry.value);
  case EntryKind::kIndirectFunction:
  case EntryKind::kIndirectTable:
    return join_indirect(entry, symbol.address, joined);
  case EntryKind::kKernel:
    joined.kernels.push_back(Kernel{entry.address, symbol.kernel, entry.name, keeps_state_});
    break;
  }
  return {};
}

Status LoadedProgram::join_indirect(const ProgramEntry& entry, const void* device_variable,
                                    Joined& joined) const {
  if (!device_.has_function_map()) {
    return tl::unexpected(
        Error{fmt::format("the program calls functions by pointer on the device ('{}' is one), and "
                          "the plugin '{}' does not support that (it lacks the function "
                          "set_function_map); choose another device",
                          entry.name, device_.plugin().name()),
              true});
  }
  std::uintptr_t device_address = 0;
  GANTRY_TRY(device_.retrieve(&device_address, device_variable, sizeof device_address));
  const auto host_address = reinterpret_cast<std::uintptr_t>(entry.address);
  const auto add = [&](std::uint64_t offset) {
    joined.functions.push_back({static_cast<std::int64_t>(host_address + offset),
                                static_cast<std::int64_t>(device_address + offset)});
  };
  if (entry.kind == EntryKind::kIndirectFunction) {
    add(0);
    return {};
  }
  // An object's pointer is behind two words at least, and at the table's end if nothing follows
  // them. So the end belongs to this table, though another one may begin there.
  for (std::uint64_t offset = 2 * sizeof(void*); offset <= entry.size; offset += sizeof(void*)) {
    add(offset);
  }
  return {};
}

} // namespace gantry::core
