// The plugins of a node: the one that is linked in, and the libraries of the installation.
#pragma once

#include "base/result.h"

#include <map>
#include <string>
#include <string_view>

#include <gantry/plugin.h>

namespace gantry::mpi {

/// Finds plugins by name. One thread at a time.
class PluginSource {
public:
  virtual ~PluginSource() = default;
  /// A plugin that can be used until the process ends.
  [[nodiscard]] virtual Result<const gantry_plugin*> find(std::string_view name) = 0;
};

/// Those of the installation that this program is part of, and of GANTRY_PLUGIN_PATH.
class InstalledPlugins final : public PluginSource {
public:
  [[nodiscard]] Result<const gantry_plugin*> find(std::string_view name) override;

private:
  std::map<std::string, const gantry_plugin*, std::less<>> found_;
};

} // namespace gantry::mpi
