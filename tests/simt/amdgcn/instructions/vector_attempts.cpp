#include "vector_attempts.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace gantry::simt::amdgcn {

namespace {

constexpr unsigned kMask = 20;                 ///< SGPRs that a mask is written to
constexpr unsigned kCarry = 30;                ///< and is read from
constexpr std::uint32_t kLiteral = 0x40490fdb; ///< as a float, and cut as a half
constexpr const char* kParts[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                  "WORD_0", "WORD_1", "DWORD"};
constexpr const char* kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
constexpr unsigned kPreserve = 2;

class Writer {
public:
  Writer(std::string_view mnemonic, const FormShape& shape, const Machine& machine)
      : mnemonic_(mnemonic), shape_(shape), processor_(machine.processor()),
        has_narrow_masks_(machine.wave().all >> 32 == 0) {
    for (std::size_t i = 0; i < shape.sources.size(); ++i) {
      plain_.push_back(vector_operand(2 + 2 * static_cast<unsigned>(i), shape.sources[i]));
    }
  }

  std::vector<Attempt> write() {
    if (shape_.literal != 0) {
      write_literal();
      return std::move(made_);
    }
    write_short();
    write_long();
    write_halves();
    write_parts();
    return std::move(made_);
  }

private:
  Attempt attempt() const {
    Attempt made;
    made.sources = plain_;
    keep_half(made);
    return made;
  }
  void keep_half(Attempt& it) const {
    const bool keeps = processor_.is_gfx11 || (shape_.keeps_half && !processor_.is_gfx8);
    if (keeps && width_of(shape_.value_type()) == 16) {
      it.result_part = kLowHalf;
      it.unused = kPreserve;
    }
  }
  /// Behind a VGPR of 16 bits, on gfx11.
  [[nodiscard]] const char* half_text(OperandType type, unsigned part) const {
    return !processor_.is_gfx11 || width_of(type) != 16 ? "" : part == kHighHalf ? ".h" : ".l";
  }
  [[nodiscard]] std::string result_text(const Attempt& it) const {
    return registers('v', it.result, dwords_of(shape_.value_type())) +
           half_text(shape_.value_type(), it.result_part);
  }
  [[nodiscard]] std::string mask_text(unsigned mask) const {
    if (has_narrow_masks_) {
      return mask == scalar::kVcc ? "vcc_lo" : registers('s', mask, 1);
    }
    return mask == scalar::kVcc ? "vcc" : registers('s', mask, 2);
  }
  [[nodiscard]] std::string source_text(const Attempt& it, unsigned i) const {
    std::string text = it.sources[i].text;
    if (it.sources[i].kind == Operand::Kind::kVector) {
      text += half_text(type_of_source(i), it.parts[i]);
    }
    if (((it.extend >> i) & 1) != 0) {
      text = "sext(" + text + ")";
    }
    if (((it.absolute >> i) & 1) != 0) {
      text = "|" + text + "|";
    }
    if (((it.negate >> i) & 1) != 0) {
      text = it.sources[i].kind == Operand::Kind::kConstant ? "neg(" + text + ")" : "-" + text;
    }
    return text;
  }
  void put(Attempt it, std::string_view suffix, std::string_view behind = "") {
    std::string text = fmt::format("{}{} ", mnemonic_, suffix);
    if (!sets_exec_alone()) {
      text += shape_.is_comparison() ? mask_text(it.mask) : result_text(it);
    }
    if (shape_.writes_mask) {
      text += ", " + mask_text(it.mask);
    }
    for (unsigned i = 0; i < it.sources.size(); ++i) {
      text += (i == 0 && sets_exec_alone() ? "" : ", ") + source_text(it, i);
    }
    if (shape_.reads_mask) {
      text += ", " + mask_text(it.carry);
    }
    it.text = text + std::string(behind);
    made_.push_back(std::move(it));
  }

  [[nodiscard]] bool sets_exec_alone() const { return processor_.is_gfx11 && shape_.result == 'x'; }
  [[nodiscard]] OperandType type_of_source(std::size_t i) const {
    return i < shape_.sources.size() ? shape_.sources[i] : shape_.result; // a literal
  }

  void write_short() {
    Attempt basic = attempt();
    basic.is_basic = true;
    put(basic, "_e32");
    if (processor_.is_gfx11) {
      write_halves("_e32", plain_.size());
    }
    Attempt in_place = attempt();
    in_place.result = 2;
    put(in_place, "_e32");
    for (const Operand& source : scalar_sources(shape_.sources[0], true)) {
      Attempt made = attempt();
      made.sources[0] = source;
      put(made, "_e32");
    }
  }

  void write_long() {
    const auto count = static_cast<unsigned>(plain_.size());
    const auto long_attempt = [&] {
      Attempt made = attempt();
      made.mask = kMask;
      made.carry = kCarry;
      return made;
    };
    Attempt basic = long_attempt();
    basic.is_basic = true;
    put(basic, "_e64");
    Attempt implicit = attempt(); // VCC named
    put(implicit, "_e64");
    for (unsigned i = 0; i < count; ++i) {
      Attempt in_place = long_attempt();
      in_place.result = plain_[i].index;
      put(in_place, "_e64");
      for (const Operand& source : scalar_sources(shape_.sources[i], processor_.is_gfx11)) {
        Attempt made = long_attempt();
        made.sources[i] = source;
        put(made, "_e64");
      }
      // Where a mask is written, the encoding has no bits for magnitudes; the assembler drops them.
      for (unsigned modifiers = 1; modifiers < (shape_.writes_mask ? 2U : 4U); ++modifiers) {
        for (int scalars = 0; scalars < 2; ++scalars) {
          Attempt made = long_attempt();
          made.negate = (modifiers & 1) << i;
          made.absolute = (modifiers >> 1) << i;
          if (scalars != 0) {
            made.sources[i] = scalar_operand(12, shape_.sources[i]);
          }
          put(made, "_e64");
        }
      }
    }
    Attempt all = long_attempt();
    all.negate = (1U << count) - 1;
    put(all, "_e64");
    if (!shape_.writes_mask) {
      all.absolute = all.negate;
      put(all, "_e64");
    }
    if (shape_.clamps || is_floating(shape_.value_type())) {
      Attempt clamped = long_attempt();
      clamped.clamp = true;
      clamped.is_basic = true;
      put(clamped, "_e64", " clamp");
    }
    if (is_floating(shape_.value_type())) {
      // Multiplied results are none where denormal numbers are on: the modifier is ignored.
      for (const char* const multiplied : {" mul:2", " mul:4", " div:2"}) {
        put(long_attempt(), "_e64", multiplied);
      }
    }
  }

