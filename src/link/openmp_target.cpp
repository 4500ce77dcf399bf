// What the two objects hold, in the terms of C, with two kinds of devices:
//
//   // the first object of the link, section .gnu.openmp_target
//   hidden struct { uint32_t version, target_count; const pair *host_end;
//                   struct { const char *blob; size_t size; const void *addresses; size_t count; }
//                       targets[2]; }
//       __OPENMP_TARGET__ = { 1, 2, __gantry_openmp_target_end,
//                             { { image, sizeof image, image_addresses, N },
//                               { ptx, sizeof ptx, ptx_names, N } } };
//   static void __attribute__((destructor(101))) forget(void) {
//     GOMP_offload_unregister(__OPENMP_TARGET__, 72, __OPENMP_TARGET__);
//   }
//   // the pairs of all objects, which the linker puts into the same section in their order
//   // the last object of the link, same section
//   hidden const pair __gantry_openmp_target_end[0];
//
// The first use is what makes the runtime look at a descriptor; the end of a library is what makes
// it forget it.

#include "link/openmp_target.h"

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "format/openmp_target.h"
#include "link/cpu_target.h"
#include "link/host_object.h"
#include "link/installation.h"
#include "link/process.h"
#include "link/text.h"

#include <algorithm>
#include <optional>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace gantry::link {
namespace {

namespace fs = std::filesystem;

constexpr int kPriority = 101;
/// What GOMP_offload_unregister is told in place of a kind of device; the runtime's number too.
constexpr unsigned kOpenmpTargetKind = 72;
constexpr const char* kEndSymbol = "__gantry_openmp_target_end";

/// A target's code, and where in it the host's pairs are.
struct Blob {
  std::string contents;
  std::vector<std::uint64_t> addresses = {};
  std::vector<std::string> names = {};
};

/// The objects once more, as a shared object whose own pairs are the table of addresses.
Result<Blob> link_host_code(const DeviceCode& code, const Arguments& arguments, const Scan& scan,
                            const fs::path& folder) {
  const fs::path image = folder / "openmp_target.so";
  const fs::path exports = folder / "openmp_target.map";
  GANTRY_TRY(
      write_file(exports, as_bytes("{ global: __gantry_*; __omp_offloading_*; local: *; };\n")));
  std::vector<std::string> command = cpu_image_command(arguments, image);
  command.insert(command.end(), {"-z", "lazy", "--version-script=" + exports.string(), "-u",
                                 "__gantry_openmp_target"});
  std::size_t number = 0;
  for (const PairedObject& object : code.paired) {
    const fs::path file = folder / fmt::format("openmp_target-{}.o", number++);
    GANTRY_TRY(write_file(file, object.contents));
    command.push_back(file.string());
  }
  command.push_back(cpu_device_library().string());
  offer_libraries(arguments, scan, command);
  show_command(arguments, command);
  if (arguments.dry_run) {
    return Blob();
  }
  const auto linked = GANTRY_TRY(
      run_process(command, Capture::kDiagnostics, (folder / "openmp_target.arguments").string()));
  if (linked.exit_code != 0) {
    return fail("the objects with pairs in section '{}' cannot be linked as an image for the CPU "
                "device:{}\n>>> code for it has to be position-independent: compile with -fPIC",
                format::kOpenmpTargetSection, continued(linked.captured));
  }
  const auto file = GANTRY_TRY(MappedFile::open(image));
  const auto table = format::ElfFile::read(file.bytes()).and_then(format::read_openmp_target);
  if (!table || !*table) {
    return table ? fail("the image for the CPU device has no section '{}'",
                        format::kOpenmpTargetSection)
                 : tl::unexpected(table.error());
  }
  Blob blob{.contents = std::string(as_text(file.bytes()))};
  for (const format::OpenmpTargetPair& pair : (*table)->host) {
    blob.addresses.push_back(pair.address);
  }
  return blob;
}

/// The names that GCC's nvptx back end writes down, in comments, in the order of its table.
std::vector<std::string> names_in(std::string_view ptx) {
  constexpr std::string_view kMark = "//:";
  std::vector<std::string> names;
  while (!ptx.empty()) {
    const std::string_view line = ptx.substr(0, ptx.find('\n'));
    ptx.remove_prefix(std::min(ptx.size(), line.size() + 1));
    if (!line.starts_with(kMark) || line.find("_MAP \"") == std::string_view::npos) {
      continue;
    }
    const std::size_t begin = line.find('"') + 1;
    const std::size_t end = line.find('"', begin);
    if (end != std::string_view::npos) {
      names.emplace_back(line.substr(begin, end - begin));
    }
  }
  return names;
}

/// The texts one after the other, each with a NUL; nothing if no object has one.
Result<std::optional<Blob>> join_ptx(const DeviceCode& code) {
  if (std::ranges::all_of(code.paired,
                          [](const PairedObject& object) { return object.ptx.empty(); })) {
    return std::nullopt;
  }
  Blob blob;
  for (const PairedObject& object : code.paired) {
    if (object.ptx.empty()) {
      return fail("'{}' has pairs in section '{}' and no PTX, and another object has some; give "
                  "each of them its own",
                  object.origin, format::kOpenmpTargetSection);
    }
    const std::vector<std::string> names = names_in(as_text(object.ptx));
    if (names.size() != object.pair_count) {
      return fail("'{}' has {} pairs in section '{}', and its PTX names {} (lines "
                  "'//:FUNC_MAP \"NAME\"' and '//:VAR_MAP \"NAME\"'); each pair needs its name, in "
                  "the same order",
                  object.origin, object.pair_count, format::kOpenmpTargetSection, names.size());
    }
    blob.contents += as_text(object.ptx);
    if (!blob.contents.ends_with('\0')) {
      blob.contents += '\0';
    }
    blob.names.insert(blob.names.end(), names.begin(), names.end());
  }
  return blob;
}

class DescriptorModule {
public:
  DescriptorModule(llvm::LLVMContext& context, const llvm::Triple& triple)
      : context_(context), module_("gantry.openmp_target", context),
        pointer_(llvm::PointerType::getUnqual(context)), word_(llvm::Type::getInt64Ty(context)),
        half_(llvm::Type::getInt32Ty(context)) {
    module_.setTargetTriple(triple);
  }

