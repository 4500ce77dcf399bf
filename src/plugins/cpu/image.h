// An image on a cpu device: a private copy of a shared object, loaded by the dynamic loader.
#pragma once

#include "plugins/cpu/elf_image.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include <gantry/cpu_image.h>
#include <gantry/plugin.h>

/// The opaque kernel of gantry/plugin.h.
struct gantry_kernel {
  void* function = nullptr;
  /// For regions of GCC's: how they are run; else null.
  decltype(gantry_gcc_image::run) run = nullptr;
  /// For kernels of Flang's, which are written for one team: how a league of them is run; else
  /// null.
  gantry_run_league* run_league = nullptr;
  std::uint32_t thread_limit = 0; ///< of such a kernel, as its source says; 0 if it does not
  const gantry_image* image = nullptr;
  bool full_teams = false; ///< see full_teams.h
};

/// The opaque image of gantry/plugin.h. The loader knows a library by its path and would take
/// another image of the same path for this one, so every image's path is spelled differently. The
/// file is open until the image is loaded; afterwards the program may do with the descriptor's
/// number what it likes.
struct gantry_image {
  gantry_image(gantry_device& device, int descriptor, std::string path,
               std::span<std::byte> contents, const gantry::cpu::ElfImage& elf)
      : device_(device), descriptor_(descriptor), path_(std::move(path)), contents_(contents),
        elf_(elf) {}
  gantry_image(const gantry_image&) = delete;
  gantry_image& operator=(const gantry_image&) = delete;

  /// See load_image of gantry/plugin.h. The loader loads a path once, whoever comes first, and lets
  /// others wait, so no lock of ours is needed.
  std::int32_t load();
  /// Before the image is freed.
  std::int32_t unload();

  [[nodiscard]] const Elf64_Sym* find(const char* name) const { return elf_.find(name); }

  /// What GCC's images say of themselves, once they are loaded; null for others.
  [[nodiscard]] const gantry_gcc_image* of_gcc() const;

  /// Looks up a kernel or a variable; see find_symbols of gantry/plugin.h.
  gantry_status find_kernel(const char* name, gantry_kernel*& kernel);
  gantry_status find_variable(const char* name, void*& address, std::uint64_t& size) const;

  /// Whether a segment of the image holds the address, which counts from where the image begins.
  [[nodiscard]] bool covers(std::uint64_t address) const { return elf_.covers(address); }
  /// Where such an address of the loaded image is in memory.
  [[nodiscard]] void* at(std::uint64_t address) const;
  /// Where the loaded image begins in memory.
  [[nodiscard]] void* base() const;
  [[nodiscard]] std::span<const std::byte> contents() const { return contents_; }

private:
  void close_file();
  /// The kernel with the function of `kernel`, the same each time.
  [[nodiscard]] gantry_kernel* keep(gantry_kernel kernel);

  gantry_device& device_;
  std::atomic<int> descriptor_; ///< -1 once it is closed
  std::string path_;
  std::span<std::byte> contents_; ///< a mapping of the file
  gantry::cpu::ElfImage elf_;
  std::atomic<void*> handle_{nullptr};
  std::mutex mutex_;
  std::unordered_map<void*, gantry_kernel>
      kernels_; ///< by function; their addresses are handed out
};
