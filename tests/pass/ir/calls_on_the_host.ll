; passes: gantry-indirect-calls,function(gantry-virtual-calls)
; Code for the host calls what a pointer says.

; CHECK-NOT: __kmpc_target_translate_fptr
define void @argument(ptr %f, ptr %object) {
  call void %f()
  %table = load ptr, ptr %object
  %g = load ptr, ptr %table
  call void %g(ptr %object)
  ret void
}
