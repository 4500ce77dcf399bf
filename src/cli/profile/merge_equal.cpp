// Equal places and equal names become one.
#include "cli/profile/process_profile.h"

#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace gantry::cli::profile {

namespace {

std::string_view without_folder(std::string_view position) {
  return position.substr(position.rfind('/') + 1);
}

std::string_view file_of(std::string_view position) {
  return position.substr(0, position.rfind(':'));
}

std::string shown(const Place& place, bool is_only_file) {
  if (!place.position.empty()) {
    return std::string(is_only_file ? without_folder(place.position) : place.position);
  }
  if (!place.function.empty()) {
    return place.function;
  }
  return place.code == 0 ? "an unknown place" : fmt::format("address {:#x}", place.code);
}

} // namespace

void merge_equal(ProcessProfile& profile) {
  std::map<std::tuple<std::string, std::string, std::string, bool, std::uint64_t>, Index> places;
  std::vector<Index> place_of(profile.places.size());
  std::vector<Place> kept_places;
  for (std::size_t i = 0; i < profile.places.size(); ++i) {
    const Place& place = profile.places[i];
    const auto [found, is_new] =
        places.try_emplace({place.construct, place.position, place.function, place.nowait,
                            place.position.empty() ? place.code : 0},
                           static_cast<Index>(kept_places.size()));
    if (is_new) {
      kept_places.push_back(place);
    }
    place_of[i] = found->second;
  }
  profile.places = std::move(kept_places);
  std::map<std::string_view, std::set<std::string_view>> files; // by name
  for (const Place& place : profile.places) {
    files[without_folder(file_of(place.position))].insert(file_of(place.position));
  }
  for (Place& place : profile.places) {
    place.shown = shown(place, files[without_folder(file_of(place.position))].size() == 1);
  }
  for (Construct& construct : profile.constructs) {
    construct.place = place_of[construct.place];
  }
  std::map<std::pair<std::string, std::string>, Index> names;
  std::vector<Index> name_of(profile.names.size());
  std::vector<Name> kept_names;
  for (std::size_t i = 0; i < profile.names.size(); ++i) {
    const Name& name = profile.names[i];
    const auto [found, is_new] =
        names.try_emplace({name.variable, name.position}, static_cast<Index>(kept_names.size()));
    if (is_new) {
      kept_names.push_back(name);
    }
    name_of[i] = found->second;
  }
  profile.names = std::move(kept_names);
  for (Presence& presence : profile.presences) {
    presence.name = name_of[presence.name];
  }
  for (Copy& copy : profile.copies) {
    copy.name = name_of[copy.name];
  }
}

} // namespace gantry::cli::profile
