#include "simt/driver/executors.h"

#include "simt/driver/spin.h"
#include "simt/driver/stream.h"

#include <csignal>
#include <pthread.h>
#include <sys/prctl.h>
#include <system_error>
#include <thread>

namespace gantry::simt::driver {

namespace {

/// A thread without work looks for it so long, at the cost of a processor,
constexpr std::chrono::microseconds kSpin{20};
/// then every so often, until it finds none for the second time: work that is waited for is mostly
/// done by the thread that waits, and to wake another one for it costs more than the work.
constexpr std::chrono::microseconds kNap{50};
constexpr std::chrono::milliseconds kNaps{20};
/// then it sleeps, and ends if nothing has come for so long and another one sleeps too.
constexpr std::chrono::seconds kIdle{1};

} // namespace

Executors& Executors::instance() {
  static Executors* const executors = new Executors;
  return *executors;
}

void Executors::submit(std::shared_ptr<Stream> stream) {
  bool notify = false;
  {
    const std::lock_guard lock(mutex_);
    if (stream->ready_listed_) {
      return;
    }
    stream->ready_listed_ = true;
    Stream* const raw = stream.get();
    (last_ != nullptr ? last_->next_ready_ : first_) = std::move(stream);
    last_ = raw;
    const std::uint32_t ready = ready_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (ready <= spinning_ + napping_ + wakeups_) {
      return;
    }
    if (sleeping_ > wakeups_) {
      ++wakeups_;
      notify = true;
    } else if (start_thread()) {
      ++spinning_; // it begins as one that looks for work
    }
    // Without a thread the operations run when the program waits for them.
  }
  if (notify) {
    wake_.notify_one();
  }
}

bool Executors::start_thread() {
  // Signals are for the program's threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    std::thread([this] { work(); }).detach();
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

std::shared_ptr<Stream> Executors::take() {
  std::shared_ptr<Stream> stream = std::move(first_);
  if (stream != nullptr) {
    first_ = std::move(stream->next_ready_);
    stream->next_ready_ = nullptr;
    stream->ready_listed_ = false;
    ready_.fetch_sub(1, std::memory_order_relaxed);
    if (first_ == nullptr) {
      last_ = nullptr;
    }
  }
  return stream;
}

void Executors::hurry() {
  wake_.notify_one();
}

bool Executors::nap(std::unique_lock<std::mutex>& lock) {
  const auto end = std::chrono::steady_clock::now() + kNaps;
  --spinning_;
  ++napping_;
  while (first_ == nullptr && std::chrono::steady_clock::now() < end) {
    wake_.wait_for(lock, kNap);
  }
  --napping_;
  ++spinning_;
  return first_ != nullptr;
}

void Executors::work() {
  // Or the system makes naps longer by as much again.
  prctl(PR_SET_TIMERSLACK, 1000UL);
  std::unique_lock lock(mutex_);
  for (;;) {
    // Here the thread counts in spinning_.
    if (std::shared_ptr<Stream> stream = take()) {
      --spinning_;
      lock.unlock();
      stream->run_queued();
      stream = nullptr;
      lock.lock();
      ++spinning_;
      continue;
    }
    lock.unlock();
    const bool found =
        spin_until(kSpin, [this] { return ready_.load(std::memory_order_relaxed) != 0; });
    lock.lock();
    if (found || first_ != nullptr || nap(lock)) {
      continue;
    }
    --spinning_;
    ++sleeping_;
    while (wakeups_ == 0) {
      if (sleeping_ == 1) {
        wake_.wait(lock);
      } else if (wake_.wait_for(lock, kIdle) == std::cv_status::timeout && wakeups_ == 0 &&
                 sleeping_ > 1) {
        --sleeping_;
        return;
      }
    }
    --wakeups_;
    --sleeping_;
    ++spinning_;
  }
}

} // namespace gantry::simt::driver
