; passes: gantry-virtual-calls,gantry-virtual-calls
; CHECK-LABEL: @call(
; CHECK-COUNT-1: call ptr @__kmpc_target_translate_fptr
; CHECK-NOT: call ptr @__kmpc_target_translate_fptr
define void @call(ptr %object) {
  %table = load ptr, ptr %object
  %f = load ptr, ptr %table
  call void %f(ptr %object)
  ret void
}

; CHECK-LABEL: @in_space_1(
; CHECK-COUNT-1: call ptr @__kmpc_target_translate_fptr
; CHECK-NOT: call ptr @__kmpc_target_translate_fptr
define void @in_space_1(ptr %object) {
  %table = load ptr addrspace(1), ptr %object
  %f = load ptr, ptr addrspace(1) %table
  call void %f(ptr %object)
  ret void
}
; CHECK: declare ptr @__kmpc_target_translate_fptr(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
