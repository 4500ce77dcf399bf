// Accesses around the end of shared and local memory, against a model of which are allowed.
#include "simt/exec/testing/kernel_text.h"
#include "simt/memory/device_heap.h"

#include <optional>

#include <fmt/format.h>

namespace gantry::simt::exec {
namespace {

/// Bytes of static shared memory: no multiple of any access, and room for a row of the largest.
constexpr std::uint64_t kStatic = 16 * kLanes + 37;

enum class Window { kShared, kGenericShared, kLocal, kGenericLocal };
enum class Places { kSame, kConsecutive, kScattered };
enum class Kind { kLoad, kStore, kAtomic };

struct Form {
  Window window;
  Places places;
  Kind kind;
  unsigned size;

  [[nodiscard]] bool is_shared() const {
    return window == Window::kShared || window == Window::kGenericShared;
  }
  [[nodiscard]] bool is_generic() const {
    return window == Window::kGenericShared || window == Window::kGenericLocal;
  }
  /// Of an access: a vector is one of each element.
  [[nodiscard]] unsigned element() const { return size == 16 ? 8 : size; }
  [[nodiscard]] std::string name() const {
    return fmt::format("window {}, places {}, kind {}, {} bytes", static_cast<int>(window),
                       static_cast<int>(places), static_cast<int>(kind), size);
  }
};

std::vector<Form> forms() {
  std::vector<Form> all;
  for (const Window window :
       {Window::kShared, Window::kGenericShared, Window::kLocal, Window::kGenericLocal}) {
    for (const Places places : {Places::kSame, Places::kConsecutive, Places::kScattered}) {
      for (const unsigned size : {1U, 2U, 4U, 8U, 16U}) {
        const Form load{window, places, Kind::kLoad, size};
        const Form store{window, places, Kind::kStore, size};
        const Form atomic{window, places, Kind::kAtomic, size};
        all.insert(all.end(), {load, store});
        if (load.is_shared() && (size == 4 || size == 8)) {
          all.push_back(atomic);
        }
      }
    }
  }
  return all;
}

std::string access(const Form& form) {
  const std::string space = form.is_generic() ? "" : form.is_shared() ? ".shared" : ".local";
  const unsigned bits = form.element() * 8;
  const std::string value = bits == 8 || bits == 16 ? "h1" : bits == 32 ? "r1" : "d6";
  const std::string type = fmt::format("{}.b{}", form.size == 16 ? ".v2" : "", bits);
  const std::string values = form.size == 16 ? "{d6, d7}" : value;
  switch (form.kind) {
  case Kind::kLoad:
    return fmt::format("ld{}{} {}, [d3];\n  {}st.volatile.global.b{} [d1+256], {};", space, type,
                       values, form.size == 16 ? "xor.b64 d6, d6, d7; " : "", bits, value);
  case Kind::kStore:
    return fmt::format("st{}{} [d3], {};", space, type, values);
  case Kind::kAtomic:
    return fmt::format("red{}.add.u{} [d3], {};", space, bits, value);
  }
  return {};
}

/// A kernel whose lanes access offsets in the window: that of their word of memory, or from the
/// first word on. The base of a generic address comes from memory, so that it is not known where it
/// points to.
std::string kernel_of(const Form& form) {
  std::string body = "  mov.b16 h1, 0; mov.b32 r1, 0; mov.b64 d6, 0; mov.b64 d7, 0;\n";
  body += form.places == Places::kScattered ? "  ld.global.u64 d3, [d1];\n"
                                            : "  ld.global.u64 d3, [d0];\n";
  if (form.places == Places::kConsecutive) {
    body += fmt::format("  mad.wide.u32 d3, r0, {}, d3;\n", form.size);
  }
  if (form.is_shared()) {
    body += "  mov.u64 d8, fixed; add.u64 d3, d3, d8;\n";
  }
  if (form.is_generic()) {
    const bool is_uniform = form.is_shared() && form.places != Places::kScattered;
    body +=
        fmt::format("  mov.u64 d4, 0; cvta.{0}.u64 d4, d4; st.volatile.global.u64 [{1}+256], d4;\n"
                    "  ld.volatile.global.u64 d5, [{1}+256]; add.u64 d3, d3, d5;\n",
                    form.is_shared() ? "shared" : "local", is_uniform ? "d0" : "d1");
  }
  return kernel_of_body(
      body + access(form),
      form.is_shared() ? fmt::format(".shared .align 16 .b8 fixed[{}];\n", kStatic) : "");
}

/// The fault of an access at an offset in a window of `size` bytes; none if it is allowed.
std::optional<FaultCode> expected(const Form& form, std::uint64_t offset, std::uint64_t size) {
  if (offset % form.size != 0) {
    return FaultCode::kMisalignedAddress;
  }
  for (unsigned part = 0; part < form.size; part += form.element()) {
    const bool may_pass_end = form.is_generic() && form.kind != Kind::kStore;
    const unsigned needed = may_pass_end ? 1 : form.element();
    const std::uint64_t at = offset + part;
    if (at >= size || size - at < needed) {
      return FaultCode::kIllegalAddress;
    }
  }
  return std::nullopt;
}

TEST(WindowBounds, AreThoseOfTheMemory) {
  for (const Form& form : forms()) {
    KernelText kernel(kernel_of(form));
    for (const std::uint32_t dynamic : {0U, 3U, 40U}) {
      const std::uint64_t size = form.is_shared() ? kStatic + dynamic : limits_of(0).local_bytes;
      if (!form.is_shared() && dynamic != 0) {
        continue;
      }
      std::vector<std::uint64_t> offsets;
      const std::uint64_t whole = form.size;
      for (std::uint64_t at = size - 2 * whole; at <= size + whole; ++at) {
        offsets.push_back(at);
      }
      if (!form.is_generic()) {
        const std::uint64_t zero = 0;
        offsets.insert(offsets.end(), {zero - whole, zero - 2 * whole, zero - 1,
                                       std::uint64_t{1} << 32, std::uint64_t{1} << 63});
      }
      for (const std::uint64_t offset : offsets) {
        const std::uint64_t row = form.places == Places::kConsecutive ? whole : 0;
        Words memory(std::size_t{3} * kLanes, 0);
        memory[form.places == Places::kScattered ? 7 : 0] = offset - row * (kLanes - 1);
        std::optional<FaultCode> wrong;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const std::uint64_t at =
              form.places == Places::kScattered ? memory[lane] : memory[0] + row * lane;
          const auto of_lane = expected(form, at, size);
          wrong = wrong ? wrong : of_lane;
        }
        LaunchShape shape;
        shape.block[0] = kLanes;
        shape.dynamic_shared = dynamic;
        const auto outcome = kernel.run(memory, shape);
        ASSERT_EQ(outcome.has_value(), !wrong)
            << form.name() << ", at " << static_cast<std::int64_t>(offset) << " of " << size << "\n"
            << (outcome ? "" : outcome.error().report);
        if (wrong) {
          ASSERT_EQ(outcome.error().code, *wrong) << form.name() << "\n" << outcome.error().report;
        }
      }
    }
  }
}

} // namespace
} // namespace gantry::simt::exec
