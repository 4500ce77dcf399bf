#include "memory_access.h"
#include "memory_piece.h"
#include "operand_values.h"
#include "reference.h"

#include <memory>

#include <fmt/format.h>

namespace gantry::simt::instructions {

namespace {

// ld: inputs 0 to 3 are the record, 4 the guard; outputs are the elements.
class Load : public AccessPiece {
public:
  using AccessPiece::AccessPiece;

  static Piece piece(const std::shared_ptr<Load>& self) {
    Piece piece;
    piece.label = self->label_;
    piece.inputs = 5;
    piece.outputs = self->elements_;
    piece.code = [self](const Places& places) { return self->code(places); };
    piece.declarations = [self](const Places& places) { return self->declarations(places); };
    piece.input = [self](unsigned cell, unsigned thread) {
      return cell == 4 ? Word{self->executes(thread)} : hash_of(self->seed_, thread, cell);
    };
    piece.input_bits = [self](unsigned cell) {
      return cell == 4 ? 32 : cell == 0 ? 8 * self->bytes_ : 0;
    };
    piece.check = [self](const Results& results) { return self->check(results); };
    return piece;
  }

private:
  [[nodiscard]] std::string declarations(const Places& places) const {
    if (place_ == Place::kConst) {
      std::string text =
          fmt::format(".const .align 32 .b64 {}[128] = {{", places.label("constants"));
      for (unsigned i = 0; i < 128; ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", hash_of(seed_, i, 400));
      }
      return text + "};\n";
    }
    if (place_ != Place::kFunctionParameter) {
      return {};
    }
    std::string text = fmt::format(
        ".func (.param .align 32 .b8 result[64]) {}(.param .align 32 .b8 record[64]) {{\n{}",
        places.label("callee"), registers_code());
    text += fmt::format("  {} {}, [record+{}]{};\n  .reg .b64 %x;\n", instance_.name(),
                        moved_text(), argument_offset(), policy_text());
    for (unsigned i = 0; i < elements_; ++i) {
      text += widened_code(i) + fmt::format("  st.param.b64 [result+{}], %x;\n", 8 * i);
    }
    return text + "  ret;\n}\n";
  }

  [[nodiscard]] unsigned argument_offset() const { return (seed_ >> 20 & 1) != 0 ? 32 : 0; }

  // %x: the register that element i is in, as 64 bits.
  [[nodiscard]] std::string widened_code(unsigned i) const {
    if (register_bits_ == 64) {
      return fmt::format("  mov.b64 %x, {};\n", register_text(i));
    }
    return fmt::format("  cvt.u64.u{} %x, {};\n", register_bits_, register_text(i));
  }

  [[nodiscard]] std::string code(const Places& places) const {
    if (place_ == Place::kFunctionParameter) {
      return call_code(places);
    }
    std::string text = guard_code(places.input(4, 32)) + other_code();
    std::string address_text = address();
    switch (place_) {
    case Place::kGlobal:
      text += global_code("in", places.first_input(0));
      break;
    case Place::kShared:
      text += "  .shared .align 32 .b8 window[1024];\n" + fill_code(places, "shared") +
              address_code("shared", "window");
      break;
    case Place::kLocal:
      text += "  .local .align 32 .b8 frame[1024];\n" + fill_code(places, "local");
      text += "  mov.b32 %j, %lane;\n" + address_code("local", "frame"); // others' are other memory
      break;
    case Place::kConst:
      text += address_code("const", places.label("constants"));
      break;
    default:
      if (addressing_ == Addressing::kUniform) {
        address_text = fmt::format("[data+{}]", parameter_record() * bytes_);
      } else {
        text += address_code("param", "data");
      }
      break;
    }
    text += registers_code();
    if (guard_ == Guard::kPredicate) {
      for (unsigned i = 0; i < elements_; ++i) {
        text += fmt::format("  mov.b{} {}, 77;\n", register_bits_, register_text(i));
      }
    }
    if (guard_ == Guard::kBranch) {
      text += fmt::format("  @!%guard bra {};\n", places.label("skip"));
    }
    text += fmt::format("  {}{} {}, {}{};\n  .reg .b64 %y;\n", guard_text(), instance_.name(),
                        moved_text(), address_text, policy_text());
    for (unsigned i = 0; i < elements_; ++i) {
      text += fmt::format("  st.global.b{} [{}], {};\n", register_bits_,
                          places.output(i, register_bits_), register_text(i));
    }
    if (guard_ == Guard::kBranch) {
      text += places.label("skip") + ":\n";
    }
    return place_ == Place::kShared ? text + "  bar.warp.sync 0xFFFFFFFF;\n" : text;
  }

