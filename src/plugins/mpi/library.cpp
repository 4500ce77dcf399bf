#include "plugins/mpi/library.h"

#include "plugins/mpi/hydra.h"
#include "plugins/mpi/interfaces.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include <dlfcn.h>
#include <fmt/ranges.h>

namespace gantry::mpi {

namespace {

/// The functions that are used, and their parameters; Handle and Received, which is MPI_Status,
/// are an interface's.
#define GANTRY_MPI_FUNCTIONS(X)                                                                    \
  X(MPI_Initialized, int*)                                                                         \
  X(MPI_Finalized, int*)                                                                           \
  X(MPI_Init_thread, int*, char***, int, int*)                                                     \
  X(MPI_Query_thread, int*)                                                                        \
  X(MPI_Finalize)                                                                                  \
  X(MPI_Error_string, int, char*, int*)                                                            \
  X(MPI_Get_library_version, char*, int*)                                                          \
  X(MPI_Comm_rank, Handle, int*)                                                                   \
  X(MPI_Comm_size, Handle, int*)                                                                   \
  X(MPI_Comm_dup, Handle, Handle*)                                                                 \
  X(MPI_Comm_free, Handle*)                                                                        \
  X(MPI_Comm_set_errhandler, Handle, Handle)                                                       \
  X(MPI_Comm_get_attr, Handle, int, void*, int*)                                                   \
  X(MPI_Allgather, const void*, int, Handle, void*, int, Handle, Handle)                           \
  X(MPI_Isend, const void*, int, Handle, int, int, Handle, Handle*)                                \
  X(MPI_Irecv, void*, int, Handle, int, int, Handle, Handle*)                                      \
  X(MPI_Test, Handle*, int*, Received*)                                                            \
  X(MPI_Wait, Handle*, Received*)                                                                  \
  X(MPI_Cancel, Handle*)                                                                           \
  X(MPI_Get_count, const Received*, Handle, int*)

template <typename Handle, typename Received>
struct Functions {
#define GANTRY_MEMBER(name, ...) int (*name)(__VA_ARGS__);
  GANTRY_MPI_FUNCTIONS(GANTRY_MEMBER)
#undef GANTRY_MEMBER

  /// The name of the first that the library lacks; null if it has all.
  const char* bind(void* library) {
    const char* missing = nullptr;
#define GANTRY_BIND(name, ...)                                                                     \
  name = reinterpret_cast<decltype(name)>(dlsym(library, #name));                                  \
  missing = missing == nullptr && name == nullptr ? #name : missing;
    GANTRY_MPI_FUNCTIONS(GANTRY_BIND)
#undef GANTRY_BIND
    return missing;
  }
};

/// The most that a library writes of a text: MPI 5.0's limits, which are the largest.
constexpr std::size_t kLongestName = 8192;
constexpr std::size_t kLongestError = 512;

/// The text's lines as one.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) {
    line.pop_back();
  }
  return line;
}

/// The name and the version: what is behind them says how the library was built.
std::string name_of(std::string_view version_text) {
  return one_line(version_text.substr(0, version_text.find_first_of("\r\n,")));
}

/// What the library says of itself, which it does before MPI is started too; the call is the same
/// in all interfaces. Empty if it does not.
std::string version_text(void* library) {
  const auto ask =
      reinterpret_cast<int (*)(char*, int*)>(dlsym(library, "MPI_Get_library_version"));
  std::vector<char> text(kLongestName + 1);
  int length = 0;
  return ask != nullptr && ask(text.data(), &length) == 0 ? std::string(text.data()) : "";
}

template <typename Interface>
class OpenLibrary final : public Library {
  using Handle = Interface::Handle;
  using Received = Interface::Status;

public:
  explicit OpenLibrary(void* library)
      : interface_(library), name_(name_of(version_text(library))) {}

  /// The name of a function that the library lacks; null: all is well.
  const char* bind(void* library) { return call_.bind(library); }

  const std::string& name() const override { return name_; }

  bool is_initialised() const override { return is(call_.MPI_Initialized); }
  bool is_finalised() const override { return is(call_.MPI_Finalized); }

  Result<ThreadLevel> initialise() override {
    constexpr auto& kLevels = Interface::kThreadLevels;
    int level = 0;
    if (is_initialised()) {
      GANTRY_TRY(check("MPI_Query_thread", call_.MPI_Query_thread(&level)));
    } else {
      GANTRY_TRY(check("MPI_Init_thread",
                       call_.MPI_Init_thread(nullptr, nullptr, kLevels.back(), &level)));
      // Of what belongs to no communicator too.
      for (const Handle of : {interface_.world(), interface_.self()}) {
        GANTRY_TRY(check("MPI_Comm_set_errhandler",
                         call_.MPI_Comm_set_errhandler(of, interface_.errors_return())));
      }
    }
    // A level between two that are known has what the lower one has.
    const auto above = std::ranges::upper_bound(kLevels, level);
    return static_cast<ThreadLevel>(std::max<std::ptrdiff_t>(above - kLevels.begin(), 1) - 1);
  }
  Status finalise() override {
    if (std::is_same_v<Interface, Mpich> && finalise_by_hydra()) {
      return {};
    }
    return check("MPI_Finalize", call_.MPI_Finalize());
  }

