#include "simt/driver/stream.h"

#include "simt/driver/executors.h"
#include "simt/driver/queue_order.h"
#include "simt/driver/spin.h"
#include "simt/driver/thread_state.h"
#include "simt/host/settings.h"

#include <algorithm>

namespace gantry::simt::driver {

namespace {

/// Waiting threads look so long before they sleep: most kernels that are waited for end sooner than
/// a sleeping thread wakes.
constexpr std::chrono::microseconds kWaitSpin{50};

bool is_of_stream(CUlaunchAttributeID attribute) {
  switch (attribute) {
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
  case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    return true;
  default:
    return false;
  }
}

std::uint64_t next_stream_id() {
  static std::atomic<std::uint64_t> next = 3; // 1 and 2 are the default streams' handles
  return next.fetch_add(1, std::memory_order_relaxed);
}

} // namespace

bool StreamGroup::fail(CUresult error, exec::FaultFacts facts) {
  const std::lock_guard lock(mutex_);
  if (this->error() != CUDA_SUCCESS) {
    return false;
  }
  fault_ = std::move(facts);
  error_.store(error, std::memory_order_release);
  return true;
}

void StreamGroup::list(std::vector<std::shared_ptr<Stream>>& streams) const {
  streams.clear();
  const std::lock_guard lock(mutex_);
  for (const auto& [raw, weak] : streams_) {
    if (std::shared_ptr<Stream> stream = weak.lock()) {
      streams.push_back(std::move(stream));
    }
  }
}

std::shared_ptr<Stream> Stream::create(std::shared_ptr<StreamGroup> group, Kind kind,
                                       int priority) {
  const std::shared_ptr<Stream> stream(new Stream(std::move(group), kind, priority));
  StreamGroup& owner = *stream->group_;
  const std::lock_guard lock(owner.mutex_);
  owner.streams_.emplace_back(stream.get(), stream);
  if (kind == Kind::kBlocking) {
    owner.blocking_.fetch_add(1, std::memory_order_release);
  } else if (kind == Kind::kLegacy) {
    owner.legacy_ = stream;
  }
  return stream;
}

Stream::Stream(std::shared_ptr<StreamGroup> group, Kind kind, int priority)
    : group_(std::move(group)), kind_(kind), priority_(priority), id_(next_stream_id()) {}

Stream::~Stream() {
  forget_stream(id_);
  {
    const std::lock_guard lock(group_->mutex_);
    std::erase_if(group_->streams_, [this](const auto& entry) { return entry.first == this; });
    if (kind_ == Kind::kBlocking) {
      group_->blocking_.fetch_sub(1, std::memory_order_release);
    }
  }
  while (spare_ != nullptr) {
    delete std::exchange(spare_, spare_->next);
  }
}

Stream::Waits::Waits(const Stream& stream) : positions_(ThreadState::of_caller().waits) {
  if (stream.kind_ == Kind::kBlocking) {
    const std::shared_ptr<Stream> legacy = stream.group_->legacy();
    if (legacy != nullptr && !legacy->reached(legacy->last())) {
      positions_.push_back({legacy, legacy->last()});
    }
  } else if (stream.kind_ == Kind::kLegacy && stream.group_->has_blocking()) {
    std::vector<std::shared_ptr<Stream>>& streams = ThreadState::of_caller().streams;
    stream.group_->list(streams);
    for (std::shared_ptr<Stream>& other : streams) {
      const std::uint64_t last = other->last();
      if (other->kind_ == Kind::kBlocking && !other->reached(last)) {
        positions_.push_back({std::move(other), last});
      }
    }
    streams.clear();
  }
}

Stream::Waits::~Waits() {
  positions_.clear();
}

bool Stream::settled() const {
  return reached(last()) && (kind_ == Kind::kNonBlocking || Waits(*this).positions().empty());
}

void Stream::note_order() const {
  if (kind_ == Kind::kNonBlocking || !settings().checks.race) {
    return;
  }
  const Waits waits(*this);
  for (const Position& position : waits.positions()) {
    note_wait(id_, position);
  }
}

void Stream::append_waits(const Waits& waits) {
  for (const Position& position : waits.positions()) {
    append().awaited = position;
  }
}

StreamOperation& Stream::append() {
  StreamOperation* operation = spare_;
  if (operation != nullptr) {
    spare_ = operation->next;
  } else {
    operation = new StreamOperation;
  }
  operation->next = nullptr;
  operation->sequence = appended_.load(std::memory_order_relaxed) + 1;
  (last_ != nullptr ? last_->next : first_) = operation;
  last_ = operation;
  appended_.store(operation->sequence, std::memory_order_release);
  return *operation;
}

void Stream::begin(std::unique_lock<std::mutex> lock) {
  if (state_ == State::kIdle) {
    hand_over(std::move(lock));
  }
}

void Stream::hand_over(std::unique_lock<std::mutex> lock) {
  state_ = State::kQueued;
  lock.unlock();
  Executors::instance().submit(shared_from_this());
}

void Stream::enqueue_wait(const Position& position) {
  if (position.stream == nullptr || position.stream.get() == this ||
      position.stream->reached(position.sequence)) {
    return;
  }
  note_wait(id_, position);
  std::unique_lock lock(mutex_);
  append().awaited = position;
  begin(std::move(lock));
}

Position Stream::mark() {
  note_order();
  const Waits waits(*this);
  std::unique_lock lock(mutex_);
  append_waits(waits);
  const std::uint64_t sequence = last();
  if (!waits.positions().empty()) {
    begin(std::move(lock));
  }
  return {shared_from_this(), sequence};
}

void Stream::run_queued() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kQueued) {
      return;
    }
    state_ = State::kRunning;
  }
  drain(UINT64_MAX, true);
}

