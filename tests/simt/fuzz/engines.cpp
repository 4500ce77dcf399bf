#include "engines.h"

#include "../instructions/driver_run.h"
#include "../instructions/operand_values.h"
#include "simt/memory/device_memory.h"
#include "simt/ptx/parser.h"

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

namespace gantry::simt::fuzz {

namespace {

constexpr int kUntouched = 0xA5;
constexpr unsigned kDifferencesShown = 6;

/// Device memory that lasts as long as the process or the kernel.
class DeviceBytes {
public:
  explicit DeviceBytes(std::uint64_t size) {
    Allocation what;
    what.size = size;
    address_ = DeviceMemory::instance()->allocate(what).value();
  }
  ~DeviceBytes() { DeviceMemory::instance()->free(address_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] std::byte* bytes() const { return reinterpret_cast<std::byte*>(address_); }

private:
  std::uint64_t address_ = 0;
};

/// The parameters of the kernel, as its entry declares them.
struct Parameters {
  std::uint64_t input, results, own;
  std::uint32_t small, wide;
  std::uint64_t wider;
  alignas(16) std::uint64_t bytes[4];
};

// Numbers of all types, so that whatever type reads them finds edges.
std::byte* input_bytes() {
  using ptx::Type;
  static const DeviceBytes* const made = [] {
    static constexpr Type kTypes[] = {Type::kU32, Type::kF32, Type::kF64, Type::kU64,
                                      Type::kU16, Type::kF16, Type::kF32, Type::kS32};
    auto* bytes = new DeviceBytes(kInputBytes);
    for (std::uint64_t offset = 0; offset < kInputBytes; offset += 8) {
      const Type type = kTypes[instructions::hash_of(offset, 1) % std::size(kTypes)];
      std::uint64_t word = 0;
      for (unsigned at = 0; at < 8; at += ptx::size_of(type)) {
        word |= instructions::operand_of(type, instructions::hash_of(offset, at, 2)) << (8 * at);
      }
      std::memcpy(bytes->bytes() + offset, &word, sizeof word);
    }
    return bytes;
  }();
  return made->bytes();
}

Parameters parameters_of(const Kernel& kernel, std::uint64_t memory) {
  Parameters parameters{reinterpret_cast<std::uint64_t>(input_bytes()) + kInputBytes / 2 +
                            kernel.input_offset,
                        memory,
                        memory + kernel.result_bytes(),
                        kernel.small,
                        kernel.wide,
                        kernel.wider,
                        {}};
  std::memcpy(parameters.bytes, kernel.bytes, sizeof parameters.bytes);
  return parameters;
}

struct Outcome {
  std::optional<exec::Fault> fault;
  std::vector<std::byte> memory; ///< results, own, counters
};

Outcome run(const Kernel& kernel, exec::LoadedProgram& program, std::uint64_t memory) {
  const std::uint64_t size = kernel.result_bytes() + kernel.own_bytes();
  auto* bytes = reinterpret_cast<std::byte*>(memory);
  std::memset(bytes, kUntouched, size);
  const Parameters parameters = parameters_of(kernel, memory);
  const auto entry = program.kernel("k").value();
  Outcome outcome;
  auto ended = program.run(entry, kernel.shape, reinterpret_cast<const std::byte*>(&parameters));
  if (!ended) {
    outcome.fault = std::move(ended.error());
    return outcome;
  }
  outcome.memory.assign(bytes, bytes + size);
  const auto counters = program.variable("counters").value();
  const auto* first = reinterpret_cast<const std::byte*>(counters.address);
  outcome.memory.insert(outcome.memory.end(), first, first + counters.size);
  return outcome;
}

/// Nothing if the device does not take the kernel, which `why` says then.
std::optional<Outcome> run(const Kernel& kernel, const std::string& driver, std::string& why) {
  Outcome outcome;
  outcome.memory.resize(kernel.result_bytes() + kernel.own_bytes() + kCounterBytes,
                        std::byte{kUntouched});
  const std::span all(outcome.memory);
  const std::span results = all.first(kernel.result_bytes());
  const std::span own = all.subspan(kernel.result_bytes(), kernel.own_bytes());
  Parameters parameters = parameters_of(kernel, 0);
  const auto ended = instructions::run_on_driver(
      driver, kernel.text.text(), kernel.shape,
      {&parameters.input, &parameters.results, &parameters.own, &parameters.small, &parameters.wide,
       &parameters.wider, &parameters.bytes},
      {{{input_bytes(), kInputBytes}, &parameters.input, kInputBytes / 2 + kernel.input_offset},
       {results, &parameters.results},
       {own, &parameters.own}},
      "counters", all.last(kCounterBytes));
  switch (ended.end) {
  case instructions::DriverRun::End::kDone:
    return outcome;
  case instructions::DriverRun::End::kRefused:
    why = ended.why;
    return std::nullopt;
  case instructions::DriverRun::End::kFailed:
    return Outcome{exec::Fault{exec::FaultCode::kIllegalInstruction, ended.why}, {}};
  }
  return std::nullopt;
}

std::string differences(const Kernel& kernel, const Outcome& interpreted, const Outcome& other,
                        const char* name) {
  std::string text;
  unsigned count = 0;
  for (std::size_t at = 0; at < interpreted.memory.size(); at += 8) {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    const std::size_t size = std::min<std::size_t>(8, interpreted.memory.size() - at);
    std::memcpy(&a, interpreted.memory.data() + at, size);
    std::memcpy(&b, other.memory.data() + at, size);
    if (a != b && ++count <= kDifferencesShown) {
      text +=
          fmt::format("  {}: {:#018x} interpreted, {:#018x} {}\n", kernel.place_of(at), a, b, name);
    }
  }
  return count <= kDifferencesShown
             ? text
             : text + fmt::format("  and {} words more\n", count - kDifferencesShown);
}

std::string fault_text(const Outcome& outcome) {
  return outcome.fault ? outcome.fault->report : "ended well\n";
}

} // namespace

Comparison compare(const Kernel& kernel, const std::string& driver, void (*stage)(const char*)) {
  Comparison result;
  const auto refused = [&](std::string why) {
    result.verdict = Verdict::kRefused;
    result.report = std::move(why);
    return result;
  };
  stage("parsed");
  auto module = ptx::parse(kernel.text.text(), "kernel.ptx");
  if (!module) {
    return refused(module.error().text("kernel.ptx"));
  }
  for (const ptx::Function& function : (*module)->functions) {
    result.instructions += static_cast<unsigned>(function.instructions.size());
  }
  std::vector<std::unique_ptr<ptx::Module>> modules;
  modules.push_back(std::move(*module));
  auto linked = ptx::link(std::move(modules));
  if (!linked) {
    return refused(linked.error());
  }
  const std::shared_ptr<const ptx::Program> program = std::move(*linked);
  const DeviceBytes memory(kernel.result_bytes() + kernel.own_bytes());
  const char* const name = driver.empty() ? "compiled" : "on the driver";
  Outcome outcomes[2];
  for (const Mode mode : {Mode::kInterpret, Mode::kCompile}) {
    const bool is_second = mode == Mode::kCompile;
    stage(is_second ? name : "interpreted");
    if (is_second && !driver.empty()) {
      if (outcomes[0].fault) {
        break; // the process could launch nothing more
      }
      auto outcome = run(kernel, driver, result.report);
      if (!outcome) {
        result.verdict = Verdict::kNotHere;
        return result;
      }
      outcomes[1] = std::move(*outcome);
      continue;
    }
    exec::LoadOptions options;
    options.mode = mode;
    const auto loaded = exec::LoadedProgram::load(program, options);
    if (!loaded) {
      return refused(loaded.error());
    }
    const auto ready = (*loaded)->prepare((*loaded)->kernel("k").value(), kernel.shape);
    if (!ready && !is_second) {
      return refused(ready.error().report);
    }
    outcomes[is_second ? 1 : 0] =
        ready
            ? run(kernel, **loaded, memory.address())
            : Outcome{exec::Fault{exec::FaultCode::kIllegalInstruction, ready.error().report}, {}};
  }
  stage("compared");
  const auto& [interpreted, other] = outcomes;
  if (interpreted.fault || other.fault) {
    const bool same =
        interpreted.fault &&
        (!driver.empty() || (other.fault && interpreted.fault->code == other.fault->code));
    result.verdict = same ? Verdict::kFaults : Verdict::kDiffers;
    result.report =
        fmt::format("interpreted: {}\n{}: {}", fault_text(interpreted), name, fault_text(other));
  } else if (interpreted.memory != other.memory) {
    result.verdict = Verdict::kDiffers;
    result.report = differences(kernel, interpreted, other, name);
  }
  return result;
}

} // namespace gantry::simt::fuzz
