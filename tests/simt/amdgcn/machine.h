// A wave with memory around it, on which tests run instructions one by one.
#pragma once

#include "simt/amdgcn/exec/code_map.h"
#include "simt/amdgcn/exec/wave.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gantry::simt::amdgcn {

class Machine {
public:
  static constexpr std::uint32_t kBytes = 32 << 10; ///< of global memory, and of LDS
  static constexpr std::uint32_t kPrivateBytes = 512;

  /// Whose waves have the lanes that the processor's have, or the lower `lanes`.
  explicit Machine(const Processor& processor) : Machine(processor, processor.wave) {}
  Machine(const Processor& processor, unsigned lanes);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Code that the following runs are in.
  void load(std::span<const std::uint32_t> words);
  [[nodiscard]] std::uint64_t code() const {
    return reinterpret_cast<std::uint64_t>(words_.data());
  }
  /// Runs one instruction, which begins at a dword of the code. Next::kFault with the wave's fault
  /// set if it cannot be run.
  Next step(std::size_t word);
  /// Runs the next instruction.
  Next step_on();
  /// Runs from one dword until another one is reached, or something else than Next::kOn comes.
  Next run(std::size_t word, std::size_t end);
  /// The dword at which the wave goes on.
  [[nodiscard]] std::size_t position() const {
    return (wave().code->address_of(wave().pc) - code()) / 4;
  }

  [[nodiscard]] Wave& wave() { return *wave_; }
  [[nodiscard]] const Wave& wave() const { return *wave_; }
  [[nodiscard]] std::span<std::byte> global() const { return {at(global_), kBytes}; }
  [[nodiscard]] std::span<std::byte> shared() const { return {at(shared_), kBytes}; }
  [[nodiscard]] std::span<std::byte> scratch() const {
    return {at(wave_->scratch), std::size_t{kPrivateBytes} * kLanes};
  }
  [[nodiscard]] const Processor& processor() const { return processor_; }
  /// Of the fault, or empty.
  [[nodiscard]] std::string report() const { return wave_->fault ? wave_->fault->report : ""; }

private:
  [[nodiscard]] static std::byte* at(std::uint64_t address) {
    return reinterpret_cast<std::byte*>(address);
  }
  const Processor& processor_;
  Grid grid_;
  Place place_;
  std::uint64_t global_ = 0, shared_ = 0, private_ = 0;
  std::vector<std::uint32_t> words_;
  std::unique_ptr<LoadedCode> code_;
  std::unique_ptr<Wave> wave_;
};

} // namespace gantry::simt::amdgcn
