// An image on a cpu device: a private copy of a shared object, loaded by the dynamic loader.
#pragma once

#include "plugins/cpu/elf_image.h"

#include <atomic>
#include <cstdint>
#include <string>

#include <gantry/plugin.h>

/// The opaque image of gantry/plugin.h. The file stays open and its path unchanged for as long as
/// the image lives: the loader knows a library by its path, and would take the next image under the
/// same descriptor number for this one.
struct gantry_image {
  gantry_image(int descriptor, std::string path, std::span<std::byte> contents,
               const gantry::cpu::ElfImage& elf)
      : descriptor_(descriptor), path_(std::move(path)), contents_(contents), elf_(elf) {}
  gantry_image(const gantry_image&) = delete;
  gantry_image& operator=(const gantry_image&) = delete;
  ~gantry_image();

  /// See __tgt_rtl_load_image. The loader loads a path once, whoever comes first, and lets others
  /// wait, so no lock of ours is needed.
  std::int32_t load();

  [[nodiscard]] const Elf64_Sym* find(const char* name) const { return elf_.find(name); }

  /// Where a symbol of the loaded image is in memory.
  [[nodiscard]] void* address(const Elf64_Sym& symbol) const;

private:
  int descriptor_;
  std::string path_;
  std::span<std::byte> contents_; ///< a mapping of the file
  gantry::cpu::ElfImage elf_;
  std::atomic<void*> handle_{nullptr};
};
