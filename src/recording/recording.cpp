#include "recording/recording.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <type_traits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gantry::recording {

namespace {

// A file is the mark, the checksum of all that is behind it, and the members of a Recording.
constexpr std::string_view kMark = "gantry recording 2\n";
constexpr std::size_t kHead = kMark.size() + sizeof(std::uint64_t);

std::uint64_t checksum_of(std::span<const std::byte> file) {
  const auto contents = file.subspan(kHead);
  return XXH3_64bits(contents.data(), contents.size());
}

class Writer {
public:
  void operator()(const std::uint64_t& number) {
    put(reinterpret_cast<const std::byte*>(&number), sizeof number);
  }
  void operator()(const std::string& text) {
    (*this)(std::uint64_t{text.size()});
    put(reinterpret_cast<const std::byte*>(text.data()), text.size());
  }
  void operator()(const std::vector<std::byte>& bytes) {
    (*this)(std::uint64_t{bytes.size()});
    put(bytes.data(), bytes.size());
  }
  template <typename T>
  void operator()(const std::vector<T>& all) {
    (*this)(std::uint64_t{all.size()});
    for (const T& each : all) {
      members(*this, each);
    }
  }
  void put(const std::byte* bytes, std::size_t size) {
    bytes_.insert(bytes_.end(), bytes, bytes + size);
  }

  std::vector<std::byte> take() { return std::move(bytes_); }

private:
  std::vector<std::byte> bytes_;
};

/// Of what is not there it reads zeros, and says so at the end.
class Reader {
public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  void operator()(std::uint64_t& number) {
    if (const auto bytes = take(sizeof number); bytes.size() == sizeof number) {
      std::memcpy(&number, bytes.data(), sizeof number);
    }
  }
  void operator()(std::string& text) {
    const auto bytes = take_counted();
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void operator()(std::vector<std::byte>& made) {
    const auto bytes = take_counted();
    made.assign(bytes.begin(), bytes.end());
  }
  template <typename T>
  void operator()(std::vector<T>& all) {
    std::uint64_t count = 0;
    (*this)(count);
    for (std::uint64_t i = 0; i < count && !failed_; ++i) {
      members(*this, all.emplace_back());
    }
  }

  /// Whether all was there, and nothing more.
  [[nodiscard]] bool is_whole() const { return !failed_ && rest_.empty(); }

private:
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > rest_.size()) {
      failed_ = true;
      return {};
    }
    const auto bytes = rest_.first(size);
    rest_ = rest_.subspan(size);
    return bytes;
  }
  std::span<const std::byte> take_counted() {
    std::uint64_t size = 0;
    (*this)(size);
    return take(size);
  }

  std::span<const std::byte> rest_;
  bool failed_ = false;
};

// What is in a file, in order, for Writer and Reader.

template <typename T, typename Of>
concept Is = std::is_same_v<std::remove_const_t<T>, Of>;

template <typename File>
void members(File& file, Is<std::vector<std::byte>> auto& bytes) {
  file(bytes);
}
template <typename File>
void members(File& file, Is<Extent> auto& extent) {
  file(extent.address);
  file(extent.bytes);
}
template <typename File>
void members(File& file, Is<Block> auto& block) {
  file(block.address);
  file(block.size);
  file(block.name);
}
template <typename File>
void members(File& file, Is<Variable> auto& variable) {
  file(variable.name);
  file(variable.size);
  file(variable.before);
  file(variable.after);
}
template <typename File>
void members(File& file, Is<Indirect> auto& indirect) {
  file(indirect.host_address);
  file(indirect.name);
  file(indirect.table_size);
}
template <typename File>
void members(File& file, Is<Argument> auto& argument) {
  file(argument.value);
  file(argument.variable);
}
template <typename File>
void members(File& file, Is<Recording> auto& recording) {
  file(recording.construct);
  file(recording.program);
  file(recording.plugin);
  file(recording.kernel);
  file(recording.images);
  file(recording.launch.kind);
  for (auto& count : recording.launch.num_teams) {
    file(count);
  }
  for (auto& count : recording.launch.thread_limit) {
    file(count);
  }
  file(recording.launch.trip_count);
  file(recording.launch.dynamic_memory);
  file(recording.arguments);
  file(recording.blocks);
  file(recording.before);
  file(recording.after);
  file(recording.variables);
  file(recording.indirect);
  file(recording.failure);
}

