#include "cli/profile/run.h"

#include "base/installation.h"
#include "base/mapped_file.h"
#include "base/monotonic.h"
#include "cli/subprocess.h"
#include "format/elf.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::cli::profile {

namespace {

/// The libraries that an executable names.
std::vector<std::string> needed_libraries(const std::filesystem::path& program) {
  std::vector<std::string> libraries;
  const auto file = MappedFile::open(program);
  const auto elf = file ? format::ElfFile::read(file->bytes()) : tl::unexpected(file.error());
  if (!elf) {
    return libraries;
  }
  const format::ElfSection* const dynamic = elf->find_section(".dynamic");
  const format::ElfSection* const strings = elf->find_section(".dynstr");
  for (std::size_t at = 0; dynamic != nullptr && strings != nullptr; at += sizeof(Elf64_Dyn)) {
    const auto entry = load<Elf64_Dyn>(dynamic->contents, at);
    if (!entry || entry->d_tag == DT_NULL) {
      break;
    }
    if (entry->d_tag == DT_NEEDED) {
      libraries.emplace_back(c_string(strings->contents, entry->d_un.d_val).value_or(""));
    }
  }
  return libraries;
}

/// `first:rest`, as search paths are.
void put_first(const char* variable, const std::string& first) {
  const char* const rest = std::getenv(variable);
  const std::string value =
      rest == nullptr || *rest == '\0' ? first : fmt::format("{}:{}", first, rest);
  setenv(variable, value.c_str(), 1);
}

Status prepare_environment(const std::string& program, const Recording& recording) {
  const std::filesystem::path root = GANTRY_TRY(find_installation());
  setenv("GANTRY_PROFILE", recording.folder.c_str(), 1);
  if (recording.options.empty()) {
    unsetenv("GANTRY_PROFILE_OPTIONS");
  } else {
    setenv("GANTRY_PROFILE_OPTIONS", recording.options.c_str(), 1);
  }
  put_first("LD_LIBRARY_PATH", (root / "lib/gantry").string());
  const std::vector<std::string> libraries = needed_libraries(found_program(program));
  const auto needs = [&](std::string_view name) {
    return std::ranges::any_of(
        libraries, [&](const std::string& library) { return library.starts_with(name); });
  };
  if (needs("libgomp.so") && !needs("libgantry.so")) {
    put_first("LD_PRELOAD", (root / "lib/libgantry.so.1").string());
  }
  return {};
}

volatile std::sig_atomic_t running = 0;

void hand_on(int signal) {
  if (running != 0) {
    kill(running, signal);
  }
}

/// While it exists the terminal's signals are the program's alone, and others are handed on.
class Foreground {
public:
  Foreground() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    struct sigaction pass = {};
    pass.sa_handler = hand_on;
    pass.sa_flags = SA_RESTART;
    sigaction(SIGINT, &ignore, &before_[0]);
    sigaction(SIGQUIT, &ignore, &before_[1]);
    sigaction(SIGTERM, &pass, &before_[2]);
    sigaction(SIGHUP, &pass, &before_[3]);
    sigemptyset(&defaults_);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      if (before_[i].sa_handler != SIG_IGN) {
        sigaddset(&defaults_, kSignals[i]);
      } else if (i >= 2) {
        sigaction(kSignals[i], &ignore, nullptr); // nohup's stays ignored
      }
    }
  }
  Foreground(const Foreground&) = delete;
  Foreground& operator=(const Foreground&) = delete;
  ~Foreground() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], &before_[i], nullptr);
    }
  }

  /// What the program is to begin with the default actions of.
  [[nodiscard]] const sigset_t& defaults() const { return defaults_; }

private:
  static constexpr std::array<int, 4> kSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 4> before_{};
  sigset_t defaults_{};
};

/// A file system in memory: a disk's makes the program wait when pages are written.
constexpr const char* kMemoryFolder = "/dev/shm";
constexpr std::uint64_t kRoom = std::uint64_t{4} << 30;

bool has_room(const char* folder) {
  struct statvfs system = {};
  return access(folder, W_OK) == 0 && statvfs(folder, &system) == 0 &&
         system.f_bavail * system.f_frsize >= kRoom;
}

constexpr const char* kPrefix = "gantry-profile-";

/// The file that a folder's owner has locked while it is in use; -1 if there is none.
int open_lock(const std::string& folder, int flags) {
  return open((folder + "/lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
}

/// Removes this user's folders whose `gantry profile` was killed: they may be large, and in memory.
void remove_abandoned(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    struct stat status = {};
    if (!entry.path().filename().string().starts_with(kPrefix) ||
        lstat(entry.path().c_str(), &status) != 0 || status.st_uid != geteuid() ||
        !S_ISDIR(status.st_mode)) {
      continue;
    }
    const int lock = open_lock(entry.path().string(), 0);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0) {
      std::error_code failed; // another process may be removing it, too
      std::filesystem::remove_all(entry.path(), failed);
    }
    if (lock >= 0) {
      close(lock);
    }
  }
}

} // namespace

Result<PrivateFolder> PrivateFolder::make() {
  const char* const asked = std::getenv("TMPDIR");
  const std::string folder = asked != nullptr && *asked != '\0' ? asked
                             : has_room(kMemoryFolder)          ? kMemoryFolder
                                                                : "/tmp";
  remove_abandoned(folder);
  std::string path = fmt::format("{}/gantry-starting-XXXXXX", folder);
  if (mkdtemp(path.data()) == nullptr) { // of mode 0700
    return fail("cannot make a folder '{}': {}; set TMPDIR to a folder that you may write to", path,
                std::strerror(errno));
  }
  // It is locked before it has the name of those that are looked at.
  PrivateFolder made(std::filesystem::absolute(path), open_lock(path, O_CREAT));
  const std::filesystem::path named = folder + "/" + kPrefix + path.substr(path.rfind('-') + 1);
  std::error_code error;
  if (made.lock_ >= 0 && flock(made.lock_, LOCK_EX | LOCK_NB) == 0) {
    std::filesystem::rename(made.path_, named, error);
    made.path_ = error ? made.path_ : std::filesystem::absolute(named);
  }
  return made;
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

PrivateFolder::~PrivateFolder() {
  if (!path_.empty()) {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  if (lock_ >= 0) {
    close(lock_);
  }
}

Result<ProgramEnd> run_recorded(const std::vector<std::string>& command,
                                const Recording& recording) {
  GANTRY_TRY(prepare_environment(command.front(), recording));
  const Foreground foreground;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigdefault(&attributes, &foreground.defaults());
  std::vector<std::string> texts = command;
  std::vector<char*> arguments;
  for (std::string& text : texts) {
    arguments.push_back(text.data());
  }
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int error = posix_spawnp(&process, texts.front().c_str(), nullptr, &attributes,
                                 arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return fail("cannot run '{}': {}; a program in this folder is ./NAME, others are looked for as "
                "the shell does",
                command.front(), std::strerror(error));
  }
  running = process;
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  running = 0;
  ProgramEnd end;
  end.process = process;
  end.time = static_cast<std::int64_t>(monotonic_now());
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    end.status = 128 + signal;
    end.ending = fmt::format("was ended by signal {} ({})", signal, strsignal(signal));
  } else {
    end.status = WEXITSTATUS(status);
    end.ending = fmt::format("ended with exit status {}", end.status);
  }
  return end;
}

} // namespace gantry::cli::profile
