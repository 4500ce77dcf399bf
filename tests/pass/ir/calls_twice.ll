; passes: gantry-indirect-calls,gantry-indirect-calls
; What is translated is not translated again.

; CHECK-LABEL: @argument(
; CHECK-COUNT-1: call ptr @__kmpc_target_translate_fptr
; CHECK-NOT: call ptr @__kmpc_target_translate_fptr
define void @argument(ptr %f) {
  call void %f()
  ret void
}

; Neither what a compiler translated before.
; CHECK-LABEL: @translated(
; CHECK-COUNT-1: call ptr @__kmpc_target_translate_fptr
; CHECK-NOT: call ptr @__kmpc_target_translate_fptr
define void @translated(ptr %f) {
  %t = call ptr @__kmpc_target_translate_fptr(ptr %f)
  call void %t()
  ret void
}

; CHECK-LABEL: @through_a_table(
; CHECK-COUNT-1: call ptr @__kmpc_target_translate_fptr
; CHECK-NOT: call ptr @__kmpc_target_translate_fptr
define void @through_a_table(ptr %object) {
  %table = load ptr, ptr %object, !tbaa !1
  %t = call ptr @__kmpc_target_translate_fptr(ptr %table)
  %place = getelementptr ptr, ptr %t, i64 2
  %f = load ptr, ptr %place
  call void %f(ptr %object)
  ret void
}

; CHECK: declare ptr @__kmpc_target_translate_fptr(ptr)
declare ptr @__kmpc_target_translate_fptr(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
!1 = !{!2, !2, i64 0}
!2 = !{!"vtable pointer", !3, i64 0}
!3 = !{!"Simple C++ TBAA"}
