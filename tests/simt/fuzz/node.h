// A kernel as a tree of statements, of which any may be left out: what a reducer works on.
//
// Labels are defined in the statement that needs them, registers at the top of their function with
// a value, and a loop counts in a register of its own: so a kernel without some of its statements
// is a kernel that ends, too.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace gantry::simt::fuzz {

class Node {
public:
  Node() = default;
  explicit Node(std::string text) { add(std::move(text)); }

  void add(std::string text) { parts_.emplace_back(std::move(text)); }
  Node& add_node() {
    return *std::get<std::unique_ptr<Node>>(parts_.emplace_back(std::make_unique<Node>()));
  }

  void add_body(Node&& body) { add_node() = std::move(body); }

  [[nodiscard]] std::string text() const;
  /// The statements in it that are still there, outer ones first.
  void collect(std::vector<Node*>& nodes);

  bool is_fixed = false;   ///< cannot be left out
  bool may_open = false;   ///< the statements inside do without what is around them
  bool is_dropped = false; ///< left out with all that is inside
  bool is_open = false;    ///< only the statements inside are there

private:
  std::vector<std::variant<std::string, std::unique_ptr<Node>>> parts_;
};

} // namespace gantry::simt::fuzz
