// The runtime's beginning and end, and what is asked of it as a whole.
#include "hsa_test.h"

#include <sys/wait.h>
#include <unistd.h>

namespace simt_hsa_test {
namespace {

using ProcessTest = HsaTest;

TEST(NotInitialised, IsWhatAllCallsSay) {
  std::uint64_t value = 0;
  void* pointer = nullptr;
  hsa_signal_t signal = {};
  const char* text = nullptr;
  EXPECT_EQ(HSA(hsa_shut_down)(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(HSA(hsa_status_string)(kSuccess, &text), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(HSA(hsa_system_get_info)(HSA_SYSTEM_INFO_TIMESTAMP, &value),
            HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(HSA(hsa_agent_get_info)({1}, HSA_AGENT_INFO_NAME, &value),
            HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(HSA(hsa_signal_create)(0, 0, nullptr, &signal), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(HSA(hsa_memory_copy)(&value, &value, 8), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(HSA(hsa_amd_memory_pool_allocate)({1}, 8, 0, &pointer),
            HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(HSA(hsa_queue_destroy)(nullptr), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(HSA(hsa_executable_freeze)({1}, ""), HSA_STATUS_ERROR_NOT_INITIALIZED);
  HSA(hsa_signal_store_relaxed)({1}, 1);
  EXPECT_EQ(HSA(hsa_signal_load_scacquire)({1}), 0);
  EXPECT_EQ(HSA(hsa_queue_add_write_index_relaxed)(nullptr, 1), 0u);
}

TEST_F(ProcessTest, CountsReferences) {
  ASSERT_EQ(HSA(hsa_init)(), kSuccess);
  EXPECT_EQ(HSA(hsa_shut_down)(), kSuccess);
  const hsa_signal_t made = signal(3);
  EXPECT_EQ(value(made), 3);
  ASSERT_EQ(HSA(hsa_shut_down)(), kSuccess);
  EXPECT_EQ(HSA(hsa_shut_down)(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  ASSERT_EQ(HSA(hsa_init)(), kSuccess);
  EXPECT_EQ(HSA(hsa_signal_destroy)(made), HSA_STATUS_ERROR_INVALID_SIGNAL)
      << "the first runtime's";
}

TEST_F(ProcessTest, AForkedChildHasNoRuntime) {
  const hsa_signal_t made = signal(3);
  const pid_t child = fork();
  if (child == 0) {
    std::uint64_t now = 0;
    const bool right = HSA(hsa_system_get_info)(HSA_SYSTEM_INFO_TIMESTAMP, &now) ==
                           HSA_STATUS_ERROR_NOT_INITIALIZED &&
                       HSA(hsa_shut_down)() == HSA_STATUS_ERROR_NOT_INITIALIZED &&
                       HSA(hsa_signal_load_scacquire)(made) == 0 && HSA(hsa_init)() != kSuccess;
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(value(made), 3);
}

TEST_F(ProcessTest, AnswersForTheSystem) {
  std::uint16_t version = 0;
  EXPECT_EQ(HSA(hsa_system_get_info)(HSA_SYSTEM_INFO_VERSION_MAJOR, &version), kSuccess);
  EXPECT_EQ(version, 1);
  std::uint64_t frequency = 0;
  EXPECT_EQ(HSA(hsa_system_get_info)(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency), kSuccess);
  EXPECT_EQ(frequency, 1'000'000'000u);
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  EXPECT_EQ(HSA(hsa_system_get_info)(HSA_SYSTEM_INFO_TIMESTAMP, &before), kSuccess);
  EXPECT_EQ(HSA(hsa_system_get_info)(HSA_SYSTEM_INFO_TIMESTAMP, &after), kSuccess);
  EXPECT_LE(before, after);
  EXPECT_EQ(HSA(hsa_system_get_info)(static_cast<hsa_system_info_t>(0x999), &before),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_system_get_info)(HSA_SYSTEM_INFO_TIMESTAMP, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(ProcessTest, StatusesHaveTexts) {
  const char* text = nullptr;
  EXPECT_EQ(HSA(hsa_status_string)(HSA_STATUS_ERROR_INVALID_AGENT, &text), kSuccess);
  EXPECT_THAT(text, testing::HasSubstr("HSA_STATUS_ERROR_INVALID_AGENT"));
  EXPECT_EQ(HSA(hsa_status_string)(static_cast<hsa_status_t>(HSA_STATUS_ERROR_MEMORY_FAULT), &text),
            kSuccess);
  EXPECT_EQ(HSA(hsa_status_string)(static_cast<hsa_status_t>(77), &text),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_status_string)(kSuccess, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

} // namespace
} // namespace simt_hsa_test
