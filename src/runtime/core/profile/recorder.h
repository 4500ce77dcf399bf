// GANTRY_PROFILE: writes every event into the process's profile (profile/record.h), which `gantry
// profile` makes a report of.
#pragma once

namespace gantry::core {

/// Listens from now on if the environment asks for it; says so on stderr if that cannot be. Once.
void record_if_asked();

} // namespace gantry::core
