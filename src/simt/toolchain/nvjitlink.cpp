// libnvJitLink.so: NVIDIA's linker of device code, for programs that link PTX and want a cubin.
// What it gives is an ELF file with the PTX in it, which the executor's driver takes.
//
// Written from the published interface. Names with a version at the end are what nvJitLink.h makes
// of the plain ones, and what programs that open the library look up.
#include "simt/toolchain/assembly.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace {

using namespace gantry::simt;

enum Result : int {
  kSuccess = 0,
  kUnrecognizedOption = 1,
  kMissingArch = 2,
  kInvalidInput = 3,
  kPtxCompile = 4,
  kInternal = 6,
  kUnrecognizedInput = 8,
  kFinalize = 9,
  kNullInput = 10,
  kUnrecognizedArch = 16,
};

enum InputType : int {
  kCubin = 1,
  kPtx = 2,
  kLtoIr = 3,
  kFatBinary = 4,
  kObject = 5,
  kLibrary = 6,
  kIndex = 7,
  kAny = 10,
};

struct Linker {
  explicit Linker(unsigned target) : capability(target), assembly(target) {}
  std::mutex mutex;
  unsigned capability;
  bool relocatable = false;
  toolchain::Assembly assembly;
  std::vector<std::string> texts;
  std::vector<std::byte> cubin; ///< empty until it is complete
  std::string errors;
  std::string infos;

  Result fail(Result result, std::string_view text) {
    errors += fmt::format("error   : {}\n", text);
    return result;
  }
};

/// The linkers that programs have, so that a handle that is none is noticed.
class Linkers {
public:
  static Linkers& instance() {
    static auto* const linkers = new Linkers;
    return *linkers;
  }
  Linker* add(std::unique_ptr<Linker> linker) {
    const std::lock_guard lock(mutex_);
    return linkers_.insert(std::move(linker)).first->get();
  }
  [[nodiscard]] bool has(const void* handle) {
    const std::lock_guard lock(mutex_);
    return find(handle) != linkers_.end();
  }
  bool remove(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = find(handle);
    if (found == linkers_.end()) {
      return false;
    }
    linkers_.erase(found);
    return true;
  }

private:
  std::set<std::unique_ptr<Linker>>::iterator find(const void* handle) {
    return std::ranges::find(linkers_, handle,
                             [](const auto& linker) -> const void* { return linker.get(); });
  }
  std::mutex mutex_;
  std::set<std::unique_ptr<Linker>> linkers_;
};

/// body(Linker&), and no exception leaves.
template <typename Body>
Result call(void* handle, const Body& body) noexcept {
  try {
    if (!Linkers::instance().has(handle)) {
      return handle == nullptr ? kNullInput : kInvalidInput;
    }
    auto& linker = *static_cast<Linker*>(handle);
    const std::lock_guard lock(linker.mutex);
    return body(linker);
  } catch (...) {
    return kInternal;
  }
}

/// Options that have no effect on what is made here, up to their values.
constexpr std::string_view kIgnored[] = {
    "-lto",
    "-ptx",
    "-O",
    "-g",
    "-lineinfo",
    "-ftz",
    "-prec-div",
    "-prec-sqrt",
    "-fma",
    "-maxrregcount",
    "-kernels-used",
    "-variables-used",
    "-optimize-unused-variables",
    "-Xptxas",
    "-Xnvvm",
    "-split-compile",
    "-split-compile-extended",
    "-jump-table-density",
    "-no-cache",
    "-device-stack-protector",
    "-minnctapersm",
    "-maxntid",
    "-verbose",
    "-v",
    "-time",
    "-ewp",
    "-mcpu",
    "-disable-warnings",
};

bool is_ignored(std::string_view option) {
  const std::string_view name = option.substr(0, option.find('='));
  return std::ranges::find(kIgnored, name) != std::end(kIgnored) ||
         (name.size() == 3 && name.starts_with("-O") && name[2] >= '0' && name[2] <= '3');
}

