#include "runtime/core/record/launch_recording.h"

#include "base/output_file.h"
#include "runtime/core/host/module_path.h"
#include "runtime/core/reports/compiler_names.h"
#include "runtime/core/reports/diagnostics.h"
#include "runtime/core/reports/text.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace gantry::core {

namespace {

using recording::Argument;
using recording::Block;
using recording::Extent;

/// What is compared, and left out, at once.
constexpr std::size_t kPiece = 64;

/// Whether the construct or kernel is the one that is asked for.
bool is_of(std::string_view place, const Kernel& kernel, std::string_view position) {
  return place.empty() || place == kernel.name ||
         (position.ends_with(place) &&
          (position.size() == place.size() || position[position.size() - place.size() - 1] == '/'));
}

bool is_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte each) { return each == std::byte{0}; });
}

/// The parts of `bytes`, which are at `address`, of which `is_wanted(offset, size)`.
template <typename IsWanted>
void add_parts(std::vector<Extent>& extents, std::uint64_t address,
               std::span<const std::byte> bytes, IsWanted is_wanted) {
  bool goes_on = false;
  for (std::size_t offset = 0; offset < bytes.size(); offset += kPiece) {
    const std::size_t size = std::min(kPiece, bytes.size() - offset);
    if (!is_wanted(offset, size)) {
      goes_on = false;
      continue;
    }
    if (!goes_on) {
      extents.push_back({address + offset, {}});
      goes_on = true;
    }
    const auto part = bytes.subspan(offset, size);
    extents.back().bytes.insert(extents.back().bytes.end(), part.begin(), part.end());
  }
}

/// Calls `visit` for each word.
template <typename Visit>
void for_each_word(std::span<const std::byte> bytes, Visit visit) {
  for (std::size_t offset = 0; offset + sizeof(std::uint64_t) <= bytes.size();
       offset += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + offset, sizeof word);
    visit(word);
  }
}

} // namespace

std::unique_ptr<LaunchRecording>
LaunchRecording::begin(Device& device, const Kernel& kernel, const Construct& construct,
                       const gantry_launch& launch, const PrivateStorage* storage, Items items) {
  static std::atomic<std::uint64_t> found = 0;
  const RecordRequest* const request = record_request.load(std::memory_order_acquire);
  if (request == nullptr) {
    return nullptr;
  }
  std::string where = position(construct.location);
  if (request->what == RecordRequest::What::kRegion) {
    if (!is_of(request->place, kernel, where) ||
        found.fetch_add(1, std::memory_order_relaxed) + 1 != request->number) {
      return nullptr;
    }
    record_request.store(nullptr, std::memory_order_release);
  }
  std::unique_ptr<LaunchRecording> made(new LaunchRecording(device, *request));
  made->recording_.construct = std::move(where);
  if (const Status status = made->read(kernel, launch, storage, items); !status) {
    record_request.store(nullptr, std::memory_order_release);
    write_warning(fmt::format("{}: {}: not recorded: {}", label(construct), device.label(),
                              status.error().message));
    return nullptr;
  }
  return made;
}

Status LaunchRecording::read(const Kernel& kernel, const gantry_launch& launch,
                             const PrivateStorage* storage, Items items) {
  const PluginDevice& device = device_.plugin_device();
  if (device.host_accessible()) {
    return fail("kernels use the program's own memory, of which nobody knows what belongs to them; "
                "choose a device with memory of its own with GANTRY_DEVICES");
  }
  const std::shared_ptr<LoadedProgram> program = device_.program_of(kernel);
  if (program == nullptr) {
    return fail("its program is gone");
  }
  recording_.program = executable_path();
  recording_.plugin = device.plugin().name();
  recording_.kernel = kernel.name;
  for (const std::span<const std::byte> image : program->images()) {
    recording_.images.emplace_back(image.begin(), image.end());
  }
  GANTRY_TRY(read_variables(*program));
  note_launch(launch);
  return read_blocks(storage, items);
}

Status LaunchRecording::read_variables(const LoadedProgram& program) {
  for (const auto* variables : {&program.joined().variables, &program.joined().link_pointers,
                                &program.joined().link_storage}) {
    for (const LoadedProgram::Variable& variable : *variables) {
      Bytes value(variable.size);
      GANTRY_TRY(
          device_.plugin_device().retrieve(value.data(), variable.device_address, variable.size));
      recording_.variables.push_back(
          {variable.image_name, variable.size, is_zero(value) ? Bytes() : value, {}});
      variables_.push_back(address(variable.device_address));
      values_.push_back(std::move(value));
    }
  }
  for (const ProgramEntry& entry : program.entries()) {
    if (entry.kind == EntryKind::kIndirectFunction || entry.kind == EntryKind::kIndirectTable) {
      recording_.indirect.push_back(
          {address(entry.address), entry.name,
           entry.kind == EntryKind::kIndirectTable ? entry.size : std::uint64_t{0}});
    }
  }
  return {};
}

