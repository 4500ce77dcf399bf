; passes: gantry-indirect-calls
; A call through a pointer of which nothing is known is made through its translation.

; CHECK-LABEL: @argument(
; CHECK-NEXT: [[T:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr %f)
; CHECK-NEXT: %r = call i32 [[T]](i32 %x)
; CHECK-NEXT: ret i32 %r
define i32 @argument(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  ret i32 %r
}

; CHECK-LABEL: @loaded(
; CHECK: %f = load ptr, ptr %p
; CHECK-NEXT: [[T:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr %f)
; CHECK-NEXT: call void [[T]]()
define void @loaded(ptr %p) {
  %f = load ptr, ptr %p
  call void %f()
  ret void
}

; A variable may hold what the host put in; a constant of another image may too.
@variable = global ptr @defined
@elsewhere = external externally_initialized constant ptr
; CHECK-LABEL: @global_variables(
; CHECK: call ptr @__kmpc_target_translate_fptr(ptr %f)
; CHECK: call ptr @__kmpc_target_translate_fptr(ptr %g)
define void @global_variables() {
  %f = load ptr, ptr @variable
  call void %f()
  %g = load ptr, ptr @elsewhere
  call void %g()
  ret void
}

; One arm may be the host's.
; CHECK-LABEL: @choice(
; CHECK: call ptr @__kmpc_target_translate_fptr(ptr %f)
define void @choice(i1 %c, ptr %p) {
  %f = select i1 %c, ptr %p, ptr @defined
  call void %f()
  ret void
}

; CHECK-LABEL: @from_integer(
; CHECK: call ptr @__kmpc_target_translate_fptr(ptr %f)
define void @from_integer(i64 %i) {
  %f = inttoptr i64 %i to ptr
  call void %f()
  ret void
}

; The attributes of a call stay, and what it may be combined with.
; CHECK-LABEL: @attributes(
; CHECK: call fastcc noundef float [[T:%.*]](float noundef 1.000000e+00) #[[A:[0-9]+]] [ "deopt"(i32 1) ]
define float @attributes(ptr %f) {
  %r = call fastcc noundef float %f(float noundef 1.0) nounwind [ "deopt"(i32 1) ]
  ret float %r
}

define internal void @defined() {
  ret void
}

; The translation depends on nothing but the pointer.
; CHECK: declare ptr @__kmpc_target_translate_fptr(ptr) #[[B:[0-9]+]]
; CHECK: attributes #[[B]] = { nounwind willreturn memory(none) }
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
