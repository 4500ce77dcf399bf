#include "memory_access.h"
#include "memory_piece.h"
#include "operand_values.h"
#include "reference.h"

#include <memory>
#include <vector>

#include <fmt/format.h>

namespace gantry::simt::instructions {

namespace {

// st: inputs 0 to 7 are the elements, 8 the guard; outputs 0 to 3 are the record.
class Store : public AccessPiece {
public:
  Store(const Instance& instance, Addressing addressing) : AccessPiece(instance, addressing) {
    // Of lanes that store to one place, nobody knows who is last.
    if (addressing_ == Addressing::kUniform && place_ != Place::kFunctionParameter) {
      guard_ = (seed_ >> 4 & 1) != 0 ? Guard::kPredicate : Guard::kBranch;
    }
    literal_ =
        static_cast<unsigned>(seed_ >> 30 & 15); // the element that is a literal, if there is one
  }

  static Piece piece(const std::shared_ptr<Store>& self) {
    Piece piece;
    piece.label = self->label_;
    piece.inputs = 9;
    piece.outputs = 4;
    piece.code = [self](const Places& places) { return self->code(places); };
    piece.declarations = [self](const Places& places) { return self->declarations(places); };
    piece.input = [self](unsigned cell, unsigned thread) {
      return cell == 8 ? Word{self->stores(thread)} : hash_of(self->seed_, thread, cell);
    };
    piece.input_bits = [self](unsigned cell) { return cell == 8 ? 32 : self->register_bits_; };
    piece.check = [self](const Results& results) { return self->check(results); };
    return piece;
  }

private:
  [[nodiscard]] bool stores(unsigned thread) const {
    return addressing_ == Addressing::kUniform
               ? thread % kLanes == hash_of(seed_, thread / kLanes) % kLanes
               : executes(thread);
  }
  [[nodiscard]] bool has_literal(unsigned element) const {
    return !as_vector_ && literal_ == element && !ptx::is_float(instance_.type());
  }
  [[nodiscard]] std::string source_text() const {
    if (as_vector_) {
      return "%v";
    }
    std::string text;
    for (unsigned i = 0; i < elements_; ++i) {
      text += (i == 0 ? "" : ", ") +
              (has_literal(i) ? fmt::format("{}", literal_bits()) : register_text(i));
    }
    return elements_ > 1 ? "{" + text + "}" : text;
  }
  [[nodiscard]] Word literal_bits() const { return low_bits(hash_of(seed_, 99), 8 * size_); }

  [[nodiscard]] std::string sources_code(const Places& places) const {
    std::string text = registers_code();
    for (unsigned i = 0; i < elements_; ++i) {
      text += fmt::format("  ld.global.b{} {}, [{}];\n", register_bits_, register_text(i),
                          places.input(i, register_bits_));
    }
    return text;
  }

  [[nodiscard]] std::string declarations(const Places& places) const {
    if (place_ != Place::kFunctionParameter) {
      return {};
    }
    std::string text = fmt::format(".func (.param .align 32 .b8 result[32]) {}(.param .align 32 "
                                   ".b8 values[64]) {{\n{}  .reg .b64 %x;\n",
                                   places.label("callee"), registers_code());
    for (unsigned i = 0; i < elements_; ++i) {
      text +=
          fmt::format("  ld.param.b{} {}, [values+{}];\n", register_bits_, register_text(i), 8 * i);
    }
    return text + fmt::format("  {} [result], {}{};\n  ret;\n}}\n", instance_.name(), source_text(),
                              policy_text());
  }

  [[nodiscard]] std::string code(const Places& places) const {
    if (place_ == Place::kFunctionParameter) {
      return call_code(places);
    }
    std::string text = guard_code(places.input(8, 32)) + other_code() + sources_code(places);
    switch (place_) {
    case Place::kGlobal:
      text += global_code("out", places.first_output(0));
      break;
    case Place::kShared:
      text += "  .shared .align 32 .b8 window[1024];\n" + pattern_code("window", "shared") +
              address_code("shared", "window");
      break;
    default:
      text += "  .local .align 32 .b8 frame[1024];\n" + pattern_code("frame", "local") +
              "  mov.b32 %j, %lane;\n" + address_code("local", "frame");
      break;
    }
    if (guard_ == Guard::kBranch) {
      text += fmt::format("  @!%guard bra {};\n", places.label("skip"));
    }
    text += fmt::format("  {}{} {}, {}{};\n", guard_text(), instance_.name(), address(),
                        source_text(), policy_text());
    if (guard_ == Guard::kBranch) {
      text += places.label("skip") + ":\n";
    }
    return text + (place_ == Place::kGlobal ? "" : copy_code(places));
  }

