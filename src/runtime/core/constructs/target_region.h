// One execution of a target region on a device (OpenMP 5.2, section 13.8): its items are mapped,
// its kernel runs, its items are unmapped.
//
// An entry point fills in `items` and `parameters` and calls start(), which returns when the kernel
// is under way: done, on a device without queues. wait() waits for it, and finish() ends the
// region. After start() the region may be left to itself, for nowait; any thread may go on with it,
// one at a time.
#pragma once

#include "runtime/core/data/data_environment.h"
#include "runtime/core/record/launch_recording.h"
#include "runtime/core/runtime/device.h"

namespace gantry::core {

class TargetRegion {
public:
  /// Keeps references to the device and the kernel, which stay as long as the program is loaded,
  /// and to the construct, which begins with the object and ends with it.
  TargetRegion(Device& device, const Kernel& kernel, Construct& construct)
      : device_(device), kernel_(kernel), construct_(construct),
        scope_(construct_, device.plugin_device().name()), storage_(device.plugin_device()),
        queue_(device.queues(), construct_) {}
  TargetRegion(const TargetRegion&) = delete;
  TargetRegion& operator=(const TargetRegion&) = delete;

  /// What the construct maps.
  MapItems items;
  /// The values of the kernel's parameters that precede those of the items.
  KernelArguments parameters;

  /// How the kernel takes the items' values.
  ParameterForm form = ParameterForm::kValues;

  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] const Construct& construct() const { return construct_; }

  /// Maps the items and launches the kernel with `shape`, of which start() fills in the arguments.
  /// If it fails, nothing is mapped that was not, and the host's data is as it was.
  [[nodiscard]] Status start(gantry_launch&& shape);

  /// True if wait() would not wait.
  [[nodiscard]] bool done() { return queue_.done(); }

  /// Waits for the kernel. Once, after start() has succeeded. If it fails it leaves things as
  /// start() does then.
  [[nodiscard]] Status wait();

  /// Unmaps the items. Once, after wait() has succeeded: what a kernel uses is referenced until it
  /// is done, or another construct could take it off the device.
  [[nodiscard]] Status finish();

private:
  [[gnu::cold]] Status launch_told(const gantry_launch& shape);
  /// What becomes of a launch or kernel that failed.
  Status failed(Status status);
  /// Unmaps the items without a copy to the host.
  void abandon();
  Status bring_back();

  Device& device_;
  const Kernel& kernel_;
  Construct& construct_;
  ConstructScope scope_;
  PrivateStorage storage_;
  std::unique_ptr<LaunchRecording> recording_; ///< null: it is not recorded
  Queue queue_;                                ///< declared last: destroyed, and so drained, first
};

/// One execution of a target region without items, whose kernel's one parameter is null: launched
/// and waited for. For devices that work directly (PluginDevice::works_directly).
[[nodiscard]] Status run_without_data(Device& device, const Kernel& kernel, Construct& construct,
                                      gantry_launch&& shape);

} // namespace gantry::core
