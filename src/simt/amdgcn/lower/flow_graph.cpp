#include "simt/amdgcn/lower/flow_graph.h"

#include <algorithm>
#include <set>

namespace gantry::simt::amdgcn::lower {

namespace {

using Kind = Meaning::Kind;

const Instruction* next_of(const Instruction* place) {
  return place + place->size;
}

/// What was live in front of an instruction.
Live before(const Effects& effects, Live live) {
  if (effects.ends) {
    return {};
  }
  if (effects.reads_all) {
    return Live::all();
  }
  if (effects.changes_exec) { // lanes that were not active may be, and the other way round
    live.active |= live.inactive;
    live.inactive = live.active;
  }
  live.active &= ~effects.writes;
  live.active |= effects.reads;
  if (effects.reads_inactive) {
    live.inactive |= effects.reads;
  }
  live.scalars &= ~effects.scalar_writes;
  live.scalars |= effects.scalar_reads;
  return live;
}

} // namespace

Live Live::all() {
  Live live;
  live.active.set();
  live.inactive.set();
  live.scalars.set();
  return live;
}

bool may_be_left(const CodePlace& code) {
  const Kind kind = code.place->meaning->kind;
  return kind == Kind::kFlow ? code.mnemonic == "s_barrier" || code.mnemonic == "s_sleep"
                             : code.mnemonic == "s_swappc_b64" || code.mnemonic == "s_call_b64" ||
                                   code.mnemonic.starts_with("s_setreg");
}

FlowGraph::FlowGraph(const CompileRequest& request, const std::vector<bool>& by_lanes)
    : request_(request) {
  for (std::size_t i = 0; i < request.code.size(); ++i) {
    numbers_[request.code[i].place] = i;
    effects_.push_back(effects_of(request.code[i], request.lanes, by_lanes[i]));
  }
  find_blocks();
  find_live();
}

std::size_t FlowGraph::block_at(const Instruction* place) const {
  const auto found = by_place_.find(place);
  return found == by_place_.end() ? blocks_.size() : found->second;
}

void FlowGraph::find_blocks() {
  std::set<const Instruction*> heads;
  std::set<const Instruction*> entries = {request_.entry};
  for (const CodePlace& code : request_.code) {
    const Instruction& instruction = *code.place;
    if (instruction.meaning->kind == Kind::kBranch) {
      const Instruction* const target = target_of(instruction);
      heads.insert(target);
      heads.insert(next_of(&instruction));
      if (instruction.offset <= 0) {
        entries.insert(target);
      }
    } else if (may_be_left(code)) {
      entries.insert(next_of(&instruction));
    }
  }
  for (std::size_t i = 0; i < request_.code.size(); ++i) {
    const Instruction* const place = request_.code[i].place;
    const bool follows = i > 0 && next_of(request_.code[i - 1].place) == place;
    if (!follows || heads.contains(place) || entries.contains(place)) {
      if (!blocks_.empty()) {
        blocks_.back().end = i;
      }
      by_place_[place] = blocks_.size();
      blocks_.push_back({i, i, entries.contains(place), {}, false});
    }
  }
  if (!blocks_.empty()) {
    blocks_.back().end = request_.code.size();
  }
  for (Block& block : blocks_) {
    const CodePlace& last = request_.code[block.end - 1];
    const auto add = [&](const Instruction* place) {
      const std::size_t next = block_at(place);
      if (next == blocks_.size()) {
        block.may_leave = true;
      } else {
        block.next.push_back(next);
      }
    };
    if (last.place->meaning->kind == Kind::kBranch) {
      add(target_of(*last.place));
    }
    if (last.mnemonic != "s_branch" && !effects_[block.end - 1].ends) {
      add(next_of(last.place));
    }
  }
}

void FlowGraph::find_live() {
  behind_.resize(request_.code.size());
  std::vector<Live> at_head(blocks_.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t number = blocks_.size(); number-- > 0;) {
      const Block& block = blocks_[number];
      Live live = block.may_leave ? Live::all() : Live{};
      for (const std::size_t next : block.next) {
        live |= at_head[next];
      }
      for (std::size_t i = block.end; i-- > block.first;) {
        behind_[i] = live;
        live = before(effects_[i], live);
      }
      if (!(live == at_head[number])) {
        at_head[number] = live;
        changed = true;
      }
    }
  }
}

} // namespace gantry::simt::amdgcn::lower
