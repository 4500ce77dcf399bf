; passes: gantry-virtual-calls,gantry-indirect-calls
; The pointer to an object's virtual table is translated where Clang's code reads it, and the functions
; from the table are not.

; CHECK-LABEL: @call(
; CHECK: %table = load ptr, ptr %object
; CHECK-NEXT: [[T:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr %table)
; CHECK-NEXT: %place = getelementptr inbounds ptr, ptr [[T]], i64 2
; CHECK-NEXT: %f = load ptr, ptr %place
; CHECK-NEXT: call i32 %f(ptr %object, i32 3)
define i32 @call(ptr %object) {
  %table = load ptr, ptr %object, !tbaa !1
  %place = getelementptr inbounds ptr, ptr %table, i64 2
  %f = load ptr, ptr %place
  %r = call i32 %f(ptr %object, i32 3)
  ret i32 %r
}

; With the result's place as a first argument.
; CHECK-LABEL: @result_in_memory(
; CHECK: call ptr @__kmpc_target_translate_fptr(ptr %table)
; CHECK-NOT: __kmpc_target_translate_fptr
define void @result_in_memory(ptr sret([9 x i32]) %result, ptr %object) {
  %table = load ptr, ptr %object, !tbaa !1
  %f = load ptr, ptr %table
  call void %f(ptr sret([9 x i32]) %result, ptr %object)
  ret void
}

; A pointer to a member function is a place in the table, or the host's address of a function.
; CHECK-LABEL: @member_pointer(
; CHECK: call ptr @__kmpc_target_translate_fptr(ptr %table)
; CHECK: %f = phi
; CHECK-NEXT: [[T:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr %f)
; CHECK-NEXT: call i32 [[T]](ptr %object)
define i32 @member_pointer(ptr %object, i64 %member) {
entry:
  %bit = and i64 %member, 1
  %virtual = icmp ne i64 %bit, 0
  br i1 %virtual, label %in_table, label %address
in_table:
  %table = load ptr, ptr %object
  %offset = sub i64 %member, 1
  %place = getelementptr i8, ptr %table, i64 %offset
  %entry_of_table = load ptr, ptr %place
  br label %end
address:
  %other = inttoptr i64 %member to ptr
  br label %end
end:
  %f = phi ptr [ %entry_of_table, %in_table ], [ %other, %address ]
  %r = call i32 %f(ptr %object)
  ret i32 %r
}

; Where Clang says nothing of the load, the function is translated too: that changes nothing.
; CHECK-LABEL: @said_by_nobody(
; CHECK: [[T:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr %table)
; CHECK-NEXT: %f = load ptr, ptr [[T]]
; CHECK-NEXT: call ptr @__kmpc_target_translate_fptr(ptr %f)
define void @said_by_nobody(ptr %object) {
  %table = load ptr, ptr %object
  %f = load ptr, ptr %table
  call void %f(ptr %object)
  ret void
}

; The offset of a virtual base class is in the table too.
; CHECK-LABEL: @virtual_base(
; CHECK: [[T:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr %table)
; CHECK-NEXT: getelementptr i8, ptr [[T]], i64 -24
define i32 @virtual_base(ptr %object) {
  %table = load ptr, ptr %object
  %place = getelementptr i8, ptr %table, i64 -24
  %offset = load i64, ptr %place
  %base = getelementptr inbounds i8, ptr %object, i64 %offset
  %r = load i32, ptr %base
  ret i32 %r
}

; Clang says what a load is of where it optimises.
; CHECK-LABEL: @said_by_clang(
; CHECK: call ptr @__kmpc_target_translate_fptr(ptr %table)
define ptr @said_by_clang(ptr %object) {
  %table = load ptr, ptr %object, !tbaa !1
  ret ptr %table
}

; A structure with a pointer to functions is none: its functions are the host's.
; CHECK-LABEL: @operations(
; CHECK-NOT: call ptr @__kmpc_target_translate_fptr(ptr %operations)
; CHECK: call ptr @__kmpc_target_translate_fptr(ptr %f)
define void @operations(ptr %object) {
  %member = getelementptr i8, ptr %object, i64 8
  %operations = load ptr, ptr %member
  %f = load ptr, ptr %operations
  call void %f(ptr %object)
  ret void
}

; CHECK-LABEL: @pointer_to_pointer(
; CHECK-NOT: __kmpc_target_translate_fptr
; CHECK: ret i32
define i32 @pointer_to_pointer(ptr %p) {
  %q = load ptr, ptr %p
  %r = load i32, ptr %q
  ret i32 %r
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
!1 = !{!2, !2, i64 0}
!2 = !{!"vtable pointer", !3, i64 0}
!3 = !{!"Simple C++ TBAA"}
