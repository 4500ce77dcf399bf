#include "runtime/core/constructs/target_region.h"

#include "runtime/core/reports/diagnostics.h"

#include <atomic>
#include <string>
#include <utility>

namespace gantry::core {

namespace {

/// Tells of a launch that is about to be, and numbers it.
EventId tell_launch(const Device& device, const Kernel& kernel, const Construct& construct,
                    const gantry_launch& shape, OperationScope& operation) {
  const EventId id = next_event_id();
  if (construct.tells(Event::kOperation)) {
    operation.begin(
        construct, device.plugin_device().name(),
        {.what = Operation::What::kLaunch, .to = device.number(), .teams = shape.num_teams[0]}, id);
  }
  tell(Launched{{construct, device.plugin_device().name()},
                id,
                kernel.name,
                kernel.host_address,
                shape,
                event_time()});
  return id;
}

/// Launches without a queue, and tells of it; `id` is its number.
[[gnu::cold]] Status launch_told(const Device& device, const Kernel& kernel,
                                 const Construct& construct, const gantry_launch& shape,
                                 EventId& id) {
  OperationScope operation;
  id = tell_launch(device, kernel, construct, shape, operation);
  return device.plugin_device().launch(kernel.handle, shape);
}

/// Says what the plugin has to say of a launch: of each kernel's first one with such a clause, and
/// once in a process, because a program has many constructs of a kind.
void show_hint(const Device& device, const Kernel& kernel, const Construct& construct,
               const gantry_launch& shape) {
  if (std::atomic_ref(kernel.asked_for_hint).exchange(true, std::memory_order_relaxed)) {
    return;
  }
  static std::atomic<bool> shown{false};
  const std::string hint = device.plugin_device().launch_hint(kernel.handle, shape);
  if (!hint.empty() && !shown.exchange(true, std::memory_order_relaxed)) {
    write_hint(fmt::format("{}: {}: {}", label(construct), device.label(), hint));
  }
}

/// Whether the construct names how many threads a team has.
bool names_threads(const gantry_launch& shape) {
  return shape.thread_limit[0] > 1;
}

} // namespace

Status TargetRegion::start(gantry_launch&& shape) {
  if (Status status = device_.data_environment().enter_target(items, queue_, parameters, form,
                                                              storage_, &kernel_.found_last);
      !status) [[unlikely]] {
    return status;
  }
  if (check_enabled(Check::kMap)) [[unlikely]] {
    device_.data_environment().stale_copies().look_before_region(items, construct_);
  }
  shape.arguments = parameters.data();
  shape.argument_count = static_cast<std::uint32_t>(parameters.size());
  if (names_threads(shape)) [[unlikely]] {
    show_hint(device_, kernel_, construct_, shape);
  }
  if (is_recording()) [[unlikely]] {
    if (Status status = queue_.synchronize(); !status) {
      return failed(std::move(status));
    }
    recording_ = LaunchRecording::begin(device_, kernel_, construct_, shape, &storage_, items);
  }
  if (Status status = construct_.tells(Event::kLaunch, Event::kOperation)
                          ? launch_told(shape)
                          : queue_.launch(kernel_.handle, shape);
      !status) [[unlikely]] {
    return failed(std::move(status));
  }
  if (device_.plugin_device().is_far()) {
    device_.data_environment().expect_results(items, queue_);
  }
  return {};
}

Status TargetRegion::launch_told(const gantry_launch& shape) {
  OperationScope operation;
  const EventId id = tell_launch(device_, kernel_, construct_, shape, operation);
  return queue_.launch(kernel_.handle, shape, id);
}

Status TargetRegion::wait() {
  if (Status status = queue_.synchronize(); !status) [[unlikely]] {
    return failed(std::move(status));
  }
  if (recording_ != nullptr) [[unlikely]] {
    std::exchange(recording_, nullptr)->done();
  }
  return {};
}

Status TargetRegion::failed(Status status) {
  // While it is known what was mapped.
  const bool lost = status.error().device_lost;
  status = tl::unexpected(device_.explain(status.error(), &kernel_, items));
  if (recording_ != nullptr) [[unlikely]] {
    std::exchange(recording_, nullptr)->failed(status.error(), lost);
  }
  abandon();
  return status;
}

void TargetRegion::abandon() {
  for (MapItem& item : items) {
    item.from = false;
  }
  // Something failed before, and that is what is reported.
  (void)device_.data_environment().exit_target(items, queue_, nullptr);
}

Status TargetRegion::finish() {
  Status status = bring_back();
  if (!status && status.error().device_lost) [[unlikely]] {
    Error error = device_.explain(status.error());
    error.message += "; the region has run there, and what it came to is lost";
    return tl::unexpected(std::move(error));
  }
  return status;
}

Status TargetRegion::bring_back() {
  DataEnvironment& data = device_.data_environment();
  if (!check_enabled(Check::kMap)) [[likely]] {
    return data.exit_target(items, queue_, &kernel_.found_last);
  }
  const auto changed = data.stale_copies().look_after_region(items, construct_);
  Status status = data.exit_target(items, queue_, &kernel_.found_last);
  data.stale_copies().tell_differences(changed, construct_);
  return status;
}

Status run_without_data(Device& device, const Kernel& kernel, Construct& construct,
                        gantry_launch&& shape) {
  const ConstructScope scope(construct, device.plugin_device().name());
  StaleCopies& stale_copies = device.data_environment().stale_copies();
  if (check_enabled(Check::kMap)) [[unlikely]] {
    stale_copies.look_before_region({}, construct);
  }
  void* const null = nullptr;
  shape.arguments = &null;
  shape.argument_count = 1;
  if (names_threads(shape)) [[unlikely]] {
    show_hint(device, kernel, construct, shape);
  }
  std::unique_ptr<LaunchRecording> recording;
  if (is_recording()) [[unlikely]] {
    recording = LaunchRecording::begin(device, kernel, construct, shape, nullptr, {});
  }
  EventId id = 0;
  if (Status status = construct.tells(Event::kLaunch, Event::kOperation)
                          ? launch_told(device, kernel, construct, shape, id)
                          : device.plugin_device().launch(kernel.handle, shape);
      !status) [[unlikely]] {
    const Error error = device.explain(status.error(), &kernel);
    if (recording != nullptr) {
      recording->failed(error, status.error().device_lost);
    }
    return tl::unexpected(error);
  }
  if (recording != nullptr) [[unlikely]] {
    recording->done();
  }
  if (construct.tells(Event::kCompletion)) [[unlikely]] {
    tell(Completion{{construct, device.plugin_device().name()}, id, nullptr, event_time(), {}});
  }
  if (check_enabled(Check::kMap)) [[unlikely]] {
    stale_copies.tell_differences(stale_copies.look_after_region({}, construct), construct);
  }
  return {};
}

} // namespace gantry::core
