// Cases of plugin-check: images and their symbols.
#include "plugins/check/test.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace gantry::plugin_check {

namespace {

/// The first bytes of the image, in memory of just that size.
std::vector<std::byte> cut_to(std::size_t size) {
  return {subject.image.begin(), subject.image.begin() + static_cast<std::ptrdiff_t>(size)};
}

std::int32_t accepts(std::span<const std::byte> bytes) {
  return subject.plugin->accepts_image(bytes.data(), bytes.size());
}

void knows_images() {
  need_image();
  require(accepts(subject.image) == 1, "accepts_image refuses the image that the other cases use");
  require(subject.plugin->accepts_image("", 0) == 0,
          "accepts_image accepts an image without a byte");
  require(accepts(std::vector(4096, std::byte{0xa5})) == 0,
          "accepts_image accepts 4096 equal bytes");
  // The headers end anywhere; whatever the answer, it is one.
  for (std::size_t size = 0; size < std::min<std::size_t>(subject.image.size(), 512); ++size) {
    const std::int32_t answer = accepts(cut_to(size));
    require(answer == 0 || answer == 1, "accepts_image returned {}", answer);
  }
}

void ranks_images() {
  need_image();
  GANTRY_NEED(rank_image)
  const Device device;
  const auto rank = [&] {
    return subject.plugin->rank_image(device.handle(), subject.image.data(), subject.image.size());
  };
  const std::uint32_t first = rank();
  require(first > 0, "rank_image says that the image does not run on the device");
  require(rank() == first, "rank_image has a different answer each time");
}

void keeps_a_copy() {
  need_image();
  const Device device;
  const Image image(device, Image::Load::kNo);
  std::ranges::fill(subject.image, std::byte{0});
  subject.image = {};
  GANTRY_DO(load_image, image.handle());
  require(device.get(image.variable("check_variable")) == 41,
          "the image is not the one that create_image was given");
}

void leaves_a_file() {
  need_image();
  const Device device;
  std::string folder = std::filesystem::temp_directory_path() / "plugin-check-XXXXXX";
  require(mkdtemp(folder.data()) != nullptr, "no folder can be made in TMPDIR");
  const std::string file = folder + "/image";
  for (int time = 0; time < 2; ++time) { // the second time the file is there
    {
      const Image image(device, Image::Load::kYes, file.c_str());
    }
    std::ifstream left(file, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(left), {}};
    require(content.size() == subject.image.size(),
            "create_image left {} bytes in the file, expected {}", content.size(),
            subject.image.size());
  }
  gantry_image* none = nullptr;
  const std::string nowhere = file + "/image";
  const gantry_status status = subject.plugin->create_image(
      device.handle(), subject.image.data(), subject.image.size(), nowhere.c_str(), &none);
  std::filesystem::remove_all(folder);
  if (status == GANTRY_SUCCESS) { // it may be written when the image is loaded
    refused(subject.plugin->load_image(none), {GANTRY_FAILURE},
            "load_image with a file that cannot be made");
    (void)subject.plugin->destroy_image(none);
  } else {
    refused(status, {GANTRY_FAILURE}, "create_image with a file that cannot be made");
  }
}

void constructs_once() {
  const Device device;
  const Image image(device, Image::Load::kNo);
  on_threads([&](int) {
    GANTRY_DO(load_image, image.handle());
    const std::int64_t times = device.get(image.variable("check_constructed"));
    require(times == 1, "load_image returned when the constructors had run {} times, expected 1",
            times);
  });
}

void keeps_images_apart() {
  const Device device;
  std::optional<Image> first(std::in_place, device);
  const Image second(device);
  std::int64_t* const of_second = second.variable("check_variable");
  require(first->variable("check_variable") != of_second,
          "two images of the same bytes share a variable");
  const Memory memory(device, sizeof(std::int64_t));
  std::int64_t* const result = memory.words();
  device.launch(first->kernel("check_add_to_variable"), words(result, 5));
  require(device.get(result) == 46, "the kernel found {} in its variable, expected 46",
          device.get(result));
  require(device.get(of_second) == 41, "a kernel of one image changed the other's variable");
  first.reset();
  device.launch(second.kernel("check_add_to_variable"), words(result, 1));
  require(device.get(result) == 42, "an image does not work after the other was destroyed");
}

void finds_symbols() {
  const Device device;
  const Image image(device);
  std::array good = {symbol_of("check_nothing", GANTRY_SYMBOL_KERNEL),
                     symbol_of("check_variable", GANTRY_SYMBOL_VARIABLE),
                     symbol_of("check_nothing", GANTRY_SYMBOL_KERNEL)};
  GANTRY_DO(find_symbols, image.handle(), good.data(), good.size());
  require(good[0].status == GANTRY_SUCCESS && good[1].status == GANTRY_SUCCESS,
          "find_symbols succeeded and did not set the status of each symbol");
  require(good[0].kernel == good[2].kernel, "a kernel has a different handle each time");
  std::array mixed = {symbol_of("check_nothing", GANTRY_SYMBOL_KERNEL),
                      symbol_of("check_no_such_kernel", GANTRY_SYMBOL_KERNEL),
                      symbol_of("check_variable", GANTRY_SYMBOL_VARIABLE),
                      symbol_of("check_no_such_variable", GANTRY_SYMBOL_VARIABLE),
                      symbol_of("", GANTRY_SYMBOL_KERNEL)};
  refused(subject.plugin->find_symbols(image.handle(), mixed.data(), mixed.size()),
          {GANTRY_NOT_FOUND}, "find_symbols of names that are not there");
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    const bool there = i == 0 || i == 2;
    const gantry_status expected = there ? GANTRY_SUCCESS : GANTRY_NOT_FOUND;
    require(mixed[i].status == expected, "find_symbols says {} of '{}', expected {}",
            name_of(mixed[i].status), mixed[i].name, name_of(expected));
  }
  require(mixed[0].kernel != nullptr && mixed[2].address != nullptr,
          "symbols beside one that is not there are not filled in");
  done(subject.plugin->find_symbols(image.handle(), nullptr, 0), "find_symbols of no symbol");
}

