#include "simt/ptx/initializer.h"

#include <bit>

#include <fmt/format.h>

namespace gantry::simt::ptx {
namespace {

class InitializerParser {
public:
  InitializerParser(ParseContext& context, Declarator& declarator)
      : context_(context), cursor_(context.cursor), variable_(declarator.variable),
        dimensions_(declarator.dimensions) {
    if (variable_.vector > 1) {
      dimensions_.push_back(variable_.vector);
    }
  }

  bool parse(std::uint64_t& elements) {
    return dimensions_.empty() ? parse_value() : parse_list(0, elements);
  }

private:
  bool mismatch(Location location) { return cursor_.fail(location, "Initial value type mismatch"); }

  /// Elements of one list of dimension `level` on; dimensions are few, and so is the recursion.
  bool parse_list(std::size_t level, std::uint64_t& elements) {
    if (!cursor_.at('{')) {
      return begins_constant(cursor_.token()) || cursor_.at(TokenKind::kIdentifier)
                 ? mismatch(cursor_.token().location)
                 : cursor_.syntax_error("'{'");
    }
    cursor_.next();
    elements = 0;
    if (cursor_.accept('}')) {
      return true;
    }
    std::uint64_t stride = 1;
    for (std::size_t inner = level + 1; inner < dimensions_.size(); ++inner) {
      stride *= dimensions_[inner];
    }
    const std::uint64_t begin = variable_.initial.size();
    const bool open = level == 0 && dimensions_[0] == 0;
    do {
      const Location location = cursor_.token().location;
      if (!open && elements == dimensions_[level]) {
        return cursor_.fail(location, "Greater number of elements in array initializer");
      }
      if (!pad_to(begin + elements * stride, location)) {
        return false;
      }
      std::uint64_t inner_elements = 0;
      if (!(level + 1 < dimensions_.size() ? parse_list(level + 1, inner_elements)
                                           : parse_value())) {
        return false;
      }
      ++elements;
    } while (cursor_.accept(','));
    return cursor_.expect('}');
  }

  bool pad_to(std::uint64_t size, Location location) {
    if (size > variable_.initial.size()) {
      if (!context_.charge(size - variable_.initial.size(), location)) {
        return false;
      }
      variable_.initial.resize(size);
    }
    return true;
  }

  bool parse_value() {
    const Location location = cursor_.token().location;
    if (is_packed(variable_.type) || variable_.type == Type::kF16 ||
        variable_.type == Type::kBf16) {
      return cursor_.fail(location, fmt::format("No initial value is allowed for .{} type",
                                                name_of(variable_.type)));
    }
    InitialValue value;
    const bool is_constant =
        begins_constant(cursor_.token()) ||
        (cursor_.at(TokenKind::kIdentifier) && cursor_.token().text == "WARP_SZ");
    if (is_constant) {
      Constant constant;
      if (!parse_constant(cursor_, constant)) {
        return false;
      }
      if (cursor_.at('(')) {
        if (!parse_masked(constant, location, value)) {
          return false;
        }
      } else if (!convert(constant, value.bits)) {
        return mismatch(location);
      }
    } else {
      if (!parse_address(value)) {
        return false;
      }
      if (is_float(variable_.type) || size_of(variable_.type) < 4) {
        return mismatch(location);
      }
    }
    variable_.initial.push_back(value);
    return true;
  }

  /// The bits of the number as an element of the variable; false if it cannot be one.
  bool convert(const Constant& constant, std::uint64_t& bits) const {
    const unsigned size = size_of(variable_.type);
    if (constant.is_integer()) {
      bits = size < 8 ? constant.bits & ((1ULL << size * 8) - 1) : constant.bits;
      return !is_float(variable_.type);
    }
    if (variable_.type == Type::kF32 || variable_.type == Type::kB32) {
      bits = float32_bits(constant);
      return true;
    }
    bits = float64_bits(constant);
    return variable_.type == Type::kF64 || variable_.type == Type::kB64;
  }

  /// `(symbol+8)` after the mask that selects a byte of the address.
  bool parse_masked(const Constant& mask, Location location, InitialValue& value) {
    const int shift = mask.bits != 0 ? std::countr_zero(mask.bits) : 0;
    if (!mask.is_integer() || shift % 8 != 0 || mask.bits >> static_cast<unsigned>(shift) != 0xFF) {
      return cursor_.fail(location, "The mask of an address must select one byte");
    }
    if (is_float(variable_.type)) {
      return mismatch(location);
    }
    value.masked = true;
    value.mask_shift = static_cast<std::uint8_t>(shift);
    cursor_.next();
    return parse_address(value) && cursor_.expect(')');
  }

  /// `symbol`, `generic(symbol)`, both perhaps with an offset.
  bool parse_address(InitialValue& value) {
    Location location = cursor_.token().location;
    std::string_view name;
    if (!cursor_.expect_name(name, "an initial value")) {
      return false;
    }
    if (name == "generic" && cursor_.accept('(')) {
      value.generic = true;
      location = cursor_.token().location;
      if (!cursor_.expect_name(name, "a symbol") || !cursor_.expect(')')) {
        return false;
      }
    }
    value.symbol = context_.find_symbol(name);
    if (!value.symbol) {
      return cursor_.fail(location, fmt::format("Invalid initial value symbol '{}'", name));
    }
    if (cursor_.at('+') || cursor_.at('-')) {
      const Location offset_location = cursor_.token().location;
      Constant offset;
      if (!parse_constant(cursor_, offset)) {
        return false;
      }
      if (!offset.is_integer()) {
        return mismatch(offset_location);
      }
      value.bits = offset.bits;
    }
    return true;
  }

  ParseContext& context_;
  Cursor& cursor_;
  Variable& variable_;
  std::vector<std::uint64_t> dimensions_; ///< the vector's, if there is one, last
};

} // namespace

bool parse_initializer(ParseContext& context, Declarator& declarator) {
  std::uint64_t elements = 0;
  if (!InitializerParser(context, declarator).parse(elements)) {
    return false;
  }
  if (!declarator.dimensions.empty() && declarator.dimensions[0] == 0) {
    declarator.dimensions[0] = elements;
  }
  return true;
}

} // namespace gantry::simt::ptx
