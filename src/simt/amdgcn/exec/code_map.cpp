#include "simt/amdgcn/exec/code_map.h"

#include "simt/amdgcn/code/decoder_library.h"
#include "simt/amdgcn/code/encoding.h"
#include "simt/amdgcn/exec/meanings.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <sys/mman.h>

namespace gantry::simt::amdgcn {

namespace {

/// The longest instruction, in dwords.
constexpr std::uint64_t kLongest = 5;

struct Codes {
  std::mutex mutex;
  std::map<std::uint64_t, LoadedCode::State*> by_begin;
};
Codes& codes() {
  static auto* const all = new Codes;
  return *all;
}

/// The process's decoder of a processor; null if there is none. Under the mutex of decoders.
struct Decoders {
  std::mutex mutex;
  std::map<std::string_view, Decoder*> of_processor;
};
Decoders& decoders() {
  static auto* const all = new Decoders;
  return *all;
}

template <typename Use>
tl::expected<void, std::string> with_decoder(const Processor& processor, Use use) {
  const auto& functions = decoder_functions();
  if (!functions) {
    return tl::unexpected(functions.error());
  }
  const std::lock_guard lock(decoders().mutex);
  if (!decoder_may_be_called()) {
    return tl::unexpected(std::string("the process ends, and the decoder is closed"));
  }
  auto [place, is_new] = decoders().of_processor.try_emplace(processor.name);
  if (is_new) {
    place->second = functions->make(std::string(processor.name).c_str());
  }
  if (place->second == nullptr) {
    return tl::unexpected(fmt::format("the decoder does not know {}", processor.name));
  }
  return use(*functions, *place->second);
}

} // namespace

LoadedCode::LoadedCode(const Processor& processor, std::uint64_t begin, std::uint64_t size,
                       std::vector<CodeSymbol> functions)
    : state_(std::make_shared<State>(processor, begin, size, std::move(functions))) {}

LoadedCode::~LoadedCode() = default;

LoadedCode::State::State(const Processor& processor, std::uint64_t begin, std::uint64_t size,
                         std::vector<CodeSymbol> functions)
    : processor_(processor), begin_(begin), size_(size), functions_(std::move(functions)),
      slots_size_((size / 4 + kLongest) * sizeof(Instruction)) {
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
  {
    const std::lock_guard lock(codes().mutex);
    const auto found = codes().by_begin.find(begin_);
    if (found != codes().by_begin.end() && found->second == this) {
      codes().by_begin.erase(found);
    }
  }
  if (slots_ != nullptr) {
    munmap(slots_, slots_size_);
  }
}

tl::expected<void, std::string> LoadedCode::State::read(const Instruction* place) {
  const std::uint64_t address = address_of(place);
  if (!contains(address)) {
    return tl::unexpected(std::string("the code ends here"));
  }
  return with_decoder(
      processor_,
      [&](const DecoderFunctions& functions, Decoder& decoder) -> tl::expected<void, std::string> {
        Instruction& slot = slots_[place - slots_];
        if (slot.run != nullptr) { // another thread was quicker
          return {};
        }
        const auto* const bytes = std::bit_cast<const std::uint8_t*>(address);
        const std::size_t left = begin_ + size_ - address;
        DecodedName name;
        if (!functions.decode(decoder, bytes, left, name)) {
          return tl::unexpected(std::string("these bytes are no instruction"));
        }
        std::uint32_t words[kLongest] = {};
        const std::size_t count = std::min<std::size_t>(name.size / 4, kLongest);
        std::memcpy(words, bytes, std::min(left, count * 4));
        auto made = read_instruction(processor_, name, std::span(words).first(count));
        if (!made) {
          return tl::unexpected(std::move(made.error()));
        }
        if (made->meaning->kind == Meaning::Kind::kBranch &&
            !contains(address + static_cast<std::uint64_t>(made->offset))) {
          return tl::unexpected(std::string("its target is outside of the code"));
        }
        const Meaning::Run run = made->modifiers.any() ? &run_modified : made->run;
        made->run = nullptr;
        slot = *made;
        __atomic_store_n(&slot.run, run, __ATOMIC_RELEASE);
        return {};
      });
}

std::string_view LoadedCode::State::function_at(std::uint64_t address) const {
  auto next = std::ranges::upper_bound(functions_, address, {}, &CodeSymbol::address);
  if (next == functions_.begin()) {
    return {};
  }
  --next;
  return next->size == 0 || address - next->address < next->size ? std::string_view(next->name)
                                                                 : std::string_view();
}

std::string LoadedCode::State::position(std::uint64_t address) const {
  const std::string_view name = function_at(address);
  if (name.empty()) {
    return fmt::format("{:#x}", address);
  }
  const auto next = std::ranges::upper_bound(functions_, address, {}, &CodeSymbol::address);
  return fmt::format("{}+{:#x}", name, address - std::prev(next)->address);
}

std::string LoadedCode::State::text_at(std::uint64_t address) const {
  char text[200] = "";
  (void)with_decoder(
      processor_,
      [&](const DecoderFunctions& functions, Decoder& decoder) -> tl::expected<void, std::string> {
        functions.print(decoder, std::bit_cast<const std::uint8_t*>(address),
                        begin_ + size_ - address, address, text, sizeof text);
        return {};
      });
  return text;
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