void reads_and_writes_variables() {
  const Device device;
  const Image image(device);
  std::int64_t* const variable = image.variable("check_variable");
  require(device.get(variable) == 41, "a variable begins as {}, expected 41", device.get(variable));
  device.set(variable, 1000);
  const Memory result(device, sizeof(std::int64_t));
  device.launch(image.kernel("check_add_to_variable"), words(result.words(), 1));
  require(device.get(result.words()) == 1001 && device.get(variable) == 1001,
          "kernels and copies see a variable differently");
}

void destroys_unloaded_images() {
  const Device device;
  without_leaks(50, [&] { const Image image(device, Image::Load::kNo); });
}

void unloads_images() {
  const Device device;
  without_leaks(50, [&] { const Image image(device); });
}

/// Damage is found, or does no harm: there is no crash, and the device lives.
void refuses_damaged_images() {
  need_image();
  const Device device;
  const std::size_t whole = subject.image.size();
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{64}, whole / 4, whole / 2, whole - 1}) {
    const std::vector<std::byte> cut = cut_to(size);
    if (accepts(cut) == 0) {
      continue;
    }
    gantry_image* image = nullptr;
    const gantry_status created =
        subject.plugin->create_image(device.handle(), cut.data(), cut.size(), nullptr, &image);
    if (created != GANTRY_SUCCESS) {
      refused(created, {GANTRY_FAILURE}, "create_image of a part of an image");
      continue;
    }
    const gantry_status loaded = subject.plugin->load_image(image);
    if (loaded != GANTRY_SUCCESS) {
      refused(loaded, {GANTRY_FAILURE}, "load_image of a part of an image");
    }
    (void)subject.plugin->destroy_image(image);
  }
  const Image good(device);
}

constexpr std::array kCases = {
    Case{"images", "images are known by their headers", knows_images},
    Case{"images", "an image that runs has a rank", ranks_images},
    Case{"images", "an image is copied when it is created", keeps_a_copy},
    Case{"images", "a copy is left in a file that is named", leaves_a_file},
    Case{"images", "eight threads load, constructors run once", constructs_once},
    Case{"images", "each image has variables of its own", keeps_images_apart},
    Case{"images", "all symbols are found in one call", finds_symbols},
    Case{"images", "kernels and copies share variables", reads_and_writes_variables},
    Case{"images", "an image that was not loaded is destroyed", destroys_unloaded_images},
    Case{"images", "an image that was loaded is destroyed", unloads_images},
    Case{"images", "damaged images are refused", refuses_damaged_images, true},
};

} // namespace

std::span<const Case> image_cases() {
  return kCases;
}

} // namespace gantry::plugin_check
