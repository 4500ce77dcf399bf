// The program's end of a channel against a thread that serves the channel as a worker does.
#include "plugins/worker/channel_client.h"

#include "plugins/worker/fault.h"
#include "plugins/worker/futex.h"

#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <gantry/plugin.h>
#include <gtest/gtest.h>

#include "plugins/last_error.h"

namespace gantry::worker {
namespace {

struct WorkerChannel : ::testing::Test {
  /// Does `count` operations.
  std::thread serve(std::uint32_t count, const std::function<void(Channel&)>& perform) {
    return std::thread([this, count, perform] {
      Channel& channel = control->channels[0];
      for (std::uint32_t number = 1; number <= count; ++number) {
        while (!spin_until(channel.posted, number, 0)) {
          channel.worker_sleeps.store(1);
          wait_in_system(channel.posted, number - 1);
          channel.worker_sleeps.store(0);
        }
        perform(channel);
        channel.finished.store(number);
        if (channel.program_sleeps.load() != 0) {
          wake_all(channel.finished);
        }
      }
    });
  }

  std::unique_ptr<Control> control = std::make_unique<Control>();
  ChannelClient client{*control, control->channels[0]};
};

TEST_F(WorkerChannel, CarriesOneOperationAfterTheOther) {
  constexpr std::uint32_t kCount = 2000;
  std::thread server = serve(kCount, [](Channel& channel) {
    channel.copy.address *= 2;
    channel.code = GANTRY_SUCCESS;
  });
  for (std::uint64_t i = 0; i < kCount; ++i) {
    client->copy.address = i;
    ASSERT_EQ(client.call(Operation::kFindKernel), GANTRY_SUCCESS);
    ASSERT_EQ(client->copy.address, 2 * i);
    EXPECT_FALSE(client.busy());
  }
  server.join();
}

TEST_F(WorkerChannel, AnErrorComesWithItsMessage) {
  std::thread server = serve(1, [](Channel& channel) {
    constexpr std::string_view kMessage = "there is no such kernel";
    channel.code = GANTRY_NOT_FOUND;
    channel.payload_size = kMessage.size();
    std::memcpy(channel.payload, kMessage.data(), kMessage.size());
  });
  client.set_payload("name");
  EXPECT_EQ(client.call(Operation::kFindKernel), GANTRY_NOT_FOUND);
  EXPECT_STREQ(plugins::last_error(), "there is no such kernel");
  server.join();
}

TEST_F(WorkerChannel, AFaultThatMakesNoSenseIsDescribedAllTheSame) {
  control->fault.kind = FaultKind::kAccess;
  control->fault.known = 1;
  control->fault.access = 0x7FFFFFFF;
  control->fault.address = 0x10;
  control->fault.complete.store(1);
  EXPECT_EQ(describe_loss(*control), "the device is lost: code on the device used address 0x10");
}

TEST_F(WorkerChannel, BytesGoInPieces) {
  std::vector<std::byte> bytes(3 * kPayload + 5);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(i * 7);
  }
  std::vector<std::byte> arrived;
  std::thread server = serve(4, [&](Channel& channel) {
    arrived.insert(arrived.end(), channel.payload, channel.payload + channel.payload_size);
    channel.code = GANTRY_SUCCESS;
  });
  EXPECT_EQ(client.append(bytes), GANTRY_SUCCESS);
  server.join();
  EXPECT_EQ(arrived, bytes);
}

TEST_F(WorkerChannel, NobodyWaitsForAWorkerThatIsGone) {
  client.post(Operation::kLaunch);
  EXPECT_TRUE(client.busy());
  control->life.life.store(FUTEX_OWNER_DIED);
  EXPECT_FALSE(client.busy());
  EXPECT_EQ(client.wait(), GANTRY_DEVICE_LOST);
  EXPECT_STREQ(plugins::last_error(),
               "the device is lost: its worker process was killed, or code in "
               "it called _exit()");
}

TEST_F(WorkerChannel, AFaultIsToldAsItWasWritten) {
  Fault& fault = control->fault;
  const auto told = [&] {
    return describe_loss(*control).substr(std::strlen("the device is lost: "));
  };
  fault.kernel = 1;
  fault.kind = FaultKind::kAccess;
  fault.known = 1;
  fault.address = 0x10;
  EXPECT_FALSE(is_lost(*control));
  fault.complete.store(1);
  EXPECT_TRUE(is_lost(*control));
  EXPECT_EQ(told(), "a kernel used address 0x10");
  fault.access = GANTRY_FAULT_ACCESS_READ;
  EXPECT_EQ(told(), "a kernel read from address 0x10");
  fault.access = GANTRY_FAULT_ACCESS_WRITE;
  EXPECT_EQ(told(), "a kernel wrote to address 0x10");
  fault.known = 0;
  EXPECT_EQ(told(), "a kernel used an address that no memory has");
  fault.kind = FaultKind::kExit;
  fault.value = 3;
  EXPECT_EQ(told(), "a kernel called exit(3)");
  fault.kernel = 0;
  fault.kind = FaultKind::kSignal;
  fault.value = 15;
  EXPECT_EQ(told(), "the worker process was ended by signal 15 (Terminated)");
}

} // namespace
} // namespace gantry::worker
