#include "simt/driver/image.h"

#include "base/bytes.h"
#include "base/result.h"
#include "simt/driver/device.h"
#include "simt/images/fat_binary.h"
#include "simt/images/ptx_elf.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <random>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace gantry::simt::driver {

namespace {

/// What messages call a text that comes without a name.
constexpr const char* kTextName = "application ptx input";

/// What cuLinkComplete gives: this header, then each text as a u64 of its bytes and the bytes.
struct LinkedHeader {
  char magic[8];
  std::uint64_t process; ///< of the process that made it
  std::uint64_t program; ///< its number there
  std::uint64_t bytes;   ///< of all, this header included
  std::uint64_t texts;
};
constexpr char kLinkedMagic[8] = {'\x7F', 'G', 'S', 'I', 'M', 'T', 'L', '1'};

/// Programs that linked images of this process stand for, as long as somebody has them.
class LinkedPrograms {
public:
  static LinkedPrograms& instance() {
    static LinkedPrograms* const programs = new LinkedPrograms;
    return *programs;
  }
  [[nodiscard]] std::uint64_t process() const { return process_; }
  std::uint64_t add(const ProgramPointer& program) {
    const std::lock_guard lock(mutex_);
    std::erase_if(programs_, [](const auto& entry) { return entry.second.expired(); });
    programs_.emplace(++last_, program);
    return last_;
  }
  [[nodiscard]] ProgramPointer find(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = programs_.find(number);
    return found == programs_.end() ? nullptr : found->second.lock();
  }

private:
  LinkedPrograms() {
    std::random_device random;
    process_ = std::uint64_t{random()} << 32 | random();
  }
  std::mutex mutex_;
  std::uint64_t process_;
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, std::weak_ptr<const ptx::Program>> programs_;
};

tl::unexpected<ImageError> refuse(CUresult code, std::string_view reason) {
  return tl::unexpected(ImageError{code, fmt::format("error   : {}\n", reason)});
}

bool starts_with(Bytes bytes, std::string_view magic) {
  return as_text(bytes).starts_with(magic);
}

template <typename Integer>
bool starts_with_number(Bytes bytes, Integer magic) {
  return load<Integer>(bytes, 0) == magic;
}

ImageResult<std::vector<std::string>> texts_of_linked(Bytes image) {
  const auto header = load<LinkedHeader>(image, 0);
  if (!header || header->bytes > image.size()) {
    return refuse(CUDA_ERROR_INVALID_IMAGE, "the linked image is not complete");
  }
  std::vector<std::string> texts;
  std::uint64_t offset = sizeof(LinkedHeader);
  for (std::uint64_t i = 0; i < header->texts; ++i) {
    const auto size = load<std::uint64_t>(image, offset);
    const auto text = size ? slice(image, offset + sizeof(*size), *size) : std::nullopt;
    if (!text) {
      return refuse(CUDA_ERROR_INVALID_IMAGE, "the linked image is not complete");
    }
    texts.emplace_back(as_text(*text));
    offset += sizeof(*size) + *size;
  }
  return texts;
}

ImageResult<ProgramPointer> link_texts(const std::vector<std::string>& texts,
                                       const Device& device) {
  std::vector<std::unique_ptr<ptx::Module>> modules;
  for (const std::string& text : texts) {
    modules.push_back(GANTRY_TRY(parse_text(text, kTextName, device)));
  }
  auto program = ptx::link(std::move(modules));
  if (!program) {
    return tl::unexpected(ImageError{CUDA_ERROR_INVALID_PTX, program.error() + "\n"});
  }
  return ProgramPointer(std::move(*program));
}

/// Of a cubin no more than what tells that it is one.
ImageResult<Bytes> measured_elf(const void* image) {
  constexpr std::size_t kIdentification = 16;
  const Bytes begin(static_cast<const std::byte*>(image), kIdentification);
  if (!images::is_ptx_elf(begin)) {
    return begin.first(4);
  }
  const std::optional<Bytes> all = images::measured_ptx_elf(image);
  if (!all) {
    return refuse(CUDA_ERROR_INVALID_IMAGE, "the ELF file with PTX is damaged");
  }
  return *all;
}

/// The image with its size, which its first bytes tell.
ImageResult<Bytes> measured(const void* image) {
  const auto* const begin = static_cast<const std::byte*>(image);
  // A text of less than four characters ends before them.
  const auto* const text = static_cast<const char*>(image);
  const std::size_t first = strnlen(text, 8);
  if (first >= 4) {
    std::uint32_t magic = 0;
    std::memcpy(&magic, image, sizeof(magic));
    if (magic == GANTRY_FAT_BINARY_MAGIC || magic == images::kFatWrapperMagic) {
      const std::optional<Bytes> container = images::fat_container(image);
      if (!container) {
        return refuse(CUDA_ERROR_INVALID_IMAGE, "the fat binary is damaged");
      }
      return *container;
    }
    if (std::memcmp(image,
                    "\x7F"
                    "ELF",
                    4) == 0) {
      return measured_elf(image);
    }
  }
  if (first == 8 && std::memcmp(image, kLinkedMagic, sizeof(kLinkedMagic)) == 0) {
    LinkedHeader header;
    std::memcpy(&header, image, sizeof(header));
    return Bytes(begin, header.bytes);
  }
  return Bytes(begin, std::strlen(text));
}

} // namespace