  void add(const Blob& blob) {
    auto* contents = hidden_away(
        llvm::ConstantDataArray::getString(context_, blob.contents, /*AddNull=*/false), "blob");
    constexpr std::uint64_t kPage = 4096;
    contents->setAlignment(llvm::Align(kPage));
    std::vector<llvm::Constant*> elements;
    for (const std::uint64_t address : blob.addresses) {
      elements.push_back(word(address));
    }
    for (const std::string& name : blob.names) {
      elements.push_back(hidden_away(llvm::ConstantDataArray::getString(context_, name), "name"));
    }
    auto* type = llvm::ArrayType::get(
        blob.names.empty() ? static_cast<llvm::Type*>(word_) : pointer_, elements.size());
    auto* table = hidden_away(llvm::ConstantArray::get(type, elements), "addresses");
    targets_.push_back(llvm::ConstantStruct::getAnon(
        {contents, word(blob.contents.size()), table, word(elements.size())}));
  }

  Result<std::string> finish() {
    auto* end = new llvm::GlobalVariable(module_, llvm::Type::getInt8Ty(context_), true,
                                         llvm::GlobalValue::ExternalLinkage, nullptr, kEndSymbol);
    end->setVisibility(llvm::GlobalValue::HiddenVisibility);
    std::vector<llvm::Constant*> members = {
        llvm::ConstantInt::get(half_, format::kOpenmpTargetVersion),
        llvm::ConstantInt::get(half_, targets_.size()), end};
    members.insert(members.end(), targets_.begin(), targets_.end());
    auto* descriptor = in_section(llvm::ConstantStruct::getAnon(members), "__OPENMP_TARGET__");
    forget_at_the_end(descriptor);
    return compile_for_host(module_);
  }

