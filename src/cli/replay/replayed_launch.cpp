#include "cli/replay/replayed_launch.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <sys/mman.h>

namespace gantry::cli {

namespace {

using recording::Block;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kAlignment = 64; // of all that devices allocate

void* at(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

} // namespace

std::uint64_t arena_of(const recording::Recording& recording) {
  constexpr std::uint64_t kUnit = 32 << 20;
  constexpr std::uint64_t kRoom = 256 << 20; // in front, for what the device itself needs
  if (recording.blocks.empty() || recording.blocks.front().address < kRoom + kUnit) {
    return 0;
  }
  return (recording.blocks.front().address - kRoom) / kUnit * kUnit;
}

Result<std::unique_ptr<ReplayedLaunch>> ReplayedLaunch::open(const gantry_plugin& plugin,
                                                             const std::string& options,
                                                             const recording::Recording& recording,
                                                             const std::string& image_file) {
  std::unique_ptr<ReplayedLaunch> made(new ReplayedLaunch(plugin, recording));
  GANTRY_TRY(made->open_device(options));
  // Before the image, which needs memory as well, anywhere.
  GANTRY_TRY(made->allocate(options));
  GANTRY_TRY(made->load(image_file));
  GANTRY_TRY(made->set_functions());
  return made;
}

ReplayedLaunch::~ReplayedLaunch() {
  if (image_ != nullptr) {
    (void)plugin_.destroy_image(image_);
  }
  close();
}

void ReplayedLaunch::close() {
  for (void* const address : allocated_) {
    (void)plugin_.release(device_, address);
  }
  allocated_.clear();
  if (device_ != nullptr) {
    (void)plugin_.close_device(std::exchange(device_, nullptr));
  }
}

Status ReplayedLaunch::check(gantry_status status, std::string_view what) const {
  return status == GANTRY_SUCCESS ? Status() : fail("{}: {}", what, plugin_.error_message());
}

Status ReplayedLaunch::open_device(const std::string& options) {
  gantry_device_settings settings = {};
  settings.size = sizeof settings;
  settings.options = options.c_str();
  return check(plugin_.open_device(0, &settings, &device_), "the device cannot be opened");
}

Status ReplayedLaunch::allocate(const std::string& options) {
  gantry_device_properties properties = {};
  properties.size = sizeof properties;
  GANTRY_TRY(check(plugin_.get_properties(device_, &properties), "the device"));
  if ((properties.capabilities & GANTRY_CAPABILITY_CHOSEN_ADDRESS) == 0) {
    if ((properties.capabilities & GANTRY_CAPABILITY_HOST_ACCESSIBLE) != 0) {
      return map_blocks();
    }
    return fail("the device does not place memory at chosen addresses, and pointers in the "
                "recording are of certain ones; choose another with --device");
  }
  if (allocate_blocks(/*by_pages=*/false)) {
    return {};
  }
  // Some devices give out whole pages at chosen addresses, and what was recorded on another device
  // may have blocks nearer to each other.
  close();
  GANTRY_TRY(open_device(options));
  return allocate_blocks(/*by_pages=*/true);
}

Status ReplayedLaunch::allocate_blocks(bool by_pages) {
  const std::vector<Block>& blocks = recording_.blocks;
  for (std::size_t i = 0; i < blocks.size();) {
    // A block may begin inside of what was allocated for it.
    const std::uint64_t begin = blocks[i].address / kAlignment * kAlignment;
    std::uint64_t end = blocks[i].address + blocks[i].size;
    // A page behind a block may be there to notice accesses beyond it.
    for (++i; by_pages && i < blocks.size() && blocks[i].address / kPage <= (end - 1) / kPage + 1;
         ++i) {
      end = blocks[i].address + blocks[i].size;
    }
    GANTRY_TRY(check(allocate_at(begin, end),
                     fmt::format("memory of {} bytes cannot be had at {:#x}, where it was recorded",
                                 end - begin, begin)));
  }
  return {};
}

gantry_status ReplayedLaunch::allocate_at(std::uint64_t begin, std::uint64_t end) {
  gantry_allocation request = {};
  request.size = sizeof request;
  request.bytes = end - begin;
  request.alignment = kAlignment;
  request.address = begin;
  void* address = nullptr;
  const gantry_status status = plugin_.allocate(device_, &request, &address);
  if (status == GANTRY_SUCCESS) {
    allocated_.push_back(address);
  }
  return status;
}

// Kernels use the memory of this very process.
Status ReplayedLaunch::map_blocks() {
  std::uint64_t mapped = 0; // the end of what is
  for (const Block& block : recording_.blocks) {
    const std::uint64_t begin = std::max(block.address / kPage * kPage, mapped);
    const std::uint64_t end = (block.address + block.size + kPage - 1) / kPage * kPage;
    if (begin >= end) {
      continue;
    }
    void* const place =
        mmap(at(begin), end - begin, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (place != at(begin)) {
      return fail("this process has something at {:#x}, where memory was recorded; try again, as "
                  "the system places things at random",
                  begin);
    }
    mapped = end;
  }
  return {};
}

Status ReplayedLaunch::load(const std::string& image_file) {
  const std::vector<std::byte>* best = nullptr;
  std::uint32_t best_rank = 0;
  for (const std::vector<std::byte>& image : recording_.images) {
    if (plugin_.accepts_image(image.data(), image.size()) != 1) {
      continue;
    }
    const std::uint32_t rank =
        plugin_.rank_image == nullptr ? 1 : plugin_.rank_image(device_, image.data(), image.size());
    if (rank > best_rank) {
      best = &image;
      best_rank = rank;
    }
  }
  if (best == nullptr) {
    return fail("the recording has no image that runs on the device; choose another with --device");
  }
  GANTRY_TRY(check(plugin_.create_image(device_, best->data(), best->size(),
                                        image_file.empty() ? nullptr : image_file.c_str(), &image_),
                   "the image"));
  GANTRY_TRY(check(plugin_.load_image(image_), "the image cannot be loaded"));
  std::vector<gantry_symbol> symbols;
  const auto add = [&](const std::string& name, std::int32_t kind) {
    gantry_symbol symbol = {};
    symbol.name = name.c_str();
    symbol.kind = kind;
    symbols.push_back(symbol);
  };
  add(recording_.kernel, GANTRY_SYMBOL_KERNEL);
  for (const recording::Variable& variable : recording_.variables) {
    add(variable.name, GANTRY_SYMBOL_VARIABLE);
  }
  GANTRY_TRY(check(plugin_.find_symbols(image_, symbols.data(), symbols.size()), "the image"));
  kernel_ = symbols.front().kernel;
  for (std::size_t i = 1; i < symbols.size(); ++i) {
    const recording::Variable& variable = recording_.variables[i - 1];
    if (symbols[i].bytes != 0 && symbols[i].bytes < variable.size) {
      return fail("the image has '{}' of {} bytes, and the recording of {}", variable.name,
                  symbols[i].bytes, variable.size);
    }
    variables_.push_back(symbols[i].address);
  }
  return {};
}

Status ReplayedLaunch::set_functions() {
  if (recording_.indirect.empty()) {
    return {};
  }
  if (plugin_.set_function_map == nullptr) {
    return fail("the kernel calls functions by pointer, which the device does not support");
  }
  std::map<std::int64_t, std::int64_t> pairs;
  for (const recording::Indirect& indirect : recording_.indirect) {
    gantry_symbol symbol = {};
    symbol.name = indirect.name.c_str();
    symbol.kind = GANTRY_SYMBOL_VARIABLE;
    GANTRY_TRY(check(plugin_.find_symbols(image_, &symbol, 1), "a function called by pointer"));
    std::uint64_t device_address = 0;
    GANTRY_TRY(
        check(plugin_.copy_to_host(device_, &device_address, symbol.address, sizeof device_address),
              "a function called by pointer"));
    // As LoadedProgram has it: an object's pointer is behind two words of its class's table.
    const std::uint64_t first = indirect.table_size == 0 ? 0 : 2 * sizeof(void*);
    for (std::uint64_t offset = first; offset <= indirect.table_size; offset += sizeof(void*)) {
      pairs.emplace(static_cast<std::int64_t>(indirect.host_address + offset),
                    static_cast<std::int64_t>(device_address + offset));
    }
  }
  std::vector<__omp_offloading_fptr_map_ty> table;
  for (const auto& [host, device] : pairs) {
    table.push_back({host, device});
  }
  return check(plugin_.set_function_map(device_, table.data(), table.size()),
               "functions called by pointer");
}

Status ReplayedLaunch::fill_in() {
  const auto contents = recording_.contents(recording::Recording::Moment::kBefore);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const Block& block = recording_.blocks[i];
    GANTRY_TRY(
        check(plugin_.copy_to_device(device_, at(block.address), contents[i].data(), block.size),
              "memory cannot be filled in"));
  }
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const recording::Variable& variable = recording_.variables[i];
    std::vector<std::byte> value = variable.before;
    value.resize(variable.size);
    std::vector<std::byte> now(variable.size);
    GANTRY_TRY(check(plugin_.copy_to_host(device_, now.data(), variables_[i], now.size()),
                     "a variable cannot be read"));
    if (now == value) { // constants among them, which cannot be written
      continue;
    }
    GANTRY_TRY(check(plugin_.copy_to_device(device_, variables_[i], value.data(), value.size()),
                     "a variable cannot be filled in"));
  }
  return {};
}

std::string ReplayedLaunch::failure() const {
  std::string text = plugin_.error_message();
  gantry_fault fault = {};
  fault.size = sizeof fault;
  if (plugin_.get_fault != nullptr && plugin_.get_fault(device_, &fault) == GANTRY_SUCCESS) {
    if (fault.what != nullptr && *fault.what != '\0') {
      text += fmt::format(": {}", fault.what);
    }
    const Block* const block =
        fault.address_known != 0 ? recording_.find(fault.address, 0) : nullptr;
    if (block != nullptr && !block->name.empty()) {
      text += fmt::format(", {} bytes into '{}', which has {}", fault.address - block->address,
                          block->name, block->size);
    }
    if (fault.position != nullptr && *fault.position != '\0') {
      text += fmt::format(" ({})", fault.position);
    }
  }
  return text;
}

Status ReplayedLaunch::read(ReplayResult& result) {
  for (const Block& block : recording_.blocks) {
    std::vector<std::byte>& content = result.blocks.emplace_back(block.size);
    GANTRY_TRY(check(plugin_.copy_to_host(device_, content.data(), at(block.address), block.size),
                     "results cannot be read"));
  }
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    std::vector<std::byte>& value = result.variables.emplace_back(recording_.variables[i].size);
    GANTRY_TRY(check(plugin_.copy_to_host(device_, value.data(), variables_[i], value.size()),
                     "results cannot be read"));
  }
  return {};
}

