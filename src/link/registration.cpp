// What the registration object holds, in the terms of C:
//
//   static const char image_0[] = <offload binary container with one linked image>;
//                                                     // section .llvm.offloading, allocated
//   extern entry __start_llvm_offload_entries[], __stop_llvm_offload_entries[];   // hidden
//   static const struct { const char *begin, *end; entry *entries_begin, *entries_end; }
//       images[] = { { image inside image_0, its end, __start_…, __stop_… }, … };
//   static const struct { int32_t count; images *; entry *entries_begin, *entries_end; }
//       descriptor = { 1, images, __start_…, __stop_… };
//   static void __attribute__((constructor(101))) register(void) {
//     __tgt_register_lib(&descriptor);
//   }
//   static void __attribute__((destructor(101))) unregister(void) {
//     __tgt_unregister_lib(&descriptor);
//   }
//
// The linker defines __start_X and __stop_X around the output section X when its name is a C
// identifier; that is how the entries of all objects become one table. Objects of Clang 20 and
// newer put theirs into llvm_offload_entries, older ones into omp_offloading_entries, with another
// layout. A program may hold both, so there is one descriptor a table, each with all the images: an
// entry is joined with its device symbol by name, whichever image has it. An empty variable in the
// section makes it exist in the output even when no linked object has one.
//
// Priority 101 runs before every constructor a program may write and, this object being the first
// of the link, after every destructor, so that target regions work in all of them. (LLVM's wrapper
// unregisters with atexit, before destructors of C.) In a shared library dlclose runs it.
//
// docs/linking.md tells the same for readers of the linked file, docs/clang-abi.md the layouts.

#include "link/registration.h"

#include "format/entry_layout.h"
#include "link/host_object.h"

#include <string_view>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace gantry::link {
namespace {

constexpr int kPriority = 101;

struct Table {
  llvm::Constant* begin;
  llvm::Constant* end;
};

/// The bounds of one image inside its container.
struct ImageBounds {
  llvm::Constant* begin;
  llvm::Constant* end;
};

class RegistrationModule {
public:
  RegistrationModule(llvm::LLVMContext& context, const llvm::Triple& triple)
      : context_(context), module_("gantry.registration", context),
        pointer_(llvm::PointerType::getUnqual(context)), byte_(llvm::Type::getInt8Ty(context)),
        image_type_(llvm::StructType::create(context, {pointer_, pointer_, pointer_, pointer_},
                                             "__tgt_device_image")),
        descriptor_type_(llvm::StructType::create(
            context, {llvm::Type::getInt32Ty(context), pointer_, pointer_, pointer_},
            "__tgt_bin_desc")) {
    module_.setTargetTriple(triple);
  }

  Status add(const LinkedImage& image) {
    const format::OffloadImage content{
        .image_kind = image.kind,
        .offload_kind = format::OffloadKind::kOpenMp,
        .flags = 0,
        .strings = {{"triple", image.triple}, {"arch", image.arch}},
        .contents = image.contents,
    };
    const auto container = GANTRY_TRY(format::write_offload_binaries({&content, 1}));
    const auto parsed = GANTRY_TRY(format::read_offload_binaries(container));
    const auto offset =
        static_cast<std::uint64_t>(parsed.front().contents.data() - container.data());

    const llvm::StringRef bytes(reinterpret_cast<const char*>(container.data()), container.size());
    auto* contents = llvm::ConstantDataArray::getString(context_, bytes, /*AddNull=*/false);
    auto* variable = add_constant(contents, ".omp_offloading.device_image");
    variable->setSection(".llvm.offloading");
    variable->setAlignment(llvm::Align(8));
    images_.push_back({.begin = offset_into(variable, offset),
                       .end = offset_into(variable, offset + image.contents.size())});
    return {};
  }

  void add_table(std::string_view section) { tables_.push_back(make_table(section)); }

  /// Adds the descriptors and the two functions, once all images and tables are there.
  void finish() {
    std::vector<llvm::GlobalVariable*> descriptors;
    descriptors.reserve(tables_.size());
    for (const Table& table : tables_) {
      descriptors.push_back(make_descriptor(table));
    }
    llvm::appendToGlobalCtors(module_, make_register(descriptors), kPriority);
    llvm::appendToGlobalDtors(module_, make_unregister(descriptors), kPriority);
  }

  llvm::Module& module() { return module_; }

private:
  llvm::GlobalVariable* add_constant(llvm::Constant* value, llvm::StringRef name) {
    return new llvm::GlobalVariable(module_, value->getType(), /*isConstant=*/true,
                                    llvm::GlobalValue::InternalLinkage, value, name);
  }

