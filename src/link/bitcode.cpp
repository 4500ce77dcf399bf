#include "link/bitcode.h"

#include "format/entry_layout.h"
#include "link/device_code.h"

#include <charconv>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBufferRef.h>

namespace gantry::link {
namespace {

llvm::MemoryBufferRef buffer(Bytes contents, std::string_view name) {
  return {llvm::StringRef(as_text(contents)), llvm::StringRef(name)};
}

/// The major version in a producer such as "LLVM22.1.8"; 0 if there is none.
unsigned major_version(std::string_view producer) {
  const std::size_t digits = producer.find_first_of("0123456789");
  unsigned major = 0;
  if (digits != std::string_view::npos) {
    std::from_chars(producer.data() + digits, producer.data() + producer.size(), major);
  }
  return major;
}

Status check_version(llvm::MemoryBufferRef bitcode) {
  llvm::Expected<std::string> producer = llvm::getBitcodeProducerString(bitcode);
  if (!producer) {
    return fail("the bitcode is damaged: {}", llvm::toString(producer.takeError()));
  }
  if (major_version(*producer) > LLVM_VERSION_MAJOR) {
    return fail("the bitcode was written by {}, and Gantry reads bitcode of LLVM {} and older; "
                "compile it with Clang {} or older, or without -flto and -foffload-lto",
                *producer, LLVM_VERSION_MAJOR, LLVM_VERSION_MAJOR);
  }
  return {};
}

std::uint64_t integer_field(const llvm::ConstantStruct& fields, unsigned field) {
  const auto* value = llvm::dyn_cast<llvm::ConstantInt>(fields.getAggregateElement(field));
  return value == nullptr ? 0 : value->getZExtValue();
}

/// The string that a field points to, a private constant of the module.
std::string text_field(const llvm::ConstantStruct& fields, unsigned field) {
  const auto* text =
      llvm::dyn_cast<llvm::GlobalVariable>(fields.getAggregateElement(field)->stripPointerCasts());
  if (text == nullptr || !text->hasInitializer()) {
    return "";
  }
  const auto* characters = llvm::dyn_cast<llvm::ConstantDataArray>(text->getInitializer());
  return characters != nullptr && characters->isCString() ? characters->getAsCString().str() : "";
}

/// Adds the entry that `variable` defines, if it stands in a table of entries.
void add_entry(const llvm::GlobalVariable& variable, EmbeddedDeviceCode& result) {
  const bool is_current = variable.getSection() == format::kCurrentEntrySection;
  const bool is_legacy = variable.getSection() == format::kLegacyEntrySection;
  const auto* fields = is_current || is_legacy
                           ? llvm::dyn_cast<llvm::ConstantStruct>(variable.getInitializer())
                           : nullptr;
  if (fields == nullptr) {
    return;
  }
  (is_current ? result.tables.current : result.tables.legacy) = true;
  // The fields in the order of format/entry_layout.h.
  constexpr unsigned kCurrentFields = 9;
  constexpr unsigned kLegacyFields = 5;
  if (fields->getNumOperands() != (is_current ? kCurrentFields : kLegacyFields)) {
    return;
  }
  const std::uint64_t kind = is_current ? integer_field(*fields, 2) : format::kOpenMpEntryKind;
  const std::uint64_t flags = integer_field(*fields, 3);
  const std::uint64_t size = integer_field(*fields, is_current ? 6 : 2);
  const format::EntryRole role =
      format::entry_role(static_cast<std::uint16_t>(kind), static_cast<std::uint32_t>(flags), size);
  if (has_device_symbol(role)) {
    result.entries.push_back(text_field(*fields, is_current ? 5 : 1));
  }
}

} // namespace

Result<std::unique_ptr<llvm::lto::InputFile>> open_bitcode(Bytes contents, std::string_view name) {
  const llvm::MemoryBufferRef bitcode = buffer(contents, name);
  GANTRY_TRY(check_version(bitcode));
  return result_of_reading(llvm::lto::InputFile::create(bitcode));
}

Result<EmbeddedDeviceCode> read_embedded_device_code(Bytes contents, std::string_view name) {
  const llvm::MemoryBufferRef bitcode = buffer(contents, name);
  GANTRY_TRY(check_version(bitcode));
  llvm::LLVMContext context;
  const auto module = GANTRY_TRY(result_of_reading(llvm::getLazyBitcodeModule(bitcode, context)));

  EmbeddedDeviceCode result;
  const llvm::NamedMDNode* embedded = module->getNamedMetadata("llvm.embedded.objects");
  for (unsigned index = 0; embedded != nullptr && index < embedded->getNumOperands(); ++index) {
    const llvm::MDNode* node = embedded->getOperand(index);
    if (node->getNumOperands() != 2) {
      continue;
    }
    const auto* section = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(1).get());
    const auto* variable =
        llvm::mdconst::dyn_extract_or_null<llvm::GlobalVariable>(node->getOperand(0));
    if (section == nullptr || section->getString() != ".llvm.offloading" || variable == nullptr ||
        !variable->hasInitializer()) {
      continue;
    }
    if (const auto* data = llvm::dyn_cast<llvm::ConstantDataArray>(variable->getInitializer())) {
      const Bytes container = as_bytes(std::string_view(data->getRawDataValues()));
      result.containers.emplace_back(container.begin(), container.end());
    }
  }
  for (const llvm::GlobalVariable& variable : module->globals()) {
    if (variable.hasSection() && variable.hasInitializer()) {
      add_entry(variable, result);
    }
  }
  return result;
}

} // namespace gantry::link
