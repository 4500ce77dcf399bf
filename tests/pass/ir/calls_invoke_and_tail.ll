; passes: gantry-indirect-calls
; The translation stands in front of calls that unwind or end their function.

; CHECK-LABEL: @invoked(
; CHECK: [[T:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr %f)
; CHECK-NEXT: invoke void [[T]]()
; CHECK-NEXT: to label %good unwind label %bad
define void @invoked(ptr %f) personality ptr @__gxx_personality_v0 {
  invoke void %f() to label %good unwind label %bad
good:
  ret void
bad:
  %caught = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %caught
}

; CHECK-LABEL: @tail(
; CHECK: [[T:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr %f)
; CHECK-NEXT: tail call void [[T]]()
define void @tail(ptr %f) {
  tail call void %f()
  ret void
}

; CHECK-LABEL: @must_tail(
; CHECK: [[T:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr %f)
; CHECK-NEXT: musttail call void [[T]](ptr %f)
; CHECK-NEXT: ret void
define void @must_tail(ptr %f) {
  musttail call void %f(ptr %f)
  ret void
}

declare i32 @__gxx_personality_v0(...)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
