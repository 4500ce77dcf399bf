// Entry points: names and texts of errors. They can be called at any time.
#include "simt/driver/api.h"

#include <algorithm>
#include <iterator>

namespace {

struct ErrorRow {
  CUresult code;
  const char* name;
  const char* text;
};

constexpr ErrorRow kErrors[] = {
#define GANTRY_CUDA_ERROR(name, text) {name, #name, text},
#include "simt/driver/errors.def"
#undef GANTRY_CUDA_ERROR
};

/// Null for a code that is none.
CUresult give_text(const char** place, CUresult code, const char* ErrorRow::* text) {
  if (place == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto* row = std::ranges::find(kErrors, code, &ErrorRow::code);
  *place = row != std::end(kErrors) ? row->*text : nullptr;
  return *place != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

GANTRY_CUDA_API cuGetErrorName(CUresult error, const char** name) {
  return give_text(name, error, &ErrorRow::name);
}

GANTRY_CUDA_API cuGetErrorString(CUresult error, const char** text) {
  return give_text(text, error, &ErrorRow::text);
}
