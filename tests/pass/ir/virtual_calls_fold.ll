; passes: gantry-virtual-calls,gvn,gantry-fold,instcombine,gantry-indirect-calls
; A virtual call of an object that was made on the device becomes a direct one.

; CHECK-LABEL: @local_object(
; CHECK-NOT: __kmpc_target_translate_fptr
; CHECK: call i32 @member(
define i32 @local_object() {
  %object = alloca ptr
  store ptr getelementptr inbounds ({ [3 x ptr] }, ptr @_ZTV1A, i64 0, i32 0, i64 2), ptr %object
  %table = load ptr, ptr %object
  %f = load ptr, ptr %table
  %r = call i32 %f(ptr %object)
  ret i32 %r
}

; CHECK-LABEL: @other_object(
; CHECK: call ptr @__kmpc_target_translate_fptr
define i32 @other_object(ptr %object) {
  %table = load ptr, ptr %object
  %f = load ptr, ptr %table
  %r = call i32 %f(ptr %object)
  ret i32 %r
}

@_ZTV1A = constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @member] }
declare i32 @member(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