  llvm::Constant* offset_into(llvm::GlobalVariable* variable, std::uint64_t offset) {
    auto* index = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context_), offset);
    return llvm::ConstantExpr::getInBoundsGetElementPtr(byte_, variable,
                                                        llvm::ArrayRef<llvm::Constant*>(index));
  }

  llvm::Constant* make_bound(std::string_view prefix, std::string_view section) {
    auto* bound = new llvm::GlobalVariable(module_, byte_, /*isConstant=*/true,
                                           llvm::GlobalValue::ExternalLinkage, nullptr,
                                           fmt::format("{}{}", prefix, section));
    bound->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return bound;
  }

  Table make_table(std::string_view section) {
    auto* nothing = llvm::ConstantAggregateZero::get(llvm::ArrayType::get(byte_, 0));
    auto* dummy = add_constant(nothing, fmt::format("__dummy.{}", section));
    // Writable like the compiler's entries, because linkers warn of sections whose flags differ.
    dummy->setConstant(false);
    dummy->setSection(llvm::StringRef(section));
    dummy->setAlignment(llvm::Align(8));
    llvm::appendToCompilerUsed(module_, {dummy});
    return {.begin = make_bound("__start_", section), .end = make_bound("__stop_", section)};
  }

  llvm::GlobalVariable* make_descriptor(const Table& table) {
    std::vector<llvm::Constant*> elements;
    elements.reserve(images_.size());
    for (const ImageBounds& image : images_) {
      elements.push_back(
          llvm::ConstantStruct::get(image_type_, image.begin, image.end, table.begin, table.end));
    }
    auto* type = llvm::ArrayType::get(image_type_, elements.size());
    auto* images =
        add_constant(llvm::ConstantArray::get(type, elements), ".omp_offloading.device_images");
    auto* count = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), images_.size());
    return add_constant(
        llvm::ConstantStruct::get(descriptor_type_, count, images, table.begin, table.end),
        ".omp_offloading.descriptor");
  }

  llvm::Function* make_function(llvm::StringRef name) {
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), false);
    auto* function =
        llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module_);
    function->setSection(".text.startup");
    function->addFnAttr(llvm::Attribute::NoUnwind);
    return function;
  }

  llvm::FunctionCallee runtime_function(llvm::StringRef name) {
    return module_.getOrInsertFunction(name, llvm::Type::getVoidTy(context_), pointer_);
  }

  llvm::Function* make_unregister(const std::vector<llvm::GlobalVariable*>& descriptors) {
    llvm::Function* function = make_function(".omp_offloading.descriptor_unreg");
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context_, "entry", function));
    for (auto descriptor = descriptors.rbegin(); descriptor != descriptors.rend(); ++descriptor) {
      builder.CreateCall(runtime_function("__tgt_unregister_lib"), {*descriptor});
    }
    builder.CreateRetVoid();
    return function;
  }

  llvm::Function* make_register(const std::vector<llvm::GlobalVariable*>& descriptors) {
    llvm::Function* function = make_function(".omp_offloading.descriptor_reg");
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context_, "entry", function));
    for (llvm::GlobalVariable* descriptor : descriptors) {
      builder.CreateCall(runtime_function("__tgt_register_lib"), {descriptor});
    }
    builder.CreateRetVoid();
    return function;
  }

  llvm::LLVMContext& context_;
  llvm::Module module_;
  llvm::PointerType* pointer_;
  llvm::IntegerType* byte_;
  llvm::StructType* image_type_;
  llvm::StructType* descriptor_type_;
  std::vector<ImageBounds> images_;
  std::vector<Table> tables_;
};

} // namespace

Result<RegistrationObject> build_registration_object(const std::vector<LinkedImage>& images,
                                                     EntryTables tables,
                                                     const std::string& host_triple,
                                                     bool want_module_text) {
  llvm::LLVMContext context;
  RegistrationModule registration(context, llvm::Triple(llvm::Triple::normalize(host_triple)));
  for (const LinkedImage& image : images) {
    GANTRY_TRY(registration.add(image));
  }
  if (tables.legacy) {
    registration.add_table(format::kLegacyEntrySection);
  }
  // A program with images and no entry still tells the runtime of its images.
  if (tables.current || !tables.legacy) {
    registration.add_table(format::kCurrentEntrySection);
  }
  registration.finish();

  RegistrationObject result;
  if (want_module_text) {
    llvm::raw_string_ostream stream(result.module_text);
    registration.module().print(stream, nullptr);
  }
  result.object = GANTRY_TRY(compile_for_host(registration.module()));
  return result;
}

} // namespace gantry::link
