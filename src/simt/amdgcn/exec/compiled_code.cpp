#include "simt/amdgcn/exec/compiled_code.h"

#include "simt/amdgcn/exec/compiler_library.h"
#include "simt/amdgcn/exec/meanings.h"
#include "simt/amdgcn/exec/wave.h"
#include "simt/host/settings.h"
#include "simt/host/side_thread.h"
#include "simt/host/thread_with_stack.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <pthread.h>
#include <vector>

namespace gantry::simt::amdgcn {

namespace {

/// Instructions that are compiled at once. What is beyond is compiled when it is hot by itself.
constexpr std::size_t kMostInstructions = 4000;

Next run_compiled(Wave& wave, const Instruction& instruction) {
  const CompiledPlace& place = *instruction.compiled;
  if (place.lanes != wave.grid->lanes || wave.place->checks != nullptr) {
    return place.interpreted(wave, instruction);
  }
  return place.run(wave, place.number);
}

bool ends(std::string_view mnemonic) {
  return mnemonic == "s_endpgm" || mnemonic == "s_setpc_b64" || mnemonic == "s_branch" ||
         mnemonic == "s_code_end";
}

/// What is reached from the place without jumps to addresses that are computed, as far as it can be
/// read.
std::vector<CodePlace> reachable_from(LoadedCode::State& code, const Instruction* entry) {
  std::map<const Instruction*, CodePlace> found;
  std::vector<const Instruction*> next = {entry};
  while (!next.empty() && found.size() < kMostInstructions) {
    const Instruction* const place = next.back();
    next.pop_back();
    if (found.contains(place)) {
      continue;
    }
    const auto run = code.read(place);
    if (!run) {
      continue;
    }
    const std::string_view mnemonic = mnemonic_of(*place->meaning);
    found[place] = {place, *run, mnemonic};
    if (!ends(mnemonic)) {
      next.push_back(place + place->size);
    }
    if (place->meaning->kind == Meaning::Kind::kBranch) {
      next.push_back(place + place->offset / 4);
    }
  }
  std::vector<CodePlace> all;
  for (const auto& [place, what] : found) {
    all.push_back(what);
  }
  return all;
}

void compile_here(LoadedCode::State& code, const Instruction* entry, unsigned lanes,
                  void (*between_passes)()) {
  const std::vector<CodePlace> reachable = reachable_from(code, entry);
  if (std::ranges::find(reachable, entry, &CodePlace::place) == reachable.end()) {
    return;
  }
  CompiledImage image;
  std::string error;
  if (!compile({reachable, entry, lanes, between_passes}, image, error)) {
    if (settings().info) {
      fmt::print(stderr, "gantry: info: '{}' is interpreted: {}\n",
                 code.position(code.address_of(entry)), error);
    }
    return;
  }
  code.publish(image, lanes, run_compiled);
}

} // namespace

Meaning::Run interpreted(const Instruction& instruction, Meaning::Run run) {
  return run == run_compiled ? instruction.compiled->interpreted : run;
}

void compile_beside(LoadedCode::State& code, const Instruction* entry, unsigned lanes) {
  if (!code.begin_to_compile(entry, lanes)) {
    return;
  }
  const auto work = [state = code.shared_from_this(), entry, lanes](void (*between_passes)()) {
    compile_here(*state, entry, lanes, between_passes);
  };
  (void)SideThread::instance().put({code.position(code.address_of(entry)), work});
}

void warm_function(const Wave& wave) {
  constexpr std::uint32_t kOften = 100;
  const std::uint32_t calls = __atomic_add_fetch(&wave.pc->calls, 1, __ATOMIC_RELAXED);
  if (settings().code == CodeChoice::kOptimised) {
    compile_now(*wave.code, wave.pc, wave.grid->lanes);
  } else if (calls == kOften) {
    compile_beside(*wave.code, wave.pc, wave.grid->lanes);
  }
}

void compile_now(LoadedCode::State& code, const Instruction* entry, unsigned lanes) {
  if (!code.begin_to_compile(entry, lanes)) {
    return;
  }
  const std::function<void()> work = [&] { compile_here(code, entry, lanes, nullptr); };
  pthread_t thread = {};
  if (start_thread(kCompilerStack, work, thread) == 0) {
    pthread_join(thread, nullptr);
  }
}

} // namespace gantry::simt::amdgcn
