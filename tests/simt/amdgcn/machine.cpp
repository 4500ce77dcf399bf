#include "machine.h"

#include "simt/amdgcn/exec/compiled_code.h"
#include "simt/amdgcn/exec/meanings.h"
#include "simt/amdgcn/exec/report.h"

namespace gantry::simt::amdgcn {

namespace {

std::uint64_t allocated(std::uint64_t size, MemoryKind kind) {
  Allocation what;
  what.size = size;
  what.kind = kind;
  return DeviceMemory::instance()->allocate(what).value();
}

} // namespace

Machine::Machine(const Processor& processor, unsigned lanes)
    : processor_(processor), global_(allocated(kBytes, MemoryKind::kDevice)),
      shared_(allocated(kBytes, MemoryKind::kShared)),
      private_(allocated(std::uint64_t{3} * kPrivateBytes * kLanes, MemoryKind::kLocal)),
      wave_(std::make_unique<Wave>()) {
  grid_.processor = &processor;
  grid_.lanes = lanes;
  grid_.kernel = "k";
  place_.shared = at(shared_);
  place_.shared_size = kBytes;
  place_.memory = DeviceMemory::instance();
  place_.private_memory = {private_, std::uint64_t{3} * kPrivateBytes * kLanes};
  wave_->place = &place_;
  wave_->grid = &grid_;
  wave_->all = lanes == kLanes ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1;
  wave_->lanes = wave_->all;
  // Neither the first nor the last of the work-group's waves.
  wave_->scratch = private_ + std::uint64_t{kPrivateBytes} * kLanes;
  wave_->private_size = kPrivateBytes;
  wave_->number = 1;
  wave_->group_size[0] = 192;
  wave_->group_size[1] = wave_->group_size[2] = 1;
}

Machine::~Machine() {
  for (const std::uint64_t address : {global_, shared_, private_}) {
    DeviceMemory::instance()->free(address);
  }
}

void Machine::load(std::span<const std::uint32_t> words) {
  code_.reset();
  words_.assign(words.begin(), words.end());
  code_ = std::make_unique<LoadedCode>(processor_, code(), words_.size() * 4, CodeSources{});
  wave_->code = &code_->state();
}

Next Machine::step_on() {
  Wave& wave = *wave_;
  const Instruction& instruction = *wave.pc;
  if (instruction.run == nullptr) {
    if (auto read = wave.code->read(&instruction); !read) {
      report_instruction(wave, instruction, read.error());
      return Next::kFault;
    }
  }
  wave.pc = &instruction + instruction.size;
  const Next next = mode::is_plain(wave.mode)
                        ? instruction.run(wave, instruction)
                        : run_in_mode(wave, instruction, interpreted(instruction, instruction.run));
  return next == Next::kMode ? Next::kOn : next;
}

Next Machine::step(std::size_t word) {
  wave_->fault.reset();
  wave_->branches_left = 1000;
  wave_->code = &code_->state();
  wave_->pc = wave_->code->at(code() + word * 4);
  return step_on();
}

Next Machine::run(std::size_t word, std::size_t end) {
  Next next = step(word);
  while (next == Next::kOn && position() != end) {
    next = step_on();
  }
  return next;
}

} // namespace gantry::simt::amdgcn
