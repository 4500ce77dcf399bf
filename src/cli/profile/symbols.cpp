#include "cli/profile/symbols.h"

#include "base/installation.h"
#include "cli/subprocess.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

namespace gantry::cli::profile {

namespace {

/// So many addresses are asked for at a time: a command line and its answer have limits.
constexpr std::size_t kMostAddresses = 100;
/// So many pieces of storage get names.
constexpr std::size_t kMostVariables = 2000;
constexpr std::chrono::seconds kPatience(120);

/// NAME<tab>FILE:LINE<tab>…
Symbol symbol_of(std::string_view line, std::string_view folder) {
  const std::size_t first = std::min(line.find('\t'), line.size());
  const std::size_t second = std::min(line.find('\t', first + 1), line.size());
  Symbol symbol;
  symbol.name = line.substr(0, first);
  std::string_view position =
      first < second ? line.substr(first + 1, second - first - 1) : std::string_view();
  if (position.ends_with(":0")) {
    position = {};
  }
  if (!folder.empty() && position.starts_with(folder) && position.size() > folder.size() &&
      position[folder.size()] == '/') {
    position.remove_prefix(folder.size() + 1);
  }
  symbol.position = position;
  return symbol;
}

/// The module that holds an address; the latest one, if several have had it.
const Module* module_at(const ProcessProfile& profile, std::uint64_t address) {
  const auto found =
      std::find_if(profile.modules.rbegin(), profile.modules.rend(), [&](const Module& module) {
        return address >= module.begin && address < module.end;
      });
  return found == profile.modules.rend() ? nullptr : &*found;
}

} // namespace

Symbolizer installed_symbolizer(std::string folder) {
  return [folder = std::move(folder)](const std::vector<ModuleAddress>& addresses) {
    std::vector<Symbol> symbols;
    const auto root = find_installation();
    if (!root) {
      return symbols;
    }
    const HeldSignals signals;
    for (std::size_t begin = 0; begin < addresses.size(); begin += kMostAddresses) {
      std::vector<std::string> command{(*root / "libexec/gantry-symbolizer").string()};
      const std::size_t end = std::min(begin + kMostAddresses, addresses.size());
      for (std::size_t i = begin; i < end; ++i) {
        command.push_back(addresses[i].file);
        command.push_back(fmt::format("{:#x}", addresses[i].address));
      }
      const auto ended = run_to_the_end(command, {}, kPatience, signals);
      if (!ended || ended->status != 0) {
        break;
      }
      std::string_view output = ended->output;
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t newline = std::min(output.find('\n'), output.size());
        symbols.push_back(symbol_of(output.substr(0, newline), folder));
        output.remove_prefix(std::min(newline + 1, output.size()));
      }
    }
    return symbols;
  };
}

void name_what_compilers_leave(ProcessProfile& profile, const Symbolizer& symbolizer) {
  std::vector<ModuleAddress> addresses;
  std::vector<Place*> places;
  for (Place& place : profile.places) {
    const Module* const module =
        place.position.empty() ? module_at(profile, place.code - 1) : nullptr;
    if (module != nullptr) {
      places.push_back(&place);
      // The call is before the address to which it returns.
      addresses.push_back({module->path, place.code - 1 - module->bias});
    }
  }
  // Storage without a name, by its address.
  std::map<std::uint64_t, Index> variables;
  const auto note = [&](Index name, std::uint64_t host) {
    if (name == 0 && variables.size() < kMostVariables && !variables.contains(host)) {
      if (const Module* const module = module_at(profile, host); module != nullptr) {
        variables[host] = static_cast<Index>(addresses.size());
        addresses.push_back({module->path, host - module->bias});
      }
    }
  };
  for (const Presence& presence : profile.presences) {
    note(presence.name, presence.host);
  }
  for (const Copy& copy : profile.copies) {
    if (copy.kind == gantry::profile::kItem) {
      note(copy.name, copy.host);
    }
  }
  if (addresses.empty()) {
    return;
  }
  std::vector<Symbol> symbols = symbolizer(addresses);
  symbols.resize(addresses.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i]->position = symbols[i].position;
    if (places[i]->function.empty()) {
      places[i]->function = symbols[i].name;
    }
  }
  for (auto& [host, index] : variables) {
    const Symbol& symbol = symbols[index];
    if (symbol.name.empty()) {
      index = 0;
      continue;
    }
    index = static_cast<Index>(profile.names.size());
    profile.names.push_back({symbol.name, ""});
  }
  const auto rename = [&](Index& name, std::uint64_t host) {
    if (const auto found = name == 0 ? variables.find(host) : variables.end();
        found != variables.end()) {
      name = found->second;
    }
  };
  for (Presence& presence : profile.presences) {
    rename(presence.name, presence.host);
  }
  for (Copy& copy : profile.copies) {
    if (copy.kind == gantry::profile::kItem) {
      rename(copy.name, copy.host);
    }
  }
}

void find_sources(ProcessProfile& profile, const Symbolizer& symbolizer) {
  std::vector<ModuleAddress> addresses;
  std::vector<Place*> places;
  for (Place& place : profile.places) {
    const std::string file = place.position.substr(0, place.position.rfind(':'));
    const Module* const module = module_at(profile, place.code - 1);
    if (file.starts_with('/')) {
      place.file = file;
    } else if (!file.empty() && module != nullptr) {
      places.push_back(&place);
      addresses.push_back({module->path, place.code - 1 - module->bias});
    }
  }
  const std::vector<Symbol> symbols =
      addresses.empty() ? std::vector<Symbol>() : symbolizer(addresses);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const std::string& position = symbols[i].position;
    const std::string found = position.substr(0, position.rfind(':'));
    const std::string named = places[i]->position.substr(0, places[i]->position.rfind(':'));
    // The call may have been inlined from another file.
    if (found.starts_with('/') &&
        std::filesystem::path(found).filename() == std::filesystem::path(named).filename()) {
      places[i]->file = found;
    }
  }
}

} // namespace gantry::cli::profile
