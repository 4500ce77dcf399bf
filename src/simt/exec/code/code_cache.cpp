#include "simt/exec/code/code_cache.h"

#include "simt/host/settings.h"

#include <algorithm>
#include <cpuid.h>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gantry::simt::exec {

namespace {

namespace fs = std::filesystem;

// A file: this, then the code. Numbers in the machine's own order: a file is for one machine.
struct Header {
  char magic[8];
  std::uint64_t size;
  std::uint64_t entry;
  std::uint32_t may_suspend;
  std::uint32_t tier;
  std::uint64_t checksum; ///< of the code
};
constexpr char kMagic[8] = {'G', 'S', 'I', 'M', 'T', '0', '0', '2'};
constexpr std::uint64_t kLargest = 64 << 20;

// The cache folder, created if it is missing; empty if there is to be no cache or if other users
// can write to the folder.
std::string find_folder() {
  std::string folder = settings().cache;
  if (folder == "off") {
    return "";
  }
  if (folder.empty()) {
    const char* cache = secure_getenv("XDG_CACHE_HOME");
    const char* home = secure_getenv("HOME");
    if (cache != nullptr && cache[0] == '/') {
      folder = std::string(cache) + "/gantry/simt";
    } else if (home != nullptr && home[0] == '/') {
      folder = std::string(home) + "/.cache/gantry/simt";
    } else {
      return "";
    }
  }
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  mkdir(folder.c_str(), 0700);
  struct stat status = {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != geteuid() || (status.st_mode & 022) != 0) {
    return "";
  }
  return folder;
}

const std::string& folder() {
  static const auto& found = *new std::string(find_folder()); // as is all that launches need
  return found;
}

// The features of the processor that the compiler uses.
std::string processor() {
  std::string text;
  for (const auto& [leaf, subleaf] : {std::pair{1U, 0U}, {7U, 0U}, {7U, 1U}, {0x80000001U, 0U}}) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    __get_cpuid_count(leaf, subleaf, &a, &b, &c, &d);
    // The upper byte of leaf 1's ebx is the number of the core that executes cpuid.
    text += fmt::format("{:x}.{:x}.{:x}.{:x};", a, leaf == 1 ? 0 : b,
                        c & ~(leaf == 1 ? 1U << 27 : 0U), d);
  }
  return text;
}

void prune() {
  struct Kept {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t size;
  };
  std::vector<Kept> files;
  std::uint64_t total = 0;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder(), error)) {
    const std::uint64_t size = file.file_size(error);
    files.push_back({file.path(), file.last_write_time(error), size});
    total += size;
  }
  if (total <= kCacheLimit) {
    return;
  }
  std::sort(files.begin(), files.end(),
            [](const Kept& a, const Kept& b) { return a.used < b.used; });
  for (const Kept& file : files) {
    if (total <= kCacheLimit / 2) {
      break;
    }
    fs::remove(file.path, error);
    total -= file.size;
  }
}

} // namespace

std::string cache_key(const CompileRequest& request) {
  static const auto& machine = *new std::string(processor());
  const std::string text = fmt::format(
      "{:016x}{:016x}/{}/{}/{}/{}/{}/{}/{}/{}/{}", request.program->hash[0],
      request.program->hash[1], request.function, static_cast<unsigned>(request.geometry),
      static_cast<unsigned>(request.tier), request.check_memory, request.watch_accesses,
      request.watch_exchanges, kWarpAbi, GANTRY_SIMT_COMPILER_VERSION, machine);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::optional<CodeImage> cached_code(const std::string& key) {
  if (folder().empty()) {
    return std::nullopt;
  }
  const std::string path = folder() + "/" + key;
  std::ifstream file(path, std::ios::binary);
  Header header = {};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.size > kLargest ||
      header.entry >= header.size || header.tier >= kTiers) {
    return std::nullopt;
  }
  CodeImage image;
  image.bytes.resize(header.size);
  image.entry = header.entry;
  image.may_suspend = header.may_suspend != 0;
  image.tier = static_cast<Tier>(header.tier);
  if (!file.read(reinterpret_cast<char*>(image.bytes.data()),
                 static_cast<std::streamsize>(header.size)) ||
      XXH3_64bits(image.bytes.data(), image.bytes.size()) != header.checksum) {
    return std::nullopt;
  }
  return image;
}

bool is_cached(const std::string& key) {
  return !folder().empty() && access((folder() + "/" + key).c_str(), R_OK) == 0;
}

void keep_code(const std::string& key, const CodeImage& image) {
  if (folder().empty()) {
    return;
  }
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.size = image.bytes.size();
  header.entry = image.entry;
  header.may_suspend = image.may_suspend ? 1 : 0;
  header.tier = static_cast<std::uint32_t>(image.tier);
  header.checksum = XXH3_64bits(image.bytes.data(), image.bytes.size());
  // Written under a temporary name first, because another process may use the same key now.
  std::string temporary = folder() + "/." + key + ".XXXXXX";
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) {
    return;
  }
  const bool written =
      write(descriptor, &header, sizeof header) == static_cast<ssize_t>(sizeof header) &&
      write(descriptor, image.bytes.data(), image.bytes.size()) ==
          static_cast<ssize_t>(image.bytes.size());
  close(descriptor);
  if (!written || rename(temporary.c_str(), (folder() + "/" + key).c_str()) != 0) {
    unlink(temporary.c_str());
  }
  static std::once_flag pruned;
  std::call_once(pruned, prune);
}

} // namespace gantry::simt::exec
