#include "cli/profile/finding_rules.h"
#include "cli/profile/report.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace gantry::cli::profile {

namespace {

using gantry::profile::kClauseFrom;
using gantry::profile::kClauseImplicit;
using gantry::profile::kItem;
using gantry::profile::kMapped;

/// So often is again and again.
constexpr std::uint64_t kRepeated = 3;
/// What is smaller is not worth keeping mapped for its own sake.
constexpr std::uint64_t kSmallMapping = 1024;
/// Small copies: so many bytes at most, so many in a construct and in all at least.
constexpr std::uint64_t kSmallCopy = 1024;
constexpr std::uint64_t kManyInConstruct = 4;
constexpr std::uint64_t kManyInAll = 64;
constexpr std::size_t kNamesShown = 3;

/// Copies of one kind: of a variable, by a construct in the source.
struct Group {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t size = 0;
  Time time = 0;
  std::uint16_t clause = 0;
  Index sender = kNone; ///< the place that has sent the bytes

  void add(const Copy& copy) {
    ++count;
    bytes += copy.size;
    size = copy.size;
    time += copy.time.length();
    clause = copy.clause;
  }
};
using Groups = std::map<std::pair<Index, Index>, Group>; ///< by place and name

/// "x[0:N]", as it stands in a clause.
std::string in_clause(const Name& name) {
  return name.variable.empty() ? "…" : name.variable;
}

Finding finding_of(const Evidence& evidence, std::string_view id, Index place, Index name,
                   const Group& group) {
  Finding finding;
  finding.id = id;
  finding.saves = group.time;
  finding.times = group.count;
  finding.variable = evidence.profile.names[name].variable;
  at(finding, evidence.profile.places[place]);
  return finding;
}

/// A bracket of constructs counts as one place: the begin and the end of target data.
bool same_construct(const Evidence& evidence, Index a, Index b) {
  const Place& first = evidence.profile.places[a];
  const Place& second = evidence.profile.places[b];
  return a == b || (!first.position.empty() && first.position == second.position);
}

bool is_update(const Evidence& evidence, Index place) {
  return evidence.profile.places[place].construct.starts_with("target update");
}

/// What both sides had when storage was copied last, whichever way.
struct Known {
  std::uint64_t hash = 0;
  Index place = 0;
  bool is_sent = false;    ///< to the device
  bool is_current = false; ///< the device's storage is still that of this copy
};
/// By device, address and size.
using KnownCopies = std::map<std::tuple<std::int32_t, std::uint64_t, std::uint64_t>, Known>;

/// Calls `copied` for the copies of variables whose bytes were looked at, with what was known of
/// their storage before.
template <typename Copied>
void for_each_known(const Evidence& evidence, Copied copied) {
  const ProcessProfile& profile = evidence.profile;
  KnownCopies known;
  auto presence = profile.presences.begin();
  for (const Copy& copy : profile.copies) {
    for (; presence != profile.presences.end() && presence->time <= copy.told; ++presence) {
      if (presence->what != kMapped) {
        continue;
      }
      const auto begin = known.lower_bound({presence->device, presence->host, 0});
      const auto end = known.lower_bound({presence->device, presence->host + presence->size, 0});
      std::for_each(begin, end, [](auto& entry) { entry.second.is_current = false; });
    }
    if (!copy.has_hash || copy.construct == kNone || !copy.done || copy.size == 0) {
      continue;
    }
    const Index place = evidence.place_index(copy.construct);
    const auto [found, is_new] = known.try_emplace({copy.device, copy.host, copy.size});
    copied(copy, place, is_new ? nullptr : &found->second);
    found->second = {copy.hash, place, copy.to_device, true};
  }
}

} // namespace