  [[nodiscard]] unsigned parameter_record() const {
    return static_cast<unsigned>(seed_ >> 24) % 32;
  }

  [[nodiscard]] std::string call_code(const Places& places) const {
    std::string text = "  .reg .b64 %x;\n  {\n  .param .align 32 .b8 argument[64]; .param .align "
                       "32 .b8 back[64];\n";
    for (unsigned i = 0; i < 8; ++i) {
      text += fmt::format("  mad.wide.u32 %x, %gid, {}, {}; st.param.b64 [argument+{}], %x;\n",
                          0x1234567 * (i + 1), hash_of(seed_, i) >> 1, 8 * i);
    }
    text += fmt::format("  call (back), {}, (argument);\n", places.label("callee"));
    for (unsigned i = 0; i < elements_; ++i) {
      text += fmt::format("  ld.param.b64 %x, [back+{}]; st.global.b64 [{}], %x;\n", 8 * i,
                          places.output(i, 64));
    }
    return text + "  }\n";
  }

  /// The byte of the record that the thread reads.
  [[nodiscard]] std::uint8_t byte(unsigned thread, unsigned index) const {
    const unsigned block = thread / kLanes;
    const unsigned lane = other(thread % kLanes, block);
    const auto of_word = [](Word word, unsigned at) {
      return static_cast<std::uint8_t>(word >> (8 * at));
    };
    switch (place_) {
    case Place::kConst: {
      const unsigned at = lane * bytes_ + index;
      return of_word(hash_of(seed_, at / 8, 400), at % 8);
    }
    case Place::kKernelParameter:
      return parameter_byte(
          (addressing_ == Addressing::kUniform ? parameter_record() : lane) * bytes_ + index);
    case Place::kFunctionParameter: {
      const unsigned at = argument_offset() + index;
      return of_word(
          Word{thread} * (Word{0x1234567} * (at / 8 + 1)) + (hash_of(seed_, at / 8) >> 1), at % 8);
    }
    case Place::kLocal:
      return of_word(hash_of(seed_, thread, index / 8), index % 8);
    default:
      return of_word(hash_of(seed_, block * kLanes + lane, index / 8), index % 8);
    }
  }

  [[nodiscard]] std::string check(const Results& results) const {
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      for (unsigned i = 0; i < elements_; ++i) {
        Word bits = 0;
        for (unsigned at = 0; at < size_; ++at) {
          bits |= Word{byte(thread, i * size_ + at)} << (8 * at);
        }
        const bool extends = ptx::is_signed(instance_.type());
        Word expected =
            extends ? low_bits(static_cast<Word>(value_of(instance_.type(), bits)), register_bits_)
                    : bits;
        const unsigned width = place_ == Place::kFunctionParameter ? 64 : register_bits_;
        if (!executes(thread)) {
          expected = guard_ == Guard::kPredicate ? 77 : low_bits(kUntouched, width);
        }
        const Word actual = results.output(i, thread, width);
        if (actual != expected) {
          return fmt::format("element {} is {:#x} and should be {:#x} (thread {})", i, actual,
                             expected, thread);
        }
      }
    }
    return {};
  }
};

} // namespace

Piece load_piece(const Instance& instance, Addressing addressing) {
  return Load::piece(std::make_shared<Load>(instance, addressing));
}

} // namespace gantry::simt::instructions
