#include "simt/exec/code.h"

#include "simt/exec/call_adapter.h"
#include "simt/exec/code_cache.h"
#include "simt/ptx/call_interface.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <map>
#include <pthread.h>
#include <sys/mman.h>

namespace gantry::simt::exec {

namespace {

struct Compiler {
  CompileFunction compile = nullptr;
  DecodeFunction decode = nullptr;
  std::string error;
};

/// The process ends, and LLVM's objects are destroyed.
std::atomic<bool> compiler_has_gone = false;

// The two share structures, so that nothing but the compiler of this very version will do.
tl::expected<Compiler, std::string> compiler_in(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return tl::unexpected(std::string(dlerror()));
  }
  const auto* const version =
      static_cast<const char*>(dlsym(library, "gantry_simt_compiler_version"));
  Compiler compiler;
  compiler.compile = reinterpret_cast<CompileFunction>(dlsym(library, "gantry_simt_compile"));
  compiler.decode = reinterpret_cast<DecodeFunction>(dlsym(library, "gantry_simt_decode"));
  if (version == nullptr || compiler.compile == nullptr || compiler.decode == nullptr ||
      std::strcmp(version, GANTRY_SIMT_COMPILER_VERSION) != 0) {
    dlclose(library);
    return tl::unexpected(fmt::format("{} is of another version", path));
  }
  return compiler;
}

// Beside the library that this is in, lib/simt/libcuda.so.1; unit tests, which link exec/
// statically, lie in a folder beside lib/.
Compiler open_compiler() {
  Compiler compiler;
  Dl_info here = {};
  std::vector<std::string> candidates;
  if (dladdr(reinterpret_cast<const void*>(&open_compiler), &here) != 0 &&
      here.dli_fname != nullptr) {
    const std::string path = here.dli_fname;
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    candidates.push_back(folder + GANTRY_SIMT_COMPILER);
    candidates.push_back(folder + "../lib/simt/" GANTRY_SIMT_COMPILER);
  }
  for (const std::string& candidate : candidates) {
    const auto opened = compiler_in(candidate);
    if (opened) {
      // Called before what LLVM has registered by being loaded.
      std::atexit([] { compiler_has_gone.store(true, std::memory_order_relaxed); });
      return *opened;
    }
    compiler.error += fmt::format("{}{}", compiler.error.empty() ? "" : "; ", opened.error());
  }
  return compiler;
}

// A function of the compiler's library, on a thread of its own: the caller may be a warp, whose
// stack is too small for a compiler.
template <typename Made>
bool call_compiler(bool (*Compiler::*function)(const CompileRequest&, Made&, std::string&),
                   const CompileRequest& request, Made& made, std::string& error) {
  // Never destroyed: runtimes launch kernels from their last destructors.
  static const Compiler& compiler = *new Compiler(open_compiler());
  if (compiler_has_gone.load(std::memory_order_relaxed)) {
    error = "the process ends, and the compiler of the PTX executor is closed";
    return false;
  }
  if (compiler.*function == nullptr) {
    error = fmt::format("the compiler of the PTX executor cannot be loaded: {}", compiler.error);
    return false;
  }
  const auto work = [&] { return (compiler.*function)(request, made, error); };
  std::pair<decltype(work), bool> job{work, false};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16 << 20);
  pthread_t thread = {};
  const int failed = pthread_create(
      &thread, &attributes,
      [](void* argument) -> void* {
        auto* own = static_cast<decltype(job)*>(argument);
        own->second = own->first();
        return nullptr;
      },
      &job);
  pthread_attr_destroy(&attributes);
  if (failed != 0) {
    error = fmt::format("the compiler of the PTX executor gets no thread: {}; raise the limit of "
                        "processes (ulimit -u)",
                        std::strerror(failed));
    return false;
  }
  pthread_join(thread, nullptr);
  return job.second;
}

} // namespace

FaultCode fault_without_code() {
  return compiler_has_gone.load(std::memory_order_relaxed) ? FaultCode::kDeinitialized
                                                           : FaultCode::kIllegalInstruction;
}

std::shared_ptr<ProgramCode> ProgramCode::of(std::shared_ptr<const ptx::Program> program) {
  static std::mutex mutex;
  static auto* known = new std::map<std::array<std::uint64_t, 2>, std::weak_ptr<ProgramCode>>;
  const std::lock_guard lock(mutex);
  std::weak_ptr<ProgramCode>& place = (*known)[program->hash];
  std::shared_ptr<ProgramCode> code = place.lock();
  if (!code) {
    code = std::make_shared<ProgramCode>(std::move(program));
    place = code;
  }
  return code;
}

