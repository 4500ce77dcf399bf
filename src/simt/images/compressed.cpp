#include "simt/images/compressed.h"

#include <climits>
#include <lz4.h>
#include <memory>
#include <zstd.h>

namespace gantry::simt::images {

namespace {

/// More than any program has. Memory is taken for what is written, not for what a header claims.
constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;
static_assert(kLargest <= INT_MAX);

} // namespace

tl::expected<std::string, std::string_view> decompress(Bytes content, std::uint64_t size,
                                                       Compression compression) {
  if (size > kLargest || content.size() > kLargest) {
    return tl::unexpected(std::string_view("its compressed PTX is too large"));
  }
  const auto buffer = std::make_unique_for_overwrite<char[]>(size);
  bool good = false;
  if (compression == Compression::kLz4) {
    const int written =
        LZ4_decompress_safe(reinterpret_cast<const char*>(content.data()), buffer.get(),
                            static_cast<int>(content.size()), static_cast<int>(size));
    good = written >= 0 && static_cast<std::uint64_t>(written) == size;
  } else {
    const std::size_t written = ZSTD_decompress(buffer.get(), size, content.data(), content.size());
    good = ZSTD_isError(written) == 0 && written == size;
  }
  if (!good) {
    return tl::unexpected(std::string_view("its compressed PTX is damaged"));
  }
  return std::string(buffer.get(), size);
}

} // namespace gantry::simt::images