bool are_in_blocks(const Recording& recording, const std::vector<Extent>& extents) {
  return std::ranges::all_of(extents, [&](const Extent& extent) {
    return recording.find(extent.address, extent.bytes.size()) != nullptr;
  });
}

/// What does not hold of what recording.h promises; empty if all does.
std::string_view contradiction(const Recording& recording) {
  std::uint64_t end = 0;
  for (const Block& block : recording.blocks) {
    if (block.size == 0 || block.address < end || block.size > ~block.address) {
      return "its memory is not in order";
    }
    end = block.address + block.size;
  }
  if (!are_in_blocks(recording, recording.before) || !are_in_blocks(recording, recording.after)) {
    return "it has bytes for memory that it does not have";
  }
  for (const Variable& variable : recording.variables) {
    for (const auto* bytes : {&variable.before, &variable.after}) {
      if (!bytes->empty() && bytes->size() != variable.size) {
        return "it has other bytes for a variable than that has";
      }
    }
  }
  for (const Argument& argument : recording.arguments) {
    if (argument.variable > recording.variables.size()) {
      return "an argument is of a variable that it does not have";
    }
  }
  if (recording.images.empty()) {
    return "it has no image";
  }
  const Launch& launch = recording.launch;
  const auto is_too_large = [](std::uint64_t number) { return number >> 32 != 0; };
  if (is_too_large(launch.kind) || is_too_large(launch.dynamic_memory) ||
      std::ranges::any_of(launch.num_teams, is_too_large) ||
      std::ranges::any_of(launch.thread_limit, is_too_large)) {
    return "a number of its launch is too large";
  }
  return {};
}

} // namespace

const Block* Recording::find(std::uint64_t address, std::uint64_t size) const {
  const auto behind = std::ranges::upper_bound(blocks, address, {}, &Block::address);
  if (behind == blocks.begin()) {
    return nullptr;
  }
  const Block& block = *std::prev(behind);
  const std::uint64_t offset = address - block.address;
  return offset <= block.size && size <= block.size - offset ? &block : nullptr;
}

std::vector<std::vector<std::byte>> Recording::contents(Moment moment) const {
  std::vector<std::vector<std::byte>> all;
  for (const Block& block : blocks) {
    all.emplace_back(block.size);
  }
  const auto apply = [&](const std::vector<Extent>& extents) {
    for (const Extent& extent : extents) {
      const Block* const block = find(extent.address, extent.bytes.size());
      std::ranges::copy(extent.bytes,
                        all[static_cast<std::size_t>(block - blocks.data())].begin() +
                            static_cast<std::ptrdiff_t>(extent.address - block->address));
    }
  };
  apply(before);
  if (moment == Moment::kAfter) {
    apply(after);
  }
  return all;
}

std::vector<std::byte> encode(const Recording& recording) {
  Writer writer;
  writer.put(reinterpret_cast<const std::byte*>(kMark.data()), kMark.size());
  writer(std::uint64_t{0});
  members(writer, recording);
  std::vector<std::byte> bytes = writer.take();
  set_checksum(bytes);
  return bytes;
}

void set_checksum(std::span<std::byte> file) {
  if (file.size() >= kHead) {
    const std::uint64_t checksum = checksum_of(file);
    std::memcpy(file.data() + kMark.size(), &checksum, sizeof checksum);
  }
}

Result<Recording> decode(std::span<const std::byte> bytes) {
  constexpr std::string_view kName = "gantry recording ";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kName)) {
    return fail("it is no recording of a kernel");
  }
  if (!text.starts_with(kMark)) {
    return fail("it is a recording of another version of Gantry");
  }
  std::uint64_t checksum = 0;
  if (bytes.size() >= kHead) {
    std::memcpy(&checksum, bytes.data() + kMark.size(), sizeof checksum);
  }
  if (bytes.size() < kHead || checksum != checksum_of(bytes)) {
    return fail("it is damaged: its bytes are not those that were written, as their checksum says");
  }
  Reader reader(bytes.subspan(kHead));
  Recording recording;
  members(reader, recording);
  if (!reader.is_whole()) {
    return fail("it is damaged: it is not as long as what is in it");
  }
  if (const std::string_view what = contradiction(recording); !what.empty()) {
    return fail("it is damaged: {}", what);
  }
  return recording;
}

} // namespace gantry::recording
