#include "simt/amdgcn/code/printer.h"

#include "simt/amdgcn/code/encoding.h"
#include "simt/amdgcn/code/opcodes.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace gantry::simt::amdgcn {

namespace {

constexpr const char* kParts[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                  "WORD_0", "WORD_1", "DWORD"};
constexpr unsigned kSdwa = 0xf9; ///< as the first source
constexpr const char* kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

std::string vector_text(unsigned first, unsigned count) {
  const char letter = first >= vector::kAccumulators ? 'a' : 'v';
  first %= vector::kAccumulators;
  return count <= 1 ? fmt::format("{}{}", letter, first)
                    : fmt::format("{}[{}:{}]", letter, first, first + count - 1);
}

std::string scalar_text(const Processor& processor, unsigned first, unsigned count) {
  struct Named {
    unsigned index;
    const char* whole;
    const char* low;
    const char* high;
  };
  const bool is_gfx8 = processor.is_gfx8;
  const std::size_t unnamed = processor.is_gfx11 ? 2 : 0; // the first ones
  const Named names[] = {
      {scalar::kFlatScratch, "flat_scratch", "flat_scratch_lo", "flat_scratch_hi"},
      {104, "xnack_mask", "xnack_mask_lo", "xnack_mask_hi"},
      {scalar::kVcc, "vcc", "vcc_lo", "vcc_hi"},
      {scalar::kExec, "exec", "exec_lo", "exec_hi"}};
  if (is_gfx8 && first >= 108 && first < 112) {
    const std::string name = first < 110 ? "tba" : "tma";
    return count == 2 ? name : name + (first % 2 == 0 ? "_lo" : "_hi");
  }
  if (first == scalar::kScc) {
    return "src_scc";
  }
  if (first == scalar::kM0) {
    return "m0";
  }
  if (first == scalar::kNull || first == scalar::kNowhere) {
    return "null";
  }
  for (const Named& it : std::span(names).subspan(unnamed)) {
    if (first == it.index && count == 2) {
      return it.whole;
    }
    if (count == 1 && (first == it.index || first == it.index + 1)) {
      return first == it.index ? it.low : it.high;
    }
  }
  const unsigned first_trap = is_gfx8 ? 112 : 108;
  const char* const letters = first >= first_trap && first < scalar::kM0 ? "ttmp" : "s";
  const unsigned number = letters[0] == 't' ? first - first_trap : first;
  return count <= 1 ? fmt::format("{}{}", letters, number)
                    : fmt::format("{}[{}:{}]", letters, number, number + count - 1);
}

unsigned width_of(Type type) {
  return bits_of(type);
}
std::uint64_t cut(std::uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

class Printer {
public:
  Printer(const Processor& processor, const Instruction& instruction,
          std::span<const std::uint32_t> words)
      : processor_(processor), it_(instruction), meaning_(*instruction.meaning), words_(words) {
    made_.mnemonic = mnemonic_of(processor, it_.format, words.front());
    if (it_.format == Format::kVopd) {
      print_second();
    }
  }

  PrintedLine print() {
    static constexpr std::string_view kInWords[] = {
        "s_getreg_b32",       "s_setreg_b32",      "s_setreg_imm32_b32", "s_set_gpr_idx_on",
        "s_set_gpr_idx_mode", "s_sendmsg_rtn_b32", "s_sendmsg_rtn_b64",  "s_sendmsg",
        "s_delay_alu",        "s_waitcnt_depctr"};
    if (std::ranges::find(kInWords, made_.mnemonic) != std::end(kInWords)) {
      put("*"); // operands with names of their own
      return std::move(made_);
    }
    switch (it_.format) {
    case Format::kSop1:
    case Format::kSop2:
    case Format::kSopc:
      if (meaning_.result != Type::kNone) {
        put_scalar(it_.result, meaning_.result);
      }
      put_sources();
      break;
    case Format::kSopk:
      put_scalar(it_.result, meaning_.result == Type::kNone ? Type::kB32 : meaning_.result);
      put_number(it_.sources[meaning_.sources[1] != Type::kNone ? 1 : 0].constant, Type::kB16);
      break;
    case Format::kSopp:
      print_program();
      break;
    case Format::kSmem:
      print_scalar_load();
      break;
    case Format::kDs:
      print_shared();
      break;
    case Format::kMubuf:
      print_buffer();
      break;
    case Format::kFlat:
    case Format::kGlobal:
    case Format::kScratch:
      print_flat();
      break;
    default:
      print_vector();
      break;
    }
    return std::move(made_);
  }

private:
  void print_second() {
    if (const auto second = read_second_operation(processor_, words_)) {
      made_.second.push_back(Printer(processor_, *second, words_).print());
    }
  }
  void put(std::string operand, Type type = Type::kNone) {
    made_.operands.push_back(std::move(operand));
    made_.types.push_back(type);
  }
  void put_vector(unsigned first, Type type) { put(vector_text(first, registers_of(type))); }
  /// ".l" or ".h" behind a VGPR of gfx11's operands of 16 bits.
  [[nodiscard]] const char* half_text(Type type, Part part) const {
    const bool is_half = processor_.is_gfx11 && bits_of(type) == 16;
    return !is_half ? "" : part == Part::kWord1 ? ".h" : ".l";
  }
  [[nodiscard]] Type mask_type() const { return processor_.is_gfx11 ? Type::kB32 : Type::kB64; }
  void put_scalar(unsigned first, Type type) {
    put(scalar_text(processor_, first, registers_of(type)));
  }
  void put_number(std::uint64_t value, Type type) {
    put(fmt::format("#{:x}", cut(value, width_of(type))), type);
  }
  [[nodiscard]] std::string source_text(const Source& source, Type type) const {
    switch (source.kind) {
    case Source::Kind::kVector:
      return vector_text(source.index, registers_of(type));
    case Source::Kind::kScalar:
      return scalar_text(processor_, source.index, registers_of(type));
    case Source::Kind::kConstant:
      if (registers_of(type) == 2 && source.constant == std::uint64_t{1} << 48) {
        return "src_shared_base";
      }
      if (registers_of(type) == 2 && source.constant == std::uint64_t{2} << 48) {
        return "src_private_base";
      }
      return fmt::format("#{:x}", cut(source.constant, width_of(type)));
    case Source::Kind::kNone:
      break;
    }
    return "nothing";
  }
  void put_source(unsigned number, Type type) {
    std::string text = source_text(it_.sources[number], type);
    if (number < 3 && it_.sources[number].kind == Source::Kind::kVector) {
      text += half_text(type, it_.modifiers.parts[number]);
    }
    const auto has = [&](unsigned bits) { return number < 3 && ((bits >> number) & 1) != 0; };
    // LLVM knows neither sign nor magnitude of the power, of which the executor takes them.
    const bool is_power = number == 1 && made_.mnemonic == "v_ldexp_f16";
    if (has(it_.modifiers.sign)) {
      text = "sext(" + text + ")";
    }
    if (has(it_.modifiers.absolute) && !is_power) {
      text = "|" + text + "|";
    }
    if (has(it_.modifiers.negate) && !is_power) {
      text = "-" + text;
    }
    put(std::move(text), type);
  }
  void put_sources() {
    for (unsigned i = 0; i < 3 && meaning_.sources[i] != Type::kNone; ++i) {
      put_source(i, meaning_.sources[i]);
    }
  }
  void put_offset(std::int64_t offset) {
    if (offset != 0) {
      made_.modifiers.push_back(fmt::format("offset:{}", offset));
    }
  }

  void print_program() {
    if (meaning_.kind == Meaning::Kind::kBranch) {
      put_number(static_cast<std::uint64_t>(it_.offset / 4 - 1), Type::kB16);
    } else if (made_.mnemonic == "s_waitcnt") {
      made_.operands.emplace_back("*"); // its counters by name
      made_.types.push_back(Type::kNone);
    } else if (it_.number != 0 ||
               (made_.mnemonic != "s_endpgm" && made_.mnemonic != "s_barrier" &&
                made_.mnemonic != "s_icache_inv" && made_.mnemonic != "s_ttracedata" &&
                made_.mnemonic != "s_set_gpr_idx_off" && made_.mnemonic != "s_code_end" &&
                made_.mnemonic != "s_wait_idle")) {
      put_number(it_.number, Type::kB16);
    }
  }

  void print_scalar_load() {
    if (meaning_.result != Type::kNone) {
      put_scalar(it_.result, meaning_.result);
    }
    if (meaning_.result == Type::kNone || made_.mnemonic.ends_with("time")) {
      return;
    }
    put_scalar(it_.sources[0].index, Type::kB64);
    if (it_.sources[1].kind != Source::Kind::kNone) {
      put_source(1, Type::kB32);
      if (it_.offset != 0) {
        made_.modifiers.push_back(fmt::format("offset:{:#x}", it_.offset));
      }
    } else if (processor_.is_gfx11 && it_.offset == 0) {
      put("null");
    } else {
      put_number(static_cast<std::uint64_t>(it_.offset), Type::kB32);
    }
  }

  void print_vector() {
    using Kind = Meaning::Kind;
    if (meaning_.kind == Kind::kCompare) {
      if (!processor_.is_gfx11 || !meaning_.writes_exec) {
        put_scalar(it_.mask, mask_type());
      }
    } else if (meaning_.kind == Kind::kVectorToScalar) {
      put_scalar(it_.result, meaning_.result);
    } else if (meaning_.result != Type::kNone) {
      put(vector_text(it_.result, registers_of(meaning_.result)) +
          half_text(meaning_.result, it_.modifiers.result));
    }
    if (meaning_.writes_mask) {
      put_scalar(it_.mask, mask_type());
    }
    if (meaning_.has_literal) {
      const bool is_middle = made_.mnemonic.find("mk_") != std::string::npos;
      const Type type = meaning_.sources[0];
      put_source(0, type);
      put_source(is_middle ? 2 : 1, type);
      put_source(is_middle ? 1 : 2, type);
      return;
    }
    if (meaning_.packs != Meaning::Packs::kNothing) {
      return print_packed();
    }
    put_sources();
    const bool is_one_of_two = it_.format == Format::kVopd || it_.format == Format::kVopdSecond;
    if (meaning_.reads_mask && !is_one_of_two) { // whose mask is VCC
      put_source(3, mask_type());
    }
    const Modifiers& modifiers = it_.modifiers;
    // A comparison's is one of exceptions, which the executor has none of.
    const bool is_parts = it_.format == Format::kVopc && (words_.front() & 0x1ff) == kSdwa;
    const bool is_for_exceptions =
        meaning_.kind == Kind::kCompare &&
        ((it_.format == Format::kVop3 && ((words_[0] >> 15) & 1) != 0) ||
         (is_parts && processor_.is_gfx8 && ((words_[1] >> 13) & 1) != 0));
    if (modifiers.clamp || is_for_exceptions) {
      made_.modifiers.emplace_back("clamp");
    }
    if (it_.format == Format::kVop3 && made_.mnemonic != "v_cndmask_b16") {
      print_halves();
    }
    if (it_.lanes.control != LanePattern::kNone) {
      print_lanes();
    }
    if (processor_.is_gfx11 || it_.format == Format::kVop3 || it_.format == Format::kVop3p ||
        (words_.front() & 0x1ff) != kSdwa) {
      return;
    }
    if (it_.format != Format::kVopc) {
      made_.modifiers.push_back(
          fmt::format("dst_sel:{}", kParts[static_cast<unsigned>(modifiers.result)]));
      made_.modifiers.push_back(fmt::format("dst_unused:{}", kUnused[modifiers.unused]));
    }
    for (unsigned i = 0; i < (it_.format == Format::kVop1 ? 1U : 2U); ++i) {
      made_.modifiers.push_back(
          fmt::format("src{}_sel:{}", i, kParts[static_cast<unsigned>(modifiers.parts[i])]));
    }
  }

  /// op_sel of VOP3: the sources' bits, and the result's.
  void print_halves() {
    const Modifiers& modifiers = it_.modifiers;
    std::string text = "op_sel:";
    for (unsigned i = 0; i < 3 && meaning_.sources[i] != Type::kNone; ++i) {
      text += modifiers.parts[i] == Part::kWord1 ? '1' : '0';
    }
    text += processor_.is_gfx11 && meaning_.reads_result ? "0" : ""; // the old one's
    text += modifiers.result == Part::kWord1 ? '1' : '0';
    if (text.find('1') != std::string::npos) {
      made_.modifiers.push_back(std::move(text));
    }
  }
  void print_lanes() {
    const LanePattern& lanes = it_.lanes;
    const unsigned control = lanes.control;
    const unsigned count = control & 0xf;
    static constexpr const char* kRows[] = {"row_shl", "row_shr", "row_ror"};
    std::string text;
    if (control < 0x100) {
      text = fmt::format("quad_perm:{}{}{}{}", control & 3, (control >> 2) & 3, (control >> 4) & 3,
                         control >> 6);
    } else if (control < 0x130) {
      text = fmt::format("{}:{}", kRows[(control >> 4) - 0x10], count);
    } else if (control < 0x140) {
      static constexpr const char* kWaves[] = {"wave_shl", "wave_rol", "wave_shr", "wave_ror"};
      text = fmt::format("{}:1", kWaves[count / 4]);
    } else if (control >= 0x150) {
      const char* const name = !processor_.is_gfx11 ? "row_newbcast"
                               : control < 0x160    ? "row_share"
                                                    : "row_xmask";
      text = fmt::format("{}:{}", name, count);
    } else {
      static constexpr const char* kOthers[] = {"row_mirror", "row_half_mirror", "row_bcast:15",
                                                "row_bcast:31"};
      text = kOthers[count];
    }
    made_.modifiers.push_back(std::move(text));
    made_.modifiers.push_back(fmt::format("row_mask:{:#x}", lanes.rows));
    made_.modifiers.push_back(fmt::format("bank_mask:{:#x}", lanes.banks));
    if (lanes.zero_outside) {
      made_.modifiers.emplace_back("bound_ctrl:1");
    }
    if (lanes.reads_inactive) {
      made_.modifiers.emplace_back("fi:1");
    }
  }

  /// Lists of bits without their brackets and commas; those that say nothing are not written.
  void print_packed() {
    const PackedModifiers& packed = it_.packed;
    const bool is_mixed = meaning_.packs == Meaning::Packs::kMixed;
    for (unsigned i = 0; i < 3 && meaning_.sources[i] != Type::kNone; ++i) {
      const Source& source = it_.sources[i];
      const bool is_constant = source.kind == Source::Kind::kConstant;
      const bool is_half = meaning_.packs == Meaning::Packs::kHalves && source.constant > 64 &&
                           source.constant <= 0xffff;
      const Type type = !is_constant ? meaning_.sources[i]
                        : is_half    ? Type::kF16
                                     : Type::kB32; // half of their type
      std::string text = source_text(source, type);
      if (is_mixed) {
        const char* const sign = ((packed.negate_low >> i) & 1) != 0 ? "-" : "";
        const char* const bar = ((packed.negate_high >> i) & 1) != 0 ? "|" : "";
        text = fmt::format("{}{}{}{}", sign, bar, text, bar);
      }
      put(std::move(text), type);
    }
    const unsigned count = meaning_.sources[2] != Type::kNone ? 3 : 2;
    const auto put_bits = [&](const char* name, unsigned value, unsigned unsaid) {
      if (value != unsaid) {
        std::string text = fmt::format("{}:", name);
        for (unsigned i = 0; i < count; ++i) {
          text += ((value >> i) & 1) != 0 ? '1' : '0';
        }
        made_.modifiers.push_back(std::move(text));
      }
    };
    put_bits("op_sel", packed.low, 0);
    put_bits("op_sel_hi", packed.high, is_mixed ? 0 : (1U << count) - 1);
    put_bits("neg_lo", is_mixed ? 0 : packed.negate_low, 0);
    put_bits("neg_hi", is_mixed ? 0 : packed.negate_high, 0);
    if (packed.clamp) {
      made_.modifiers.emplace_back("clamp");
    }
  }

  void print_shared() {
    if (meaning_.result == Type::kNone && meaning_.sources[0] == Type::kNone) {
      return; // ds_nop
    }
    if (meaning_.result != Type::kNone) {
      put_vector(it_.result, meaning_.result);
    }
    put_vector(it_.address, Type::kB32);
    for (unsigned i = 0; i < 2 && meaning_.sources[i] != Type::kNone; ++i) {
      put_vector(it_.data[i], meaning_.sources[i]);
    }
    static constexpr std::string_view kOfTwo[] = {"ds_read2", "ds_write2", "ds_load_2addr",
                                                  "ds_store_2addr"};
    const bool has_two = std::ranges::any_of(
        kOfTwo, [&](std::string_view name) { return made_.mnemonic.starts_with(name); });
    if (made_.mnemonic == "ds_swizzle_b32") {
      made_.modifiers.emplace_back("offset:*"); // by a pattern's name
    } else if (!has_two) {
      put_offset(it_.number);
    } else {
      for (unsigned i = 0; i < 2; ++i) {
        if (const unsigned offset = (it_.number >> (8 * i)) & 0xff; offset != 0) {
          made_.modifiers.push_back(fmt::format("offset{}:{}", i, offset));
        }
      }
    }
  }

  [[nodiscard]] bool is_fence() const {
    return meaning_.result == Type::kNone && meaning_.sources[0] == Type::kNone;
  }
  void print_buffer() {
    if (is_fence()) {
      return;
    }
    const bool is_load = meaning_.sources[0] == Type::kNone;
    put_vector(it_.data[0], is_load ? meaning_.result : meaning_.sources[0]);
    if (it_.has_vector_address) {
      put_vector(it_.address, Type::kB32);
      made_.modifiers.emplace_back("offen");
    } else {
      put("off");
    }
    put_scalar(it_.sources[0].index, Type::kB128);
    put_source(1, Type::kB32);
    put_offset(it_.offset);
    if (it_.returns) {
      made_.modifiers.emplace_back("glc");
    }
  }

  void print_flat() {
    const bool is_load = meaning_.sources[0] == Type::kNone;
    if (is_load || (meaning_.is_atomic && it_.returns)) {
      put_vector(it_.result, meaning_.result);
    }
    const bool is_wide =
        it_.format == Format::kFlat || (it_.format == Format::kGlobal && !it_.has_scalar_address);
    if (it_.has_vector_address) {
      put_vector(it_.address, is_wide ? Type::kB64 : Type::kB32);
    } else {
      put("off");
    }
    if (!is_load) {
      put_vector(it_.data[0], meaning_.sources[0]);
    }
    if (it_.format != Format::kFlat) {
      if (it_.has_scalar_address) {
        put_source(0, it_.format == Format::kGlobal ? Type::kB64 : Type::kB32);
      } else {
        put("off");
      }
    }
    put_offset(it_.offset);
    if (it_.returns) {
      made_.modifiers.emplace_back("glc");
    }
  }

  const Processor& processor_;
  const Instruction& it_;
  const Meaning& meaning_;
  std::span<const std::uint32_t> words_;
  PrintedLine made_;
};

} // namespace

PrintedLine print(const Processor& processor, const Instruction& instruction,
                  std::span<const std::uint32_t> words) {
  return Printer(processor, instruction, words).print();
}

std::string text_of(const PrintedLine& line) {
  std::string text = line.mnemonic;
  for (std::size_t i = 0; i < line.operands.size(); ++i) {
    text += i == 0 ? " " : ", ";
    for (const char c : line.operands[i]) {
      text += c == '#' ? std::string_view("0x") : std::string_view(&c, 1);
    }
  }
  for (const std::string& modifier : line.modifiers) {
    text += " " + modifier;
  }
  for (const PrintedLine& second : line.second) {
    text += " :: " + text_of(second);
  }
  return text;
}

} // namespace gantry::simt::amdgcn
