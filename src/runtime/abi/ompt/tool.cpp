#include "runtime/abi/ompt/tool.h"

#include "runtime/abi/ompt/listener.h"
#include "runtime/core/events/events.h"

#include <chrono>
#include <thread>

namespace gantry::abi::ompt {

namespace {

using core::Event;

constexpr std::uint32_t bits(Event a, Event b = {}, Event c = {}) {
  return static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b) |
         static_cast<std::uint32_t>(c);
}
constexpr std::uint32_t kOfRecords = bits(Event::kConstruct, Event::kOperation, Event::kCompletion);

/// What is registered now; null: nothing.
template <typename Callback>
Callback registered(ompt_get_callback_t get, ompt_callbacks_t which) {
  ompt_callback_t found = nullptr;
  return get(which, &found) != 0 ? reinterpret_cast<Callback>(found) : nullptr;
}

} // namespace

constinit Tool Tool::the_tool;
constinit thread_local int Tool::Call::depth = 0;

Tool::Call::Call() {
  Tool& tool = Tool::instance();
  // Counted first: who ends the tool looks in the other order.
  tool.calls_.fetch_add(1);
  ++depth;
  permitted_ = tool.active();
}

Tool::Call::~Call() {
  --depth;
  Tool::instance().calls_.fetch_sub(1);
}

ompt_id_t Tool::unique_id() {
  static std::atomic<ompt_id_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void Tool::expect() {
  core::listen(listener(), bits(Event::kDevice) | kOfRecords);
}

void Tool::give_up() {
  core::listen(listener(), 0);
}

void Tool::begin(const Host& host) {
  host_ = host;
  active_.store(true);
  take_callbacks();
  tell_of_open_devices();
}

template <typename Visit>
void Tool::visit_callbacks(Visit visit) {
  visit(ompt_callback_device_initialize, callbacks_.device_initialize);
  visit(ompt_callback_device_finalize, callbacks_.device_finalize);
  visit(ompt_callback_device_load, callbacks_.device_load);
  if (host_.tells_unload) {
    visit(ompt_callback_device_unload, callbacks_.device_unload);
  }
  visit(ompt_callback_target, callbacks_.target);
  visit(ompt_callback_target_emi, callbacks_.target_emi);
  visit(ompt_callback_target_data_op, callbacks_.data_op);
  visit(ompt_callback_target_data_op_emi, callbacks_.data_op_emi);
  visit(ompt_callback_target_submit, callbacks_.submit);
  visit(ompt_callback_target_submit_emi, callbacks_.submit_emi);
}

void Tool::take_callbacks() {
  const std::lock_guard lock(mutex_);
  visit_callbacks([&]<typename Callback>(ompt_callbacks_t which, std::atomic<Callback>& callback) {
    callback.store(registered<Callback>(host_.get_callback, which), std::memory_order_relaxed);
  });
  listen();
}

void Tool::look_for_changes() {
  if (host_.tells_changes) {
    return;
  }
  bool changed = false;
  visit_callbacks([&]<typename Callback>(ompt_callbacks_t which, std::atomic<Callback>& callback) {
    changed = changed || callback.load(std::memory_order_relaxed) !=
                             registered<Callback>(host_.get_callback, which);
  });
  if (changed) [[unlikely]] {
    take_callbacks();
  }
}

void Tool::want_records() {
  const std::lock_guard lock(mutex_);
  records_.store(Records::kWanted);
  listen();
}

void Tool::told_of_device() {
  Records decided = Records::kNotDecided;
  if (records_.compare_exchange_strong(decided, Records::kNotWanted)) {
    const std::lock_guard lock(mutex_);
    listen();
  }
}

void Tool::listen() {
  if (!active()) {
    return;
  }
  const Callbacks& known = callbacks_;
  const auto any = [](const auto&... callback) { return (... || (callback.load() != nullptr)); };
  std::uint32_t kinds = records_.load() == Records::kNotWanted ? 0 : kOfRecords;
  if (any(known.target, known.target_emi)) {
    kinds |= bits(Event::kConstruct);
  }
  if (any(known.data_op, known.data_op_emi, known.submit, known.submit_emi)) {
    kinds |= bits(Event::kConstruct, Event::kOperation); // an operation names its region
  }
  is_told_.store(kinds != 0, std::memory_order_relaxed);
  if (!host_.tells_changes) {
    kinds |= bits(Event::kConstruct);
  }
  if (kinds != 0 ||
      any(known.device_initialize, known.device_finalize, known.device_load, known.device_unload)) {
    kinds |= bits(Event::kDevice);
  }
  core::listen(listener(), kinds);
}

void Tool::end(Last last) {
  constexpr auto kPatience = std::chrono::seconds(2);
  if (!active()) {
    return;
  }
  if (last == Last::kDevices) {
    finish_devices();
  }
  {
    const std::lock_guard lock(mutex_);
    active_.store(false);
    core::listen(listener(), 0);
  }
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (calls_.load() > Call::depth && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
}

} // namespace gantry::abi::ompt
