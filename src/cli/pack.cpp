// `gantry pack`: the packager that Clang's driver runs between the device and the host compilation,
// under the names clang-offload-packager (Clang 15 to 19) and llvm-offload-binary (20 and later).
//
// With -o it puts the files of --image into one offload binary; given a file instead, it takes
// images out of it, those that match the keys of an --image.

#include "base/output_file.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "format/archive_writer.h"
#include "format/input_file.h"
#include "format/names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

namespace gantry::cli {
namespace {

using format::OffloadImage;
using Strings = std::vector<std::string>;

constexpr std::string_view kExamples = R"(
Put images together (keys: file, triple, arch, kind, and any others, which are stored as they are):
  gantry pack -o app.offload --image=file=app.o,triple=x86_64-pc-linux-gnu,arch=,kind=openmp \
              --image=file=app.bc,triple=nvptx64-nvidia-cuda,arch=sm_80,kind=openmp,feature=+ptx78
Take them out of an offload binary, object, archive, executable or shared library:
  gantry pack app                                    every image, named by the file and its target
  gantry pack app --image=arch=sm_80,file=app.bc     what matches, to a file of that name
  gantry pack app --image=kind=openmp,file=all.a --archive)";

struct Options {
  Strings images;
  std::string output;
  std::string input;
  bool archive = false;
};

/// One --image: its keys in the order given, each with one value; a key given twice has both, with
/// a comma between.
struct ImageArgument {
  std::string text;
  Strings files;
  std::vector<std::pair<std::string, std::string>> strings;

  [[nodiscard]] const std::string* find(std::string_view key) const {
    const auto found = std::ranges::find(strings, key, &decltype(strings)::value_type::first);
    return found == strings.end() ? nullptr : &found->second;
  }
};

/// The pieces of `text` between commas, except that a piece without '=' goes on with the value
/// before it: the compiler writes names of files as they are, commas included.
Strings split_image(const std::string& text) {
  Strings items;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view piece = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(piece.size() + 1, rest.size()));
    if (piece.find('=') == std::string_view::npos && !items.empty()) {
      items.back() += fmt::format(",{}", piece);
    } else {
      items.emplace_back(piece);
    }
  }
  return items;
}

Result<ImageArgument> parse_image(const std::string& text) {
  ImageArgument image{text, {}, {}};
  for (const std::string_view item : split_image(text)) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return fail("'{}' in --image={} is not of the form KEY=VALUE", item, text);
    }
    const std::string_view key = item.substr(0, equals);
    const std::string_view value = item.substr(equals + 1);
    if (key == "file") {
      image.files.emplace_back(value);
      continue;
    }
    const auto same = std::ranges::find(
        image.strings, key, [](const auto& pair) { return std::string_view(pair.first); });
    if (same == image.strings.end()) {
      image.strings.emplace_back(key, value);
    } else {
      same->second += fmt::format(",{}", value);
    }
  }
  return image;
}

Result<std::vector<ImageArgument>> parse_images(const Strings& texts) {
  std::vector<ImageArgument> images;
  for (const std::string& text : texts) {
    images.push_back(GANTRY_TRY(parse_image(text)));
  }
  return images;
}

/// The programming model named by `kind=`, none if it is not given.
Result<format::OffloadKind> offload_kind(const ImageArgument& argument) {
  const std::string* name = argument.find("kind");
  const auto kind = format::parse_offload_kind(name == nullptr ? "" : *name);
  if (!kind) {
    return fail("kind={} in --image={} is not one of openmp, cuda, hip, sycl, none", *name,
                argument.text);
  }
  return *kind;
}

/// One image for each file of the argument, whose mapping is added to `files`.
Status add_images(const ImageArgument& argument, std::vector<MappedFile>& files,
                  std::vector<OffloadImage>& images) {
  if (argument.files.empty() || argument.find("triple") == nullptr) {
    return fail("--image={} gives no '{}'; it is needed, as in "
                "--image=file=a.o,triple=x86_64-pc-linux-gnu,kind=openmp",
                argument.text, argument.files.empty() ? "file" : "triple");
  }
  const auto kind = GANTRY_TRY(offload_kind(argument));
  for (const std::string& path : argument.files) {
    auto file = GANTRY_TRY(MappedFile::open(path));
    OffloadImage image;
    image.image_kind =
        format::image_kind_of_extension(std::filesystem::path(path).extension().native());
    image.offload_kind = kind;
    image.contents = file.bytes();
    for (const auto& [key, value] : argument.strings) {
      if (key != "kind") { // a field of the entry
        image.strings.emplace_back(key, value);
      }
    }
    images.push_back(std::move(image));
    files.push_back(std::move(file));
  }
  return {};
}

