// What the linker wrapper prints for --help: each option of its own, and which of the host linker's
// it reads.

#include "link/arguments.h"

namespace gantry::link {

std::string_view help_text() {
  return R"(Usage: clang-linker-wrapper [options] --linker-path=LINKER [host linker arguments]
       gantry link              [options] --linker-path=LINKER [host linker arguments]

Links a program that holds OpenMP device code: finds the device code in the objects and archives that
the host link takes, links it for each target, and adds to the host link an object that holds the
images and registers them with the runtime. Clang runs it in place of the linker; pass options of the
wrapper itself with -Wl, as in -Wl,--wrapper-verbose. Arguments that are not listed here belong to the
host linker and keep their order. @FILE reads arguments from FILE.

What to link
  --linker-path=PATH            the host linker to run
  --host-triple=TRIPLE          what the host code is for
  -o FILE, -L DIR, -l NAME, --sysroot=DIR, --whole-archive, --start-group, -static, -r, …
                                as for the host linker; -r keeps the device code for the final link
  --device-linker=[TRIPLE=]ARG  give ARG to the device linker (of that target)
  --device-compiler=[TRIPLE=]ARG
                                -O0 … -O3, -Os, -Oz: how bitcode (-foffload-lto) is optimised;
                                other compiler flags are accepted
  -mllvm ARG                    give ARG to LLVM when bitcode is compiled
  --libdevice=FILE              for NVIDIA's GPUs, take mathematics from FILE, CUDA's
                                nvvm/libdevice/libdevice.10.bc, before Gantry's own
  --ptxas=PATH                  for NVIDIA's GPUs, add machine code, which NVIDIA's ptxas at PATH and
                                fatbinary beside it make of the PTX; without, the driver makes it
                                when the program runs
  --ptxas-arg=ARG               give ARG to ptxas
  --override-image=openmp=FILE  take FILE instead of linking device code
  --skip-unsupported-images     leave out device code for targets that Gantry has not, instead of
                                refusing to link

What to show
  --dry-run                     print the commands that would run, and run none
  --wrapper-verbose, -v         print each command before it runs
  --print-wrapped-module        print the LLVM IR of the registration object
  --save-temps                  keep intermediate files in the folder OUTPUT.gantry-temps
  --wrapper-time-trace=FILE     write a Chrome trace of the stages
  --wrapper-time-trace-granularity=MICROSECONDS
                                leave out of it what took less (default: 500)
  --wrapper-jobs=N              link at most N targets at once (default: one a processor)
  --help, --version

Accepted for compatibility: --opt-level=, --device-debug, --offload-opt= (Clang 19's forms of the
above), --cuda-path=, --should-extract=, --bitcode-library=, --builtin-bitcode=,
--clang-backend, --embed-bitcode, --compress, --compression-level=, --pass-remarks*=.

Examples:
  gantry clang++ app.o -o app -Wl,--dry-run    show how a program would be linked
  gantry clang++ app.o -o app -Wl,--save-temps    keep the images and the registration object
)";
}

} // namespace gantry::link
