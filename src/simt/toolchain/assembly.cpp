#include "simt/toolchain/assembly.h"

#include "simt/images/fat_binary.h"
#include "simt/images/ptx_elf.h"
#include "simt/ptx/parser.h"
#include "simt/ptx/program.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace gantry::simt::toolchain {

std::optional<unsigned> capability_named(std::string_view name) {
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (!name.starts_with(prefix)) {
      continue;
    }
    const std::string_view number = name.substr(prefix.size());
    unsigned capability = 0;
    const char* const begin = number.data();
    const char* const end = begin + number.size();
    const auto [rest, error] = std::from_chars(begin, end, capability);
    const std::string_view variant(rest, static_cast<std::size_t>(end - rest));
    if (error == std::errc() && capability >= 20 && capability < 1000 &&
        (variant.empty() || variant == "a" || variant == "f")) {
      return capability;
    }
  }
  return std::nullopt;
}

tl::expected<std::vector<std::string>, std::string> texts_of(Bytes input, unsigned capability) {
  if (load<std::uint32_t>(input, 0) == GANTRY_FAT_BINARY_MAGIC) {
    auto texts = images::texts_of_fat_binary(input, capability);
    if (!texts) {
      return tl::unexpected(std::string(texts.error()));
    }
    return *std::move(texts);
  }
  if (images::is_ptx_elf(input)) {
    const auto texts = images::texts_of_ptx_elf(input);
    if (!texts) {
      return tl::unexpected(std::string("the ELF file with PTX is damaged"));
    }
    return std::vector<std::string>(texts->begin(), texts->end());
  }
  std::string_view text = as_text(input);
  text = text.substr(0, text.find('\0'));
  if (text.find(".version") == std::string_view::npos) {
    return tl::unexpected(std::string("it holds no PTX, which is all that can be executed here"));
  }
  return std::vector{std::string(text)};
}

tl::expected<void, std::string> Assembly::add(std::string text, const std::string& name) {
  auto module = ptx::parse(std::move(text), name);
  if (!module) {
    return tl::unexpected(module.error().text(name) + "\n");
  }
  if ((*module)->target > capability_) {
    return tl::unexpected(
        fmt::format("ptxas {}, line 2; error   : The text is for {}, the output for sm_{}\n", name,
                    (*module)->target_name, capability_));
  }
  modules_.push_back(*std::move(module));
  return {};
}

tl::expected<std::vector<std::byte>, std::string> Assembly::finish(bool relocatable) {
  std::vector<const ptx::Module*> modules;
  for (const auto& module : modules_) {
    modules.push_back(module.get());
  }
  std::vector<std::byte> file = images::make_ptx_elf(modules, capability_, relocatable);
  if (!relocatable) {
    if (const auto program = ptx::link(std::exchange(modules_, {})); !program) {
      return tl::unexpected(program.error() + "\n");
    }
  }
  return file;
}

} // namespace gantry::simt::toolchain