void find_needless_copies(const Evidence& evidence, Findings& findings) {
  const ProcessProfile& profile = evidence.profile;
  Groups duplicates;
  Groups unchanged;
  Groups implicit;
  Groups again;
  Groups round_trips;
  std::map<std::tuple<Index, Index, bool>, std::uint64_t> all; // by place, name and direction
  for_each_known(evidence, [&](const Copy& copy, Index place, const Known* known) {
    ++all[{place, copy.name, copy.to_device}];
    // What comes back is known to be unchanged where the device's bytes are those that were copied:
    // a result may be the same as in an earlier mapping.
    if (known == nullptr || known->hash != copy.hash || (!copy.to_device && !known->is_current)) {
      return;
    }
    Groups& groups = copy.to_device                                   ? duplicates
                     : !known->is_sent                                ? again
                     : !same_construct(evidence, known->place, place) ? round_trips
                     : (copy.clause & kClauseImplicit) != 0           ? implicit
                                                                      : unchanged;
    Group& group = groups[{place, copy.name}];
    group.add(copy);
    group.sender = known->place;
  });
  // What comes back unchanged now and then has to come back.
  for (Groups* const groups : {&unchanged, &implicit, &again, &round_trips}) {
    std::erase_if(*groups, [&](const auto& entry) {
      const auto& [key, group] = entry;
      const bool may_be_first = groups == &again;
      return group.count + (may_be_first ? 1 : 0) < all[{key.first, key.second, false}];
    });
  }
  for (const auto& [key, group] : duplicates) {
    if (group.count + 1 < kRepeated || group.count * 2 < all[{key.first, key.second, true}]) {
      continue;
    }
    const Name& name = profile.names[key.second];
    Finding finding = finding_of(evidence, "duplicate-copy", key.first, key.second, group);
    finding.text =
        fmt::format("{} is copied to the device {} with the bytes that it had ({} in all)",
                    quoted(name, group.size), times_text(group.count), bytes_text(group.bytes));
    finding.change =
        is_update(evidence, key.first)
            ? "leave the update out where the host has not changed it, unless a region has changed "
              "it on the device"
            : fmt::format("map it once around the repetition: `target data map({}: {})`, or "
                          "`target enter data` before it",
                          (group.clause & kClauseFrom) != 0 ? "tofrom" : "to", in_clause(name));
    findings.push_back(std::move(finding));
  }
  const auto instead = [&](Index place, const std::string& change) {
    return is_update(evidence, place) ? "leave the update out where no region has changed it"
                                      : change;
  };
  for (const auto& [key, group] : implicit) {
    const Name& name = profile.names[key.second];
    Finding finding = finding_of(evidence, "implicit-tofrom", key.first, key.second, group);
    finding.text = fmt::format(
        "{} has no map clause, so it is mapped tofrom, and comes back unchanged {} ({})",
        quoted(name, group.size), times_text(group.count), bytes_text(group.bytes));
    finding.change = fmt::format("write `map(to: {})`", in_clause(name));
    findings.push_back(std::move(finding));
  }
  for (const auto& [key, group] : unchanged) {
    const Name& name = profile.names[key.second];
    Finding finding = finding_of(evidence, "unchanged-back", key.first, key.second, group);
    finding.text = fmt::format("{} comes back unchanged {} ({})", quoted(name, group.size),
                               times_text(group.count), bytes_text(group.bytes));
    finding.change = instead(
        key.first, fmt::format("write `map(to: {})`, or leave the copy out", in_clause(name)));
    findings.push_back(std::move(finding));
  }
  for (const auto& [key, group] : again) {
    const Name& name = profile.names[key.second];
    Finding finding = finding_of(evidence, "unchanged-back", key.first, key.second, group);
    finding.text = fmt::format("{} comes back {} with the bytes that {} has brought back already "
                               "({})",
                               quoted(name, group.size), times_text(group.count),
                               profile.places[group.sender].shown, bytes_text(group.bytes));
    finding.change = instead(key.first, "leave the copy out");
    findings.push_back(std::move(finding));
  }
  for (const auto& [key, group] : round_trips) {
    const Name& name = profile.names[key.second];
    Finding finding = finding_of(evidence, "round-trip", key.first, key.second, group);
    finding.text = fmt::format("{} comes back {} with the bytes that {} has sent ({})",
                               quoted(name, group.size), times_text(group.count),
                               profile.places[group.sender].shown, bytes_text(group.bytes));
    finding.change =
        instead(key.first, fmt::format("leave the copy out: `map(release: {})` instead of `from`",
                                       in_clause(name)));
    findings.push_back(std::move(finding));
  }
}

