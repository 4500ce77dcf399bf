// The table of the plugin `queued`; see queued.cpp.
#pragma once

#include <gantry/plugin.h>

[[nodiscard]] const gantry_plugin& queued_plugin();
