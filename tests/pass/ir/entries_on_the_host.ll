; passes: gantry-entries
; The marker of the Clang plugin becomes entries, as Clang writes them, of what the module defines.

; CHECK-NOT: __gantry_indirect{{$}}
; CHECK-DAG: @_ZTV1A = constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @hidden] }
; CHECK-DAG: c"function_entry\00"
; CHECK-DAG: @.offloading.entry.function_entry = weak constant %struct.__tgt_offload_entry { i64 0, i16 1, i16 1, i32 8, ptr @function, ptr @{{.*}}, i64 8, i64 0, ptr null }, section "llvm_offload_entries"
; CHECK-DAG: @.offloading.entry.table_entry = weak constant %struct.__tgt_offload_entry { i64 0, i16 1, i16 1, i32 32, ptr @_ZTV1A, ptr @{{.*}}, i64 24, i64 0, ptr null }, section "llvm_offload_entries"
; CHECK-NOT: declared_entry
; CHECK-NOT: @llvm.compiler.used

@_ZL17__gantry_indirect = internal constant [106 x i8] c"F function function_entry\0AF declared declared_entry\0AT _ZTV1A table_entry\0AT _ZTV1B other_entry\0AX hidden \0A\00\00"
@llvm.compiler.used = appending global [1 x ptr] [ptr @_ZL17__gantry_indirect], section "llvm.metadata"
@_ZTV1A = constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @hidden] }
@_ZTV1B = available_externally constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @hidden] }

define void @function() {
  call void @declared()
  ret void
}
declare void @declared()

; CHECK: define void @hidden()
define void @hidden() {
  ret void
}
