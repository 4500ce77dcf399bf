// One program of the twelve: its first argument says which of them runs.
#include <cstring>

#include "duplicate_copy.h"
#include "idle_memory.h"
#include "implicit_tofrom.h"
#include "late_image.h"
#include "loop_mapping.h"
#include "missing_nowait.h"
#include "round_trip.h"
#include "short_region.h"
#include "single_team.h"
#include "small_copies.h"
#include "unchanged_back.h"
#include "unequal_load.h"

int main(int count, char** arguments) {
  const struct {
    const char* name;
    int (*run)();
  } wastes[] = {
      {"duplicate_copy", duplicate_copy::run},   {"idle_memory", idle_memory::run},
      {"implicit_tofrom", implicit_tofrom::run}, {"late_image", late_image::run},
      {"loop_mapping", loop_mapping::run},       {"missing_nowait", missing_nowait::run},
      {"round_trip", round_trip::run},           {"short_region", short_region::run},
      {"single_team", single_team::run},         {"small_copies", small_copies::run},
      {"unchanged_back", unchanged_back::run},   {"unequal_load", unequal_load::run},
  };
  for (const auto& waste : wastes) {
    if (count > 1 && std::strcmp(arguments[1], waste.name) == 0) {
      return waste.run();
    }
  }
  return 2;
}
