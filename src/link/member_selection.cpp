#include "link/member_selection.h"

#include "link/host_symbols.h"
#include "link/text.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <unordered_map>

namespace gantry::link {
namespace {

Result<HostSymbols> symbols_of(const HostObject& object) {
  Result<HostSymbols> symbols =
      object.is_bitcode ? bitcode_symbols(object.contents) : object_symbols(object.contents);
  if (!symbols) {
    return with_context(symbols.error(), object.origin);
  }
  return symbols;
}

/// An optional object and its place.
struct Candidate {
  SelectionInput* input;
  std::size_t index;
  HostSymbols symbols;
  bool taken = false;
};

/// The linker's symbol table, as far as the choice of members goes.
class Selection {
public:
  explicit Selection(bool remembers) : remembers_(remembers) {}

  void refer_to(const std::string& name) {
    Symbol& symbol = symbols_[name];
    if (symbol.defined) {
      return;
    }
    symbol.wanted = true;
    if (symbol.offer != nullptr) {
      take(*symbol.offer);
    }
  }

  void add(const HostSymbols& symbols) {
    for (const std::string& name : symbols.defined) {
      symbols_[name].defined = true;
    }
    for (const std::string& name : symbols.undefined) {
      refer_to(name);
    }
  }

  /// Adds a run of optional objects: an archive, or the archives of a group.
  void add_optional(std::vector<Candidate*>& candidates) {
    for (bool progress = true; progress;) {
      progress = false;
      for (Candidate* candidate : candidates) {
        if (!candidate->taken && is_wanted(*candidate)) {
          take(*candidate);
          progress = true;
        }
      }
    }
    if (!remembers_) {
      return;
    }
    for (Candidate* candidate : candidates) {
      if (candidate->taken) {
        continue;
      }
      for (const std::string& name : candidate->symbols.defined) {
        Symbol& symbol = symbols_[name];
        if (!symbol.defined && symbol.offer == nullptr) {
          symbol.offer = candidate;
        }
      }
    }
  }

private:
  struct Symbol {
    bool defined = false;
    bool wanted = false;
    Candidate* offer = nullptr; ///< who would define it; only when archives are remembered
  };

  bool is_wanted(const Candidate& candidate) const {
    return std::ranges::any_of(candidate.symbols.defined, [&](const std::string& name) {
      const auto symbol = symbols_.find(name);
      return symbol != symbols_.end() && symbol->second.wanted && !symbol->second.defined;
    });
  }

  /// Taking one object may take others that it refers to; the recursion is as deep as the longest
  /// chain of members, each of which is taken once.
  void take(Candidate& candidate) {
    if (candidate.taken) {
      return;
    }
    candidate.taken = true;
    candidate.input->selected.push_back(candidate.index);
    add(candidate.symbols);
  }

  bool remembers_;
  std::unordered_map<std::string, Symbol> symbols_;
};

} // namespace

bool remembers_archives(const std::string& linker_path) {
  std::error_code ignored;
  const std::string name = std::filesystem::canonical(linker_path, ignored).filename().string();
  return contains(name, "lld") || contains(name, "mold");
}

Status select_members(std::vector<SelectionInput>& inputs, const Arguments& arguments) {
  std::vector<std::vector<Candidate>> candidates(inputs.size());
  for (std::size_t number = 0; number < inputs.size(); ++number) {
    SelectionInput& input = inputs[number];
    if (!input.optional) {
      continue;
    }
    for (std::size_t index = 0; index < input.objects.size(); ++index) {
      Result<HostSymbols> symbols = symbols_of(input.objects[index]);
      if (!symbols) {
        return tl::unexpected(std::move(symbols).error());
      }
      candidates[number].push_back(
          {.input = &input, .index = index, .symbols = std::move(*symbols)});
    }
  }

  Selection selection(remembers_archives(arguments.linker_path));
  for (const std::string& name : arguments.undefined_symbols) {
    selection.refer_to(name);
  }
  for (std::size_t number = 0; number < inputs.size();) {
    // What stands outside a group is a group of its own.
    const unsigned group = inputs[number].group;
    std::vector<Candidate*> run;
    do {
      const SelectionInput& input = inputs[number];
      if (!input.shared_library.empty()) {
        const Result<HostSymbols> symbols = shared_library_symbols(input.shared_library);
        if (!symbols) {
          return tl::unexpected(symbols.error());
        }
        selection.add(*symbols);
      } else if (!input.optional) {
        for (const HostObject& object : input.objects) {
          const Result<HostSymbols> symbols = symbols_of(object);
          if (!symbols) {
            return tl::unexpected(symbols.error());
          }
          selection.add(*symbols);
        }
      }
      for (Candidate& candidate : candidates[number]) {
        run.push_back(&candidate);
      }
      ++number;
    } while (group != 0 && number < inputs.size() && inputs[number].group == group);
    selection.add_optional(run);
  }
  for (SelectionInput& input : inputs) {
    std::ranges::sort(input.selected); // the archive's order, for images that are always the same
  }
  return {};
}

} // namespace gantry::link
