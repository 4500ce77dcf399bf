#include "hsa_test.h"

#include <set>

namespace simt_hsa_test {
namespace {

class ExecutableTest : public KernelTest {
protected:
  hsa_status_t load(hsa_executable_t into, const std::string& object) const {
    hsa_code_object_reader_t reader = {};
    EXPECT_EQ(HSA(hsa_code_object_reader_create_from_memory)(object.data(), object.size(), &reader),
              kSuccess);
    hsa_loaded_code_object_t loaded = {};
    const hsa_status_t status =
        HSA(hsa_executable_load_agent_code_object)(into, gpu, reader, "", &loaded);
    EXPECT_EQ(HSA(hsa_code_object_reader_destroy)(reader), kSuccess);
    EXPECT_EQ(loaded.handle != 0, status == kSuccess);
    return status;
  }
  static hsa_executable_t unfrozen() {
    hsa_executable_t made = {};
    EXPECT_EQ(HSA(hsa_executable_create_alt)(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                             nullptr, &made),
              kSuccess);
    return made;
  }
  hsa_executable_symbol_t find(const char* name) const {
    hsa_executable_symbol_t found = {};
    EXPECT_EQ(HSA(hsa_executable_get_symbol_by_name)(executable, name, &gpu, &found), kSuccess)
        << name;
    return found;
  }
  template <typename T>
  static T info(hsa_executable_symbol_t of, hsa_executable_symbol_info_t attribute) {
    T answer = {};
    EXPECT_EQ(HSA(hsa_executable_symbol_get_info)(of, attribute, &answer), kSuccess) << attribute;
    return answer;
  }
};

TEST_F(ExecutableTest, KernelsSayWhatTheyAre) {
  const hsa_executable_symbol_t first = find("first.kd");
  EXPECT_EQ(info<hsa_symbol_kind_t>(first, HSA_EXECUTABLE_SYMBOL_INFO_TYPE),
            HSA_SYMBOL_KIND_KERNEL);
  EXPECT_EQ(info<std::uint32_t>(first, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE),
            24u);
  EXPECT_EQ(info<std::uint32_t>(first, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT),
            16u);
  EXPECT_EQ(info<std::uint32_t>(first, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE), 128u);
  EXPECT_EQ(info<std::uint32_t>(first, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE),
            16u);
  EXPECT_FALSE(info<bool>(first, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK));
  EXPECT_EQ(info<std::uint64_t>(first, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT) % 64, 0u);
  EXPECT_EQ(info<hsa_agent_t>(first, HSA_EXECUTABLE_SYMBOL_INFO_AGENT).handle, gpu.handle);
  EXPECT_EQ(info<hsa_symbol_linkage_t>(first, HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE),
            HSA_SYMBOL_LINKAGE_PROGRAM);
  EXPECT_TRUE(info<bool>(first, HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION));
  ASSERT_EQ(info<std::uint32_t>(first, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH), 8u);
  std::string name(9, 'x');
  EXPECT_EQ(
      HSA(hsa_executable_symbol_get_info)(first, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data()),
      kSuccess);
  EXPECT_EQ(name, "first.kdx");
  std::uint64_t answer = 0;
  EXPECT_EQ(HSA(hsa_executable_symbol_get_info)(first, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS,
                                                &answer),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(ExecutableTest, VariablesLieInMemory) {
  const hsa_executable_symbol_t pointers = find("pointers");
  EXPECT_EQ(info<hsa_symbol_kind_t>(pointers, HSA_EXECUTABLE_SYMBOL_INFO_TYPE),
            HSA_SYMBOL_KIND_VARIABLE);
  EXPECT_EQ(info<std::uint32_t>(pointers, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE), 16u);
  EXPECT_FALSE(info<bool>(pointers, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST));
  EXPECT_TRUE(info<bool>(find("constant"), HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST));
  const std::uint64_t place = address("pointers");
  std::uint64_t words[3] = {};
  ASSERT_EQ(HSA(hsa_memory_copy)(words, reinterpret_cast<void*>(place), sizeof words), kSuccess);
  EXPECT_EQ(words[0], place + 8);
  EXPECT_EQ(words[1], place + 16);
  EXPECT_EQ(words[2], 5u);
  const std::uint32_t number = 3;
  EXPECT_EQ(HSA(hsa_memory_copy)(reinterpret_cast<void*>(address("zeros")), &number, sizeof number),
            kSuccess);
  hsa_amd_pointer_info_t described = {};
  described.size = sizeof described;
  EXPECT_EQ(HSA(hsa_amd_pointer_info)(reinterpret_cast<void*>(place), &described, nullptr, nullptr,
                                      nullptr),
            kSuccess);
  EXPECT_EQ(described.type, HSA_EXT_POINTER_TYPE_HSA);
  EXPECT_EQ(HSA(hsa_amd_memory_pool_free)(described.agentBaseAddress),
            HSA_STATUS_ERROR_INVALID_ALLOCATION)
      << "the executable's";
}

TEST_F(ExecutableTest, SymbolsAreTraversed) {
  std::set<std::string> names;
  const auto append = [](hsa_executable_t, hsa_executable_symbol_t symbol, void* data) {
    std::string name(info<std::uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH), ' ');
    EXPECT_EQ(
        HSA(hsa_executable_symbol_get_info)(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data()),
        kSuccess);
    static_cast<std::set<std::string>*>(data)->insert(name);
    return HSA_STATUS_SUCCESS;
  };
  EXPECT_EQ(HSA(hsa_executable_iterate_symbols)(executable, append, &names), kSuccess);
  EXPECT_EQ(names,
            (std::set<std::string>{"first.kd", "second.kd", "constant", "pointers", "zeros"}));
  EXPECT_EQ(HSA(hsa_executable_iterate_symbols)(executable, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(ExecutableTest, HasStates) {
  const hsa_executable_t made = unfrozen();
  EXPECT_EQ(load(made, bytes), kSuccess);
  EXPECT_EQ(load(made, bytes), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS) << "twice for an agent";
  hsa_executable_symbol_t symbol = {};
  ASSERT_EQ(HSA(hsa_executable_get_symbol_by_name)(made, "zeros", &gpu, &symbol), kSuccess);
  EXPECT_EQ(info<std::uint64_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS), 0u);
  EXPECT_EQ(HSA(hsa_executable_freeze)(made, nullptr), kSuccess);
  EXPECT_NE(info<std::uint64_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS), 0u);
  EXPECT_EQ(HSA(hsa_executable_freeze)(made, nullptr), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  EXPECT_EQ(load(made, bytes), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  EXPECT_EQ(HSA(hsa_executable_global_variable_define)(made, "x", &symbol),
            HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  std::uint32_t result = 7;
  EXPECT_EQ(HSA(hsa_executable_validate)(made, &result), kSuccess);
  EXPECT_EQ(result, 0u);
  EXPECT_EQ(HSA(hsa_executable_destroy)(made), kSuccess);
  EXPECT_EQ(HSA(hsa_executable_destroy)(made), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  EXPECT_EQ(HSA(hsa_executable_freeze)(made, nullptr), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  std::uint64_t answer = 0;
  EXPECT_EQ(HSA(hsa_executable_symbol_get_info)(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &answer),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
}

TEST_F(ExecutableTest, UsesWhatTheProgramDefines) {
  const std::string object = code_object("undefined.hsaco");
  hsa_executable_t made = unfrozen();
  testing::internal::CaptureStderr();
  EXPECT_EQ(load(made, object), HSA_STATUS_ERROR_VARIABLE_UNDEFINED);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("uses elsewhere"));
  auto* const own = memory<std::uint64_t>(2);
  EXPECT_EQ(HSA(hsa_executable_global_variable_define)(made, "elsewhere", own), kSuccess);
  EXPECT_EQ(HSA(hsa_executable_global_variable_define)(made, "elsewhere", own),
            HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
  EXPECT_EQ(HSA(hsa_executable_global_variable_define)(made, nullptr, own),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(load(made, object), kSuccess);
  ASSERT_EQ(HSA(hsa_executable_freeze)(made, ""), kSuccess);
  std::swap(executable, made);
  std::uint64_t stored = 0;
  ASSERT_EQ(HSA(hsa_memory_copy)(&stored, reinterpret_cast<void*>(address("here")), 8), kSuccess);
  EXPECT_EQ(stored, reinterpret_cast<std::uint64_t>(own) + 4);
}

// As GCC's runtime does it.
TEST_F(ExecutableTest, LoadsDeserialisedCodeObjects) {
  std::string object = code_object("gfx906_v3.hsaco");
  hsa_executable_t made = {};
  ASSERT_EQ(HSA(hsa_executable_create)(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, "", &made),
            kSuccess);
  hsa_code_object_t code = {};
  ASSERT_EQ(HSA(hsa_code_object_deserialize)(object.data(), object.size(), nullptr, &code),
            kSuccess);
  ASSERT_EQ(HSA(hsa_executable_load_code_object)(made, gpu, code, ""), kSuccess);
  EXPECT_EQ(HSA(hsa_code_object_destroy)(code), kSuccess);
  EXPECT_EQ(HSA(hsa_code_object_destroy)(code), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  ASSERT_EQ(HSA(hsa_executable_freeze)(made, ""), kSuccess);
  hsa_executable_symbol_t symbol = {};
  EXPECT_EQ(HSA(hsa_executable_get_symbol)(made, nullptr, "second.kd", gpu, 0, &symbol), kSuccess);
  EXPECT_EQ(HSA(hsa_executable_get_symbol)(made, "module", "second.kd", gpu, 0, &symbol),
            HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_EQ(HSA(hsa_executable_load_code_object)(unfrozen(), gpu, code, ""),
            HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
}

TEST_F(ExecutableTest, RefusesWhatIsWrong) {
  hsa_executable_t made = {};
  EXPECT_EQ(HSA(hsa_executable_create_alt)(static_cast<hsa_profile_t>(5),
                                           HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, "", &made),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_executable_create_alt)(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                           "", nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_executable_create)(HSA_PROFILE_BASE, static_cast<hsa_executable_state_t>(4), "",
                                       &made),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_code_object_reader_t reader = {};
  EXPECT_EQ(HSA(hsa_code_object_reader_create_from_memory)(nullptr, 8, &reader),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_code_object_reader_create_from_memory)(bytes.data(), 0, &reader),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_code_object_reader_destroy)({1}), HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  EXPECT_EQ(HSA(hsa_executable_load_agent_code_object)(unfrozen(), gpu, {1}, "", nullptr),
            HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  EXPECT_EQ(HSA(hsa_executable_load_agent_code_object)(unfrozen(), {1}, {1}, "", nullptr),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(HSA(hsa_executable_load_agent_code_object)({1}, gpu, {1}, "", nullptr),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  hsa_executable_symbol_t symbol = {};
  EXPECT_EQ(HSA(hsa_executable_get_symbol_by_name)(executable, "third.kd", &gpu, &symbol),
            HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_EQ(HSA(hsa_executable_get_symbol_by_name)(executable, nullptr, &gpu, &symbol),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_executable_get_symbol_by_name)(executable, "first.kd", &cpu, &symbol),
            HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_EQ(HSA(hsa_executable_get_symbol_by_name)({1}, "first.kd", &gpu, &symbol),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  testing::internal::CaptureStderr();
  EXPECT_EQ(load(unfrozen(), code_object("gfx1100_v6.hsaco")),
            HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_EQ(load(unfrozen(), "nonsense"), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  EXPECT_EQ(load(unfrozen(), bytes.substr(0, 2000)), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::HasSubstr("gantry: error: a code object cannot be loaded: the code "
                                       "object is for gfx1100, and the device is gfx906\n"));
  EXPECT_THAT(said, testing::HasSubstr("the 8 bytes are no ELF file\n"));
}

} // namespace
} // namespace simt_hsa_test
