#include "simt/amdgcn/objects/line_table.h"

#include "simt/amdgcn/objects/dwarf_reader.h"

#include <array>
#include <string_view>
#include <utility>

namespace gantry::simt::amdgcn {

namespace {

enum Form : std::uint64_t {
  kFormBlock = 0x09,
  kFormData1 = 0x0b,
  kFormData2 = 0x05,
  kFormData4 = 0x06,
  kFormData8 = 0x07,
  kFormData16 = 0x1e,
  kFormString = 0x08,
  kFormStrp = 0x0e,
  kFormUdata = 0x0f,
  kFormLineStrp = 0x1f,
};

enum StandardOpcode : std::uint8_t {
  kCopy = 1,
  kAdvancePc,
  kAdvanceLine,
  kSetFile,
  kSetColumn,
  kNegateStatement,
  kSetBasicBlock,
  kConstAddPc,
  kFixedAdvancePc,
  kSetPrologueEnd,
  kSetEpilogueBegin,
  kSetIsa,
};

enum ExtendedOpcode : std::uint8_t { kEndSequence = 1, kSetAddress, kDefineFile };

constexpr std::uint64_t kPathOfEntry = 1; ///< DW_LNCT_path
constexpr std::uint16_t kOldest = 3;
constexpr std::uint16_t kNewest = 5;

/// A table's header.
struct Header {
  std::uint16_t version = 0;
  bool is_64_bit = false;
  std::uint8_t instruction_size = 1; ///< what addresses are counted in
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t opcode_base = 1;
  std::array<std::uint8_t, 256> operands = {}; ///< how many numbers follow each standard opcode
  std::vector<std::string_view> files;         ///< by their numbers
};

Result<std::string_view> read_text(DwarfReader& reader, std::uint64_t form, const Header& header,
                                   const DebugSections& sections) {
  if (form == kFormString) {
    return reader.text();
  }
  const std::uint64_t offset = reader.offset(header.is_64_bit);
  const auto text = c_string(form == kFormStrp ? sections.strings : sections.line_strings, offset);
  if (!text) {
    return fail("a name at {} does not lie in its section", offset);
  }
  return *text;
}

Status skip(DwarfReader& reader, std::uint64_t form, bool is_64_bit) {
  switch (form) {
  case kFormBlock:
    reader.take(reader.unsigned_leb());
    return {};
  case kFormData1:
    reader.take(1);
    return {};
  case kFormData2:
    reader.take(2);
    return {};
  case kFormData4:
    reader.take(4);
    return {};
  case kFormData8:
    reader.take(8);
    return {};
  case kFormData16:
    reader.take(16);
    return {};
  case kFormUdata:
    reader.unsigned_leb();
    return {};
  case kFormStrp:
  case kFormLineStrp:
    reader.offset(is_64_bit);
    return {};
  case kFormString:
    reader.text();
    return {};
  default:
    return fail("an attribute of a file has form {:#x}, which is not known", form);
  }
}

/// A list of version 5, of folders or of files, whose entries say themselves what they consist of.
Result<std::vector<std::string_view>> read_list(DwarfReader& reader, const Header& header,
                                                const DebugSections& sections) {
  struct Attribute {
    std::uint64_t content, form;
  };
  std::vector<Attribute> attributes(reader.number<std::uint8_t>());
  for (Attribute& attribute : attributes) {
    attribute.content = reader.unsigned_leb();
    attribute.form = reader.unsigned_leb();
  }
  const std::uint64_t count = reader.unsigned_leb();
  if (attributes.empty() && count != 0) {
    return fail("its {} files are said to consist of nothing", count);
  }
  std::vector<std::string_view> names;
  for (std::uint64_t i = 0; i < count && !reader.is_beyond(); ++i) {
    std::string_view name;
    for (const Attribute& attribute : attributes) {
      if (attribute.content == kPathOfEntry &&
          (attribute.form == kFormString || attribute.form == kFormStrp ||
           attribute.form == kFormLineStrp)) {
        name = GANTRY_TRY(read_text(reader, attribute.form, header, sections));
      } else {
        GANTRY_TRY(skip(reader, attribute.form, header.is_64_bit));
      }
    }
    names.push_back(name);
  }
  return names;
}

/// The lists of older versions, which end with an empty name. Files are counted from 1.
std::vector<std::string_view> read_older_lists(DwarfReader& reader) {
  while (!reader.text().empty()) { // folders
  }
  std::vector<std::string_view> files = {""};
  for (std::string_view name = reader.text(); !name.empty(); name = reader.text()) {
    files.push_back(name);
    reader.unsigned_leb(); // its folder, its time and its size
    reader.unsigned_leb();
    reader.unsigned_leb();
  }
  return files;
}

Result<Header> read_header(DwarfReader& reader, bool is_64_bit, const DebugSections& sections) {
  Header header;
  header.is_64_bit = is_64_bit;
  header.version = reader.number<std::uint16_t>();
  if (header.version < kOldest || header.version > kNewest) {
    return fail("it has version {}; {} to {} are known", header.version, kOldest, kNewest);
  }
  if (header.version >= 5) {
    const auto address_size = reader.number<std::uint8_t>();
    const auto selector_size = reader.number<std::uint8_t>();
    if (address_size != sizeof(std::uint64_t) || selector_size != 0) {
      return fail("its addresses have {} bytes and segment selectors {}; 8 and 0 are expected",
                  address_size, selector_size);
    }
  }
  const std::uint64_t length = reader.offset(is_64_bit);
  const std::uint64_t begin = reader.place();
  header.instruction_size = reader.number<std::uint8_t>();
  const std::uint8_t operations = header.version >= 4 ? reader.number<std::uint8_t>() : 1;
  if (operations != 1) {
    return fail("an instruction has {} operations; 1 is expected", operations);
  }
  reader.number<std::uint8_t>(); // whether rows are statements at first
  header.line_base = reader.number<std::int8_t>();
  header.line_range = reader.number<std::uint8_t>();
  header.opcode_base = reader.number<std::uint8_t>();
  if (header.line_range == 0 || header.opcode_base == 0) {
    return fail("its line_range is {}, and its first special opcode {}", header.line_range,
                header.opcode_base);
  }
  for (unsigned i = 1; i < header.opcode_base; ++i) {
    header.operands[i] = reader.number<std::uint8_t>();
  }
  if (header.version >= 5) {
    (void)GANTRY_TRY(read_list(reader, header, sections)); // folders
    header.files = GANTRY_TRY(read_list(reader, header, sections));
  } else {
    header.files = read_older_lists(reader);
  }
  const std::uint64_t read = reader.place() - begin;
  if (reader.is_beyond() || read > length) {
    return fail("its header of {} bytes goes on beyond its end", length);
  }
  reader.take(length - read);
  return header;
}

struct Row {
  std::uint64_t address = 0;
  std::uint64_t file = 1;
  std::uint64_t line = 1;
};

/// Runs a table's program until it has made the row that is looked for.
class Search {
public:
  Search(Header& header, std::uint64_t address, std::uint64_t function)
      : header_(header), address_(address), function_(function) {}

