#include "format/names.h"

#include <algorithm>
#include <array>

namespace gantry::format {
namespace {

struct OffloadKindName {
  OffloadKind kind;
  std::string_view name;
};

constexpr std::array kOffloadKinds = {
    OffloadKindName{OffloadKind::kNone, "none"}, OffloadKindName{OffloadKind::kOpenMp, "openmp"},
    OffloadKindName{OffloadKind::kCuda, "cuda"}, OffloadKindName{OffloadKind::kHip, "hip"},
    OffloadKindName{OffloadKind::kSycl, "sycl"},
};

struct ImageKindName {
  ImageKind kind;
  std::string_view name;
  std::string_view extension;
};

constexpr std::array kImageKinds = {
    ImageKindName{ImageKind::kNone, "none", ""},
    ImageKindName{ImageKind::kObject, "object", "o"},
    ImageKindName{ImageKind::kBitcode, "bitcode", "bc"},
    ImageKindName{ImageKind::kCubin, "cubin", "cubin"},
    ImageKindName{ImageKind::kFatbinary, "fatbinary", "fatbin"},
    ImageKindName{ImageKind::kPtx, "ptx", "s"},
    ImageKindName{ImageKind::kSpirv, "spirv", "spv"},
};

} // namespace

std::string_view to_string(OffloadKind kind) {
  const auto* const found = std::ranges::find(kOffloadKinds, kind, &OffloadKindName::kind);
  return found == kOffloadKinds.end() ? "unknown" : found->name;
}

std::optional<OffloadKind> parse_offload_kind(std::string_view name) {
  if (name.empty()) {
    return OffloadKind::kNone;
  }
  const auto* const found = std::ranges::find(kOffloadKinds, name, &OffloadKindName::name);
  return found == kOffloadKinds.end() ? std::nullopt : std::optional(found->kind);
}

std::string_view to_string(ImageKind kind) {
  const auto* const found = std::ranges::find(kImageKinds, kind, &ImageKindName::kind);
  return found == kImageKinds.end() ? "unknown" : found->name;
}

std::string_view extension(ImageKind kind) {
  const auto* const found = std::ranges::find(kImageKinds, kind, &ImageKindName::kind);
  return found == kImageKinds.end() ? "" : found->extension;
}

ImageKind image_kind_of_extension(std::string_view extension) {
  if (extension.starts_with('.')) {
    extension.remove_prefix(1);
  }
  const auto* const found = std::ranges::find(kImageKinds, extension, &ImageKindName::extension);
  return found == kImageKinds.end() ? ImageKind::kNone : found->kind;
}

} // namespace gantry::format
