#include "plugins/hsa/code.h"

#include <algorithm>
#include <span>

namespace gantry::hsa {

namespace {

// The processors that run code for a family.
constexpr std::string_view kFamily9[] = {"gfx900", "gfx902", "gfx904",
                                         "gfx906", "gfx909", "gfx90c"};
constexpr std::string_view kFamily94[] = {"gfx942", "gfx950"};
constexpr std::string_view kFamily101[] = {"gfx1010", "gfx1011", "gfx1012", "gfx1013"};
constexpr std::string_view kFamily103[] = {"gfx1030", "gfx1031", "gfx1032", "gfx1033",
                                           "gfx1034", "gfx1035", "gfx1036"};
constexpr std::string_view kFamily11[] = {"gfx1100", "gfx1101", "gfx1102", "gfx1103",
                                          "gfx1150", "gfx1151", "gfx1152", "gfx1153"};
constexpr std::string_view kFamily12[] = {"gfx1200", "gfx1201"};

std::span<const std::string_view> members_of(std::string_view family) {
  if (family == "gfx9-generic") {
    return kFamily9;
  }
  if (family == "gfx9-4-generic") {
    return kFamily94;
  }
  if (family == "gfx10-1-generic") {
    return kFamily101;
  }
  if (family == "gfx10-3-generic") {
    return kFamily103;
  }
  if (family == "gfx11-generic") {
    return kFamily11;
  }
  if (family == "gfx12-generic") {
    return kFamily12;
  }
  return {};
}

bool suits(AmdFeature code, AmdFeature device) {
  return code == device || code == AmdFeature::kAny || code == AmdFeature::kNone;
}

} // namespace

AmdProcessor processor_of_device(std::string_view instruction_set) {
  constexpr std::string_view kTriple = "amdgcn-amd-amdhsa--";
  if (instruction_set.starts_with(kTriple)) {
    instruction_set.remove_prefix(kTriple.size());
  }
  AmdProcessor processor;
  processor.name = instruction_set.substr(0, instruction_set.find(':'));
  const auto feature = [&](std::string_view name) {
    const std::size_t at = instruction_set.find(name);
    const std::size_t end = at + name.size();
    return at == std::string_view::npos || end >= instruction_set.size() ? AmdFeature::kNone
           : instruction_set[end] == '+'                                 ? AmdFeature::kOn
                                                                         : AmdFeature::kOff;
  };
  processor.xnack = feature(":xnack");
  processor.sramecc = feature(":sramecc");
  return processor;
}

unsigned rank_of(const AmdProcessor& code, const AmdProcessor& device) {
  const bool same = code.name == device.name;
  const auto members = members_of(code.name);
  if (!same && std::ranges::find(members, device.name) == members.end()) {
    return 0;
  }
  if (!suits(code.xnack, device.xnack) || !suits(code.sramecc, device.sramecc)) {
    return 0;
  }
  // The processor's own code before its family's, and the more it is told the better.
  const auto exact = [](AmdFeature feature) { return feature == AmdFeature::kAny ? 0U : 1U; };
  return (same ? 4U : 1U) + exact(code.xnack) + exact(code.sramecc);
}

} // namespace gantry::hsa