  Communicator world() const override { return {to_number(interface_.world())}; }
  Result<Communicator> duplicate(Communicator of) override {
    Handle made = {};
    GANTRY_TRY(check("MPI_Comm_dup", call_.MPI_Comm_dup(to_handle(of.handle), &made)));
    GANTRY_TRY(check("MPI_Comm_set_errhandler",
                     call_.MPI_Comm_set_errhandler(made, interface_.errors_return())));
    return Communicator{to_number(made)};
  }
  Status free(Communicator of) override {
    Handle handle = to_handle(of.handle);
    return check("MPI_Comm_free", call_.MPI_Comm_free(&handle));
  }
  int rank(Communicator of) const override {
    int rank = 0;
    (void)call_.MPI_Comm_rank(to_handle(of.handle), &rank);
    return rank;
  }
  int size(Communicator of) const override {
    int size = 0;
    (void)call_.MPI_Comm_size(to_handle(of.handle), &size);
    return size;
  }
  int largest_tag() const override {
    constexpr int kOfAll = 32767; // the standard's, of every library
    int* value = nullptr;
    int is_there = 0;
    (void)call_.MPI_Comm_get_attr(interface_.world(), Interface::kLargestTag,
                                  static_cast<void*>(&value), &is_there);
    return is_there != 0 && value != nullptr ? *value : kOfAll;
  }

  Status gather(Communicator in, std::span<const std::byte> own,
                std::span<std::byte> all) override {
    const auto count = static_cast<int>(own.size());
    return check("MPI_Allgather",
                 call_.MPI_Allgather(own.data(), count, interface_.byte(), all.data(), count,
                                     interface_.byte(), to_handle(in.handle)));
  }

  Result<Request> send(Communicator in, int to, int tag,
                       std::span<const std::byte> bytes) override {
    GANTRY_TRY(check_size(bytes.size()));
    Handle request = {};
    GANTRY_TRY(check("MPI_Isend",
                     call_.MPI_Isend(bytes.data(), static_cast<int>(bytes.size()),
                                     interface_.byte(), to, tag, to_handle(in.handle), &request)));
    return Request{to_number(request)};
  }
  Result<Request> receive(Communicator in, int from, int tag, std::span<std::byte> bytes) override {
    GANTRY_TRY(check_size(bytes.size()));
    Handle request = {};
    GANTRY_TRY(check("MPI_Irecv", call_.MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()),
                                                  interface_.byte(), from, tag,
                                                  to_handle(in.handle), &request)));
    return Request{to_number(request)};
  }
  Result<Request> receive_of_any(Communicator in, int tag, std::span<std::byte> bytes) override {
    return receive(in, Interface::kAnySource, tag, bytes);
  }

  Result<Done> test(Request& request) override {
    if (request.handle == 0) {
      return fail("internal error: a request that is no more");
    }
    Handle handle = to_handle(request.handle);
    int is_done = 0;
    Received status = {};
    const int error = call_.MPI_Test(&handle, &is_done, &status);
    request.handle = error == 0 && is_done == 0 ? to_number(handle) : 0;
    GANTRY_TRY(check("MPI_Test", error));
    Done done;
    if (is_done != 0) {
      int bytes = 0;
      (void)call_.MPI_Get_count(&status, interface_.byte(), &bytes);
      done = {true, status.source, static_cast<std::size_t>(bytes > 0 ? bytes : 0)};
    }
    return done;
  }
  Status cancel(Request& request) override {
    if (request.handle == 0) {
      return {};
    }
    Handle handle = to_handle(request.handle);
    Received status = {};
    GANTRY_TRY(check("MPI_Cancel", call_.MPI_Cancel(&handle)));
    request.handle = 0;
    return check("MPI_Wait", call_.MPI_Wait(&handle, &status));
  }

private:
  static std::uintptr_t to_number(Handle handle) {
    if constexpr (std::is_pointer_v<Handle>) {
      return reinterpret_cast<std::uintptr_t>(handle);
    } else {
      return std::bit_cast<std::make_unsigned_t<Handle>>(handle);
    }
  }
  static Handle to_handle(std::uintptr_t number) {
    if constexpr (std::is_pointer_v<Handle>) {
      return reinterpret_cast<Handle>(number);
    } else {
      return std::bit_cast<Handle>(static_cast<std::make_unsigned_t<Handle>>(number));
    }
  }
  static Status check_size(std::size_t bytes) {
    return bytes <= kMost ? Status()
                          : fail("internal error: {} bytes in one transfer, and {} are the most",
                                 bytes, kMost);
  }
  static bool is(int (*asked)(int*)) {
    int answer = 0;
    return asked(&answer) == 0 && answer != 0;
  }
  Status check(const char* function, int error) const {
    if (error == 0) {
      return {};
    }
    std::array<char, kLongestError + 1> text = {};
    int length = 0;
    const bool is_known = call_.MPI_Error_string(error, text.data(), &length) == 0;
    return fail("{}: {}", function,
                is_known ? one_line(text.data()) : fmt::format("error {}", error));
  }

