#include "simt/amdgcn/objects/metadata.h"

#include <cstddef>
#include <limits>

#include <nlohmann/json.hpp>

namespace gantry::simt::amdgcn {

namespace {

using nlohmann::json;

/// Real ones have four levels. The parser calls itself for each, on this thread's stack.
constexpr int kMostLevels = 16;

/// Looks at the whole text without keeping anything: whether it is one value that is not nested too
/// deeply.
class Examiner final : public nlohmann::json_sax<json> {
public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool key(string_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*size*/) override { return ++levels_ <= kMostLevels; }
  bool end_object() override { return --levels_ >= 0; }
  bool start_array(std::size_t /*size*/) override { return ++levels_ <= kMostLevels; }
  bool end_array() override { return --levels_ >= 0; }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    position_ = position;
    return false;
  }

  [[nodiscard]] bool is_too_deep() const { return levels_ > kMostLevels; }
  /// Of the byte, counted from 1, that is wrong.
  [[nodiscard]] std::size_t position() const { return position_; }

private:
  int levels_ = 0;
  std::size_t position_ = 0;
};

/// The member of that name, or null.
const json* member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

Result<std::optional<std::uint32_t>> number(const json& kernel, const char* name) {
  const json* const value = member(kernel, name);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_number_unsigned() ||
      value->get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max()) {
    return fail("the metadata's {} is no number of 32 bits", name);
  }
  return static_cast<std::uint32_t>(value->get<std::uint64_t>());
}

Result<KernelMetadata> parse_kernel(const json& kernel) {
  if (!kernel.is_object()) {
    return fail("the metadata's amdhsa.kernels has an element that is no map");
  }
  const json* const symbol = member(kernel, ".symbol");
  if (symbol == nullptr || !symbol->is_string()) {
    return fail("the metadata has a kernel without a .symbol");
  }
  KernelMetadata metadata;
  metadata.symbol = symbol->get_ref<const std::string&>();
  metadata.kernarg_bytes = GANTRY_TRY(number(kernel, ".kernarg_segment_size"));
  metadata.kernarg_alignment = GANTRY_TRY(number(kernel, ".kernarg_segment_align"));
  metadata.wavefront_size = GANTRY_TRY(number(kernel, ".wavefront_size"));
  if (const json* const stack = member(kernel, ".uses_dynamic_stack")) {
    if (!stack->is_boolean()) {
      return fail("the metadata's .uses_dynamic_stack is neither true nor false");
    }
    metadata.uses_dynamic_stack = stack->get<bool>();
  }
  return metadata;
}

} // namespace

Result<std::vector<KernelMetadata>> parse_metadata(Bytes note) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(note.data());
  const auto* const end = begin + note.size();
  Examiner examiner;
  if (!json::sax_parse(begin, end, &examiner, json::input_format_t::msgpack)) {
    return examiner.is_too_deep()
               ? fail("the metadata is nested more than {} levels deep", kMostLevels)
               : fail("the metadata is not MessagePack: byte {} of {}", examiner.position(),
                      note.size());
  }
  const json root = json::from_msgpack(begin, end, /*strict=*/true, /*allow_exceptions=*/false);
  if (!root.is_object()) {
    return fail("the metadata is no map");
  }
  const json* const version = member(root, "amdhsa.version");
  if (version == nullptr || !version->is_array() || version->size() != 2 ||
      !(*version)[0].is_number_unsigned() || !(*version)[1].is_number_unsigned()) {
    return fail("the metadata has no amdhsa.version of two numbers");
  }
  if ((*version)[0].get<std::uint64_t>() != 1) {
    return fail("the metadata's version is {}.{}; 1.0 and what is compatible with it is expected",
                (*version)[0].get<std::uint64_t>(), (*version)[1].get<std::uint64_t>());
  }
  std::vector<KernelMetadata> kernels;
  if (const json* const list = member(root, "amdhsa.kernels")) {
    if (!list->is_array()) {
      return fail("the metadata's amdhsa.kernels is no array");
    }
    for (const json& kernel : *list) {
      kernels.push_back(GANTRY_TRY(parse_kernel(kernel)));
    }
  }
  return kernels;
}

} // namespace gantry::simt::amdgcn