Result create(void** handle, std::uint32_t count, const char* const* options) noexcept {
  if (handle == nullptr || (count != 0 && options == nullptr)) {
    return kNullInput;
  }
  try {
    std::string_view arch;
    bool relocatable = false;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string_view option = options[i] != nullptr ? options[i] : "";
      if (option.starts_with("-arch=")) {
        arch = option.substr(6);
      } else if (option == "-r") {
        relocatable = true;
      } else if (!is_ignored(option)) {
        return kUnrecognizedOption;
      }
    }
    if (arch.empty()) {
      return kMissingArch;
    }
    const auto capability = toolchain::capability_named(arch);
    if (!capability) {
      return kUnrecognizedArch;
    }
    auto linker = std::make_unique<Linker>(*capability);
    linker->relocatable = relocatable;
    *handle = Linkers::instance().add(std::move(linker));
    return kSuccess;
  } catch (...) {
    return kInternal;
  }
}

Result add(Linker& linker, int type, gantry::Bytes input, const std::string& name) {
  if (!linker.cubin.empty()) {
    return linker.fail(kInvalidInput, "the linking is complete already");
  }
  switch (type) {
  case kCubin:
  case kPtx:
  case kFatBinary:
  case kObject:
  case kAny:
    break;
  case kLtoIr:
  case kLibrary:
  case kIndex:
    return linker.fail(kInvalidInput,
                       fmt::format("'{}' is of a kind that cannot be linked here: give PTX", name));
  default:
    return kUnrecognizedInput;
  }
  auto texts = toolchain::texts_of(input, linker.capability);
  if (!texts) {
    return linker.fail(type == kPtx ? kPtxCompile : kInvalidInput,
                       fmt::format("'{}': {}", name, texts.error()));
  }
  for (std::string& text : *texts) {
    if (const auto added = linker.assembly.add(text, name); !added) {
      linker.errors += added.error();
      return kPtxCompile;
    }
    linker.texts.push_back(std::move(text));
  }
  return kSuccess;
}

Result add_data(void* handle, int type, const void* data, std::size_t size,
                const char* name) noexcept {
  return call(handle, [&](Linker& linker) {
    if (data == nullptr || size == 0) {
      return kNullInput;
    }
    return add(linker, type, {static_cast<const std::byte*>(data), size},
               name != nullptr ? name : "<input>");
  });
}

Result add_file(void* handle, int type, const char* path) noexcept {
  return call(handle, [&](Linker& linker) {
    if (path == nullptr) {
      return kNullInput;
    }
    std::ifstream file(path, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    if (!file) {
      return linker.fail(kInvalidInput, fmt::format("'{}' cannot be read", path));
    }
    return add(linker, type, gantry::as_bytes(content), path);
  });
}

Result complete(void* handle) noexcept {
  return call(handle, [](Linker& linker) {
    if (!linker.cubin.empty()) {
      return kSuccess;
    }
    if (linker.texts.empty()) {
      return linker.fail(kInvalidInput, "there is nothing to link");
    }
    auto image = linker.assembly.finish(linker.relocatable);
    if (!image) {
      linker.errors += image.error();
      return kFinalize;
    }
    linker.cubin = *std::move(image);
    linker.infos += fmt::format("info    : {} PTX texts linked\n", linker.texts.size());
    return kSuccess;
  });
}

Result destroy(void** handle) noexcept {
  if (handle == nullptr || *handle == nullptr) {
    return kNullInput;
  }
  if (!Linkers::instance().remove(*handle)) {
    return kInvalidInput;
  }
  *handle = nullptr;
  return kSuccess;
}

/// Writes `size` bytes, or how many they are.
Result give(const void* bytes, std::size_t count, void* place, std::size_t* size) {
  if (place == nullptr && size == nullptr) {
    return kNullInput;
  }
  if (size != nullptr) {
    *size = count;
  } else {
    std::memcpy(place, bytes, count);
  }
  return kSuccess;
}

Result give_cubin(void* handle, void* place, std::size_t* size) noexcept {
  return call(handle, [&](Linker& linker) {
    return linker.cubin.empty() ? linker.fail(kInternal, "the linking is not complete")
                                : give(linker.cubin.data(), linker.cubin.size(), place, size);
  });
}

Result give_ptx(void* handle, void* place, std::size_t* size) noexcept {
  return call(handle, [&](Linker& linker) {
    // Of several texts one would have to be made.
    return linker.cubin.empty() || linker.texts.size() != 1
               ? linker.fail(kInternal, "there is no linked PTX")
               : give(linker.texts[0].c_str(), linker.texts[0].size() + 1, place, size);
  });
}

Result give_log(void* handle, std::string Linker::* log, void* place, std::size_t* size) noexcept {
  return call(handle, [&](Linker& linker) {
    const std::string& text = linker.*log;
    return give(text.c_str(), text.size() + 1, place, size);
  });
}

} // namespace

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
/// A function of the library, and its names with the versions that have it.
#define GANTRY_NVJITLINK(name, parameters, result)                                                 \
  extern "C" [[gnu::visibility("default")]] int nvJitLink##name parameters {                       \
    return result;                                                                                 \
  }                                                                                                \
  GANTRY_NVJITLINK_ALIAS(name, parameters, 12_0)                                                   \
  GANTRY_NVJITLINK_ALIAS(name, parameters, 12_1)                                                   \
  GANTRY_NVJITLINK_ALIAS(name, parameters, 12_2)                                                   \
  GANTRY_NVJITLINK_ALIAS(name, parameters, 12_3)                                                   \
  GANTRY_NVJITLINK_ALIAS(name, parameters, 12_4)                                                   \
  GANTRY_NVJITLINK_ALIAS(name, parameters, 12_5)                                                   \
  GANTRY_NVJITLINK_ALIAS(name, parameters, 12_6)                                                   \
  GANTRY_NVJITLINK_ALIAS(name, parameters, 12_8)                                                   \
  GANTRY_NVJITLINK_ALIAS(name, parameters, 12_9)                                                   \
  GANTRY_NVJITLINK_ALIAS(name, parameters, 13_0)
