#include "simt/driver/link_state.h"

#include "simt/driver/device.h"
#include "simt/driver/messages.h"
#include "simt/images/ptx_elf.h"

#include <utility>

#include <fmt/format.h>

namespace gantry::simt::driver {

using Clock = std::chrono::steady_clock;

CUresult LinkState::refuse(const ImageError& error) {
  failed_ = true;
  report_image_error(error, options_);
  return error.code;
}

CUresult LinkState::add(CUjitInputType type, std::span<const std::byte> input,
                        const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (program_ != nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (type < CU_JIT_INPUT_CUBIN || type > CU_JIT_INPUT_NVVM) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const bool has_ptx =
      type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_FATBINARY ||
      ((type == CU_JIT_INPUT_CUBIN || type == CU_JIT_INPUT_OBJECT) && images::is_ptx_elf(input));
  if (!has_ptx) {
    return refuse(
        {CUDA_ERROR_NO_BINARY_FOR_GPU,
         fmt::format("error   : '{}' is not PTX; nothing else can be linked here\n", name)});
  }
  const auto start = Clock::now();
  const auto texts = texts_of(input, device_);
  if (!texts) {
    return refuse(texts.error());
  }
  for (const std::string& text : *texts) {
    auto module = parse_text(text, name, device_);
    if (!module) {
      return refuse(module.error());
    }
    modules_.push_back(std::move(*module));
    texts_.emplace_back(text);
  }
  time_ += Clock::now() - start;
  return CUDA_SUCCESS;
}

CUresult LinkState::complete(std::span<const std::byte>& image) {
  const std::lock_guard lock(mutex_);
  if (program_ == nullptr) {
    if (failed_ || modules_.empty()) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto start = Clock::now();
    const std::size_t count = modules_.size();
    auto program = ptx::link(std::exchange(modules_, {}));
    if (!program) {
      return refuse({CUDA_ERROR_INVALID_PTX, program.error() + "\n"});
    }
    program_ = std::move(*program);
    image_ = make_linked_image(program_, texts_);
    texts_.clear();
    time_ += Clock::now() - start;
    if (options_.verbose()) {
      options_.write_info(fmt::format("info    : {} PTX texts linked\n", count));
    }
    options_.write_time(time_);
  }
  image = image_;
  return CUDA_SUCCESS;
}

} // namespace gantry::simt::driver
