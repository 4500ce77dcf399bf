// A program as stock Clang's linker wrapper makes it, put together by a test: the cpu plugin's test
// image, registered with entries for its kernels.
#pragma once

#include "format/entry_layout.h"
#include "plugins/cpu/testing/test_image.h"
#include "runtime/abi/clang/layouts.h"

#include <vector>

extern "C" {
void __tgt_register_lib(const gantry::abi::clang::Descriptor* descriptor);
void __tgt_unregister_lib(const gantry::abi::clang::Descriptor* descriptor);
int __tgt_target_kernel(const gantry::abi::clang::Ident* location, std::int64_t device,
                        std::int32_t num_teams, std::int32_t thread_limit, const void* host_address,
                        const gantry::abi::clang::KernelArguments* arguments);
}

namespace gantry::testing {

/// The arguments of a launch with `count` items.
inline abi::clang::KernelArguments arguments_of(std::uint32_t version, std::uint32_t count,
                                                void** bases, void** begins,
                                                const std::int64_t* sizes,
                                                const std::int64_t* types) {
  abi::clang::KernelArguments arguments{};
  arguments.version = version;
  arguments.item_count = count;
  arguments.bases = bases;
  arguments.begins = begins;
  arguments.sizes = sizes;
  arguments.types = types;
  return arguments;
}

/// Registered as long as it lives. The address of names[i]'s region_id is region(i).
class RegisteredImage {
public:
  explicit RegisteredImage(const std::vector<const char*>& names)
      : image_(cpu::testing::test_image("gnu")), regions_(names.size()) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      entries_.push_back({0, format::kCurrentEntryVersion, format::kOpenMpEntryKind, 0,
                          &regions_[i], names[i], 0, 0, nullptr});
    }
    const auto entries = std::as_bytes(std::span(entries_));
    device_image_ = {image_.data(), image_.data() + image_.size(), entries.data(),
                     entries.data() + entries.size()};
    descriptor_ = {1, &device_image_, device_image_.entries_begin, device_image_.entries_end};
    __tgt_register_lib(&descriptor_);
  }
  RegisteredImage(const RegisteredImage&) = delete;
  RegisteredImage& operator=(const RegisteredImage&) = delete;
  ~RegisteredImage() { __tgt_unregister_lib(&descriptor_); }

  [[nodiscard]] const void* region(std::size_t index) const { return &regions_[index]; }

private:
  std::vector<std::byte> image_;
  std::vector<char> regions_;
  std::vector<format::CurrentEntry> entries_;
  abi::clang::DeviceImage device_image_{};
  abi::clang::Descriptor descriptor_{};
};

} // namespace gantry::testing
