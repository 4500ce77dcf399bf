#include "link/temporary_directory.h"

#include "link/process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include <unistd.h>

namespace gantry::link {
namespace {

namespace fs = std::filesystem;

/// What the signal thread has to remove; empty when nothing exists. The mutex is held while the
/// folder is made, so that a signal comes either before or after.
struct Cleanup {
  std::mutex mutex;
  fs::path folder;
};

/// Never destroyed: the signal thread may use it while the process exits.
Cleanup& cleanup() {
  static auto* instance = new Cleanup;
  return *instance;
}

/// The signals that end a program, except those that the parent process (nohup, say) has set to be
/// ignored. While SIGPIPE is blocked, a write to a closed pipe fails like any other.
sigset_t handled_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    struct sigaction current = {};
    sigaction(signal_number, nullptr, &current);
    if (current.sa_handler != SIG_IGN) {
      sigaddset(&signals, signal_number);
    }
  }
  return signals;
}

[[noreturn]] void end_by(int signal_number) {
  leave_nothing_behind();
  // Killed by the same signal, so that a shell or make sees what it expects.
  struct sigaction ordinary = {};
  ordinary.sa_handler = SIG_DFL;
  sigaction(signal_number, &ordinary, nullptr);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  raise(signal_number);
  _exit(128 + signal_number);
}

} // namespace

Result<TemporaryDirectory> TemporaryDirectory::create(const fs::path& kept) {
  if (!kept.empty()) {
    std::error_code error;
    fs::remove_all(kept, error);
    fs::create_directory(kept, error);
    if (error) {
      return fail("cannot make the folder '{}' for --save-temps: {}", kept.string(),
                  error.message());
    }
    return TemporaryDirectory(kept, true);
  }
  const char* parent = std::getenv("TMPDIR");
  std::string name =
      fmt::format("{}/gantry-link-XXXXXX", parent != nullptr && *parent != '\0' ? parent : "/tmp");
  const std::scoped_lock lock(cleanup().mutex);
  if (mkdtemp(name.data()) == nullptr) {
    return fail("cannot make a temporary folder '{}': {}; set TMPDIR to a writable folder", name,
                std::strerror(errno));
  }
  cleanup().folder = name;
  return TemporaryDirectory(name, false);
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::move(other.path_)), keep_(other.keep_) {
  other.path_.clear();
}

TemporaryDirectory::~TemporaryDirectory() {
  if (path_.empty() || keep_) {
    return;
  }
  const std::scoped_lock lock(cleanup().mutex);
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  cleanup().folder.clear();
}

void leave_nothing_behind() {
  end_children();
  const std::scoped_lock lock(cleanup().mutex);
  // Another thread may still be writing a file into it, which makes one pass miss that file.
  for (int attempt = 0; attempt < 10 && !cleanup().folder.empty(); ++attempt) {
    std::error_code error;
    fs::remove_all(cleanup().folder, error);
    if (!error) {
      break;
    }
  }
}

void handle_signals() {
  const sigset_t signals = handled_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int signal_number = 0;
    if (sigwait(&signals, &signal_number) == 0) {
      end_by(signal_number);
    }
  }).detach();
}

void restore_signals() {
  const sigset_t signals = handled_signals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

} // namespace gantry::link
