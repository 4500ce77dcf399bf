// Bitcode is a stream of bits, least significant first. After the magic number comes a block with
// number 13, which every LLVM since 3.8 writes first so that a reader can name the writer even when
// it cannot read the rest:
//
//     abbreviation id (2 bits) = 1, enter a block
//     block number (VBR 8), width of abbreviation ids inside (VBR 4), pad to 32 bits, length (32)
//     inside, each item begins with an abbreviation id:
//       0 end   2 define an abbreviation   3 record spelled out   4 … record by abbreviation
//
// A VBR n number comes in chunks of n bits, each with a top bit that says whether one follows. An
// abbreviation is a list of how each field of a record is encoded; the record with code 1 is the
// string. https://llvm.org/docs/BitCodeFormat.html describes the stream.

#include "format/bitcode_ident.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace gantry::format {
namespace {

constexpr std::uint64_t kIdentificationBlock = 13;
constexpr std::uint64_t kStringRecord = 1;

/// Reads past the end yield zeros and set ended(), which callers look at where they loop.
class BitReader {
public:
  explicit BitReader(Bytes bytes) : bytes_(bytes) {}

  [[nodiscard]] bool ended() const { return ended_; }

  std::uint64_t fixed(std::uint64_t width) {
    std::uint64_t value = 0;
    for (std::uint64_t bit = 0; bit < width && !ended_; ++bit, ++position_) {
      if (position_ / 8 >= bytes_.size()) {
        ended_ = true;
        return 0;
      }
      const auto byte = std::to_integer<std::uint64_t>(bytes_[position_ / 8]);
      value |= bit < 64 ? ((byte >> (position_ % 8)) & 1U) << bit : 0;
    }
    return value;
  }

  std::uint64_t vbr(std::uint64_t width) {
    if (width < 2 || width > 32) { // not a width that can hold a number
      ended_ = true;
      return 0;
    }
    const std::uint64_t more = 1ULL << (width - 1);
    std::uint64_t value = 0;
    for (std::uint64_t shift = 0; shift < 64 && !ended_; shift += width - 1) {
      const std::uint64_t chunk = fixed(width);
      value |= (chunk & (more - 1)) << shift;
      if ((chunk & more) == 0) {
        return value;
      }
    }
    ended_ = true;
    return 0;
  }

  void align_to_word() { position_ = (position_ + 31) / 32 * 32; }

private:
  Bytes bytes_;
  std::uint64_t position_ = 0; ///< in bits
  bool ended_ = false;
};

struct Operand {
  enum class Encoding : std::uint8_t { kLiteral = 0, kFixed = 1, kVbr = 2, kArray = 3, kChar6 = 4 };
  Encoding encoding = Encoding::kLiteral;
  std::uint64_t data = 0; ///< a literal's value, a width
};
using Abbreviation = std::vector<Operand>;
using Record = std::vector<std::uint64_t>; // the code, then the operands

std::optional<Abbreviation> read_abbreviation(BitReader& bits) {
  Abbreviation abbreviation;
  for (std::uint64_t count = bits.vbr(5); count > 0 && !bits.ended(); --count) {
    if (bits.fixed(1) == 1) {
      abbreviation.push_back({Operand::Encoding::kLiteral, bits.vbr(8)});
      continue;
    }
    const auto encoding = static_cast<Operand::Encoding>(bits.fixed(3));
    if (encoding == Operand::Encoding::kLiteral || encoding > Operand::Encoding::kChar6) {
      return std::nullopt; // blobs do not occur in this block
    }
    const bool has_width =
        encoding == Operand::Encoding::kFixed || encoding == Operand::Encoding::kVbr;
    abbreviation.push_back({encoding, has_width ? bits.vbr(5) : 0});
  }
  return bits.ended() ? std::nullopt : std::optional(abbreviation);
}

std::uint64_t read_scalar(BitReader& bits, const Operand& operand) {
  constexpr std::string_view kChar6 =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
  switch (operand.encoding) {
  case Operand::Encoding::kFixed:
    return bits.fixed(operand.data);
  case Operand::Encoding::kVbr:
    return bits.vbr(operand.data);
  case Operand::Encoding::kChar6:
    return static_cast<unsigned char>(kChar6[bits.fixed(6)]);
  default:
    return operand.data;
  }
}

Record read_abbreviated(BitReader& bits, const Abbreviation& abbreviation) {
  Record record;
  for (std::size_t index = 0; index < abbreviation.size() && !bits.ended(); ++index) {
    const Operand& operand = abbreviation[index];
    if (operand.encoding != Operand::Encoding::kArray) {
      record.push_back(read_scalar(bits, operand));
      continue;
    }
    if (index + 2 != abbreviation.size()) {
      return {}; // an array is the last field, followed by how its elements are encoded
    }
    const Operand& element = abbreviation[++index];
    if (element.encoding == Operand::Encoding::kLiteral ||
        element.encoding == Operand::Encoding::kArray ||
        (element.encoding != Operand::Encoding::kChar6 && element.data == 0)) {
      return {}; // elements of no bits: a count alone must not make a huge record
    }
    for (std::uint64_t count = bits.vbr(6); count > 0 && !bits.ended(); --count) {
      record.push_back(read_scalar(bits, element));
    }
  }
  return record;
}

Record read_spelled_out(BitReader& bits) {
  Record record = {bits.vbr(6)};
  for (std::uint64_t count = bits.vbr(6); count > 0 && !bits.ended(); --count) {
    record.push_back(bits.vbr(6));
  }
  return record;
}

/// The bitcode itself, without the wrapper header that some targets put in front.
Bytes unwrap(Bytes bytes) {
  constexpr std::uint32_t kWrapperMagic = 0x0B17C0DE;
  if (load<std::uint32_t>(bytes, 0) != kWrapperMagic) {
    return bytes;
  }
  const auto offset = load<std::uint32_t>(bytes, 8);
  const auto size = load<std::uint32_t>(bytes, 12);
  return offset && size ? slice(bytes, *offset, *size).value_or(Bytes()) : Bytes();
}

} // namespace

std::string bitcode_identification(Bytes bytes) {
  constexpr std::uint64_t kMagic = 0xDEC04342; // "BC" C0 DE
  const Bytes bitcode = unwrap(bytes);
  // The block is some 40 bytes; a limit keeps damaged input from being worked through for long.
  constexpr std::size_t kHeadOfFile = 1024;
  BitReader bits(bitcode.first(std::min(bitcode.size(), kHeadOfFile)));
  if (bits.fixed(32) != kMagic || bits.fixed(2) != 1 || bits.vbr(8) != kIdentificationBlock) {
    return {};
  }
  const std::uint64_t id_width = bits.vbr(4);
  bits.align_to_word();
  bits.fixed(32);
  std::vector<Abbreviation> abbreviations;
  while (!bits.ended()) {
    const std::uint64_t id = bits.fixed(id_width);
    if (id < 2) { // the block ends, or another begins inside it, which none does
      break;
    }
    if (id == 2) {
      auto abbreviation = read_abbreviation(bits);
      if (!abbreviation) {
        break;
      }
      abbreviations.push_back(std::move(*abbreviation));
      continue;
    }
    if (id - 3 > abbreviations.size()) {
      break;
    }
    const Record record =
        id == 3 ? read_spelled_out(bits) : read_abbreviated(bits, abbreviations[id - 4]);
    if (!bits.ended() && !record.empty() && record.front() == kStringRecord) {
      std::string text;
      for (std::size_t index = 1; index < record.size(); ++index) {
        text += static_cast<char>(record[index]);
      }
      return text;
    }
  }
  return {};
}

} // namespace gantry::format
