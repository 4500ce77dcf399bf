#include "instance.h"

#include <algorithm>
#include <map>
#include <set>

namespace gantry::simt::instructions {

namespace {

using exec::verifier::Form;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

/// A form's types and groups of modifiers, each with what may stand there.
class Choices {
public:
  Choices(Opcode opcode, const Form& form) : opcode_(opcode), form_(&form) {
    for (const exec::verifier::Types types : form.types) {
      auto& row = rows_.emplace_back();
      for (unsigned type = 0; type < 32; ++type) {
        if ((types >> type & 1) != 0) {
          row.push_back(static_cast<int>(type));
        }
      }
    }
    for (const Form::Group& group : form.groups) {
      auto& row = rows_.emplace_back();
      if (!group.required) {
        row.push_back(-1);
      }
      for (std::size_t word = 0; word < group.members.size(); ++word) {
        if (group.members.test(word)) {
          row.push_back(static_cast<int>(word));
        }
      }
    }
  }

  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] int size(std::size_t row) const { return static_cast<int>(rows_[row].size()); }

  [[nodiscard]] Instance instance(const std::vector<int>& chosen) const {
    Instance instance;
    instance.opcode = opcode_;
    instance.form = form_;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const int value = rows_[row][static_cast<std::size_t>(chosen[row])];
      if (row < form_->types.size()) {
        instance.types.push_back(static_cast<Type>(value));
      } else if (value >= 0) {
        instance.modifiers.set(static_cast<std::size_t>(value));
      }
    }
    return instance;
  }

private:
  Opcode opcode_;
  const Form* form_;
  std::vector<std::vector<int>> rows_;
};

bool next(const Choices& choices, std::vector<int>& chosen) {
  for (std::size_t row = chosen.size(); row-- > 0;) {
    if (++chosen[row] < choices.size(row)) {
      return true;
    }
    chosen[row] = 0;
  }
  return false;
}

/// The pairs of choices that have not met yet.
class Pairs {
public:
  using Choice = std::pair<std::size_t, int>;

  explicit Pairs(const Choices& choices) {
    for (std::size_t row = 0; row < choices.rows(); ++row) {
      for (std::size_t other = row + 1; other < choices.rows(); ++other) {
        for (int a = 0; a < choices.size(row); ++a) {
          for (int b = 0; b < choices.size(other); ++b) {
            missing_.insert({{row, a}, {other, b}});
          }
        }
      }
    }
  }

  [[nodiscard]] const std::set<std::pair<Choice, Choice>>& missing() const { return missing_; }

  /// How many pairs would meet, or (if `taken`) do.
  std::size_t meet(const std::vector<int>& chosen, bool taken) {
    std::size_t count = 0;
    for (std::size_t row = 0; row < chosen.size(); ++row) {
      for (std::size_t other = row + 1; other < chosen.size(); ++other) {
        const std::pair<Choice, Choice> pair{{row, chosen[row]}, {other, chosen[other]}};
        count += taken ? missing_.erase(pair) : missing_.count(pair);
      }
    }
    return count;
  }

  void give_up(const std::pair<Choice, Choice>& pair) { missing_.erase(pair); }

private:
  std::set<std::pair<Choice, Choice>> missing_;
};

void add_pairwise(const Choices& choices, const Accepts& accepts,
                  std::vector<Instance>& instances) {
  Pairs pairs(choices);
  std::uint32_t random = 1;
  while (!pairs.missing().empty()) {
    const auto pair = *pairs.missing().begin();
    std::vector<int> best;
    std::size_t most = 0;
    for (unsigned tries = 0; tries < 4000 && (tries < 60 || best.empty()); ++tries) {
      std::vector<int> chosen;
      for (std::size_t row = 0; row < choices.rows(); ++row) {
        random = random * 1664525 + 1013904223;
        chosen.push_back(
            static_cast<int>((random >> 8) % static_cast<unsigned>(choices.size(row))));
      }
      chosen[pair.first.first] = pair.first.second;
      chosen[pair.second.first] = pair.second.second;
      if (accepts && !accepts(choices.instance(chosen))) {
        continue;
      }
      const std::size_t met = pairs.meet(chosen, false);
      if (met > most) {
        most = met;
        best = chosen;
      }
    }
    if (best.empty()) {
      pairs.give_up(pair);
      continue;
    }
    pairs.meet(best, true);
    instances.push_back(choices.instance(best));
  }
}

// Where a name's types stand in front of its modifiers.
bool has_types_first(Opcode opcode) {
  return opcode == Opcode::k_prmt ||
         (opcode >= Opcode::k_vabsdiff && opcode <= Opcode::k_vsub4 && opcode != Opcode::k_vote);
}

} // namespace

Modifier Instance::first_of(std::initializer_list<Modifier> wanted) const {
  const auto* found =
      std::ranges::find_if(wanted, [&](Modifier modifier) { return has(modifier); });
  return found == wanted.end() ? Modifier::kCount : *found;
}

std::string Instance::name() const {
  std::string words;
  std::string typed;
  for (const Form::Group& group : form->groups) {
    for (std::size_t word = 0; word < modifiers.size(); ++word) {
      if (modifiers.test(word) && group.members.test(word)) {
        words += "." + std::string(exec::verifier::word_of(word));
      }
    }
  }
  for (const Type type : types) {
    typed += "." + std::string(ptx::name_of(type));
  }
  return std::string(exec::verifier::name_of(opcode)) +
         (has_types_first(opcode) ? typed + words : words + typed);
}

std::vector<Instance> all_instances(Opcode opcode, const Accepts& accepts) {
  std::vector<Instance> instances;
  for (const Form& form : exec::verifier::forms_of(opcode)) {
    const Choices choices(opcode, form);
    std::vector<int> chosen(choices.rows(), 0);
    do {
      Instance instance = choices.instance(chosen);
      if (!accepts || accepts(instance)) {
        instances.push_back(std::move(instance));
      }
    } while (next(choices, chosen));
  }
  return instances;
}

std::vector<Instance> pairwise_instances(Opcode opcode, const Accepts& accepts) {
  std::vector<Instance> instances;
  for (const Form& form : exec::verifier::forms_of(opcode)) {
    const Choices choices(opcode, form);
    if (choices.rows() < 2) {
      std::vector<int> chosen(choices.rows(), 0);
      do {
        instances.push_back(choices.instance(chosen));
      } while (next(choices, chosen));
      continue;
    }
    add_pairwise(choices, accepts, instances);
  }
  return instances;
}

} // namespace gantry::simt::instructions
