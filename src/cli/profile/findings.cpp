#include "cli/profile/findings.h"

#include "cli/profile/finding_rules.h"
#include "cli/profile/in_order.h"

namespace gantry::cli::profile {

const std::vector<FindingKind>& finding_kinds() {
  static const std::vector<FindingKind> kinds = {
      {"duplicate-copy", "the same bytes are copied to the device again", true},
      {"round-trip", "bytes come back as another construct has sent them", true},
      {"unchanged-back", "bytes come back from a region that has not changed them", true},
      {"implicit-tofrom", "the same, because the region has no map clause for them", true},
      {"loop-mapping", "a variable is mapped and unmapped again and again", false},
      {"small-copies", "many small copies in each execution of a construct", false},
      {"short-region", "a region's kernel takes less time than what is around it", false},
      {"single-team", "a kernel runs in one team", false},
      {"missing-nowait", "the host waits for a device before it uses another one", false},
      {"unequal-load", "one device works for longer than the others", false},
      {"late-image", "an image is loaded when work is under way", false},
      {"idle-memory", "a variable stays mapped, unused, when most is mapped", false},
  };
  return kinds;
}

std::vector<Finding> find_wastes(const ProcessProfile& profile, const Summary& summary) {
  const Evidence evidence{profile, summary, times_of_constructs(profile)};
  Findings findings;
  find_needless_copies(evidence, findings);
  find_loop_mappings(evidence, findings);
  find_small_copies(evidence, findings);
  find_short_regions(evidence, findings);
  find_single_teams(evidence, findings);
  find_missing_nowait(evidence, findings);
  find_unequal_load(evidence, findings);
  find_late_images(evidence, findings);
  find_idle_memory(evidence, findings);
  std::erase_if(findings, [](const Finding& finding) { // of clocks too coarse to see it
    return finding.bytes == 0 && finding.saves <= 0;
  });
  put_in_order(
      findings, [](const Finding& finding) { return std::pair(finding.saves, finding.bytes); },
      std::greater<>());
  return findings;
}

} // namespace gantry::cli::profile