  Result<std::string> end_of_table() {
    in_section(llvm::ConstantAggregateZero::get(llvm::ArrayType::get(word_, 0)), kEndSymbol);
    return compile_for_host(module_);
  }

private:
  llvm::Constant* word(std::uint64_t value) { return llvm::ConstantInt::get(word_, value); }

  llvm::GlobalVariable* hidden_away(llvm::Constant* value, const char* name) {
    return new llvm::GlobalVariable(module_, value->getType(), /*isConstant=*/true,
                                    llvm::GlobalValue::InternalLinkage, value,
                                    fmt::format(".openmp_target.{}", name));
  }

  llvm::GlobalVariable* in_section(llvm::Constant* value, const char* name) {
    // Writable, as the loader has to fill in addresses.
    auto* variable = new llvm::GlobalVariable(module_, value->getType(), /*isConstant=*/false,
                                              llvm::GlobalValue::ExternalLinkage, value, name);
    variable->setVisibility(llvm::GlobalValue::HiddenVisibility);
    variable->setSection(format::kOpenmpTargetSection);
    variable->setAlignment(llvm::Align(sizeof(std::uint64_t)));
    return variable;
  }

  void forget_at_the_end(llvm::GlobalVariable* descriptor) {
    auto* nothing = llvm::Type::getVoidTy(context_);
    auto* function = llvm::Function::Create(llvm::FunctionType::get(nothing, false),
                                            llvm::GlobalValue::InternalLinkage,
                                            ".openmp_target.forget", module_);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context_, "entry", function));
    builder.CreateCall(
        module_.getOrInsertFunction("GOMP_offload_unregister", nothing, pointer_, half_, pointer_),
        {descriptor, llvm::ConstantInt::get(half_, kOpenmpTargetKind), descriptor});
    builder.CreateRetVoid();
    llvm::appendToGlobalDtors(module_, function, kPriority);
  }

  llvm::LLVMContext& context_;
  llvm::Module module_;
  llvm::PointerType* pointer_;
  llvm::IntegerType* word_;
  llvm::IntegerType* half_;
  std::vector<llvm::Constant*> targets_;
};

std::size_t pairs_of(const DeviceCode& code) {
  std::size_t count = 0;
  for (const PairedObject& object : code.paired) {
    count += object.pair_count;
  }
  return count;
}

} // namespace

Result<OpenmpTargetObjects> build_openmp_target(const DeviceCode& code, const Arguments& arguments,
                                                const Scan& scan, const fs::path& folder) {
  const auto host_code = GANTRY_TRY(link_host_code(code, arguments, scan, folder));
  const auto ptx = GANTRY_TRY(join_ptx(code));
  llvm::LLVMContext context;
  const llvm::Triple triple(llvm::Triple::normalize(arguments.host_triple));
  DescriptorModule descriptor(context, triple);
  descriptor.add(host_code);
  if (ptx) {
    descriptor.add(*ptx);
  }
  const auto begin = GANTRY_TRY(descriptor.finish());
  const auto end = GANTRY_TRY(DescriptorModule(context, triple).end_of_table());
  OpenmpTargetObjects objects{.begin = (folder / "openmp_target_begin.o").string(),
                              .end = (folder / "openmp_target_end.o").string()};
  for (const auto& [path, contents] : {std::pair(objects.begin, begin), {objects.end, end}}) {
    GANTRY_TRY(write_file(path, as_bytes(contents)));
  }
  return objects;
}

Status check_openmp_target(const DeviceCode& code, const Arguments& arguments) {
  const auto output = MappedFile::open(arguments.output);
  if (!output) {
    return {};
  }
  const auto table =
      GANTRY_TRY(format::ElfFile::read(output->bytes()).and_then(format::read_openmp_target));
  const std::size_t found = table && table->version != 0 ? table->host.size() : 0;
  if (found == pairs_of(code)) {
    return {};
  }
  return fail("the objects have {} pairs in section '{}', and {} of them are in the program; link "
              "without --gc-sections, and with a linker that keeps the objects' order",
              pairs_of(code), format::kOpenmpTargetSection, found);
}

} // namespace gantry::link
