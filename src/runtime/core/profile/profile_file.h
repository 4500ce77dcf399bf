// The file into which this process writes its profile (profile/record.h), mapped as shared memory.
#pragma once

#include "base/result.h"
#include "profile/record.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <sys/types.h>

namespace gantry::core {

/// Any thread. The file has the disk's space for all that is handed out, so that writing does not
/// fault because the disk is full, unless its file system has no fallocate(). It is open only while
/// space is asked for: the program may close any descriptor, and use its number again.
class ProfileFile {
public:
  struct Options {
    std::string folder;
    std::uint64_t limit = 0; ///< bytes of the file at most
    bool content = false;    ///< hashes of what is copied are written
  };

  /// Makes a new file that only this user may read, named after the process.
  [[nodiscard]] static Result<std::unique_ptr<ProfileFile>> make(const Options& options);
  ProfileFile(const ProfileFile&) = delete;
  ProfileFile& operator=(const ProfileFile&) = delete;
  /// Unmaps it. Nobody writes any more.
  ~ProfileFile();

  /// A new block of zeros for `writer`, with its BlockRecord; null if the limit is reached or the
  /// disk is full.
  [[nodiscard]] std::byte* next_block(std::uint64_t writer);

  /// An event is lost, because there was no room.
  void count_dropped();
  /// Exit handlers run: the process ends by itself.
  void note_end(std::int64_t time);

private:
  /// Which file a path was.
  struct Identity {
    dev_t device;
    ino_t inode;
    auto operator<=>(const Identity&) const = default;
  };

  ProfileFile(std::string path, Identity identity, std::byte* memory, std::uint64_t limit)
      : path_(std::move(path)), identity_(identity), memory_(memory), limit_(limit) {}
  [[nodiscard]] static std::optional<Identity> identity_of(int descriptor);
  [[nodiscard]] profile::FileHeader& header() const {
    return *reinterpret_cast<profile::FileHeader*>(memory_);
  }
  /// Gets space for all blocks before `end`; false if there is none.
  [[nodiscard]] bool reserve(std::uint64_t end);

  const std::string path_; ///< absolute
  const Identity identity_;
  std::byte* const memory_;
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> next_{0};     ///< where the next block comes
  std::mutex mutex_;                       ///< for `reserved_`; held while the system is asked
  std::atomic<std::uint64_t> reserved_{0}; ///< the bytes for which there is space
  std::atomic<bool> full_{false};
};

} // namespace gantry::core
