// A look into an ELF image by its program headers alone, as the loader sees it. Nothing outside the
// bytes is read, whatever they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include <elf.h>

namespace gantry::cpu {

/// True if `bytes` begins as a little-endian shared object for `machine` does.
[[nodiscard]] bool is_shared_object(std::span<const std::byte> bytes, Elf64_Half machine);

/// The same for the machine that this code is for.
[[nodiscard]] bool is_host_shared_object(std::span<const std::byte> bytes);

class ElfImage {
public:
  /// Null unless every segment and the symbol table lie inside `bytes`, which outlive the result.
  [[nodiscard]] static std::optional<ElfImage> open(std::span<const std::byte> bytes);

  /// A symbol that the image defines and exports, or null.
  [[nodiscard]] const Elf64_Sym* find(std::string_view name) const;

  /// A word of the image that the dynamic loader fills with the address of another library's
  /// function or variable.
  struct Import {
    std::string_view name;
    std::uint64_t address = 0; ///< of the word
    bool read_only = false;    ///< once the loader is done (PT_GNU_RELRO)
  };

  /// Calls `visit` with each import, of a name as often as the image has words for it.
  void for_each_import(const std::function<void(const Import&)>& visit) const;

  /// Whether the image imports `name`.
  [[nodiscard]] bool imports(std::string_view name) const;

  /// The offset in the file of `size` bytes at a virtual address, if the file has them.
  [[nodiscard]] std::optional<std::size_t> file_offset(std::uint64_t address,
                                                       std::uint64_t size) const;

  /// Whether the virtual address is in memory that the image is loaded to.
  [[nodiscard]] bool covers(std::uint64_t address) const;

private:
  explicit ElfImage(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  [[nodiscard]] const T* at_offset(std::uint64_t offset, std::uint64_t count = 1) const;
  template <typename T>
  [[nodiscard]] const T* at_address(std::uint64_t address, std::uint64_t count = 1) const;
  [[nodiscard]] bool name_is(const Elf64_Sym& symbol, std::string_view name) const;

  [[nodiscard]] std::string_view text_at(std::uint64_t string) const;
  [[nodiscard]] bool becomes_read_only(std::uint64_t address) const;

  struct Table {
    std::uint64_t address = 0;
    std::uint64_t size = 0; ///< in bytes
  };

  std::span<const std::byte> bytes_;
  std::span<const Elf64_Phdr> segments_;
  std::uint64_t symbols_ = 0; ///< virtual addresses of the dynamic section's tables; 0: none
  std::uint64_t strings_ = 0;
  std::uint64_t strings_size_ = 0;
  std::uint64_t gnu_hash_ = 0;
  std::uint64_t sysv_hash_ = 0;
  Table relocations_;     ///< DT_RELA
  Table plt_relocations_; ///< DT_JMPREL
};

} // namespace gantry::cpu
