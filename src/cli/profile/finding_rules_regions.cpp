#include "cli/profile/finding_rules.h"
#include "cli/profile/report.h"

#include <algorithm>
#include <map>

namespace gantry::cli::profile {

namespace {

/// What is around a region's kernel is a waste where it is executed so often.
constexpr std::uint64_t kOften = 10;
/// A kernel in one team matters from so long, and so large a part of the process's time, on.
constexpr Time kLongKernel = 50'000;
constexpr Time kPartOfTotal = 100;
/// Waiting matters from so long on.
constexpr Time kLongWait = 20'000;
/// So many bytes are a number or two, and no part of an array.
constexpr std::uint64_t kNumber = 16;

/// Host storage that a construct has named.
struct Storage {
  std::uint64_t begin;
  std::uint64_t end;
  Index name;
};

bool overlap(const std::vector<Storage>& a, const std::vector<Storage>& b) {
  return std::ranges::any_of(a, [&](const Storage& first) {
    return std::ranges::any_of(b, [&](const Storage& second) {
      return first.begin < second.end && second.begin < first.end;
    });
  });
}

std::vector<Index> launches_of_constructs(const ProcessProfile& profile) {
  std::vector<Index> launches(profile.constructs.size(), kNone);
  for (std::size_t i = 0; i < profile.launches.size(); ++i) {
    if (profile.launches[i].construct != kNone) {
      launches[profile.launches[i].construct] = static_cast<Index>(i);
    }
  }
  return launches;
}

} // namespace

void find_short_regions(const Evidence& evidence, Findings& findings) {
  struct Executions {
    std::vector<Time> kernels;
    std::vector<Time> around;
  };
  std::vector<Executions> places(evidence.profile.places.size());
  for (std::size_t i = 0; i < evidence.profile.constructs.size(); ++i) {
    const Construct& construct = evidence.profile.constructs[i];
    Executions& executions = places[construct.place];
    executions.kernels.push_back(evidence.times[i].kernel);
    executions.around.push_back(construct.time.length() - evidence.times[i].kernel);
  }
  for (Index place = 0; place < places.size(); ++place) {
    auto& [kernels, arounds] = places[place];
    const std::size_t calls = kernels.size();
    if (calls < kOften || evidence.profile.places[place].nowait) { // which overlap
      continue;
    }
    // Not the averages: the first execution may load and compile code.
    const Time kernel = middle(kernels);
    const Time around = middle(arounds);
    if (kernel == 0 || kernel >= around) {
      continue;
    }
    Finding finding;
    finding.id = "short-region";
    finding.saves = around * static_cast<Time>(calls);
    finding.times = calls;
    at(finding, evidence.profile.places[place]);
    finding.text = fmt::format("the region's kernel takes {}, and what is around it {} (medians)",
                               duration_text(kernel), duration_text(around));
    finding.change = "do more in one region, keep its data mapped, or let the host do it with "
                     "`if(target: n > …)`";
    findings.push_back(std::move(finding));
  }
}

void find_single_teams(const Evidence& evidence, Findings& findings) {
  struct Kernels {
    std::uint64_t count = 0;
    Time time = 0;
    bool without_teams = false;
  };
  std::map<Index, Kernels> groups;
  for (const Launch& launch : evidence.profile.launches) {
    if (launch.construct != kNone && launch.done && (!launch.has_teams || launch.teams == 1)) {
      Kernels& group = groups[evidence.place_index(launch.construct)];
      ++group.count;
      group.time += launch.time.length();
      group.without_teams |= !launch.has_teams;
    }
  }
  for (const auto& [place, group] : groups) {
    if (group.time / static_cast<Time>(group.count) < kLongKernel ||
        group.time < evidence.summary.total / kPartOfTotal) {
      continue;
    }
    Finding finding;
    finding.id = "single-team";
    finding.saves = group.time;
    finding.times = group.count;
    at(finding, evidence.profile.places[place]);
    finding.text = fmt::format("the kernel runs in one team for {}{}", duration_text(group.time),
                               group.without_teams ? ", because the region has no teams construct"
                                                   : ", because num_teams is 1");
    finding.change = group.without_teams
                         ? "spread its loop over the device: `target teams distribute parallel for`"
                         : "leave num_teams out, or make it as large as the device";
    findings.push_back(std::move(finding));
  }
}

void find_missing_nowait(const Evidence& evidence, Findings& findings) {
  const ProcessProfile& profile = evidence.profile;
  // Constructs that bring back a number: what comes next may depend on it.
  std::vector<bool> brings_number(profile.constructs.size());
  for (const Copy& copy : profile.copies) {
    if (copy.construct != kNone && !copy.to_device && copy.size <= kNumber) {
      brings_number[copy.construct] = true;
    }
  }
  const std::vector<Index> launches = launches_of_constructs(profile);
  std::vector<std::vector<Storage>> storage(profile.constructs.size());
  for (const Presence& presence : profile.presences) {
    if (presence.construct != kNone && presence.what != gantry::profile::kUnmapped) {
      storage[presence.construct].push_back(
          {presence.host, presence.host + std::max<std::uint64_t>(presence.size, 1),
           presence.name});
    }
  }
  struct Waits {
    std::uint64_t count = 0;
    Time time = 0;
    Index next = kNone; ///< the construct that could have begun
    std::string variable;
  };
  std::map<Index, Waits> groups;
  std::map<Index, Index> last; // construct, by thread
  for (Index i = 0; i < profile.constructs.size(); ++i) {
    const Construct& construct = profile.constructs[i];
    if (launches[i] == kNone) {
      continue;
    }
    const auto before = last.find(construct.thread);
    if (before != last.end()) {
      const Construct& waited = profile.constructs[before->second];
      const Time saved = std::min(waited.time.length(), construct.time.length());
      const bool follows =
          construct.time.begin >= waited.time.end &&
          construct.time.begin - waited.time.end < std::max(kLongWait, waited.time.length() / 4);
      if (follows && waited.device != construct.device && saved >= kLongWait &&
          !brings_number[before->second] && !evidence.place_of(before->second).nowait &&
          !evidence.place_of(i).nowait && !overlap(storage[before->second], storage[i])) {
        Waits& group = groups[waited.place];
        ++group.count;
        group.time += saved;
        group.next = i;
        if (!storage[before->second].empty()) {
          group.variable = profile.names[storage[before->second].front().name].variable;
        }
      }
    }
    last[construct.thread] = i;
  }
  for (const auto& [place, group] : groups) {
    if (group.count < 2) {
      continue;
    }
    Finding finding;
    finding.id = "missing-nowait";
    finding.saves = group.time;
    finding.times = group.count;
    finding.variable = group.variable;
    at(finding, profile.places[place]);
    const Construct& next = profile.constructs[group.next];
    finding.text =
        fmt::format("the host waits {} for this region before it begins the one "
                    "at {} on device {}, which uses none of its data",
                    times_text(group.count), profile.places[next.place].shown, next.device);
    finding.change = "add `nowait` to it, if the host needs no result in between, and `taskwait` "
                     "where its results are needed";
    findings.push_back(std::move(finding));
  }
}

} // namespace gantry::cli::profile
