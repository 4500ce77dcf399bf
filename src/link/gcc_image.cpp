#include "link/gcc_image.h"

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "format/archive.h"
#include "format/elf.h"
#include "link/installation.h"
#include "link/process.h"
#include "link/temporary_directory.h"
#include "link/weak_references.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

namespace gantry::link {
namespace {

namespace fs = std::filesystem;

/// Where the member of "PATH@0xOFFSET" is; nothing for an object of its own.
std::optional<std::pair<std::string, std::uint64_t>> member_place(const std::string& object) {
  constexpr std::string_view kSeparator = "@0x";
  const std::size_t at = object.rfind(kSeparator);
  std::uint64_t offset = 0;
  if (at == std::string::npos) {
    return std::nullopt;
  }
  const char* const digits = object.data() + at + kSeparator.size();
  const char* const end = object.data() + object.size();
  if (std::from_chars(digits, end, offset, 16).ptr != end) {
    return std::nullopt;
  }
  return std::pair(object.substr(0, at), offset);
}

/// The member whose contents begin at `offset` of the archive at `path`, as a file.
Result<std::string> extract(const std::string& path, std::uint64_t offset, const fs::path& file) {
  const auto archive_file = GANTRY_TRY(MappedFile::open(path));
  const auto archive = GANTRY_TRY_CONTEXT(format::Archive::read(archive_file.bytes()), path);
  for (const format::ArchiveMember& member : archive.members()) {
    const bool here =
        !member.contents.empty() &&
        static_cast<std::uint64_t>(member.contents.data() - archive_file.bytes().data()) == offset;
    if (here) {
      return write_file(file, member.contents).map([&] { return file.string(); });
    }
  }
  return fail("'{}' has no member at {:#x}", path, offset);
}

/// True if the compiler has yet to make code for the object.
Result<bool> is_of_lto(const std::string& path) {
  const auto file = GANTRY_TRY(MappedFile::open(path));
  const auto elf = GANTRY_TRY_CONTEXT(format::ElfFile::read(file.bytes()), path);
  return std::ranges::any_of(elf.sections(), [](const format::ElfSection& section) {
    return section.name.starts_with(".gnu.lto_");
  });
}

Result<ProcessResult> run(const GccLink& link, const std::vector<std::string>& command) {
  if (link.verbose) {
    fmt::print(stderr, " {}\n", fmt::join(command, " "));
  }
  return run_process(command, Capture::kDiagnostics);
}

/// The bytes of GCC's tables in the image.
std::size_t table_size(const format::ElfFile& image, std::string_view section) {
  const format::ElfSection* const found = image.find_section(section);
  return found == nullptr ? 0 : found->contents.size();
}

/// The program's objects as a shared object.
Status link_image(const GccLink& link, const fs::path& folder, const fs::path& image) {
  // Hides other names, because the loader would otherwise merge the host's and the image's
  // variables of inline functions.
  const fs::path exports = folder / "exports.map";
  GANTRY_TRY(
      write_file(exports, as_bytes("{ global: __gantry_*; __omp_offloading_*; local: *; };\n")));
  std::vector<std::string> command = {link.compiler.string(),
                                      "-fopenmp",
                                      "-foffload=disable",
                                      "-shared",
                                      "-Wl,-Bsymbolic",
                                      "-Wl,-z,lazy",
                                      "-Wl,--version-script=" + exports.string()};
  bool lto = false;
  std::vector<std::string> objects;
  for (const std::string& object : link.objects) {
    std::string path = object;
    if (const auto place = member_place(object)) {
      path = GANTRY_TRY(
          extract(place->first, place->second, folder / fmt::format("member{}.o", objects.size())));
    }
    const bool of_lto = GANTRY_TRY(is_of_lto(path));
    lto = lto || of_lto;
    objects.push_back(std::move(path));
  }
  command.insert(command.end(), link.options.begin(), link.options.end());
  if (lto) {
    command.insert(command.end(), {"-flto", "-fPIC"});
  }
  command.insert(command.end(), {"-o", image.string()});
  command.insert(command.end(), objects.begin(), objects.end());
  // Gantry's device routines precede libgomp's, which answer for the host.
  command.insert(command.end(), {"-Wl,-u,__gantry_gcc_image", cpu_device_library().string()});
  // The image names these libraries itself, because a library loaded later by dlopen() does not
  // show its own to others.
  command.insert(command.end(), {"-Wl,--as-needed", "-lm", "-latomic"});
  const auto done = GANTRY_TRY(run(link, command));
  if (done.exit_code != 0) {
    return fail("the program's objects cannot be linked as an image for the CPU device:\n{}\n>>> "
                "code for it has to be position-independent: compile with -fPIC, as `gantry gcc` "
                "does",
                done.captured);
  }
  // The image contains host code too, which may refer to objects that have no regions. No region
  // uses those references, and a worker's process does not define them.
  return weaken_references(image);
}

/// The source of an object that holds the image and registers it as GCC's own objects do, but
/// before the program's constructors and until after its destructors, because those may have target
/// regions.
Result<std::string> embedding_source(const fs::path& image) {
  const auto file = GANTRY_TRY(MappedFile::open(image));
  const auto elf =
      GANTRY_TRY_CONTEXT(format::ElfFile::read(file.bytes()), "the image for the CPU device");
  constexpr std::string_view kSource = R"(
__asm__(".section .gnu.offload_image, \"a\"\n\t.balign 4096\n"
        "gantry_image_begin:\n\t.incbin \"{}\"\ngantry_image_end:\n\t.text\n");
#define HIDDEN __attribute__((visibility("hidden")))
extern const char gantry_image_begin[] HIDDEN, gantry_image_end[] HIDDEN;
extern const void *const __OFFLOAD_TABLE__[] HIDDEN;
static const struct {{
  const void *begin, *end;
  unsigned long function_count, variable_count;
}} image = {{gantry_image_begin, gantry_image_end, {}, {}}};
void GOMP_offload_register_ver(unsigned, const void *, int, const void *);
void GOMP_offload_unregister_ver(unsigned, const void *, int, const void *);
__attribute__((constructor(101))) static void begin(void) {{
  GOMP_offload_register_ver(0x10001, __OFFLOAD_TABLE__, 71, &image);
}}
__attribute__((destructor(101))) static void end(void) {{
  GOMP_offload_unregister_ver(0x10001, __OFFLOAD_TABLE__, 71, &image);
}}
)";
  constexpr std::size_t kFunctionBytes = 8;
  constexpr std::size_t kVariableBytes = 16;
  return fmt::format(kSource, image.string(),
                     table_size(elf, ".gnu.offload_funcs") / kFunctionBytes,
                     table_size(elf, ".gnu.offload_vars") / kVariableBytes);
}

} // namespace

Status make_gcc_image(const GccLink& link) {
  auto folder = GANTRY_TRY(TemporaryDirectory::create());
  const fs::path image = folder.path() / "image.so";
  GANTRY_TRY(link_image(link, folder.path(), image));
  const auto source = GANTRY_TRY(embedding_source(image));
  const fs::path file = folder.path() / "image.c";
  GANTRY_TRY(write_file(file, as_bytes(source)));
  const auto done =
      GANTRY_TRY(run(link, {link.compiler.string(), "-x", "c", "-O1", "-fPIC", "-fno-lto", "-w",
                            "-c", file.string(), "-o", link.output}));
  return done.exit_code == 0
             ? Status()
             : fail("the image for the CPU device cannot be put into the program:\n{}",
                    done.captured);
}

} // namespace gantry::link
