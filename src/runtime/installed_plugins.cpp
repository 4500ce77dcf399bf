// The plugins of the installation, the one place of the runtime that names them: those that are
// part of libgantry, those that work from the program's start on, variables of the environment that
// they read, and how GANTRY_DEVICES=auto uses each.
#include "plugins/cpu/entries.h"
#include "runtime/core/devices/plugin_library.h"
#include "runtime/core/host/settings.h"
#include "runtime/core/runtime/automatic_devices.h"
#include "runtime/core/runtime/early_plugins.h"

#include <array>

namespace gantry::core {

std::span<const LinkedPlugin> linked_plugins() {
  static const std::array plugins = {LinkedPlugin{.name = "cpu", .table = &cpu::plugin()}};
  return plugins;
}

std::span<const std::string_view> plugins_that_start_early() {
  static constexpr std::array<std::string_view, 1> kPlugins = {"mpi"};
  return kPlugins;
}

std::span<const EnvironmentVariable> variables_of_plugins() {
  static constexpr std::array kVariables = {
      EnvironmentVariable{
          "GANTRY_MPI", "",
          "the MPI library for devices on other machines, if it is not the one that "
          "the program or its launcher has",
          nullptr},
      EnvironmentVariable{"GANTRY_MPI_LAUNCHER", "",
                          "a launcher that the program starts for its nodes: programs that use MPI",
                          nullptr},
      EnvironmentVariable{"GANTRY_MPI_NODES", "1", "how many nodes that launcher starts", nullptr},
      EnvironmentVariable{
          "GANTRY_MPI_HOSTS", "",
          "machines for them, separated by commas; each process of the program takes its own",
          nullptr},
      EnvironmentVariable{"GANTRY_MPI_PATIENCE", "10000",
                          "milliseconds without a word after which a node of a job is lost; 0: it "
                          "is waited for without end",
                          nullptr},
  };
  return kVariables;
}

std::span<const AutomaticPlugin> automatic_plugins() {
  using Use = AutomaticPlugin::Use;
  static constexpr std::array kPlugins = {
      AutomaticPlugin{"cuda", Use::kAccelerator},
      AutomaticPlugin{"hsa", Use::kAccelerator},
      AutomaticPlugin{"cpu", Use::kHost},
      AutomaticPlugin{"simt", Use::kStandIn},
      AutomaticPlugin{"simt-amd", Use::kStandIn},
      AutomaticPlugin{"worker-aarch64", Use::kStandIn},
      AutomaticPlugin{"worker-powerpc64le", Use::kStandIn},
  };
  return kPlugins;
}

} // namespace gantry::core