  Interface interface_;
  Functions<Handle, Received> call_ = {};
  std::string name_;
};

template <typename Interface>
Result<std::unique_ptr<Library>> bound(void* handle, std::string_view file) {
  auto made = std::make_unique<OpenLibrary<Interface>>(handle);
  if (const char* const missing = made->bind(handle)) {
    return fail("'{}' lacks {}, which every MPI since 3.0 has", file, missing);
  }
  return made;
}

/// Whether the library has MPI 5.0's interface. MPICH 4.3 has another one under the same names.
bool has_standard_interface(void* handle) {
  const auto abi = reinterpret_cast<int (*)(int*, int*)>(dlsym(handle, "MPI_Abi_get_version"));
  const auto mpi = reinterpret_cast<int (*)(int*, int*)>(dlsym(handle, "MPI_Get_version"));
  int major = 0;
  int minor = 0;
  return abi != nullptr && mpi != nullptr && abi(&major, &minor) == 0 && major > 0 &&
         mpi(&major, &minor) == 0 && major >= 5;
}

Result<std::unique_ptr<Library>> recognised(void* handle, std::string_view file) {
  if (dlsym(handle, "MPI_Init_thread") == nullptr) {
    return fail("'{}' is no MPI library", file);
  }
  if (has_standard_interface(handle)) {
    return bound<Mpi5>(handle, file);
  }
  if (dlsym(handle, "ompi_mpi_comm_world") != nullptr) {
    return bound<OpenMpi>(handle, file);
  }
  const std::string text = version_text(handle);
  for (const char* const kin : {"MPICH", "Intel(R) MPI", "MVAPICH"}) {
    if (text.find(kin) != text.npos) {
      return bound<Mpich>(handle, file);
    }
  }
  return fail("'{}' is an MPI library of a kind that is not known ('{}'); those that are: Open "
              "MPI 4 and 5, MPICH and its kin, and MPI 5.0's binary interface",
              file, name_of(text));
}

/// The file that the function comes from.
std::string file_of(const void* function) {
  Dl_info info = {};
  return dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "the program";
}

struct Launcher {
  const char* variable; ///< that it sets
  std::vector<const char*> libraries;
};
const std::vector<Launcher>& launchers() {
  static const std::vector<Launcher> all = {
      {"OMPI_COMM_WORLD_SIZE", {"libmpi.so.40"}},
      {"PMI_RANK", {"libmpich.so.12", "libmpi.so.12", "libmpi_cray.so.12"}},
      {"PMIX_RANK", {"libmpi.so.40"}},
  };
  return all;
}

/// MPI_Init_thread, if the process has an MPI library: one that all see, or one of a component's,
/// as interpreters load them.
void* present_function() {
  constexpr const char* kFunction = "MPI_Init_thread";
  if (void* const function = dlsym(RTLD_DEFAULT, kFunction)) {
    return function;
  }
  for (const Launcher& launcher : launchers()) {
    for (const char* const name : launcher.libraries) {
      if (void* const handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) {
        return dlsym(handle, kFunction);
      }
    }
  }
  return nullptr;
}

} // namespace

std::string present_library() {
  void* const present = present_function();
  return present == nullptr ? "" : file_of(present);
}

bool is_launched() {
  for (const Launcher& launcher : launchers()) {
    if (std::getenv(launcher.variable) != nullptr) {
      return true;
    }
  }
  return false;
}

Result<std::unique_ptr<Library>> open_library(const char* named) {
  const bool is_named = named != nullptr && *named != '\0';
  // Components of the library find its symbols among those of all.
  constexpr int kFlags = RTLD_NOW | RTLD_GLOBAL;
  if (void* const present = present_function()) {
    const std::string file = file_of(present);
    void* const handle = dlopen(file.c_str(), kFlags | RTLD_NOLOAD);
    void* const other = is_named ? dlopen(named, RTLD_NOW | RTLD_NOLOAD) : handle;
    if (other != handle) {
      return fail("the program uses '{}', and GANTRY_MPI names '{}'; a process "
                  "can have one MPI library: unset GANTRY_MPI",
                  file, named);
    }
    return recognised(handle != nullptr ? handle : RTLD_DEFAULT, file);
  }
  if (is_named) {
    void* const handle = dlopen(named, kFlags);
    if (handle == nullptr) {
      return fail("the library that GANTRY_MPI names cannot be loaded: {}", dlerror());
    }
    return recognised(handle, named);
  }
  std::vector<const char*> tried;
  for (const Launcher& launcher : launchers()) {
    if (std::getenv(launcher.variable) != nullptr) {
      tried.insert(tried.end(), launcher.libraries.begin(), launcher.libraries.end());
    }
  }
  tried.push_back("libmpi_abi.so.0");
  tried.push_back("libmpi_abi.so");
  for (const char* const name : tried) {
    if (void* const handle = dlopen(name, kFlags)) {
      return recognised(handle, name);
    }
  }
  return fail("no MPI library is found ({}); start the program with mpirun, or "
              "let GANTRY_MPI name the library",
              fmt::join(tried, ", "));
}

} // namespace gantry::mpi