Result<ReplayResult> ReplayedLaunch::run(const ReplayChanges& changes) {
  GANTRY_TRY(fill_in());
  std::vector<void*> arguments;
  for (const recording::Argument& argument : recording_.arguments) {
    arguments.push_back(argument.variable == 0
                            ? at(argument.value)
                            : static_cast<std::byte*>(variables_[argument.variable - 1]) +
                                  argument.value);
  }
  gantry_launch launch = {};
  launch.size = sizeof launch;
  launch.kind = static_cast<std::uint32_t>(recording_.launch.kind);
  launch.argument_count = static_cast<std::uint32_t>(arguments.size());
  launch.arguments = arguments.data();
  for (std::size_t i = 0; i < 3; ++i) {
    launch.num_teams[i] = static_cast<std::uint32_t>(recording_.launch.num_teams[i]);
    launch.thread_limit[i] = static_cast<std::uint32_t>(recording_.launch.thread_limit[i]);
  }
  launch.trip_count = recording_.launch.trip_count;
  launch.dynamic_memory = static_cast<std::uint32_t>(recording_.launch.dynamic_memory);
  if (changes.teams != 0 && launch.kind == GANTRY_LAUNCH_TEAMS) {
    launch.num_teams[0] = changes.teams;
  }
  if (changes.threads != 0) {
    launch.thread_limit[0] = changes.threads;
  }
  ReplayResult result;
  const auto begin = std::chrono::steady_clock::now();
  const gantry_status status = plugin_.launch(device_, kernel_, &launch);
  result.nanoseconds = (std::chrono::steady_clock::now() - begin).count();
  if (status != GANTRY_SUCCESS) {
    result.failure = failure();
    return result;
  }
  GANTRY_TRY(read(result));
  return result;
}

} // namespace gantry::cli
