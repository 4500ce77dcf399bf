#include "link/member_selection.h"

#include "link/host_symbols.h"
#include "link/text.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <llvm/Support/Error.h>
#include <llvm/Support/GlobPattern.h>

namespace gantry::link {
namespace {

Result<HostSymbols> symbols_of(const HostObject& object) {
  return GANTRY_TRY_CONTEXT(object.is_bitcode ? bitcode_symbols(object.contents)
                                              : object_symbols(object.contents),
                            object.origin);
}

/// An optional object and its place.
struct Candidate {
  SelectionInput* input;
  std::size_t index;
  HostSymbols symbols;
  bool taken = false;
};

/// The linker's symbol table, as the selection of members needs it.
class Selection {
public:
  Selection(LinkerKind linker, const Arguments& arguments)
      : linker_(linker),
        wrapped_(arguments.wrapped_symbols.begin(), arguments.wrapped_symbols.end()) {}

  void refer_to(const std::string& name) {
    if (Candidate* const offer = want(name); offer != nullptr) {
      take(*offer);
    }
  }

  /// Adds an object and, depth first, the members that its references take. A list replaces the
  /// recursion, because a chain of members may be deeper than the stack allows.
  void add(const HostSymbols& symbols) {
    struct Open {
      const HostSymbols* symbols;
      std::size_t next = 0; ///< of the undefined symbols
    };
    define(symbols);
    std::vector<Open> chain = {{&symbols}};
    while (!chain.empty()) {
      Open& last = chain.back();
      if (last.next == last.symbols->undefined.size()) {
        chain.pop_back();
        continue;
      }
      Candidate* const offer = want(last.symbols->undefined[last.next++]);
      if (offer != nullptr && choose(*offer)) {
        define(offer->symbols);
        chain.push_back({&offer->symbols});
      }
    }
  }

  /// Adds a shared library. GNU ld forgets one that is linked as needed and is not needed where it
  /// stands; the other linkers wait for the end of the line.
  void add_shared_library(const HostSymbols& symbols, bool as_needed) {
    if (as_needed && linker_ == LinkerKind::kGnu &&
        std::ranges::none_of(symbols.defined,
                             [&](const std::string& name) { return is_missing(name); })) {
      return;
    }
    add(symbols);
  }

  /// lld's --undefined-glob, which sees what all archives offer.
  Status take_matching(const std::string& glob) {
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(glob);
    if (!pattern) {
      return fail("--undefined-glob={}: {}", glob, llvm::toString(pattern.takeError()));
    }
    std::vector<std::string> names;
    for (const auto& [name, symbol] : symbols_) {
      if (symbol.offer != nullptr && !symbol.defined && pattern->match(name)) {
        names.push_back(name);
      }
    }
    for (const std::string& name : names) {
      refer_to(name);
    }
    return {};
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
    if (linker_ != LinkerKind::kLld) {
      return;
    }
    for (Candidate* candidate : candidates) {
      if (candidate->taken) {
        continue;
      }
      for (const auto* names : {&candidate->symbols.defined, &candidate->symbols.common}) {
        for (const std::string& name : *names) {
          Symbol& symbol = symbols_[name];
          if (!symbol.defined && symbol.offer == nullptr) {
            symbol.offer = candidate;
          }
        }
      }
    }
  }

private:
  struct Symbol {
    bool defined = false;
    bool is_common = false; ///< and only tentatively defined
    bool wanted = false;
    Candidate* offer = nullptr; ///< who would define it; only when archives are remembered
  };

  /// --wrap=f: f means __wrap_f, and __real_f means f.
  std::string wrapped_name(const std::string& name) const {
    constexpr std::string_view kReal = "__real_";
    if (wrapped_.contains(name)) {
      return "__wrap_" + name;
    }
    if (name.starts_with(kReal) && wrapped_.contains(name.substr(kReal.size()))) {
      return name.substr(kReal.size());
    }
    return name;
  }

  bool is_missing(const std::string& name) const {
    const auto symbol = symbols_.find(name);
    return symbol != symbols_.end() && symbol->second.wanted && !symbol->second.defined;
  }