  /// Each half of each operand that has one.
  void write_halves() {
    if (shape_.chooses_halves || processor_.is_gfx11) {
      write_halves("_e64", plain_.size());
    }
  }
  void write_halves(std::string_view suffix, std::size_t sources) {
    const auto count = static_cast<unsigned>(sources);
    for (unsigned chosen = 1; chosen < 2U << count; ++chosen) {
      Attempt made = attempt();
      made.is_basic = chosen == 1;
      std::string list;
      bool is_possible = true;
      for (unsigned i = 0; i <= count; ++i) {
        const bool high = ((chosen >> i) & 1) != 0;
        list += fmt::format("{}{}", i == 0 ? "" : ",", high ? 1 : 0);
        const OperandType type = i < count ? shape_.sources[i] : shape_.value_type();
        is_possible = is_possible &&
                      (!high || (width_of(type) == 16 && (i < count || !shape_.is_comparison())));
        if (high && i < count) {
          made.parts[i] = kHighHalf;
        } else if (high) {
          made.result_part = kHighHalf;
        }
      }
      if (!is_possible) {
        continue;
      }
      const std::string behind = processor_.is_gfx11 ? "" : " op_sel:[" + list + "]";
      put(made, suffix, behind);
      if (is_floating(shape_.value_type()) && suffix == "_e64") {
        made.clamp = true;
        made.negate = 1;
        put(made, suffix, behind + " clamp");
      }
    }
  }

  void write_parts() {
    const auto count = static_cast<unsigned>(plain_.size());
    const auto attempt = [&] {
      Attempt made;
      made.sources = plain_;
      return made;
    };
    const auto put_parts = [&](const Attempt& it) {
      std::string behind = it.clamp ? " clamp" : "";
      if (!shape_.is_comparison()) {
        behind +=
            fmt::format(" dst_sel:{} dst_unused:{}", kParts[it.result_part], kUnused[it.unused]);
      }
      behind += fmt::format(" src0_sel:{}", kParts[it.parts[0]]);
      if (count > 1) {
        behind += fmt::format(" src1_sel:{}", kParts[it.parts[1]]);
      }
      put(it, "_sdwa", behind);
    };
    Attempt basic = attempt();
    put_parts(basic);
    for (unsigned part = 0; part <= kWhole; ++part) {
      for (unsigned i = 0; i < std::min(count, 2U); ++i) {
        for (unsigned modifiers = 0; modifiers < 8; ++modifiers) {
          if ((modifiers & 4) != 0 && (modifiers & 3) != 0) {
            continue; // extended integers have neither sign nor magnitude
          }
          Attempt made = attempt();
          made.parts[i] = part;
          made.parts[1 - i] = (part + 3) % 7;
          made.negate = (modifiers & 1) << i;
          made.absolute = ((modifiers >> 1) & 1) << i;
          made.extend = (modifiers >> 2) << i;
          if (part % 2 == 0) {
            made.mask = shape_.is_comparison() ? kMask : made.mask; // which gfx9 alone has
          }
          put_parts(made);
          if (modifiers == 0 || modifiers == 4) {
            made.sources[i] = scalar_operand(12, shape_.sources[i]);
            put_parts(made);
          }
        }
      }
      for (unsigned unused = 0; unused < 3; ++unused) {
        Attempt made = attempt();
        made.result_part = part;
        made.unused = unused;
        made.parts[0] = (part + 2) % 7;
        put_parts(made);
        made.result = 2; // in place
        put_parts(made);
        if (shape_.clamps || is_floating(shape_.value_type())) {
          made.clamp = true;
          put_parts(made);
        }
      }
    }
  }

  /// v_madmk and v_madak.
  void write_literal() {
    const auto put_literal = [&](const Attempt& it) {
      Attempt made = it;
      const std::uint64_t value = low_bits(kLiteral, width_of(shape_.value_type()));
      Operand literal = {fmt::format("{:#x}", value), Operand::Kind::kConstant, 0, value};
      made.sources.insert(made.sources.begin() + (shape_.literal == 'K' ? 1 : 2),
                          std::move(literal));
      put(made, "");
    };
    Attempt basic = attempt();
    basic.is_basic = true;
    put_literal(basic);
    for (const Operand& source : scalar_sources(shape_.sources[0], false)) {
      Attempt made = attempt();
      made.sources[0] = source;
      put_literal(made);
    }
  }

  std::string_view mnemonic_;
  const FormShape& shape_;
  const Processor& processor_;
  bool has_narrow_masks_; ///< of waves of 32 lanes, in one SGPR
  std::vector<Operand> plain_;
  std::vector<Attempt> made_;
};

} // namespace

std::vector<Attempt> attempts_of(std::string_view mnemonic, const FormShape& shape,
                                 const Machine& machine) {
  return Writer(mnemonic, shape, machine).write();
}

} // namespace gantry::simt::amdgcn
