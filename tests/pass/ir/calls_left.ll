; passes: gantry-indirect-calls
; Calls of what is surely the device's are left as they are.

; CHECK-NOT: __kmpc_target_translate_fptr

@table = internal constant [2 x ptr] [ptr @defined, ptr @declared]
@alias = alias void (), ptr @defined
@_ZTV1A = constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @defined] }

define void @direct() {
  call void @defined()
  call void @declared()
  call void @alias()
  call void asm sideeffect "nop", ""()
  call void @llvm.donothing()
  ret void
}

define void @choices(i1 %c, i1 %d) {
entry:
  %f = select i1 %c, ptr @defined, ptr @declared
  call void %f()
  br i1 %d, label %left, label %right
left:
  br label %end
right:
  br label %end
end:
  %g = phi ptr [ @alias, %left ], [ %f, %right ]
  call void %g()
  ret void
}

define void @loop(i1 %c) {
entry:
  br label %again
again:
  %f = phi ptr [ @defined, %entry ], [ %f, %again ]
  call void %f()
  br i1 %c, label %again, label %end
end:
  ret void
}

; A constant of the image holds what the image's linker put in.
define void @table_of_functions(i64 %i) {
  %place = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
  %f = load ptr, ptr %place
  call void %f()
  ret void
}

define void @table_of_a_class(ptr %object) {
  %place = getelementptr i8, ptr @_ZTV1A, i64 16
  %f = load ptr, ptr %place
  call void %f(ptr %object)
  ret void
}

define internal void @defined() {
  ret void
}
declare void @declared()
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
