// Cases of plugin-check: images and their symbols.
#include "plugins/check/test.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

namespace gantry::plugin_check {

namespace {

void need_image(const Subject& subject) {
  if (subject.image.empty()) {
    skip("there is no image for the plugin; name one of kernels.c with --image");
  }
}

gantry_image* create(const Subject& subject, const Device& device) {
  need_image(subject);
  gantry_image* image = nullptr;
  done(subject,
       device.plugin().create_image(device.handle(), subject.image.data(), subject.image.size(),
                                    nullptr, &image),
       "create_image");
  return image;
}

void knows_images(const Subject& subject) {
  need_image(subject);
  const auto accepts = [&](const void* bytes, std::size_t size) {
    return subject.plugin->accepts_image(bytes, size);
  };
  require(accepts(subject.image.data(), subject.image.size()) == 1,
          "accepts_image refuses the image that the other cases use");
  require(accepts("", 0) == 0, "accepts_image accepts an image without a byte");
  const std::vector<std::byte> noise(4096, std::byte{0xa5});
  require(accepts(noise.data(), noise.size()) == 0, "accepts_image accepts 4096 equal bytes");
  // The headers end anywhere; whatever the answer, it is one.
  for (std::size_t size = 0; size < std::min<std::size_t>(subject.image.size(), 512); ++size) {
    const std::vector<std::byte> cut(subject.image.begin(),
                                     subject.image.begin() + static_cast<std::ptrdiff_t>(size));
    const std::int32_t answer = accepts(cut.data(), cut.size());
    require(answer == 0 || answer == 1, "accepts_image returned {}", answer);
  }
}

void ranks_images(const Subject& subject) {
  need_image(subject);
  const Device device(subject);
  if (device.plugin().rank_image == nullptr) {
    skip("the plugin does not have rank_image");
  }
  const auto rank = [&] {
    return device.plugin().rank_image(device.handle(), subject.image.data(), subject.image.size());
  };
  const std::uint32_t first = rank();
  require(first > 0, "rank_image says that the image does not run on the device");
  require(rank() == first, "rank_image has a different answer each time");
  device.close();
}

void keeps_a_copy(const Subject& subject) {
  need_image(subject);
  const Device device(subject);
  auto bytes = std::make_unique<std::vector<std::byte>>(subject.image);
  gantry_image* image = nullptr;
  done(subject,
       device.plugin().create_image(device.handle(), bytes->data(), bytes->size(), nullptr, &image),
       "create_image");
  std::ranges::fill(*bytes, std::byte{0});
  bytes.reset();
  done(subject, device.plugin().load_image(image), "load_image");
  require(device.get(device.variable(image, "check_variable")) == 41,
          "the image is not the one that create_image was given");
  device.destroy(image);
  device.close();
}

void leaves_a_file(const Subject& subject) {
  need_image(subject);
  const Device device(subject);
  std::string folder = std::filesystem::temp_directory_path() / "plugin-check-XXXXXX";
  require(mkdtemp(folder.data()) != nullptr, "no folder can be made in TMPDIR");
  const std::string file = folder + "/image";
  for (int time = 0; time < 2; ++time) { // the second time the file is there
    gantry_image* image = nullptr;
    done(subject,
         device.plugin().create_image(device.handle(), subject.image.data(), subject.image.size(),
                                      file.c_str(), &image),
         "create_image with a file");
    done(subject, device.plugin().load_image(image), "load_image");
    device.destroy(image);
    std::ifstream left(file, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(left), {}};
    require(content.size() == subject.image.size(),
            "create_image left {} bytes in the file, expected {}", content.size(),
            subject.image.size());
  }
  gantry_image* none = nullptr;
  const std::string nowhere = file + "/image";
  const gantry_status status = device.plugin().create_image(
      device.handle(), subject.image.data(), subject.image.size(), nowhere.c_str(), &none);
  std::filesystem::remove_all(folder);
  if (status == GANTRY_SUCCESS) { // it may be written when the image is loaded
    const gantry_status loaded = device.plugin().load_image(none);
    refused(subject, loaded, {GANTRY_FAILURE}, "load_image with a file that cannot be made");
    (void)device.plugin().destroy_image(none);
  } else {
    refused(subject, status, {GANTRY_FAILURE}, "create_image with a file that cannot be made");
  }
  device.close();
}

void constructs_once(const Subject& subject) {
  const Device device(subject);
  gantry_image* const image = create(subject, device);
  on_threads([&](int) {
    done(subject, device.plugin().load_image(image), "load_image");
    const std::int64_t times = device.get(device.variable(image, "check_constructed"));
    require(times == 1, "load_image returned when the constructors had run {} times, expected 1",
            times);
  });
  device.destroy(image);
  device.close();
}

void keeps_images_apart(const Subject& subject) {
  const Device device(subject);
  gantry_image* const first = device.load();
  gantry_image* const second = device.load();
  std::int64_t* const of_first = device.variable(first, "check_variable");
  std::int64_t* const of_second = device.variable(second, "check_variable");
  require(of_first != of_second, "two images of the same bytes share a variable");
  std::int64_t* const result = device.allocate(sizeof(std::int64_t));
  device.launch(device.kernel(first, "check_add_to_variable"), words(result, 5));
  require(device.get(result) == 46, "the kernel found {} in its variable, expected 46",
          device.get(result));
  require(device.get(of_second) == 41, "a kernel of one image changed the other's variable");
  device.destroy(first);
  device.launch(device.kernel(second, "check_add_to_variable"), words(result, 1));
  require(device.get(result) == 42, "an image does not work after the other was destroyed");
  device.destroy(second);
  device.release(result);
  device.close();
}

void finds_symbols(const Subject& subject) {
  const Device device(subject);
  gantry_image* const image = device.load();
  const auto symbol = [](const char* name, std::int32_t kind) {
    gantry_symbol wanted = {.size = sizeof wanted, .name = name, .kind = kind};
    wanted.status = -1;
    return wanted;
  };
  std::array good = {symbol("check_nothing", GANTRY_SYMBOL_KERNEL),
                     symbol("check_variable", GANTRY_SYMBOL_VARIABLE),
                     symbol("check_nothing", GANTRY_SYMBOL_KERNEL)};
  done(subject, device.plugin().find_symbols(image, good.data(), good.size()), "find_symbols");
  require(good[0].status == GANTRY_SUCCESS && good[1].status == GANTRY_SUCCESS,
          "find_symbols succeeded and did not set the status of each symbol");
  require(good[0].kernel == good[2].kernel, "a kernel has a different handle each time");
  std::array mixed = {symbol("check_nothing", GANTRY_SYMBOL_KERNEL),
                      symbol("check_no_such_kernel", GANTRY_SYMBOL_KERNEL),
                      symbol("check_variable", GANTRY_SYMBOL_VARIABLE),
                      symbol("check_no_such_variable", GANTRY_SYMBOL_VARIABLE),
                      symbol("", GANTRY_SYMBOL_KERNEL)};
  refused(subject, device.plugin().find_symbols(image, mixed.data(), mixed.size()),
          {GANTRY_NOT_FOUND}, "find_symbols of names that are not there");
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    const bool there = i == 0 || i == 2;
    const gantry_status expected = there ? GANTRY_SUCCESS : GANTRY_NOT_FOUND;
    require(mixed[i].status == expected, "find_symbols says {} of '{}', expected {}",
            name_of(mixed[i].status), mixed[i].name, name_of(expected));
  }
  require(mixed[0].kernel != nullptr && mixed[2].address != nullptr,
          "symbols beside one that is not there are not filled in");
  done(subject, device.plugin().find_symbols(image, nullptr, 0), "find_symbols of no symbol");
  device.destroy(image);
  device.close();
}

void reads_and_writes_variables(const Subject& subject) {
  const Device device(subject);
  gantry_image* const image = device.load();
  std::int64_t* const variable = device.variable(image, "check_variable");
  require(device.get(variable) == 41, "a variable begins as {}, expected 41", device.get(variable));
  device.set(variable, 1000);
  std::int64_t* const result = device.allocate(sizeof(std::int64_t));
  device.launch(device.kernel(image, "check_add_to_variable"), words(result, 1));
  require(device.get(result) == 1001 && device.get(variable) == 1001,
          "kernels and copies see a variable differently");
  device.release(result);
  device.destroy(image);
  device.close();
}

void destroys_unloaded_images(const Subject& subject) {
  const Device device(subject);
  without_leaks(50, [&] { device.destroy(create(subject, device)); });
  device.close();
}

void unloads_images(const Subject& subject) {
  const Device device(subject);
  without_leaks(50, [&] { device.destroy(device.load()); });
  device.close();
}

/// Damage is found, or does no harm: there is no crash, and the device lives.
void refuses_damaged_images(const Subject& subject) {
  need_image(subject);
  const Device device(subject);
  const std::size_t whole = subject.image.size();
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{64}, whole / 4, whole / 2, whole - 1}) {
    const std::vector<std::byte> cut(subject.image.begin(),
                                     subject.image.begin() + static_cast<std::ptrdiff_t>(size));
    if (device.plugin().accepts_image(cut.data(), cut.size()) == 0) {
      continue;
    }
    gantry_image* image = nullptr;
    const gantry_status created =
        device.plugin().create_image(device.handle(), cut.data(), cut.size(), nullptr, &image);
    if (created != GANTRY_SUCCESS) {
      refused(subject, created, {GANTRY_FAILURE}, "create_image of a part of an image");
      continue;
    }
    const gantry_status loaded = device.plugin().load_image(image);
    if (loaded != GANTRY_SUCCESS) {
      refused(subject, loaded, {GANTRY_FAILURE}, "load_image of a part of an image");
    }
    (void)device.plugin().destroy_image(image);
  }
  device.destroy(device.load());
  device.close();
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
    Case{"images", "damaged images are refused", refuses_damaged_images},
};

} // namespace

std::span<const Case> image_cases() {
  return kCases;
}

} // namespace gantry::plugin_check
