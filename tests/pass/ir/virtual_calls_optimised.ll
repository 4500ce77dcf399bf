; passes: gantry-virtual-calls-optimised,gantry-indirect-calls
; In code that an optimiser has seen, only what Clang says of a load makes it one of a virtual table: a
; structure of C that begins with a pointer to its functions looks the same.

; CHECK-LABEL: @operations(
; CHECK-NOT: call ptr @__kmpc_target_translate_fptr(ptr %operations)
; CHECK: %f = load ptr, ptr %operations
; CHECK-NEXT: call ptr @__kmpc_target_translate_fptr(ptr %f)
define void @operations(ptr %object) {
  %operations = load ptr, ptr %object
  %f = load ptr, ptr %operations
  call void %f(ptr %object)
  ret void
}

; CHECK-LABEL: @virtual(
; CHECK: call ptr @__kmpc_target_translate_fptr(ptr %table)
; CHECK-NOT: __kmpc_target_translate_fptr
; CHECK: ret void
define void @virtual(ptr %object) {
  %table = load ptr, ptr %object, !tbaa !1
  %f = load ptr, ptr %table
  call void %f(ptr %object)
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
!1 = !{!2, !2, i64 0}
!2 = !{!"vtable pointer", !3, i64 0}
!3 = !{!"Simple C++ TBAA"}