#define GANTRY_NVJITLINK_ALIAS(name, parameters, version)                                          \
  extern "C" [[gnu::visibility("default"),                                                         \
               gnu::alias("nvJitLink" #name)]] int __nvJitLink##name##_##version parameters;

GANTRY_NVJITLINK(Create, (void** handle, std::uint32_t count, const char* const* options),
                 create(handle, count, options))
GANTRY_NVJITLINK(Destroy, (void** handle), destroy(handle))
GANTRY_NVJITLINK(AddData,
                 (void* handle, int type, const void* data, std::size_t size, const char* name),
                 add_data(handle, type, data, size, name))
GANTRY_NVJITLINK(AddFile, (void* handle, int type, const char* path), add_file(handle, type, path))
GANTRY_NVJITLINK(Complete, (void* handle), complete(handle))
GANTRY_NVJITLINK(GetLinkedCubinSize, (void* handle, std::size_t* size),
                 size != nullptr ? give_cubin(handle, nullptr, size) : kNullInput)
GANTRY_NVJITLINK(GetLinkedCubin, (void* handle, void* cubin), give_cubin(handle, cubin, nullptr))
GANTRY_NVJITLINK(GetLinkedPtxSize, (void* handle, std::size_t* size),
                 size != nullptr ? give_ptx(handle, nullptr, size) : kNullInput)
GANTRY_NVJITLINK(GetLinkedPtx, (void* handle, char* ptx), give_ptx(handle, ptx, nullptr))
GANTRY_NVJITLINK(GetErrorLogSize, (void* handle, std::size_t* size),
                 size != nullptr ? give_log(handle, &Linker::errors, nullptr, size) : kNullInput)
GANTRY_NVJITLINK(GetErrorLog, (void* handle, char* log),
                 give_log(handle, &Linker::errors, log, nullptr))
GANTRY_NVJITLINK(GetInfoLogSize, (void* handle, std::size_t* size),
                 size != nullptr ? give_log(handle, &Linker::infos, nullptr, size) : kNullInput)
GANTRY_NVJITLINK(GetInfoLog, (void* handle, char* log),
                 give_log(handle, &Linker::infos, log, nullptr))
GANTRY_NVJITLINK(Version, (unsigned* major, unsigned* minor),
                 major == nullptr || minor == nullptr ? kNullInput
                                                      : (*major = 13, *minor = 0, kSuccess))
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
