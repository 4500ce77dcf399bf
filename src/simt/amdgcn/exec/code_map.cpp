#include "simt/amdgcn/exec/code_map.h"

#include "simt/amdgcn/code/encoding.h"
#include "simt/amdgcn/code/printer.h"
#include "simt/amdgcn/exec/compiled_code.h"
#include "simt/amdgcn/exec/levels.h"
#include "simt/amdgcn/exec/meanings.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sys/mman.h>
#include <type_traits>

namespace gantry::simt::amdgcn {

namespace {

struct Codes {
  std::mutex mutex;
  std::map<std::uint64_t, LoadedCode::State*> by_begin;
};
Codes& codes() {
  static auto* const all = new Codes;
  return *all;
}

} // namespace

/// What has been compiled of it.
struct LoadedCode::State::Compiled {
  using Key = std::pair<const Instruction*, unsigned>; ///< place, and lanes of the waves
  struct Mapping {
    void* address = nullptr;
    std::size_t size = 0;
  };
  std::map<Key, Heat> heats;
  std::set<Key> begun;
  std::deque<CompiledPlace> places; ///< which slots point to
  std::vector<Mapping> mappings;

  Compiled() = default;
  ~Compiled() {
    for (const Mapping& mapping : mappings) {
      munmap(mapping.address, mapping.size);
    }
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
};

LoadedCode::LoadedCode(const Processor& processor, std::uint64_t begin, std::uint64_t size,
                       CodeSources sources)
    : state_(std::make_shared<State>(processor, begin, size, std::move(sources))) {}

LoadedCode::~LoadedCode() {
  state_->unload();
}

LoadedCode::State::State(const Processor& processor, std::uint64_t begin, std::uint64_t size,
                         CodeSources sources)
    : processor_(processor), begin_(begin), size_(size), sources_(std::move(sources)),
      slots_size_((size / 4 + kLongestInstruction) * sizeof(Instruction)),
      compiled_(std::make_unique<Compiled>()) {
  void* const memory = mmap(nullptr, slots_size_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    size_ = 0; // no address is in it: every launch says so
    slots_size_ = 0;
    return;
  }
  slots_ = static_cast<Instruction*>(memory);
  const std::lock_guard lock(codes().mutex);
  codes().by_begin[begin_] = this;
}

LoadedCode::State::~State() {
  unload();
  if (slots_ != nullptr) {
    munmap(slots_, slots_size_);
  }
}

void LoadedCode::State::unload() {
  {
    const std::lock_guard lock(mutex_);
    is_loaded_ = false;
  }
  const std::lock_guard lock(codes().mutex);
  const auto found = codes().by_begin.find(begin_);
  if (found != codes().by_begin.end() && found->second == this) {
    codes().by_begin.erase(found);
  }
}

tl::expected<Meaning::Run, std::string> LoadedCode::State::read(const Instruction* place) {
  const std::uint64_t address = address_of(place);
  if (!contains(address)) {
    return tl::unexpected(std::string("the code ends here"));
  }
  const std::lock_guard lock(mutex_);
  Instruction& slot = slots_[place - slots_];
  if (slot.run != nullptr) { // another thread was quicker
    return interpreted(slot, slot.run);
  }
  if (!is_loaded_) {
    return tl::unexpected(std::string("the code is not there any longer"));
  }
  std::uint32_t words[kLongestInstruction];
  const std::size_t count = copy_words(address, words);
  if (count == 0) {
    return tl::unexpected(std::string("the code ends here"));
  }
  auto made = read_instruction(processor_, std::span(words).first(count));
  if (!made) {
    return tl::unexpected(std::move(made.error()));
  }
  if (made->meaning->kind == Meaning::Kind::kBranch &&
      !contains(address + static_cast<std::uint64_t>(made->offset))) {
    return tl::unexpected(std::string("its target is outside of the code"));
  }
  const LevelMeanings& level = meanings_of(chosen_level());
  Meaning::Run run = made->lanes.control != LanePattern::kNone ? level.run_in_pattern
                     : made->modifiers.any()                   ? level.run_modified
                                                               : made->run;
  if (made->format == Format::kVopd) {
    const auto second = read_second_operation(processor_, std::span(words).first(count));
    if (!second) {
      return tl::unexpected(second.error());
    }
    made->operations = operations_.emplace_back(std::array{*made, *second}).data();
    run = run_both;
  }
  // All but `run`, which waves read meanwhile.
  static_assert(offsetof(Instruction, run) == 0 && std::is_trivially_copyable_v<Instruction>);
  std::memcpy(reinterpret_cast<std::byte*>(&slot) + sizeof run,
              reinterpret_cast<const std::byte*>(&*made) + sizeof run, sizeof slot - sizeof run);
  __atomic_store_n(&slot.run, run, __ATOMIC_RELEASE);
  return run;
}

Heat& LoadedCode::State::heat(const Instruction* entry, unsigned lanes) {
  const std::lock_guard lock(mutex_);
  return compiled_->heats[{entry, lanes}];
}

bool LoadedCode::State::begin_to_compile(const Instruction* entry, unsigned lanes) {
  const std::lock_guard lock(mutex_);
  return compiled_->begun.insert({entry, lanes}).second;
}

void LoadedCode::State::publish(const CompiledImage& image, unsigned lanes, Meaning::Run run) {
  const std::size_t size = image.bytes.size();
  void* const memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return;
  }
  std::memcpy(memory, image.bytes.data(), size);
  if (mprotect(memory, size, PROT_READ | PROT_EXEC) != 0) { // some systems forbid it
    munmap(memory, size);
    return;
  }
  const auto entry = reinterpret_cast<CompiledRun>(static_cast<std::byte*>(memory) + image.entry);
  const std::lock_guard lock(mutex_);
  compiled_->mappings.push_back({memory, size});
  for (std::uint32_t number = 0; number < image.places.size(); ++number) {
    Instruction& slot = slots_[image.places[number] - slots_];
    if (slot.compiled != nullptr) { // by code that is entered elsewhere, or for other waves
      continue;
    }
    compiled_->places.push_back({entry, number, lanes, slot.run});
    __atomic_store_n(&slot.compiled, &compiled_->places.back(), __ATOMIC_RELEASE);
    __atomic_store_n(&slot.run, run, __ATOMIC_RELEASE);
  }
}

std::size_t
LoadedCode::State::copy_words(std::uint64_t address,
                              std::span<std::uint32_t, kLongestInstruction> words) const {
  const std::size_t count =
      std::min<std::uint64_t>(kLongestInstruction, (begin_ + size_ - address) / 4);
  std::memcpy(words.data(), std::bit_cast<const void*>(address), count * 4);
  return count;
}

const CodeSymbol* LoadedCode::State::symbol_at(std::uint64_t address) const {
  const std::vector<CodeSymbol>& functions = sources_.functions;
  const auto next = std::ranges::upper_bound(functions, address, {}, &CodeSymbol::address);
  if (next == functions.begin()) {
    return nullptr;
  }
  // Of what has no size the entry is known, and no more.
  const CodeSymbol& symbol = *std::prev(next);
  return address - symbol.address < std::max<std::uint64_t>(symbol.size, 1) ? &symbol : nullptr;
}

std::optional<CodeSymbol> LoadedCode::State::any_symbol_at(std::uint64_t address) const {
  if (const CodeSymbol* const symbol = symbol_at(address)) {
    return *symbol;
  }
  const auto local = sources_.debug == nullptr
                         ? std::nullopt
                         : find_function(*sources_.debug, address - sources_.moved_by);
  return local ? std::optional(CodeSymbol{local->address + sources_.moved_by, local->size,
                                          std::string(local->name)})
               : std::nullopt;
}

std::string_view LoadedCode::State::function_at(std::uint64_t address) const {
  const CodeSymbol* const symbol = symbol_at(address);
  return symbol == nullptr ? std::string_view() : std::string_view(symbol->name);
}

std::string LoadedCode::State::position(std::uint64_t address) const {
  const auto symbol = any_symbol_at(address);
  return symbol ? fmt::format("{}+{:#x}", symbol->name, address - symbol->address)
                : fmt::format("{:#x}", address);
}

Result<std::optional<SourceLine>> LoadedCode::State::source_line(std::uint64_t address) const {
  if (sources_.debug == nullptr) {
    return std::nullopt;
  }
  const auto symbol = any_symbol_at(address);
  return find_line(*sources_.debug, address - sources_.moved_by,
                   (symbol ? symbol->address : address) - sources_.moved_by);
}

std::string LoadedCode::State::text_at(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  if (!is_loaded_ || !contains(address)) {
    return {};
  }
  std::uint32_t words[kLongestInstruction];
  const auto read = std::span(words).first(copy_words(address, words));
  const auto instruction =
      read.empty() ? tl::unexpected(std::string()) : read_instruction(processor_, read);
  return instruction ? text_of(print(processor_, *instruction, read)) : std::string();
}

LoadedCode::State* code_at(std::uint64_t address) {
  const std::lock_guard lock(codes().mutex);
  auto next = codes().by_begin.upper_bound(address);
  if (next == codes().by_begin.begin()) {
    return nullptr;
  }
  --next;
  return next->second->contains(address) ? next->second : nullptr;
}

} // namespace gantry::simt::amdgcn
