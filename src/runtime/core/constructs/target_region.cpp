#include "runtime/core/constructs/target_region.h"

#include <atomic>
#include <span>
#include <string>
#include <utility>

namespace gantry::core {

namespace {

void report_launch(const Device& device, const Kernel& kernel, const Construct& construct,
                   std::span<void* const> parameters) {
  std::string values;
  for (void* const value : parameters) {
    values += fmt::format(" {}", fmt::ptr(value));
  }
  info("{}: {} launched on {}, {} parameters:{}", label(construct), kernel.name, device.label(),
       parameters.size(), values);
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
  if (Status status = device_.data_environment().enter_target(items, construct_, queue_, parameters,
                                                              form, storage_, &kernel_.found_last);
      !status) [[unlikely]] {
    return status;
  }
  if (check_enabled(Check::kMap)) [[unlikely]] {
    device_.data_environment().look_before_region(items, construct_);
  }
  shape.arguments = parameters.data();
  shape.argument_count = static_cast<std::uint32_t>(parameters.size());
  if (info_enabled(Info::kLaunch)) [[unlikely]] {
    report_launch(device_, kernel_, construct_, parameters);
  }
  if (names_threads(shape)) [[unlikely]] {
    show_hint(device_, kernel_, construct_, shape);
  }
  if (Status status = queue_.launch(kernel_.handle, shape); !status) [[unlikely]] {
    return failed(std::move(status));
  }
  return {};
}

Status TargetRegion::wait() {
  if (Status status = queue_.synchronize(); !status) [[unlikely]] {
    return failed(std::move(status));
  }
  return {};
}

Status TargetRegion::failed(Status status) {
  // While it is known what was mapped.
  status = tl::unexpected(device_.explain(status.error(), &kernel_, items));
  abandon();
  return status;
}

void TargetRegion::abandon() {
  for (MapItem& item : items) {
    item.from = false;
  }
  // Something failed before, and that is what is reported.
  (void)device_.data_environment().exit(items, construct_, queue_);
}

Status TargetRegion::finish() {
  DataEnvironment& data = device_.data_environment();
  if (!check_enabled(Check::kMap)) [[likely]] {
    return data.exit_target(items, construct_, queue_, &kernel_.found_last);
  }
  const auto changed = data.look_after_region(items, construct_);
  Status status = data.exit_target(items, construct_, queue_, &kernel_.found_last);
  data.tell_differences(changed, construct_);
  return status;
}

Status run_without_data(Device& device, const Kernel& kernel, const Construct& construct,
                        gantry_launch&& shape) {
  if (check_enabled(Check::kMap)) [[unlikely]] {
    device.data_environment().look_before_region({}, construct);
  }
  void* const null = nullptr;
  shape.arguments = &null;
  shape.argument_count = 1;
  if (info_enabled(Info::kLaunch)) [[unlikely]] {
    report_launch(device, kernel, construct, {&null, 1});
  }
  if (names_threads(shape)) [[unlikely]] {
    show_hint(device, kernel, construct, shape);
  }
  if (Status status = device.plugin_device().launch(kernel.handle, shape); !status) [[unlikely]] {
    return tl::unexpected(device.explain(status.error(), &kernel));
  }
  if (check_enabled(Check::kMap)) [[unlikely]] {
    DataEnvironment& data = device.data_environment();
    data.tell_differences(data.look_after_region({}, construct), construct);
  }
  return {};
}

} // namespace gantry::core
