#include "difference.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace gantry::simt::amdgcn {

namespace {

unsigned width_of(Type type) {
  return bits_of(type);
}
std::uint64_t cut(std::uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

/// An operand of LLVM's as a number's bits of the type, or as it is.
std::string number_of(std::string operand, Type type) {
  const auto inside = [&](std::string_view before, std::string_view behind) {
    return operand.starts_with(before) && operand.ends_with(behind) &&
           operand.size() > before.size() + behind.size();
  };
  if (type == Type::kNone || operand.empty()) {
    return operand;
  }
  if (inside("neg(", ")")) {
    return "-" + number_of(operand.substr(4, operand.size() - 5), type);
  }
  if (inside("sext(", ")")) {
    return "sext(" + number_of(operand.substr(5, operand.size() - 6), type) + ")";
  }
  if (inside("abs(", ")")) {
    return "|" + number_of(operand.substr(4, operand.size() - 5), type) + "|";
  }
  if (inside("lit(", ")")) { // a literal that a constant would do for
    return number_of(operand.substr(4, operand.size() - 5), type);
  }
  if (inside("|", "|")) {
    return "|" + number_of(operand.substr(1, operand.size() - 2), type) + "|";
  }
  if (inside("-|", "|")) {
    return "-" + number_of(operand.substr(1), type);
  }
  const char* const text = operand.c_str();
  char* end = nullptr;
  const bool is_hexadecimal = operand.starts_with("0x") || operand.starts_with("-0x");
  if (operand.find('.') != std::string::npos && !is_hexadecimal) {
    const double value = std::strtod(text, &end);
    if (*end != '\0') {
      return operand;
    }
    const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    const auto half = std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
    return fmt::format("#{:x}", width_of(type) == 64   ? std::bit_cast<std::uint64_t>(value)
                                : width_of(type) == 16 ? half
                                                       : single);
  }
  auto value = std::bit_cast<std::uint64_t>(
      operand[0] == '-' ? static_cast<std::uint64_t>(std::strtoll(text, &end, 0))
                        : static_cast<std::uint64_t>(std::strtoull(text, &end, 0)));
  if (end == text || *end != '\0') {
    return operand;
  }
  if (is_hexadecimal && type == Type::kF64 && value >> 32 == 0) {
    value <<= 32;
  } else if (is_hexadecimal && type == Type::kI64 && value >> 32 == 0) {
    value = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
  }
  return fmt::format("#{:x}", cut(value, width_of(type)));
}

} // namespace

std::string difference(const PrintedLine& printed, std::string_view line) {
  constexpr std::string_view kBetween = " :: ";
  if (const std::size_t between = line.find(kBetween); between != std::string_view::npos) {
    if (printed.second.size() != 1) {
      return fmt::format("LLVM writes '{}'\nthe executor reads one operation", line);
    }
    PrintedLine first = printed;
    first.second.clear();
    const std::string why = difference(first, line.substr(0, between));
    return !why.empty() ? why
                        : difference(printed.second[0], line.substr(between + kBetween.size()));
  }
  const std::size_t space = std::min(line.find(' '), line.size());
  std::string mnemonic(line.substr(0, space));
  for (const std::string_view form : {"_e32", "_e64", "_sdwa", "_dpp"}) {
    if (mnemonic.ends_with(form)) {
      mnemonic.resize(mnemonic.size() - form.size());
    }
  }
  // Operands have commas between them; modifiers behind the last one have not.
  std::vector<std::string> operands;
  std::vector<std::string> modifiers;
  std::string rest(line.substr(space));
  for (const std::string_view list :
       {"op_sel:[", "op_sel_hi:[", "neg_lo:[", "neg_hi:[", "quad_perm:["}) {
    if (const std::size_t begin = rest.find(list); begin != std::string::npos) {
      const std::size_t end = std::min(rest.find(']', begin), rest.size() - 1);
      std::string bits = rest.substr(begin, end + 1 - begin);
      std::erase_if(bits, [](char c) { return c == '[' || c == ']' || c == ','; });
      rest.replace(begin, end + 1 - begin, bits);
    }
  }
  while (!rest.empty()) {
    const std::size_t begin = rest.find_first_not_of(' ');
    if (begin == std::string::npos) {
      break;
    }
    std::size_t end = rest.find(',', begin);
    const bool is_last = end == std::string::npos || rest.find('(') < end;
    end = is_last ? rest.find(' ', begin) : end;
    std::string word = rest.substr(begin, end == std::string::npos ? end : end - begin);
    rest = end == std::string::npos ? "" : rest.substr(end + (is_last ? 0 : 1));
    while (!word.empty() && word.back() == ',') {
      word.pop_back();
    }
    // A word in what is last: the operand and modifiers.
    std::size_t at = 0;
    while (at != std::string::npos && at < word.size()) {
      const std::size_t next = word.find(' ', at);
      const std::string one = word.substr(at, next == std::string::npos ? next : next - at);
      const bool is_modifier =
          one.find(':') != std::string::npos && one.find('[') == std::string::npos;
      if (is_modifier || one == "clamp" || one.starts_with("row_") || one == "offen" ||
          one == "glc" || one == "slc" || one == "scc" || one == "dlc") {
        modifiers.push_back(one);
      } else if (!one.empty()) {
        operands.push_back(one);
      }
      at = next == std::string::npos ? next : next + 1;
    }
  }
  std::erase_if(modifiers, [&](const std::string& it) {
    // Caches are not there, nor are factors of results.
    return it == "slc" || it == "scc" || it == "dlc" ||
           (it == "glc" && mnemonic.starts_with("s_load")) || it.starts_with("mul:") ||
           it.starts_with("div:");
  });
  std::vector<std::string> expected = printed.modifiers;
  for (std::string& it : modifiers) {
    if (std::ranges::find(expected, "offset:*") != expected.end() && it.starts_with("offset:")) {
      it = "offset:*";
    }
  }
  std::erase(expected, "offset:*");
  std::erase(modifiers, "offset:*");
  std::ranges::sort(modifiers);
  std::ranges::sort(expected);
  const bool is_any = printed.operands.size() == 1 && printed.operands[0] == "*";
  bool same = mnemonic == printed.mnemonic && modifiers == expected &&
              (is_any || operands.size() == printed.operands.size());
  for (std::size_t i = 0; same && !is_any && i < operands.size(); ++i) {
    same = number_of(operands[i], printed.types[i]) == printed.operands[i];
  }
  if (same) {
    return "";
  }
  return fmt::format("LLVM writes '{}'\nthe executor reads '{} {} {}'", line, printed.mnemonic,
                     fmt::join(printed.operands, ", "), fmt::join(expected, " "));
}

} // namespace gantry::simt::amdgcn
