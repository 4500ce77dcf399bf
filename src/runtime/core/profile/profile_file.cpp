#include "runtime/core/profile/profile_file.h"

#include "base/monotonic.h"
#include "runtime/core/host/module_path.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gantry::core {

namespace {

/// The disk is asked for so much at a time.
constexpr std::uint64_t kStep = 64 * profile::kBlockSize;
constexpr int kMostNames = 1000;

/// A descriptor that is closed with the object.
class OpenFile {
public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }
  explicit operator bool() const { return descriptor_ >= 0; }
  [[nodiscard]] int get() const { return descriptor_; }

private:
  int descriptor_;
};

/// Makes a file that is in the folder under no name yet: its path. A process number may come again.
Result<std::pair<std::string, OpenFile>> make_file(const std::string& folder) {
  for (int i = 0; i < kMostNames; ++i) {
    std::string path = i == 0 ? fmt::format("{}/{}.gantry-profile", folder, getpid())
                              : fmt::format("{}/{}-{}.gantry-profile", folder, getpid(), i);
    OpenFile file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file) {
      return std::pair(std::move(path), std::move(file));
    }
    if (errno != EEXIST) {
      return fail("cannot make the file '{}': {}", path, std::strerror(errno));
    }
  }
  return fail("the folder '{}' has too many profiles of process {}", folder, getpid());
}

/// How large a file of this process may be, beyond which a signal would end it.
std::uint64_t largest_file() {
  struct rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
             ? limit.rlim_cur
             : std::numeric_limits<std::uint64_t>::max();
}

} // namespace

std::optional<ProfileFile::Identity> ProfileFile::identity_of(int descriptor) {
  struct stat facts{};
  return fstat(descriptor, &facts) == 0 ? std::optional(Identity{facts.st_dev, facts.st_ino})
                                        : std::nullopt;
}

Result<std::unique_ptr<ProfileFile>> ProfileFile::make(const Options& options) {
  std::error_code error;
  const auto folder = std::filesystem::absolute(options.folder, error); // the program may change it
  if (error) {
    return fail("cannot tell where the folder '{}' is: {}", options.folder, error.message());
  }
  auto [path, descriptor] = GANTRY_TRY(make_file(folder.string()));
  const std::uint64_t limit =
      std::max<std::uint64_t>(options.limit / profile::kBlockSize, 2) * profile::kBlockSize;
  const auto identity = identity_of(descriptor.get());
  // Addresses of what the file does not have yet are never handed out.
  void* const memory =
      identity ? mmap(nullptr, limit, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0)
               : MAP_FAILED;
  if (memory == MAP_FAILED) {
    const int code = errno;
    unlink(path.c_str());
    return fail("cannot map {} bytes of a file in '{}': {}", limit, options.folder,
                std::strerror(code));
  }
  std::unique_ptr<ProfileFile> file(
      new ProfileFile(path, *identity, static_cast<std::byte*>(memory), limit));
  if (!file->reserve(profile::kBlockSize)) {
    unlink(path.c_str());
    return fail("in the folder '{}' there is no room for a profile: the disk is full, or files may "
                "not be that large (ulimit -f)",
                options.folder);
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
  const OpenFile file(open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file || identity_of(file.get()) != identity_) { // the folder is gone, or out of reach
    return false;
  }
  // Where the step is too large for the limits of files, what is needed may not be.
  for (const std::uint64_t size : {wanted, end}) {
    if (size > largest_file()) {
      continue;
    }
    int failed =
        fallocate(file.get(), 0, static_cast<off_t>(reserved), static_cast<off_t>(size - reserved));
    if (failed != 0 && errno == EOPNOTSUPP) {
      failed = ftruncate(file.get(), static_cast<off_t>(size));
    }
    if (failed == 0) {
      reserved_.store(size, std::memory_order_release);
      return true;
    }
  }
  return false;
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