Status create(const Options& options) {
  const auto arguments = GANTRY_TRY(parse_images(options.images));
  if (arguments.empty()) {
    return fail("there is nothing to put into '{}': give at least one --image", options.output);
  }
  std::vector<MappedFile> files;
  std::vector<OffloadImage> images;
  for (const ImageArgument& argument : arguments) {
    GANTRY_TRY(add_images(argument, files, images));
  }
  const auto binary = GANTRY_TRY(format::write_offload_binaries(images));
  return write_file(options.output == "-" ? "/dev/stdout" : options.output, binary);
}

/// True if the image has every value that the argument asks for; a string that the image lacks is
/// as good as an empty one.
bool matches(const OffloadImage& image, const ImageArgument& filter) {
  return std::ranges::all_of(filter.strings, [&](const auto& wanted) {
    const auto& [key, value] = wanted;
    return key == "kind" ? format::parse_offload_kind(value) == image.offload_kind
                         : image.string(key) == value;
  });
}

/// "app-nvptx64-nvidia-cuda-sm_80.0.bc": what LLVM's tool calls image `index` taken out of app.o.
std::string default_name(const std::string& input, const OffloadImage& image, std::size_t index) {
  const std::string_view extension = format::extension(image.image_kind);
  std::string name =
      fmt::format("{}-{}-{}.{}.{}", std::filesystem::path(input).stem().native(), image.triple(),
                  image.arch(), index, extension.empty() ? "img" : extension);
  std::ranges::replace(name, '/', '_'); // a triple from a foreign file must not choose a folder
  return name;
}

Status extract_matches(const Options& options, const ImageArgument& filter,
                       std::span<const OffloadImage> images) {
  (void)GANTRY_TRY(offload_kind(filter));
  if (filter.files.size() > 1) {
    return fail("--image={} gives {} files to write to, expected one", filter.text,
                filter.files.size());
  }
  std::vector<format::NewArchiveMember> found;
  for (const OffloadImage& image : images) {
    if (matches(image, filter)) {
      found.push_back({default_name(options.input, image, found.size()), image.contents});
    }
  }
  if (found.empty()) {
    warn("no image of '{}' matches --image={}; `gantry inspect {}` lists them", options.input,
         filter.text, options.input);
  }
  if (options.archive) {
    if (filter.files.empty()) {
      return fail("--archive needs the name of the archive to write, as in --image={}{}file=all.a",
                  filter.text, filter.text.empty() ? "" : ",");
    }
    return write_file(filter.files.front(), format::write_archive(found));
  }
  if (!filter.files.empty() && found.size() > 1) {
    warn("{} images of '{}' match --image={}; the last is left in '{}'. --archive keeps all",
         found.size(), options.input, filter.text, filter.files.front());
  }
  for (const format::NewArchiveMember& image : found) {
    const std::string& path = filter.files.empty() ? image.name : filter.files.front();
    GANTRY_TRY(write_file(path, image.contents));
  }
  return {};
}

Status extract(const Options& options) {
  auto filters = GANTRY_TRY(parse_images(options.images));
  if (filters.empty()) {
    filters.push_back({}); // everything
  }
  const auto file = GANTRY_TRY(format::InputFile::open(options.input));
  std::vector<OffloadImage> images;
  for (const format::InputFile::Part& part : file.parts()) {
    std::ranges::move(GANTRY_TRY(format::read_images(part)), std::back_inserter(images));
  }
  for (const ImageArgument& filter : filters) {
    GANTRY_TRY(extract_matches(options, filter, images));
  }
  return {};
}

Status pack(const Options& options) {
  if (options.output.empty() == options.input.empty()) {
    return fail("give either -o FILE, to put images together, or a FILE to take images out of");
  }
  return options.input.empty() ? create(options) : extract(options);
}

} // namespace

Result<int> run_pack(int argc, char** argv) {
  Options options;
  CLI::App app("Puts device images into an offload binary, or takes them out.", "gantry pack");
  app.footer(std::string(kExamples.substr(1)));
  app.add_option("FILE", options.input, "Take images out of this file")->type_name("");
  app.add_option("-o", options.output, "Write the offload binary to this file; - is the output")
      ->type_name("FILE");
  app.add_option("--image", options.images,
                 "An image to put in (needs file and triple), or which\n"
                 "images to take out and the file to write them to;\n"
                 "may be given many times")
      ->type_name("KEY=VALUE,..")
      ->allow_extra_args(false);
  app.add_flag("--archive", options.archive, "Take images out into a static archive");
  app.set_version_flag("--version", "gantry " GANTRY_VERSION);
  // CLI11's own words for this are not a sentence.
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (std::ranges::any_of(arguments, [](std::string_view text) { return text == "--image="; })) {
    return fail("--image= gives nothing; give KEY=VALUE pairs, as in "
                "--image=file=a.o,triple=x86_64-pc-linux-gnu,kind=openmp");
  }
  if (const std::optional<int> status = parse(app, argc, argv)) {
    return *status;
  }
  // LLVM's tool takes -o=FILE as well.
  if (options.output.starts_with('=')) {
    options.output.erase(0, 1);
  }
  GANTRY_TRY(pack(options));
  return 0;
}

} // namespace gantry::cli