void LaunchRecording::note_launch(const gantry_launch& launch) {
  recording_.launch = {
      .kind = launch.kind,
      .num_teams = {launch.num_teams[0], launch.num_teams[1], launch.num_teams[2]},
      .thread_limit = {launch.thread_limit[0], launch.thread_limit[1], launch.thread_limit[2]},
      .trip_count = launch.trip_count,
      .dynamic_memory = launch.dynamic_memory};
  for (std::uint32_t i = 0; i < launch.argument_count; ++i) {
    Argument argument = {address(launch.arguments[i]), 0};
    for (std::size_t number = 0; number < variables_.size(); ++number) {
      const std::uint64_t offset = argument.value - variables_[number];
      if (offset < recording_.variables[number].size) {
        argument = {offset, number + 1};
        break;
      }
    }
    recording_.arguments.push_back(argument);
  }
}

Status LaunchRecording::read_blocks(const PrivateStorage* storage, Items items) {
  std::map<std::uint64_t, Block> known;
  std::map<std::uint64_t, std::vector<std::uintptr_t>> pointees;
  for (DataEnvironment::Storage& each : device_.data_environment().all_storage()) {
    known[each.begin] = {each.begin, each.size, std::string(variable_name(each.name))};
    pointees[each.begin] = std::move(each.pointees);
  }
  device_.allocations().for_each(
      [&](std::uintptr_t begin, std::uint64_t size) { known[begin] = {begin, size, {}}; });
  std::vector<std::uint64_t> reached;
  const auto reach = [&](std::uint64_t word) {
    auto behind = known.upper_bound(word);
    if (behind == known.begin()) {
      return;
    }
    const Block& block = std::prev(behind)->second;
    if (word - block.address <= block.size && !contents_.contains(block.address)) { // or its end
      contents_[block.address] = {};
      reached.push_back(block.address);
    }
  };
  if (storage != nullptr && storage->size() > 0) {
    known[storage->begin()] = {storage->begin(), storage->size(), {}};
    reach(storage->begin());
  }
  for (const Argument& argument : recording_.arguments) {
    reach(argument.value);
  }
  for (const Bytes& value : values_) {
    for_each_word(value, reach);
  }
  for (const MapItem& item : items) { // whose parameter may point in front of it
    if (item.has_storage()) {
      reach(address(device_.data_environment().corresponding(item.begin, item.size)));
    }
  }
  while (!reached.empty()) {
    const Block& block = known[reached.back()];
    reached.pop_back();
    Bytes bytes(block.size);
    if (storage != nullptr && block.address == storage->begin() && storage->host() != nullptr) {
      std::memcpy(bytes.data(), storage->host(), bytes.size());
    } else {
      GANTRY_TRY(device_.plugin_device().retrieve(
          bytes.data(), reinterpret_cast<const void*>(block.address), bytes.size()));
    }
    for_each_word(bytes, reach);
    std::ranges::for_each(pointees[block.address], reach);
    contents_[block.address] = std::move(bytes);
  }
  for (const auto& [begin, bytes] : contents_) {
    recording_.blocks.push_back(known[begin]);
    add_parts(recording_.before, begin, bytes, [&](std::size_t offset, std::size_t size) {
      return !is_zero(std::span(bytes).subspan(offset, size));
    });
  }
  return {};
}

Status LaunchRecording::read_after() {
  const PluginDevice& device = device_.plugin_device();
  for (auto& [begin, before] : contents_) {
    Bytes after(before.size());
    GANTRY_TRY(device.retrieve(after.data(), reinterpret_cast<const void*>(begin), after.size()));
    add_parts(recording_.after, begin, after, [&](std::size_t offset, std::size_t size) {
      return std::memcmp(after.data() + offset, before.data() + offset, size) != 0;
    });
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    Bytes after(values_[i].size());
    GANTRY_TRY(
        device.retrieve(after.data(), reinterpret_cast<const void*>(variables_[i]), after.size()));
    if (after != values_[i]) {
      recording_.variables[i].after = std::move(after);
    }
  }
  return {};
}

void LaunchRecording::done() {
  if (request_.what == RecordRequest::What::kFault) {
    return;
  }
  if (const Status status = read_after(); !status) {
    return write_warning(
        fmt::format("a launch is not recorded: its results: {}", status.error().message));
  }
  write();
}

void LaunchRecording::failed(const Error& error, bool lost) {
  if (request_.what == RecordRequest::What::kFault && !lost) {
    return;
  }
  record_request.store(nullptr, std::memory_order_release);
  recording_.failure = error.message;
  write();
}

void LaunchRecording::write() {
  std::string file = request_.file;
  if (file.empty()) {
    const std::string& path = recording_.program;
    file = fmt::format("{}.{}.recording", path.substr(path.rfind('/') + 1), getpid());
  }
  const std::vector<std::byte> bytes = recording::encode(recording_);
  if (const Status status = write_file(file, bytes); !status) {
    return write_warning(fmt::format("a launch is not recorded: {}", status.error().message));
  }
  write_info(fmt::format("{}{} is recorded: gantry replay {}",
                         recording_.construct.empty() ? "" : recording_.construct + ": ",
                         recording_.kernel, file));
}

} // namespace gantry::core