/// Runs operations up to `until`, by the one who has made the state kRunning; the claim ends with
/// it.
void Stream::drain(std::uint64_t until, bool driver_thread) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (first_ == nullptr) {
      state_ = State::kIdle;
      return;
    }
    StreamOperation& operation = *first_;
    if (reached(until) || (operation.driver_thread && !driver_thread)) {
      hand_over(std::move(lock));
      return;
    }
    if (operation.awaited.stream != nullptr) {
      const Position awaited = operation.awaited;
      if (!awaited.stream->reached(awaited.sequence)) {
        state_ = State::kBlocked;
        lock.unlock();
        if (awaited.stream->add_waiter(shared_from_this(), awaited.sequence)) {
          return;
        }
        lock.lock();
        state_ = State::kRunning;
      }
    }
    first_ = operation.next;
    if (first_ == nullptr) {
      last_ = nullptr;
    }
    lock.unlock();
    perform(operation);
    lock.lock();
    const std::uint64_t sequence = operation.sequence;
    operation.next = spare_;
    spare_ = &operation;
    completed_.store(sequence, std::memory_order_release);
    if (sleepers_ != 0) {
      progress_.notify_all();
    }
    release_waiters(lock);
  }
}

/// Lets the streams go on that wait for a position that is reached. Lets go of the lock for each.
void Stream::release_waiters(std::unique_lock<std::mutex>& lock) {
  const auto passed = [this](const Waiter& waiter) { return reached(waiter.sequence); };
  for (auto found = std::ranges::find_if(waiters_, passed); found != waiters_.end();
       found = std::ranges::find_if(waiters_, passed)) {
    const std::shared_ptr<Stream> stream = std::move(found->stream);
    *found = std::move(waiters_.back());
    waiters_.pop_back();
    lock.unlock();
    stream->unblock();
    lock.lock();
  }
}

void Stream::perform(StreamOperation& operation) {
  if (operation.run != nullptr) {
    try {
      operation.run(operation, group_->error());
    } catch (...) {
      group_->fail(CUDA_ERROR_UNKNOWN);
    }
  }
  operation.clear();
}

bool Stream::add_waiter(const std::shared_ptr<Stream>& stream, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  if (reached(sequence)) {
    return false;
  }
  waiters_.push_back({stream, sequence});
  return true;
}

void Stream::unblock() {
  hand_over(std::unique_lock(mutex_));
}

void Stream::wait(std::uint64_t sequence) {
  // The executor that runs the last operation may hold the last reference to this stream.
  const std::shared_ptr<Stream> self = shared_from_this();
  const bool helps = !ThreadState::is_ending();
  awaited_.fetch_add(1, std::memory_order_relaxed);
  while (!reached(sequence)) {
    Position awaited;
    {
      std::unique_lock lock(mutex_);
      if (state_ == State::kQueued) {
        if (!first_->driver_thread && helps) {
          state_ = State::kRunning;
          lock.unlock();
          drain(sequence, false);
          continue;
        }
        Executors::instance().hurry();
      }
      if (state_ == State::kBlocked) {
        awaited = first_->awaited;
      }
    }
    if (awaited.stream != nullptr && !awaited.stream->reached(awaited.sequence)) {
      awaited.stream->wait(awaited.sequence);
      continue;
    }
    if (!spin_until(kWaitSpin, [&] { return reached(sequence); })) {
      sleep_until(sequence);
    }
  }
  awaited_.fetch_sub(1, std::memory_order_relaxed);
}

void Stream::sleep_until(std::uint64_t sequence) {
  std::unique_lock lock(mutex_);
  ++sleepers_;
  progress_.wait(lock, [&] { return reached(sequence); });
  --sleepers_;
}

void enqueue_host_function(Stream& stream, CUhostFn function, void* argument) {
  stream.enqueue(
      [function, argument](CUresult status) noexcept {
        // Unlike a callback it has no way to learn of an error.
        if (status == CUDA_SUCCESS) {
          const HostFunctionScope scope;
          function(argument);
        }
      },
      Stream::Runs::kOnDriverThread);
}

bool Stream::get(CUlaunchAttributeID attribute, CUlaunchAttributeValue& value) const {
  if (!is_of_stream(attribute)) {
    return false;
  }
  const std::lock_guard lock(mutex_);
  const auto found = attributes_.find(attribute);
  value = found != attributes_.end() ? found->second : CUlaunchAttributeValue();
  if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY && found == attributes_.end()) {
    value.priority = priority_;
  }
  return true;
}

bool Stream::set(CUlaunchAttributeID attribute, const CUlaunchAttributeValue& value) {
  if (!is_of_stream(attribute)) {
    return false;
  }
  const std::lock_guard lock(mutex_);
  attributes_[attribute] = value;
  return true;
}

void Stream::copy_attributes(const Stream& from) {
  if (this == &from) {
    return;
  }
  const std::scoped_lock lock(mutex_, from.mutex_);
  attributes_ = from.attributes_;
}

void Stream::synchronize() {
  if (!settled()) {
    wait(mark().sequence);
  }
}

} // namespace gantry::simt::driver