  // Fills this lane's record of a window with the pattern of outputs.
  [[nodiscard]] std::string pattern_code(const char* window, const char* space) const {
    std::string text = fmt::format(
        "  .reg .b32 %f; mov.b32 %f, {}; mad.lo.u32 %f, %lane, {}, %f;\n", window, bytes_);
    const unsigned step = std::min(bytes_, 8U);
    for (unsigned offset = 0; offset < bytes_; offset += step) {
      text += fmt::format("  st.{}.b{} [%f+{}], {};\n", space, 8 * step, offset,
                          low_bits(kUntouched, 8 * step));
    }
    return text + "  bar.warp.sync 0xFFFFFFFF;\n";
  }
  [[nodiscard]] std::string copy_code(const Places& places) const {
    std::string text = "  bar.warp.sync 0xFFFFFFFF; .reg .b64 %x; .reg .b32 %w4; .reg .b16 %h;\n";
    const unsigned step = std::min(bytes_, 8U);
    const char* part = step == 8 ? "%x" : step == 4 ? "%w4" : "%h";
    for (unsigned offset = 0; offset < bytes_; offset += step) {
      text += fmt::format("  ld.{0}.b{1} {2}, [%f+{3}]; st.global.b{1} [{4}+{3}], {2};\n",
                          place_ == Place::kShared ? "shared" : "local", 8 * step, part, offset,
                          places.output(0, 8 * bytes_));
    }
    return text + "  bar.warp.sync 0xFFFFFFFF;\n";
  }

  [[nodiscard]] std::string call_code(const Places& places) const {
    std::string text = sources_code(places);
    text += "  {\n  .param .align 32 .b8 argument[64]; .param .align 32 .b8 back[32];\n";
    for (unsigned i = 0; i < elements_; ++i) {
      text += fmt::format("  st.param.b{} [argument+{}], {};\n", register_bits_, 8 * i,
                          register_text(i));
    }
    text += fmt::format(
        "  call (back), {}, (argument);\n  .reg .b64 %x; .reg .b32 %w4; .reg .b16 %h;\n",
        places.label("callee"));
    const unsigned step = std::min(bytes_, 8U);
    const char* part = step == 8 ? "%x" : step == 4 ? "%w4" : "%h";
    for (unsigned offset = 0; offset < bytes_; offset += step) {
      text += fmt::format("  ld.param.b{0} {1}, [back+{2}]; st.global.b{0} [{3}+{2}], {1};\n",
                          8 * step, part, offset, places.output(0, 8 * bytes_));
    }
    return text + "  }\n";
  }

  [[nodiscard]] std::string check(const Results& results) const {
    std::vector<std::uint8_t> expected(std::size_t{kThreads} * bytes_);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = static_cast<std::uint8_t>(kUntouched);
    }
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      if (guard_ != Guard::kNone && !stores(thread)) {
        continue;
      }
      const unsigned block = thread / kLanes;
      const bool own = place_ == Place::kLocal || place_ == Place::kFunctionParameter;
      const unsigned to = block * kLanes + (own ? thread % kLanes : other(thread % kLanes, block));
      for (unsigned at = 0; at < bytes_; ++at) {
        const unsigned element = at / size_;
        const Word word = has_literal(element) ? literal_bits() : hash_of(seed_, thread, element);
        expected[std::size_t{to} * bytes_ + at] =
            static_cast<std::uint8_t>(word >> (8 * (at % size_)));
      }
    }
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      for (unsigned at = 0; at < bytes_; ++at) {
        const Word word = results.output(0, thread, 8 * bytes_, at / 8);
        const auto actual = static_cast<std::uint8_t>(word >> (8 * (at % 8)));
        const std::uint8_t wanted = expected[std::size_t{thread} * bytes_ + at];
        if (actual != wanted) {
          return fmt::format("byte {} of the record of thread {} is {:#x} and should be {:#x}", at,
                             thread, actual, wanted);
        }
      }
    }
    return {};
  }

  unsigned literal_ = 0;
};

} // namespace

Piece store_piece(const Instance& instance, Addressing addressing) {
  return Store::piece(std::make_shared<Store>(instance, addressing));
}

} // namespace gantry::simt::instructions