  /// The row of the address, or nothing.
  Result<std::optional<Row>> run(DwarfReader& reader) {
    while (!reader.at_end() && !found_) {
      const auto opcode = reader.number<std::uint8_t>();
      if (opcode >= header_.opcode_base) {
        const unsigned special = opcode - header_.opcode_base;
        row_.line += static_cast<std::uint64_t>(
            std::int64_t{header_.line_base + static_cast<int>(special % header_.line_range)});
        advance(special / header_.line_range);
        add_row();
      } else if (opcode == 0) {
        GANTRY_TRY(run_extended(reader));
      } else {
        run_standard(reader, opcode);
      }
    }
    if (reader.is_beyond()) {
      return fail("its program goes on beyond its end");
    }
    return found_;
  }
  [[nodiscard]] bool is_near() const { return is_near_; }

private:
  void advance(std::uint64_t instructions) {
    row_.address += instructions * header_.instruction_size;
  }

  void run_standard(DwarfReader& reader, std::uint8_t opcode) {
    switch (opcode) {
    case kCopy:
      add_row();
      break;
    case kAdvancePc:
      advance(reader.unsigned_leb());
      break;
    case kAdvanceLine:
      row_.line += static_cast<std::uint64_t>(reader.signed_leb());
      break;
    case kSetFile:
      row_.file = reader.unsigned_leb();
      break;
    case kConstAddPc:
      advance((255U - header_.opcode_base) / header_.line_range);
      break;
    case kFixedAdvancePc:
      row_.address += reader.number<std::uint16_t>();
      break;
    default: // says nothing of lines
      for (unsigned i = 0; i < header_.operands[opcode]; ++i) {
        reader.unsigned_leb();
      }
      break;
    }
  }