ProgramCode::ProgramCode(std::shared_ptr<const ptx::Program> program)
    : program_(std::move(program)), one_lane_(program_->functions.size()),
      published_(program_->functions.size()) {
  for (unsigned geometry = 0; geometry < kGeometries; ++geometry) {
    tables_[geometry].resize(program_->functions.size());
    entries_[geometry].resize(program_->functions.size());
  }
  for (std::uint32_t index = 0; index < program_->functions.size(); ++index) {
    const ptx::Function& function = program_->definition(index);
    callees_.push_back({ptx::interface_of(function).signature(), function.is_entry,
                        program_->functions[index].system_call.has_value()});
  }
}

ProgramCode::~ProgramCode() {
  for (const Mapping& mapping : mappings_) {
    munmap(mapping.address, mapping.size);
  }
}

Code* ProgramCode::table(Geometry geometry) {
  return tables_[static_cast<unsigned>(geometry)].data();
}

Code ProgramCode::known(std::uint32_t function, Geometry geometry) const {
  return __atomic_load_n(&tables_[static_cast<unsigned>(geometry)][function], __ATOMIC_ACQUIRE);
}

const CallPlan& ProgramCode::call_plan(Site site, std::uint32_t function) {
  const std::lock_guard lock(call_plans_mutex_);
  std::unique_ptr<CallPlan>& plan = call_plans_[{site, function}];
  if (!plan) {
    plan = std::make_unique<CallPlan>(plan_call(*program_, site, function));
  }
  return *plan;
}

tl::expected<const OneLaneCode*, std::string> ProgramCode::one_lane(std::uint32_t function) {
  if (const OneLaneCode* ready = published_[function].load(std::memory_order_acquire)) {
    return ready;
  }
  const std::lock_guard lock(mutex_);
  std::unique_ptr<OneLaneCode>& place = one_lane_[function];
  if (!place) {
    auto code = std::make_unique<OneLaneCode>();
    CompileRequest request;
    request.program = program_.get();
    request.function = function;
    std::string error;
    if (!call_compiler(&Compiler::decode, request, *code, error)) {
      return tl::unexpected(std::move(error));
    }
    bind_steps(*code);
    place = std::move(code);
    published_[function].store(place.get(), std::memory_order_release);
  }
  return place.get();
}

tl::expected<void, std::string> ProgramCode::make_ready(std::uint32_t function, Mode mode,
                                                        Geometry geometry) {
  const auto outcome = [](auto made) -> tl::expected<void, std::string> {
    return std::move(made).map([](auto&&) {});
  };
  return mode == Mode::kInterpret ? outcome(one_lane(function)) : outcome(of(function, geometry));
}

tl::expected<ProgramCode::Entry, std::string> ProgramCode::of(std::uint32_t function,
                                                              Geometry geometry) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[static_cast<unsigned>(geometry)][function];
  if (entry.code == nullptr) {
    auto made = make(function, geometry);
    if (!made) {
      return made;
    }
    entry = *made;
    __atomic_store_n(&tables_[static_cast<unsigned>(geometry)][function], entry.code,
                     __ATOMIC_RELEASE);
  }
  return entry;
}

tl::expected<ProgramCode::Entry, std::string> ProgramCode::make(std::uint32_t function,
                                                                Geometry geometry) {
  const CompileRequest request{program_.get(),
                               function,
                               geometry,
                               settings().checks.memory,
                               settings().checks.watches_accesses(),
                               settings().checks.watches_blocks()};
  const std::string key = cache_key(request);
  std::optional<CodeImage> image = cached_code(key);
  if (!image) {
    image.emplace();
    std::string error;
    if (!call_compiler(&Compiler::compile, request, *image, error)) {
      return tl::unexpected(std::move(error));
    }
    keep_code(key, *image);
  }
  const std::size_t size = image->bytes.size();
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return tl::unexpected(fmt::format("no memory for {} bytes of code", size));
  }
  std::memcpy(memory, image->bytes.data(), size);
  mprotect(memory, size, PROT_READ | PROT_EXEC);
  mappings_.push_back({memory, size});
  Entry entry;
  entry.code = reinterpret_cast<Code>(static_cast<std::byte*>(memory) + image->entry);
  entry.may_suspend = image->may_suspend;
  return entry;
}

} // namespace gantry::simt::exec
