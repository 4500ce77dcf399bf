#include "runtime/core/runtime/automatic_devices.h"

#include "runtime/core/devices/plugin_library.h"
#include "runtime/core/programs/program.h"

#include <algorithm>

namespace gantry::core {

namespace {

class Chooser {
public:
  Chooser(Registry& registry, std::span<const Plugin* const> known)
      : registry_(registry), known_(known) {}

  AutomaticDevices choose() && {
    using Use = AutomaticPlugin::Use;
    std::vector<const Plugin*> serving;
    for (const std::string& name : plugins_of_user()) {
      offer(name, serving);
    }
    const std::span<const AutomaticPlugin> plugins = automatic_plugins();
    const Plugin* const host =
        bind(std::ranges::find(plugins, Use::kHost, &AutomaticPlugin::use)->name);
    const bool has_other_images = some_image([&](Image image) { return !host->accepts(image); });
    for (const auto& [name, use] : plugins) {
      if (use == Use::kHost) {
        // Without any program it is there too, and says what is wrong with one that cannot be read.
        if (serving.empty() || some_program_without(serving)) {
          chosen_.kinds.push_back({host, host->count_devices().value_or(0)});
          serving.push_back(host);
        }
      } else if (use == Use::kAccelerator ? has_other_images : some_program_without(serving)) {
        offer(name, serving);
      }
    }
    return std::move(chosen_);
  }

private:
  using Image = std::span<const std::byte>;

  const Plugin* bind(std::string_view name) {
    const auto known = std::ranges::find(
        known_, name, [](const Plugin* plugin) { return std::string_view(plugin->name()); });
    if (known != known_.end()) {
      return *known;
    }
    if (!is_known_plugin(name)) {
      return nullptr;
    }
    auto plugin = bind_plugin(name);
    if (!plugin) {
      chosen_.reasons.push_back(plugin.error().message);
      return nullptr;
    }
    chosen_.bound.push_back(std::move(*plugin));
    return chosen_.bound.back().get();
  }

  /// Offers the devices of a plugin if it has some and some image fits them.
  void offer(std::string_view name, std::vector<const Plugin*>& serving) {
    const Plugin* const plugin = bind(name);
    if (plugin == nullptr || !some_image([&](Image image) { return plugin->accepts(image); })) {
      return;
    }
    const Result<int> devices = plugin->count_devices();
    if (!devices) {
      chosen_.reasons.push_back(fmt::format("{}: {}", name, devices.error().message));
      return;
    }
    chosen_.kinds.push_back({plugin, *devices});
    serving.push_back(plugin);
  }

  /// Whether `holds` of the images of some program; of one that cannot be decoded, none.
  template <typename Predicate>
  bool some_contents(Predicate holds) {
    const Registry::Held held(registry_);
    return std::ranges::any_of(held.programs(), [&](const RegisteredProgram& program) {
      const auto contents = program.decode();
      return holds(contents ? contents->images : std::vector<Image>());
    });
  }

  template <typename Predicate>
  bool some_image(Predicate holds) {
    return some_contents([&](const auto& images) { return std::ranges::any_of(images, holds); });
  }

  /// Whether some program has no image that one of `plugins` accepts.
  bool some_program_without(const std::vector<const Plugin*>& plugins) {
    return some_contents([&](const auto& images) {
      return std::ranges::none_of(images, [&](Image image) {
        return std::ranges::any_of(plugins,
                                   [&](const Plugin* plugin) { return plugin->accepts(image); });
      });
    });
  }

  Registry& registry_;
  std::span<const Plugin* const> known_;
  AutomaticDevices chosen_;
};

} // namespace

AutomaticDevices choose_devices(Registry& registry, std::span<const Plugin* const> known) {
  return Chooser(registry, known).choose();
}

} // namespace gantry::core
