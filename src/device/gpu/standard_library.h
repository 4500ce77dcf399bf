// C's library for device code: functions that neither the driver nor the compiler brings.
#pragma once

#include "device/gpu/types.h"

namespace gantry::device {

extern "C" {
size_t strlen(const char* text);
size_t strnlen(const char* text, size_t count);
int isalnum(int character);
int isspace(int character);
int tolower(int character);
}

} // namespace gantry::device
