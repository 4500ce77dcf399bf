// Words for the numbers of OpenMP's tools interface, for what the tools of these tests write.
#pragma once

#include <omp-tools.h>

inline const char* name_of(ompt_target_t kind) {
  switch (kind) {
  case ompt_target:
    return "target";
  case ompt_target_enter_data:
    return "enter_data";
  case ompt_target_exit_data:
    return "exit_data";
  case ompt_target_update:
    return "update";
  case ompt_target_nowait:
    return "target_nowait";
  case ompt_target_enter_data_nowait:
    return "enter_data_nowait";
  case ompt_target_exit_data_nowait:
    return "exit_data_nowait";
  case ompt_target_update_nowait:
    return "update_nowait";
  }
  return "?";
}

inline const char* name_of(ompt_target_data_op_t kind) {
  switch (kind) {
  case ompt_target_data_alloc:
    return "alloc";
  case ompt_target_data_transfer_to_device:
    return "to";
  case ompt_target_data_transfer_from_device:
    return "from";
  case ompt_target_data_delete:
    return "delete";
  case ompt_target_data_associate:
    return "associate";
  case ompt_target_data_disassociate:
    return "disassociate";
  default:
    return "?";
  }
}

inline const char* name_of(ompt_scope_endpoint_t endpoint) {
  return endpoint == ompt_scope_begin ? "begin" : endpoint == ompt_scope_end ? "end" : "?";
}
