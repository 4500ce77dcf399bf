// The executor's environment variables, for `gantry env` (gantry/simt_driver.h).
#include "gantry/simt_driver.h"
#include "simt/exec/host/settings.h"

#include <string_view>

extern "C" [[gnu::visibility("default")]] void
gantry_simt_visit_environment(gantry_environment_visitor visit, void* data) {
  for (const gantry::simt::exec::SettingRow& row : gantry::simt::exec::setting_rows()) {
    if (std::string_view(row.name).starts_with("GANTRY_SIMT_")) {
      const gantry_environment_variable variable{row.name, row.default_value, row.meaning};
      visit(&variable, data);
    }
  }
}
