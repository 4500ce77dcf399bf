// Images that hold PTX in other ways than as a text: nvcc's fat binaries, and the ELF files that
// the executor's ptxas and libnvJitLink make.
#include "driver_test.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ImageTest : public DriverTest {
protected:
  void SetUp() override {
    if (!cuda().is_simulated) {
      GTEST_SKIP() << "such images are for the simulated driver";
    }
    DriverTest::SetUp();
    std::string folder = testing::TempDir() + "gantry-images-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder + "/";
  }
  void TearDown() override {
    DriverTest::TearDown();
    if (!folder_.empty()) {
      EXPECT_EQ(std::system(("rm -r " + folder_).c_str()), 0);
    }
  }

  std::string write(const char* name, const std::string& text) const {
    std::ofstream(folder_ + name, std::ios::binary) << text;
    return folder_ + name;
  }
  /// Loads the image, of which the driver is not told the size, and runs `fill` in it.
  void runs(const std::string& image) {
    // At the end of its memory, so that a sanitizer sees reads past it.
    const std::vector<char> bytes(image.begin(), image.end());
    CUmodule module = nullptr;
    ASSERT_OK(cuda().cuModuleLoadData(&module, bytes.data()));
    CUfunction fill = nullptr;
    ASSERT_OK(cuda().cuModuleGetFunction(&fill, module, "fill"));
    CUdeviceptr out = allocate(256);
    std::uint32_t value = ++value_;
    std::uint32_t count = 64;
    void* parameters[] = {&out, &value, &count};
    EXPECT_OK(cuda().cuLaunchKernel(fill, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_EQ(words(out, 64), std::vector<std::uint32_t>(64, value));
    EXPECT_OK(cuda().cuModuleUnload(module));
  }

  struct Outcome {
    int status;
    std::string output;
  };
  /// Runs the assembler in the test's folder.
  [[nodiscard]] Outcome ptxas(const std::string& arguments) const {
    const std::string command = "cd " + folder_ + " && " SIMT_TEST_PTXAS " " + arguments + " 2>&1";
    std::FILE* const pipe = popen(command.c_str(), "r");
    std::string output;
    std::array<char, 4096> buffer;
    for (std::size_t count = 0; (count = fread(buffer.data(), 1, buffer.size(), pipe)) != 0;) {
      output.append(buffer.data(), count);
    }
    const int status = pclose(pipe);
    return {WEXITSTATUS(status), output};
  }

  std::string folder_;
  std::uint32_t value_ = 0;
};

TEST_F(ImageTest, NvccsFatBinariesMayBeCompressed) {
  for (const char* const name : {"plain", "lz4", "zstd"}) {
    SCOPED_TRACE(name);
    runs(read_file(std::string(SIMT_TEST_IMAGES "/") + name + ".fatbin"));
  }
}

TEST_F(ImageTest, DamagedOnesAreRefused) {
  const std::string whole = read_file(SIMT_TEST_IMAGES "/zstd.fatbin");
  CUmodule module = nullptr;
  std::string changed = whole;
  changed[16 + 80] ^= 0x55; // the first byte of the compressed text
  EXPECT_EQ(cuda().cuModuleLoadData(&module, changed.data()), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_F(ImageTest, TheAssemblersFilesAreLoaded) {
  write("kernels.ptx", kKernels);
  const Outcome made = ptxas("-arch=sm_80 -v --opt-level 3 -lineinfo -m64 kernels.ptx -o k.cubin");
  EXPECT_EQ(made.status, 0) << made.output;
  EXPECT_NE(made.output.find("Compiling entry function 'fill' for 'sm_80'"), std::string::npos);
  const std::string cubin = read_file(folder_ + "k.cubin");
  runs(cubin);
  CUmodule module = nullptr;
  EXPECT_OK(cuda().cuModuleLoad(&module, (folder_ + "k.cubin").c_str()));
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  EXPECT_OK(cuda().cuModuleGetGlobal_v2(&address, &bytes, module, "words"));
  EXPECT_EQ(bytes, 64U);
  CUlibrary library = nullptr;
  EXPECT_OK(
      cuda().cuLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  EXPECT_OK(cuda().cuLibraryUnload(library));
  // Without -o, and as a string.
  EXPECT_EQ(ptxas("-arch sm_70 -ias \"$(cat kernels.ptx)\"").status, 0);
  runs(read_file(folder_ + "elf.o"));
}

TEST_F(ImageTest, TheAssemblerNamesWhatIsWrong) {
  write("kernels.ptx", kKernels);
  write("bad.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n"
                   "  mov.u32 %r1, 5;\n}\n");
  write("open.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func absent();\n"
                    ".entry k()\n{\n  call absent;\n  ret;\n}\n");
  const auto fails = [&](const char* arguments, const char* message) {
    const Outcome outcome = ptxas(arguments);
    EXPECT_EQ(outcome.status, 255) << arguments;
    EXPECT_NE(outcome.output.find(message), std::string::npos) << outcome.output;
  };
  fails("-arch=sm_80 bad.ptx", "ptxas bad.ptx, line 6:11; error   : Unknown symbol '%r1'");
  fails("-arch=sm_80 open.ptx", "absent");
  EXPECT_EQ(ptxas("-arch=sm_80 -c open.ptx").status, 0);
  fails("-arch=sm_60 kernels.ptx", "line 2; error   : The text is for sm_70");
  fails("-arch=gfx90a kernels.ptx", "Value 'gfx90a' is not defined for option 'gpu-name'");
  fails("--novelty kernels.ptx", "Unknown option '--novelty'");
  fails("-arch", "needs a value");
  fails("absent.ptx", "Input file 'absent.ptx' could not be opened");
  fails("-arch=sm_80 kernels.ptx -o /nonexistent/x", "could not be written");
  const Outcome version = ptxas("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_NE(version.output.find("release 13.0"), std::string::npos);
  EXPECT_EQ(ptxas("--help").status, 0);
}

TEST_F(ImageTest, ObjectsOfTheAssemblerAreLinked) {
  const std::string inner = ".version 8.0\n.target sm_80\n.address_size 64\n"
                            ".visible .func (.param .b32 r) seven()\n{\n"
                            "  st.param.b32 [r], 7;\n  ret;\n}\n";
  const std::string outer = ".version 8.0\n.target sm_80\n.address_size 64\n"
                            ".extern .func (.param .b32 r) seven();\n"
                            ".visible .entry k(.param .u64 out)\n{\n  .reg .b32 %r;\n"
                            "  .reg .b64 %rd;\n  .param .b32 got;\n  ld.param.u64 %rd, [out];\n"
                            "  call (got), seven;\n  ld.param.b32 %r, [got];\n"
                            "  st.global.u32 [%rd], %r;\n  ret;\n}\n";
  write("inner.ptx", inner);
  write("outer.ptx", outer);
  ASSERT_EQ(ptxas("-c -arch=sm_80 inner.ptx -o inner.o").status, 0);
  ASSERT_EQ(ptxas("-c -arch=sm_80 outer.ptx -o outer.o").status, 0);
  CUlinkState state = nullptr;
  ASSERT_OK(cuda().cuLinkCreate_v2(0, nullptr, nullptr, &state));
  for (const char* const name : {"inner.o", "outer.o"}) {
    EXPECT_OK(cuda().cuLinkAddFile_v2(state, CU_JIT_INPUT_OBJECT, (folder_ + name).c_str(), 0,
                                      nullptr, nullptr));
  }
  void* linked = nullptr;
  std::size_t size = 0;
  ASSERT_OK(cuda().cuLinkComplete(state, &linked, &size));
  CUmodule module = nullptr;
  ASSERT_OK(cuda().cuModuleLoadData(&module, linked));
  EXPECT_OK(cuda().cuLinkDestroy(state));
  CUfunction kernel = nullptr;
  ASSERT_OK(cuda().cuModuleGetFunction(&kernel, module, "k"));
  CUdeviceptr out = allocate(4);
  void* parameters[] = {&out};
  EXPECT_OK(cuda().cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(words(out, 1)[0], 7U);
}

/// The functions of nvJitLink, by the names that a client looks up.
struct Linker {
  explicit Linker(const char* suffix) {
    void* const library = dlopen(SIMT_TEST_NVJITLINK, RTLD_NOW | RTLD_LOCAL);
    const auto find = [&](auto& function, const char* name) {
      const std::string decorated = *suffix == '\0'
                                        ? std::string("nvJitLink") + name
                                        : std::string("__nvJitLink") + name + "_" + suffix;
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          dlsym(library, decorated.c_str()));
      EXPECT_NE(function, nullptr) << decorated;
    };
    find(create, "Create");
    find(destroy, "Destroy");
    find(add, "AddData");
    find(add_file, "AddFile");
    find(complete, "Complete");
    find(cubin_size, "GetLinkedCubinSize");
    find(cubin, "GetLinkedCubin");
    find(log_size, "GetErrorLogSize");
    find(log, "GetErrorLog");
    find(ptx_size, "GetLinkedPtxSize");
    find(ptx, "GetLinkedPtx");
    find(info_size, "GetInfoLogSize");
    find(version, "Version");
  }
  int (*create)(void**, std::uint32_t, const char* const*);
  int (*destroy)(void**);
  int (*add)(void*, int, const void*, std::size_t, const char*);
  int (*add_file)(void*, int, const char*);
  int (*complete)(void*);
  int (*cubin_size)(void*, std::size_t*);
  int (*cubin)(void*, void*);
  int (*log_size)(void*, std::size_t*);
  int (*log)(void*, char*);
  int (*ptx_size)(void*, std::size_t*);
  int (*ptx)(void*, char*);
  int (*info_size)(void*, std::size_t*);
  int (*version)(unsigned*, unsigned*);
};

TEST_F(ImageTest, NvJitLinkLinksPtx) {
  for (const char* const suffix : {"", "12_0", "12_4", "12_9", "13_0"}) {
    SCOPED_TRACE(suffix);
    const Linker linker(suffix);
    const char* const options[] = {"-arch=sm_80", "-O3", "-lineinfo", "-ftz=true"};
    void* handle = nullptr;
    ASSERT_EQ(linker.create(&handle, 4, options), 0);
    EXPECT_EQ(linker.add(handle, 2, kKernels, std::strlen(kKernels), "kernels"), 0);
    const std::string other = ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".visible .entry other() { ret; }\n";
    EXPECT_EQ(linker.add_file(handle, 10, write("other.ptx", other).c_str()), 0);
    EXPECT_EQ(linker.complete(handle), 0);
    std::size_t size = 0;
    ASSERT_EQ(linker.cubin_size(handle, &size), 0);
    std::string cubin(size, '\0');
    EXPECT_EQ(linker.cubin(handle, cubin.data()), 0);
    EXPECT_NE(linker.ptx_size(handle, &size), 0); // of two texts
    EXPECT_EQ(linker.destroy(&handle), 0);
    EXPECT_EQ(handle, nullptr);
    runs(cubin);
  }
}

TEST_F(ImageTest, NvJitLinkTakesFatBinariesAndGivesTheirPtx) {
  const Linker linker("");
  const char* const options[] = {"-arch=sm_80"};
  void* handle = nullptr;
  ASSERT_EQ(linker.create(&handle, 1, options), 0);
  const std::string fat = read_file(SIMT_TEST_IMAGES "/zstd.fatbin");
  EXPECT_EQ(linker.add(handle, 4, fat.data(), fat.size(), "zstd.fatbin"), 0);
  EXPECT_EQ(linker.complete(handle), 0);
  std::size_t size = 0;
  ASSERT_EQ(linker.ptx_size(handle, &size), 0);
  std::string ptx(size, '\0');
  EXPECT_EQ(linker.ptx(handle, ptx.data()), 0);
  EXPECT_NE(ptx.find(".visible .entry fill("), std::string::npos);
  ASSERT_EQ(linker.cubin_size(handle, &size), 0);
  std::string cubin(size, '\0');
  EXPECT_EQ(linker.cubin(handle, cubin.data()), 0);
  EXPECT_EQ(linker.destroy(&handle), 0);
  runs(cubin);
}

TEST_F(ImageTest, NvJitLinkSaysWhatIsWrong) {
  const Linker linker("");
  void* handle = nullptr;
  const char* const none[] = {"-O3"};
  EXPECT_EQ(linker.create(&handle, 1, none), 2); // no -arch
  const char* const unknown[] = {"-arch=sm_80", "-novelty"};
  EXPECT_EQ(linker.create(&handle, 2, unknown), 1);
  const char* const wrong[] = {"-arch=gfx90a"};
  EXPECT_EQ(linker.create(&handle, 1, wrong), 16);
  EXPECT_EQ(linker.create(nullptr, 1, wrong), 10);
  const char* const good[] = {"-arch=sm_80"};
  ASSERT_EQ(linker.create(&handle, 1, good), 0);
  EXPECT_EQ(linker.complete(handle), 3); // nothing to link
  const std::string bad = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { mov; x y }";
  EXPECT_EQ(linker.add(handle, 2, bad.data(), bad.size(), "bad.ptx"), 4);
  std::size_t size = 0;
  ASSERT_EQ(linker.log_size(handle, &size), 0);
  std::string log(size, '\0');
  EXPECT_EQ(linker.log(handle, log.data()), 0);
  EXPECT_NE(log.find("bad.ptx, line 4"), std::string::npos) << log;
  EXPECT_EQ(linker.add(handle, 1,
                       "\x7F"
                       "ELF and so on",
                       13, "gpu.cubin"),
            3);
  EXPECT_EQ(linker.add(handle, 3, "BC", 2, "lto"), 3);
  EXPECT_EQ(linker.add(handle, 99, "x", 1, "?"), 8);
  EXPECT_EQ(linker.add(handle, 2, nullptr, 1, "?"), 10);
  EXPECT_EQ(linker.cubin_size(handle, &size), 6);
  const std::string open =
      ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func absent();\n"
      ".entry k() { call absent; ret; }\n";
  EXPECT_EQ(linker.add(handle, 2, open.data(), open.size(), "open.ptx"), 0);
  EXPECT_EQ(linker.complete(handle), 9);
  EXPECT_EQ(linker.destroy(&handle), 0);
  int stranger = 0;
  EXPECT_EQ(linker.complete(&stranger), 3);
  EXPECT_EQ(linker.complete(nullptr), 10);
  unsigned major = 0;
  unsigned minor = 0;
  EXPECT_EQ(linker.version(&major, &minor), 0);
  EXPECT_EQ(major, 13U);
}

} // namespace
