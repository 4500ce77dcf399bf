#include "plugins/hsa/metadata.h"

#include "base/amd_code.h"
#include "base/message_pack.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gantry::hsa {

namespace {

constexpr auto kHidden = std::to_array<std::pair<std::string_view, HiddenArgument>>({
    {"hidden_block_count_x", HiddenArgument::kBlockCountX},
    {"hidden_block_count_y", HiddenArgument::kBlockCountY},
    {"hidden_block_count_z", HiddenArgument::kBlockCountZ},
    {"hidden_group_size_x", HiddenArgument::kGroupSizeX},
    {"hidden_group_size_y", HiddenArgument::kGroupSizeY},
    {"hidden_group_size_z", HiddenArgument::kGroupSizeZ},
    {"hidden_remainder_x", HiddenArgument::kRemainderX},
    {"hidden_remainder_y", HiddenArgument::kRemainderY},
    {"hidden_remainder_z", HiddenArgument::kRemainderZ},
    {"hidden_grid_dims", HiddenArgument::kGridDimensions},
    {"hidden_dynamic_lds_size", HiddenArgument::kDynamicGroupMemory},
    {"hidden_private_base", HiddenArgument::kPrivateBase},
    {"hidden_shared_base", HiddenArgument::kSharedBase},
    {"hidden_queue_ptr", HiddenArgument::kQueue},
});

/// The kernel's own arguments, and those that the launch leaves 0.
constexpr std::string_view kOthers[] = {
    "by_value",
    "global_buffer",
    "dynamic_shared_pointer",
    "sampler",
    "image",
    "pipe",
    "queue",
    "hidden_none",
    "hidden_global_offset_x",
    "hidden_global_offset_y",
    "hidden_global_offset_z",
    "hidden_printf_buffer",
    "hidden_hostcall_buffer",
    "hidden_default_queue",
    "hidden_completion_action",
    "hidden_multigrid_sync_arg",
    "hidden_heap_v1",
};

bool read_argument(MessagePack& document, const MessagePackValue& map, KernelMetadata& kernel) {
  std::string_view kind;
  std::uint64_t offset = 0, size = 0;
  const bool whole =
      read_map(document, map, [&](std::string_view key, const MessagePackValue& value) {
        if (key == ".value_kind") {
          kind = value.text;
        } else if (key == ".offset") {
          offset = value.number;
        } else if (key == ".size") {
          size = value.number;
        }
        return document.skip(value);
      });
  const auto* const known =
      std::ranges::find(kHidden, kind, &std::pair<std::string_view, HiddenArgument>::first);
  if (whole && known != kHidden.end() && size <= sizeof(std::uint64_t)) {
    kernel.hidden.push_back(
        {known->second, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)});
  } else if (std::ranges::find(kOthers, kind) == std::end(kOthers)) {
    kernel.unknown_argument = kind.empty() ? "of no kind" : kind;
  }
  return whole;
}

bool read_kernel(MessagePack& document, const MessagePackValue& map, Metadata& metadata) {
  std::string_view name;
  KernelMetadata kernel;
  const std::pair<std::string_view, std::uint32_t*> numbers[] = {
      {".wavefront_size", &kernel.wave_size},
      {".max_flat_workgroup_size", &kernel.max_block_size},
      {".vgpr_count", &kernel.vector_registers},
      {".agpr_count", &kernel.accumulation_registers},
  };
  const bool whole =
      read_map(document, map, [&](std::string_view key, const MessagePackValue& value) {
        if (key == ".args") {
          return read_array_of_maps(document, value, [&](const MessagePackValue& argument) {
            return read_argument(document, argument, kernel);
          });
        }
        if (key == ".name") {
          name = value.text;
        }
        for (const auto& [known, number] : numbers) {
          if (key == known) {
            *number = static_cast<std::uint32_t>(value.number);
          }
        }
        return document.skip(value);
      });
  if (whole) {
    metadata.emplace(name, std::move(kernel));
  }
  return whole;
}

void read_document(Bytes bytes, Metadata& metadata) {
  MessagePack document(bytes);
  const auto root = document.next();
  if (!root || root->kind != MessagePackValue::Kind::kMap) {
    return;
  }
  (void)read_map(document, *root, [&](std::string_view key, const MessagePackValue& value) {
    return key == "amdhsa.kernels"
               ? read_array_of_maps(document, value,
                                    [&](const MessagePackValue& kernel) {
                                      return read_kernel(document, kernel, metadata);
                                    })
               : document.skip(value);
  });
}

} // namespace

Metadata read_metadata(Bytes code_object) {
  Metadata metadata;
  visit_amd_metadata(code_object, [&](Bytes document) { read_document(document, metadata); });
  return metadata;
}

} // namespace gantry::hsa