  Status run_extended(DwarfReader& reader) {
    const std::uint64_t size = reader.unsigned_leb();
    DwarfReader operation(reader.take(size));
    switch (operation.number<std::uint8_t>()) {
    case kEndSequence:
      add_row();
      row_ = {};
      last_.reset();
      with_line_.reset();
      break;
    case kSetAddress:
      if (size != 1 + sizeof(std::uint64_t)) {
        return fail("an address has {} bytes; 8 are expected", size - 1);
      }
      row_.address = operation.number<std::uint64_t>();
      break;
    case kDefineFile: // of versions before 5
      header_.files.push_back(operation.text());
      break;
    default:
      break;
    }
    return operation.is_beyond() ? fail("an operation of {} bytes goes on beyond its end", size)
                                 : Status();
  }

  /// A row is of the instructions from its address to the next one's. A sequence that begins at 0,
  /// where the file's header is, is one of a function that the linker has left out.
  void add_row() {
    if (last_ && sequence_ != 0 && last_->address <= address_ && address_ < row_.address) {
      found_ = last_->line != 0 ? last_ : with_line_;
      is_near_ = last_->line == 0;
    }
    if (!last_) {
      sequence_ = row_.address;
    }
    last_ = row_;
    if (row_.line != 0 && row_.address >= function_) {
      with_line_ = row_;
    }
  }

  Header& header_;
  std::uint64_t address_, function_;
  std::uint64_t sequence_ = 0; ///< where it begins
  Row row_;
  std::optional<Row> last_;      ///< of the sequence
  std::optional<Row> with_line_; ///< the last that has one, of the function
  std::optional<Row> found_;
  bool is_near_ = false;
};

/// The line in one table, whose bytes begin behind its length.
Result<std::optional<SourceLine>> find_in_table(Bytes table, bool is_64_bit,
                                                const DebugSections& sections,
                                                std::uint64_t address, std::uint64_t function) {
  DwarfReader reader(table);
  Header header = GANTRY_TRY(read_header(reader, is_64_bit, sections));
  Search search(header, address, function);
  const std::optional<Row> row = GANTRY_TRY(search.run(reader));
  if (!row) {
    return std::nullopt;
  }
  if (row->file >= header.files.size()) {
    return fail("a line is of file {} of {}", row->file, header.files.size());
  }
  return SourceLine{std::string(header.files[row->file]), row->line, search.is_near()};
}

} // namespace

Result<std::optional<SourceLine>> find_line(const DebugSections& sections, std::uint64_t address,
                                            std::uint64_t function) {
  constexpr std::uint32_t kIs64Bit = 0xffffffff;
  std::optional<Error> damage;
  DwarfReader reader(sections.lines);
  while (!reader.at_end()) {
    const std::uint64_t begin = reader.place();
    std::uint64_t length = reader.number<std::uint32_t>();
    const bool is_64_bit = length == kIs64Bit;
    if (is_64_bit) {
      length = reader.number<std::uint64_t>();
    }
    const Bytes table = reader.take(length);
    auto found = reader.is_beyond() ? fail("its {} bytes go on beyond the section's end", length)
                                    : find_in_table(table, is_64_bit, sections, address, function);
    if (found && *found) {
      return found;
    }
    if (!found && !damage) {
      damage = with_context(std::move(found.error()), fmt::format("the line table at {}", begin))
                   .value();
    }
  }
  if (damage) {
    return tl::unexpected(std::move(*damage));
  }
  return std::nullopt;
}

} // namespace gantry::simt::amdgcn
