#include "runtime/core/profile/profile_file.h"

#include "base/monotonic.h"
#include "runtime/core/host/module_path.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gantry::core {

namespace {

/// The disk is asked for so much at a time.
constexpr std::uint64_t kStep = 64 * profile::kBlockSize;
constexpr int kMostNames = 1000;

/// Opens a file that nobody else has made. A process number may come again.
Result<int> make_file(const std::string& folder) {
  for (int i = 0; i < kMostNames; ++i) {
    const std::string path = i == 0 ? fmt::format("{}/{}.gantry-profile", folder, getpid())
                                    : fmt::format("{}/{}-{}.gantry-profile", folder, getpid(), i);
    const int descriptor =
        open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor >= 0) {
      return descriptor;
    }
    if (errno != EEXIST) {
      return fail("cannot make the file '{}': {}", path, std::strerror(errno));
    }
  }
  return fail("the folder '{}' has too many profiles of process {}", folder, getpid());
}

} // namespace

Result<std::unique_ptr<ProfileFile>> ProfileFile::make(const Options& options) {
  const int descriptor = GANTRY_TRY(make_file(options.folder));
  const std::uint64_t limit =
      std::max<std::uint64_t>(options.limit / profile::kBlockSize, 2) * profile::kBlockSize;
  // Addresses of what the file does not have yet are never handed out.
  void* const memory = mmap(nullptr, limit, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) {
    const int code = errno;
    close(descriptor);
    return fail("cannot map {} bytes of a file in '{}': {}", limit, options.folder,
                std::strerror(code));
  }
  std::unique_ptr<ProfileFile> file(
      new ProfileFile(descriptor, static_cast<std::byte*>(memory), limit));
  if (!file->reserve(profile::kBlockSize)) {
    return fail("the disk of the folder '{}' has no room for a profile", options.folder);
  }
  file->next_.store(profile::kBlockSize, std::memory_order_relaxed);
  profile::FileHeader& header = file->header();
  header = {.magic = 0,
            .version = profile::kVersion,
            .block_size = profile::kBlockSize,
            .has_content = options.content ? 1u : 0u,
            .process = static_cast<std::uint64_t>(getpid()),
            .parent = static_cast<std::uint64_t>(getppid()),
            .begin = static_cast<std::int64_t>(monotonic_now()),
            .limit = limit};
  const std::string program = executable_path();
  std::memcpy(header.program, program.data(), std::min(program.size(), sizeof header.program - 1));
  std::atomic_ref(header.magic).store(profile::kMagic, std::memory_order_release);
  return file;
}

ProfileFile::~ProfileFile() {
  munmap(memory_, limit_);
  close(descriptor_);
}

bool ProfileFile::reserve(std::uint64_t end) {
  if (end <= reserved_.load(std::memory_order_acquire)) {
    return true;
  }
  const std::lock_guard lock(mutex_);
  const std::uint64_t reserved = reserved_.load(std::memory_order_relaxed);
  if (end <= reserved) {
    return true;
  }
  const std::uint64_t wanted = std::min((end + kStep - 1) / kStep * kStep, limit_);
  int failed = fallocate(descriptor_, 0, static_cast<off_t>(reserved),
                         static_cast<off_t>(wanted - reserved));
  if (failed != 0 && errno == EOPNOTSUPP) {
    failed = ftruncate(descriptor_, static_cast<off_t>(wanted));
  }
  if (failed == 0) {
    reserved_.store(wanted, std::memory_order_release);
  }
  return failed == 0;
}

std::byte* ProfileFile::next_block(std::uint64_t writer) {
  if (full_.load(std::memory_order_relaxed)) {
    return nullptr;
  }
  const std::uint64_t begin = next_.fetch_add(profile::kBlockSize, std::memory_order_relaxed);
  if (begin + profile::kBlockSize > limit_ || !reserve(begin + profile::kBlockSize)) {
    full_.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  std::byte* const block = memory_ + begin;
#ifdef MADV_POPULATE_WRITE
  // Sixteen page faults at once; where the system does not know that, they come one by one.
  (void)madvise(block, profile::kBlockSize, MADV_POPULATE_WRITE);
#endif
  *reinterpret_cast<profile::BlockRecord*>(block) = {
      .head = {.type = profile::RecordType::kBlock, .device = profile::kNoDevice},
      .writer = writer};
  return block;
}

void ProfileFile::count_dropped() {
  std::atomic_ref(header().dropped).fetch_add(1, std::memory_order_relaxed);
}

void ProfileFile::note_end(std::int64_t time) {
  std::atomic_ref(header().end).store(time, std::memory_order_relaxed);
}

} // namespace gantry::core
