#include "runtime/core/reports/info.h"

#include "runtime/core/events/events.h"
#include "runtime/core/host/settings.h"
#include "runtime/core/reports/diagnostics.h"
#include "runtime/core/reports/text.h"

#include <cstdlib>
#include <span>
#include <utility>

namespace gantry::core {

namespace {

std::uint32_t kind_of(Info info) {
  switch (info) {
  case Info::kRegistration:
    return static_cast<std::uint32_t>(Event::kProgram);
  case Info::kLoad:
    return static_cast<std::uint32_t>(Event::kDevice);
  case Info::kLaunch:
    return static_cast<std::uint32_t>(Event::kLaunch);
  case Info::kMap:
  case Info::kPresent:
    return static_cast<std::uint32_t>(Event::kPresence);
  case Info::kTransfer:
    return static_cast<std::uint32_t>(Event::kCopy);
  case Info::kTable:
    return static_cast<std::uint32_t>(Event::kFailure);
  case Info::kStale:
    return static_cast<std::uint32_t>(Event::kDifference);
  }
  return 0;
}

class Printer final : public EventListener {
public:
  void print(std::uint32_t bits) {
    bits_.store(bits, std::memory_order_relaxed);
    std::uint32_t kinds = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      kinds |= (bits & 1u << bit) != 0 ? kind_of(static_cast<Info>(1u << bit)) : 0;
    }
    listen(*this, kinds);
  }

  void on(const ProgramChange& event) override {
    say("program {}: {}", event.registered ? "registered" : "unregistered", event.path);
  }

  void on(const DeviceMissing& event) override {
    say("no device of GANTRY_DEVICES' {}", event.reason);
  }

  void on(const ImageLoaded& event) override {
    say("{}: image loaded, {}, {}, {}", event.device.label, counted(event.kernels, "kernel"),
        counted(event.variables, "variable"), counted(event.functions, "function pointer"));
  }

  void on(const Launched& event) override {
    std::string values;
    for (void* const value : std::span(event.shape.arguments, event.shape.argument_count)) {
      values += fmt::format(" {}", fmt::ptr(value));
    }
    say("{}: {} launched on {}, {} parameters:{}", label(event.construct), event.kernel,
        event.device.label, event.shape.argument_count, values);
  }

  void on(const PresenceChange& event) override {
    using What = PresenceChange::What;
    const bool is_asked_for = asked(event.what == What::kWasPresent ? Info::kPresent : Info::kMap);
    if (!is_asked_for) {
      return;
    }
    const std::string storage =
        fmt::format("{}: {} {}", label(event.construct), quoted_name(event.name.c_str()),
                    extent(event.host, event.size));
    switch (event.what) {
    case What::kMapped:
      say("{} mapped to {:#x}{}", storage, event.device_address,
          event.device_address == event.host ? " (shared)" : "");
      break;
    case What::kWasPresent:
      say("{} is present, referenced {} times", storage,
          event.references == PresenceChange::kInfinite ? "infinitely many"
                                                        : fmt::to_string(event.references));
      break;
    case What::kUnmapped:
      say("{} unmapped", storage);
      break;
    }
  }

  void on(const Copied& event) override {
    using What = Copied::What;
    switch (event.what) {
    case What::kPointer:
      say("{}: pointer {:#x} on the device attached to {:#x}", label(event.construct),
          event.device_address, event.host);
      break;
    case What::kItem:
    case What::kPrivate:
      say("{}: {} of {} {} device", label(event.construct), counted(event.size, "byte"),
          event.what == What::kPrivate ? "a private copy" : quoted_name(event.name),
          event.to_device ? "to" : "from");
      break;
    case What::kRoutine:
      break; // the program copies what it says
    }
  }

  void on(const Difference& event) override {
    say("{}: {} {} has changed on the device ({}, the first at offset {}) since it was copied by "
        "{}, and the host has the old values until they are copied",
        label(event.construct), quoted_name(event.name.c_str()), extent(event.host, event.size),
        counted(event.bytes, "byte"), event.first, event.copied_by);
  }

  void on(const ConstructFailed& event) override {
    say("{}: mapped:\n{}", event.device.label, event.mapped);
  }

private:
  [[nodiscard]] bool asked(Info kind) const {
    return (bits_.load(std::memory_order_relaxed) & static_cast<std::uint32_t>(kind)) != 0;
  }

  template <typename... Arguments>
  static void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write_info(fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  std::atomic<std::uint32_t> bits_{0};
};

constinit Printer printer;

/// Before main, where nobody could catch an exception; no memory for a few names is the end.
[[gnu::constructor]] void listen_from_the_start() noexcept {
  print_info(read_info_bits([](const char* name) { return secure_getenv(name); }));
}

} // namespace

void print_info(std::uint32_t bits) {
  printer.print(bits);
}

} // namespace gantry::core