  /// GNU ld gives up a tentative definition for a real one.
  bool is_tentative(const std::string& name) const {
    const auto symbol = symbols_.find(name);
    return linker_ == LinkerKind::kGnu && symbol != symbols_.end() && symbol->second.is_common;
  }

  bool is_wanted(const Candidate& candidate) const {
    return std::ranges::any_of(
               candidate.symbols.defined,
               [&](const std::string& name) { return is_missing(name) || is_tentative(name); }) ||
           std::ranges::any_of(candidate.symbols.common,
                               [&](const std::string& name) { return is_missing(name); });
  }

  void define(const HostSymbols& symbols) {
    for (const std::string& name : symbols.defined) {
      Symbol& symbol = symbols_[name];
      symbol.defined = true;
      symbol.is_common = false;
    }
    for (const std::string& name : symbols.common) {
      Symbol& symbol = symbols_[name];
      symbol.is_common = !symbol.defined || symbol.is_common;
      symbol.defined = true;
    }
  }

  /// Notes a reference; returns who would define what it names.
  Candidate* want(const std::string& name) {
    Symbol& symbol = symbols_[wrapped_name(name)];
    if (symbol.defined) {
      return nullptr;
    }
    symbol.wanted = true;
    return symbol.offer;
  }

  /// False if the object is taken already.
  static bool choose(Candidate& candidate) {
    if (candidate.taken) {
      return false;
    }
    candidate.taken = true;
    candidate.input->selected.push_back(candidate.index);
    return true;
  }

  void take(Candidate& candidate) {
    if (choose(candidate)) {
      add(candidate.symbols);
    }
  }

  LinkerKind linker_;
  std::unordered_set<std::string> wrapped_;
  std::unordered_map<std::string, Symbol> symbols_;
};

} // namespace

LinkerKind linker_kind(const std::string& linker_path) {
  std::error_code ignored;
  const std::string name = std::filesystem::canonical(linker_path, ignored).filename().string();
  if (contains(name, "lld") || contains(name, "mold")) {
    return LinkerKind::kLld;
  }
  return contains(name, "gold") ? LinkerKind::kGold : LinkerKind::kGnu;
}

Status select_members(std::vector<SelectionInput>& inputs, const Arguments& arguments,
                      const std::vector<std::string>& externals) {
  std::vector<std::vector<Candidate>> candidates(inputs.size());
  for (std::size_t number = 0; number < inputs.size(); ++number) {
    SelectionInput& input = inputs[number];
    if (!input.optional) {
      continue;
    }
    for (std::size_t index = 0; index < input.objects.size(); ++index) {
      HostSymbols symbols = GANTRY_TRY(symbols_of(input.objects[index]));
      candidates[number].push_back(
          {.input = &input, .index = index, .symbols = std::move(symbols)});
    }
  }

  Selection selection(linker_kind(arguments.linker_path), arguments);
  for (const auto* names : {&arguments.undefined_symbols, &externals}) {
    for (const std::string& name : *names) {
      selection.refer_to(name);
    }
  }
  for (std::size_t number = 0; number < inputs.size();) {
    // What stands outside a group is a group of its own.
    const unsigned group = inputs[number].group;
    std::vector<Candidate*> run;
    do {
      const SelectionInput& input = inputs[number];
      if (!input.shared_library.empty()) {
        const HostSymbols symbols = GANTRY_TRY(shared_library_symbols(input.shared_library));
        selection.add_shared_library(symbols, input.as_needed);
      } else if (!input.optional) {
        for (const HostObject& object : input.objects) {
          const HostSymbols symbols = GANTRY_TRY(symbols_of(object));
          selection.add(symbols);
        }
      }
      for (Candidate& candidate : candidates[number]) {
        run.push_back(&candidate);
      }
      ++number;
    } while (group != 0 && number < inputs.size() && inputs[number].group == group);
    selection.add_optional(run);
  }
  for (const std::string& glob : arguments.undefined_globs) {
    GANTRY_TRY(selection.take_matching(glob));
  }
  for (SelectionInput& input : inputs) {
    std::ranges::sort(input.selected); // the archive's order, for images that are always the same
  }
  return {};
}

} // namespace gantry::link
