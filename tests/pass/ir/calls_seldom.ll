; passes: gantry-indirect-calls
; One translation serves all calls that it comes before, and stands in front of loops.

; CHECK-LABEL: @two_calls(
; CHECK: [[T:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr %f)
; CHECK-NEXT: call void [[T]]()
; CHECK-NEXT: call void [[T]]()
define void @two_calls(ptr %f) {
  call void %f()
  call void %f()
  ret void
}

; CHECK-LABEL: @two_arms(
; CHECK: left:
; CHECK-NEXT: call ptr @__kmpc_target_translate_fptr(ptr %f)
; CHECK: right:
; CHECK-NEXT: call ptr @__kmpc_target_translate_fptr(ptr %f)
define void @two_arms(ptr %f, i1 %c) {
  br i1 %c, label %left, label %right
left:
  call void %f()
  ret void
right:
  call void %f()
  ret void
}

; CHECK-LABEL: @nested_loops(
; CHECK: entry:
; CHECK-NEXT: [[T:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr %f)
; CHECK-NEXT: br label %outer
; CHECK: inner:
; CHECK: call void [[T]]()
define void @nested_loops(ptr %f, i1 %c, i1 %d) {
entry:
  br label %outer
outer:
  br label %inner
inner:
  call void %f()
  br i1 %c, label %inner, label %latch
latch:
  br i1 %d, label %outer, label %end
end:
  ret void
}

; What may not be called is not translated for it.
; CHECK-LABEL: @perhaps_in_a_loop(
; CHECK: call:
; CHECK-NEXT: call ptr @__kmpc_target_translate_fptr(ptr %f)
define void @perhaps_in_a_loop(ptr %f, i1 %c, i1 %d) {
entry:
  br label %loop
loop:
  br i1 %c, label %call, label %latch
call:
  call void %f()
  br label %latch
latch:
  br i1 %d, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @another_pointer_each_time(
; CHECK: loop:
; CHECK: %f = load ptr, ptr %p
; CHECK-NEXT: call ptr @__kmpc_target_translate_fptr(ptr %f)
define void @another_pointer_each_time(ptr %p, i1 %d) {
entry:
  br label %loop
loop:
  %f = load ptr, ptr %p
  call void %f()
  br i1 %d, label %loop, label %end
end:
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
