// A program with nodes in one process, for tests: the plugin, and nodes with fake devices, over a
// simulated network.
#pragma once

#include "plugins/mpi/device.h"
#include "plugins/mpi/entries.h"
#include "plugins/mpi/job.h"
#include "plugins/mpi/node/node.h"
#include "plugins/mpi/testing/fake_devices.h"
#include "plugins/mpi/testing/simulated_job.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::mpi {

/// The process's job while it exists. Functions that give something give null if that fails, with
/// the plugin's error kept.
class SimulatedNodes {
public:
  SimulatedNodes(int nodes, const Network& network);
  SimulatedNodes(const SimulatedNodes&) = delete;
  SimulatedNodes& operator=(const SimulatedNodes&) = delete;
  /// Closes devices and ends the nodes.
  ~SimulatedNodes();

  [[nodiscard]] SimulatedJob& network() { return network_; }
  /// What ended a node's work; empty: nothing.
  [[nodiscard]] const std::string& broken() const { return broken_; }

  gantry_status add_devices(const char* kind = "fake");
  gantry_device* open(std::int32_t index = 0);
  /// The device is closed by somebody else.
  void forget(gantry_device* device) { std::erase(open_, device); }
  static gantry_image* load(gantry_device* device, std::string_view text = kFakeImage);
  static gantry_kernel* kernel(gantry_image* image, const char* name);
  static void* allocate(gantry_device* device, std::uint64_t bytes);
  /// A launch of a kernel with the parameters of `add`.
  static gantry_status put_add(gantry_queue* queue, gantry_kernel* kernel, void* number, int more);
  /// Lets everybody do what there is to do.
  void settle();

private:
  class AtOnce final : public Workers {
  public:
    bool run(std::function<void()> work) override {
      work();
      return true;
    }
  };

  AtOnce workers_;
  FakePlugins plugins_;
  SimulatedJob network_;
  std::vector<std::unique_ptr<Transport>> transports_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::unique_ptr<Job> job_;
  std::vector<gantry_device*> open_;
  std::string broken_;
};

} // namespace gantry::mpi