ImageResult<std::unique_ptr<ptx::Module>> parse_text(std::string_view text, const std::string& name,
                                                     const Device& device) {
  text = text.substr(0, text.find('\0'));
  if (text.find(".version") == std::string_view::npos) {
    return refuse(CUDA_ERROR_INVALID_IMAGE,
                  fmt::format("'{}' is neither PTX nor another known kind of image", name));
  }
  auto module = ptx::parse(std::string(text), name);
  if (!module) {
    return tl::unexpected(ImageError{module.error().kind == ptx::ParseError::Kind::kVersion
                                         ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION
                                         : CUDA_ERROR_INVALID_PTX,
                                     module.error().text(name) + "\n"});
  }
  const unsigned capability = device.major() * 10 + device.minor();
  if ((*module)->target > capability) {
    return refuse(CUDA_ERROR_NO_BINARY_FOR_GPU,
                  fmt::format("'{}' is for {}, the device has compute capability {}.{}", name,
                              (*module)->target_name, device.major(), device.minor()));
  }
  return std::move(*module);
}

ImageResult<std::vector<std::string>> texts_of(std::span<const std::byte> image,
                                               const Device& device) {
  if (starts_with_number(image, GANTRY_FAT_BINARY_MAGIC)) {
    auto texts = images::texts_of_fat_binary(image, device.major() * 10 + device.minor());
    if (!texts) {
      return refuse(CUDA_ERROR_NO_BINARY_FOR_GPU,
                    fmt::format("the fat binary cannot be executed here: {}", texts.error()));
    }
    return *std::move(texts);
  }
  if (images::is_ptx_elf(image)) {
    const auto texts = images::texts_of_ptx_elf(image);
    if (!texts) {
      return refuse(CUDA_ERROR_INVALID_IMAGE, "the ELF file with PTX is damaged");
    }
    return std::vector<std::string>(texts->begin(), texts->end());
  }
  if (starts_with(image, "\x7F"
                         "ELF")) {
    return refuse(
        CUDA_ERROR_NO_BINARY_FOR_GPU,
        "the image is machine code of a GPU (a cubin), which cannot be executed here; give "
        "the PTX that it was assembled from");
  }
  if (starts_with(image, std::string_view(kLinkedMagic, sizeof(kLinkedMagic)))) {
    return texts_of_linked(image);
  }
  return std::vector<std::string>{std::string(as_text(image))};
}

ImageResult<ProgramPointer> load_image(const void* image, const Device& device) {
  const auto bytes = GANTRY_TRY(measured(image));
  return load_image(bytes, device);
}

ImageResult<ProgramPointer> load_image(std::span<const std::byte> image, const Device& device) {
  const auto header = load<LinkedHeader>(image, 0);
  LinkedPrograms& linked = LinkedPrograms::instance();
  if (header && starts_with(image, std::string_view(kLinkedMagic, sizeof(kLinkedMagic))) &&
      header->process == linked.process()) {
    if (ProgramPointer program = linked.find(header->program)) {
      return program;
    }
  }
  const auto texts = GANTRY_TRY(texts_of(image, device));
  return link_texts(texts, device);
}

std::vector<std::byte> make_linked_image(const ProgramPointer& program,
                                         std::span<const std::string> texts) {
  LinkedPrograms& linked = LinkedPrograms::instance();
  LinkedHeader header = {};
  std::memcpy(header.magic, kLinkedMagic, sizeof(kLinkedMagic));
  header.process = linked.process();
  header.program = linked.add(program);
  header.texts = texts.size();
  header.bytes = sizeof(header);
  for (const std::string& text : texts) {
    header.bytes += sizeof(std::uint64_t) + text.size();
  }
  std::vector<std::byte> image;
  image.reserve(header.bytes);
  const auto append = [&image](const void* data, std::size_t size) {
    const auto* const bytes = static_cast<const std::byte*>(data);
    image.insert(image.end(), bytes, bytes + size);
  };
  append(&header, sizeof(header));
  for (const std::string& text : texts) {
    const std::uint64_t size = text.size();
    append(&size, sizeof(size));
    append(text.data(), size);
  }
  return image;
}

tl::expected<std::string, CUresult> read_file(const char* path) {
  std::FILE* const file = std::fopen(path, "rbe");
  if (file == nullptr) {
    return tl::unexpected(errno == ENOENT ? CUDA_ERROR_FILE_NOT_FOUND
                                          : CUDA_ERROR_OPERATING_SYSTEM);
  }
  std::string content;
  char buffer[1 << 16];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof(buffer), file)) != 0;) {
    content.append(buffer, count);
  }
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) {
    return tl::unexpected(CUDA_ERROR_OPERATING_SYSTEM);
  }
  return content;
}

} // namespace gantry::simt::driver