void find_loop_mappings(const Evidence& evidence, Findings& findings) {
  const ProcessProfile& profile = evidence.profile;
  struct Mappings {
    std::uint64_t count = 0;
    std::uint64_t size = 0;
    Time runtime = 0; ///< a share of the constructs' own time
  };
  // Other storage with the same name, as a function's argument has, is another variable.
  using Key = std::tuple<Index, Index, std::uint64_t>; // place, name, address
  std::map<Key, Mappings> groups;
  std::map<std::pair<std::int32_t, std::uint64_t>, Key> mapped; // what is, by address
  std::map<Key, std::uint64_t> unmapped;
  std::vector<std::uint32_t> in_construct(profile.constructs.size());
  for (const Presence& presence : profile.presences) {
    if (presence.construct != kNone && presence.what == kMapped) {
      ++in_construct[presence.construct];
    }
  }
  for (const Presence& presence : profile.presences) {
    if (presence.construct == kNone || presence.size < kSmallMapping) {
      continue;
    }
    if (presence.what == kMapped) {
      const Key key{evidence.place_index(presence.construct), presence.name, presence.host};
      const Construct& construct = profile.constructs[presence.construct];
      const ConstructTimes& times = evidence.times[presence.construct];
      Mappings& group = groups[key];
      ++group.count;
      group.size = presence.size;
      group.runtime +=
          std::max<Time>(0, construct.time.length() - times.kernel - times.copies - times.wait) /
          in_construct[presence.construct];
      mapped[{presence.device, presence.host}] = key;
    } else if (presence.what == gantry::profile::kUnmapped) {
      if (const auto found = mapped.find({presence.device, presence.host}); found != mapped.end()) {
        ++unmapped[found->second];
        mapped.erase(found);
      }
    }
  }
  std::map<std::pair<Index, Index>, Time> copy_times;
  for (const Copy& copy : profile.copies) {
    if (copy.construct != kNone && copy.kind == kItem) {
      copy_times[{evidence.place_index(copy.construct), copy.name}] += copy.time.length();
    }
  }
  std::map<std::pair<Index, Index>, Mappings> repeated; // by place and name
  std::map<std::pair<Index, Index>, std::uint64_t> all;
  for (const auto& [key, group] : groups) {
    const auto& [place, name_index, host] = key;
    all[{place, name_index}] += group.count;
    if (group.count < kRepeated || unmapped[key] + 1 < group.count) {
      continue;
    }
    Mappings& of_both = repeated[{place, name_index}];
    of_both.count += group.count;
    of_both.size = std::max(of_both.size, group.size);
    of_both.runtime += group.runtime;
  }
  for (const auto& [key, group] : repeated) {
    const auto& [place, name_index] = key;
    const Name& name = profile.names[name_index];
    const Place& at_place = profile.places[place];
    const bool is_told = std::ranges::any_of(findings, [&](const Finding& finding) {
      return finding.id == "duplicate-copy" && finding.shown == at_place.shown &&
             finding.variable == name.variable && finding.times * 2 >= group.count;
    });
    if (is_told) {
      continue;
    }
    Finding finding;
    finding.id = "loop-mapping";
    // Where the bytes were looked at, those of the copies are new.
    const Time copies =
        copy_times[key] / static_cast<Time>(all[key]) * static_cast<Time>(group.count);
    finding.saves = group.runtime + (profile.has_content ? 0 : copies);
    finding.saves =
        finding.saves / static_cast<Time>(group.count) * static_cast<Time>(group.count - 1);
    finding.times = group.count;
    finding.variable = name.variable;
    at(finding, at_place);
    finding.text = fmt::format("{} ({}) is mapped and unmapped {}", quoted(name, group.size),
                               bytes_text(group.size), times_text(group.count));
    finding.change = fmt::format("keep it mapped around the repetition: `target data map(alloc: "
                                 "{})`, with `target update` for what changes",
                                 in_clause(name));
    findings.push_back(std::move(finding));
  }
}

void find_small_copies(const Evidence& evidence, Findings& findings) {
  const ProcessProfile& profile = evidence.profile;
  struct Small {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    Time time = 0;
    std::set<Index> constructs;
    std::set<Index> names;
  };
  std::map<Index, Small> groups;
  for (const Copy& copy : profile.copies) {
    if (copy.construct == kNone || copy.kind != kItem || copy.size > kSmallCopy) {
      continue;
    }
    Small& group = groups[evidence.place_index(copy.construct)];
    ++group.count;
    group.bytes += copy.size;
    group.time += copy.time.length();
    group.constructs.insert(copy.construct);
    group.names.insert(copy.name);
  }
  for (const auto& [place, group] : groups) {
    const std::uint64_t executions = group.constructs.size();
    if (group.count < kManyInAll || group.count < kManyInConstruct * executions) {
      continue;
    }
    std::vector<Index> names_of(group.names.begin(), group.names.end());
    std::ranges::sort(names_of, {}, [&](Index name) { // those without a name last
      const std::string& variable = profile.names[name].variable;
      return std::pair(variable.empty(), variable);
    });
    std::string names;
    for (std::size_t i = 0; i < std::min(names_of.size(), kNamesShown); ++i) {
      const Name& name = profile.names[names_of[i]];
      names += (i == 0 ? "" : ", ") +
               (name.variable.empty() ? "a variable without a name" : quoted(name, 0));
    }
    names += names_of.size() > kNamesShown
                 ? fmt::format(" and {} more", names_of.size() - kNamesShown)
                 : "";
    Finding finding;
    finding.id = "small-copies";
    finding.saves =
        group.time / static_cast<Time>(group.count) * static_cast<Time>(group.count - executions);
    finding.times = group.count;
    finding.variable = profile.names[names_of.front()].variable;
    at(finding, profile.places[place]);
    finding.text = fmt::format("{} copies of {} on average in {} execution{}: {}", group.count,
                               bytes_text(group.bytes / group.count), executions,
                               executions == 1 ? "" : "s", names);
    finding.change = "put them into one struct or array and map that; what a region only reads "
                     "can be firstprivate";
    findings.push_back(std::move(finding));
  }
}

} // namespace gantry::cli::profile
