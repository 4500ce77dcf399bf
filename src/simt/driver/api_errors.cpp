// Entry points: names and texts of errors. They can be called at any time.
#include "simt/driver/api.h"

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

constexpr ErrorRow kNoError = {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_UNRECOGNIZED",
                               "unrecognized error code"};

const ErrorRow& row_of(CUresult code) {
  for (const ErrorRow& row : kErrors) {
    if (row.code == code) {
      return row;
    }
  }
  return kNoError;
}

/// For a code that is none there is a text too: many programs print it without asking.
CUresult give_text(const char** place, const ErrorRow& row, const char* text) {
  if (place == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *place = text;
  return &row == &kNoError ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

} // namespace

GANTRY_CUDA_API cuGetErrorName(CUresult error, const char** name) {
  const ErrorRow& row = row_of(error);
  return give_text(name, row, row.name);
}

GANTRY_CUDA_API cuGetErrorString(CUresult error, const char** text) {
  const ErrorRow& row = row_of(error);
  return give_text(text, row, row.text);
}
