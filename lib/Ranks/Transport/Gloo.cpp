// libmpcrt_gloo.so: messages by Gloo's unbound buffers over TCP.
//
// Its collectives are not used: their sums depend on the algorithm, and old
// ones shrink the buffers of the sockets that they share with the others.
#include "../../Support/PipeSignal.h"
#include "Plugin.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <gloo/rendezvous/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using mpc::PipeSignalBlock;
using mpc_plugin::mix;
using mpc_plugin::tell;
using std::chrono::milliseconds;
using BufferPointer = std::unique_ptr<gloo::transport::UnboundBuffer>;

// Gloo waits so many times as long as it is told for a connection.
constexpr int kConnectFactor = 5;

/// What Gloo says, without the file and line in front of it.
std::string shorten(const char *text) {
  std::string whole = text;
  std::size_t end = whole.find("] ");
  return whole.rfind('[', 0) == 0 && end != std::string::npos
             ? whole.substr(end + 2)
             : whole;
}

class EngineStore final : public gloo::rendezvous::Store {
public:
  explicit EngineStore(const mpc_engine_store &store) : store(store) {}

  void set(const std::string &name, const std::vector<char> &value) override {
    if (store.set(store.self, name.c_str(), value.data(), value.size()))
      throw std::runtime_error("the store did not take '" + name + "'");
  }
  std::vector<char> get(const std::string &name) override {
    std::vector<char> value;
    auto take = [](void *target, const void *data, uint64_t bytes) {
      auto *begin = static_cast<const char *>(data);
      static_cast<std::vector<char> *>(target)->assign(begin, begin + bytes);
    };
    if (store.get(store.self, name.c_str(), &value, take))
      throw std::runtime_error("the store has no '" + name + "'");
    return value;
  }
  void wait(const std::vector<std::string> &names) override {
    for (const std::string &name : names)
      get(name);
  }
  void wait(const std::vector<std::string> &names,
            const milliseconds &) override {
    wait(names);
  }

private:
  mpc_engine_store store;
};

class Engine {
public:
  explicit Engine(const mpc_engine_setup &setup)
      : context(std::make_shared<gloo::rendezvous::Context>(
            static_cast<int>(setup.rank), static_cast<int>(setup.size))) {
    gloo::transport::tcp::attr place;
    if (setup.interface)
      place.iface = setup.interface;
    else
      place.hostname = setup.host;
    auto device = gloo::transport::tcp::CreateDevice(place);
    context->setTimeout(
        milliseconds(std::max<int64_t>(1, setup.timeout_ms / kConnectFactor)));
    EngineStore store(setup.store);
    context->connectFullMesh(store, device);
  }

  bool exchange(const mpc_message *sends, uint32_t numSends,
                const mpc_message *receives, uint32_t numReceives,
                uint64_t kind, int64_t timeout, mpc_failure *failure);
  void abort();

private:
  BufferPointer make(const mpc_message &message) {
    return context->createUnboundBuffer(
        message.data, static_cast<std::size_t>(message.bytes));
  }
  void begin(const mpc_message *sends, uint32_t numSends,
             const mpc_message *receives, uint32_t numReceives, uint64_t kind);
  bool waitForAll(Clock::time_point deadline);
  std::string describeWait(const char *error, bool isLate) const;

  std::shared_ptr<gloo::rendezvous::Context> context;
  uint64_t number = 0; ///< of the exchange
  std::mutex mutex;    ///< of the buffers, which `abort` wakes up
  struct Buffer {
    BufferPointer pointer;
    uint32_t peer;
  };
  std::vector<Buffer> sending, receiving;
  // What is waited for.
  const Buffer *awaited = nullptr;
  bool isIncoming = false;
  std::atomic<bool> isAborted{false};
};

void Engine::begin(const mpc_message *sends, uint32_t numSends,
                   const mpc_message *receives, uint32_t numReceives,
                   uint64_t kind) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t slot = mix(++number, kind);
  for (uint32_t i = 0; i < numReceives; ++i)
    if (receives[i].bytes) {
      receiving.push_back({make(receives[i]), receives[i].peer});
      receiving.back().pointer->recv(static_cast<int>(receives[i].peer), slot);
    }
  for (uint32_t i = 0; i < numSends; ++i)
    if (sends[i].bytes) {
      sending.push_back({make(sends[i]), sends[i].peer});
      sending.back().pointer->send(static_cast<int>(sends[i].peer), slot);
    }
}

/// False if it was aborted.
bool Engine::waitForAll(Clock::time_point deadline) {
  // Never less than there is: what ends early is no timeout.
  auto left = [&] {
    auto rest = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    return std::max(rest, milliseconds(1)); // 0 and below: for ever
  };
  isIncoming = true;
  for (const Buffer &buffer : receiving) {
    awaited = &buffer;
    if (isAborted || !buffer.pointer->waitRecv(left()))
      return false;
  }
  isIncoming = false;
  for (const Buffer &buffer : sending) {
    awaited = &buffer;
    if (isAborted || !buffer.pointer->waitSend(left()))
      return false;
  }
  return true;
}

/// What Gloo says of a connection, with the rank behind it.
std::string Engine::describeWait(const char *error, bool isLate) const {
  if (!awaited)
    return shorten(error);
  std::string peer = "rank " + std::to_string(awaited->peer);
  if (isLate)
    return "timed out waiting for " + peer +
           (isIncoming ? " to send a message" : " to take a message");
  return shorten(error) + ", with " + peer;
}

bool Engine::exchange(const mpc_message *sends, uint32_t numSends,
                      const mpc_message *receives, uint32_t numReceives,
                      uint64_t kind, int64_t timeout, mpc_failure *failure) {
  Clock::time_point deadline = Clock::now() + milliseconds(timeout);
  bool done = false;
  try {
    awaited = nullptr;
    begin(sends, numSends, receives, numReceives, kind);
    done = waitForAll(deadline);
    if (!done)
      tell(failure, MPC_OUTCOME_ABORTED, "it was aborted");
  } catch (const std::exception &error) {
    bool isLate = Clock::now() >= deadline;
    tell(failure, isLate ? MPC_OUTCOME_TIMED_OUT : MPC_OUTCOME_FAILED,
         describeWait(error.what(), isLate));
  }
  std::lock_guard<std::mutex> lock(mutex);
  sending.clear();
  receiving.clear();
  return done;
}

void Engine::abort() {
  isAborted = true;
  std::lock_guard<std::mutex> lock(mutex);
  for (const Buffer &buffer : receiving)
    buffer.pointer->abortWaitRecv();
  for (const Buffer &buffer : sending)
    buffer.pointer->abortWaitSend();
}

void *openEngine(const mpc_engine_setup *setup, mpc_failure *failure) {
  PipeSignalBlock block;
  try {
    return new Engine(*setup);
  } catch (const std::exception &error) {
    tell(failure, MPC_OUTCOME_FAILED, shorten(error.what()));
    return nullptr;
  }
}

int exchangeMessages(void *self, const mpc_message *sends, uint32_t numSends,
                     const mpc_message *receives, uint32_t numReceives,
                     uint64_t kind, int64_t timeout, mpc_failure *failure) {
  PipeSignalBlock block;
  return static_cast<Engine *>(self)->exchange(
      sends, numSends, receives, numReceives, kind, timeout, failure);
}

const mpc_engine kEngine = {
    MPC_ENGINE_VERSION,
    /*needs_store=*/1,
    /*place=*/nullptr,
    openEngine,
    exchangeMessages,
    [](void *self) { static_cast<Engine *>(self)->abort(); },
    [](void *self) {
      PipeSignalBlock block;
      delete static_cast<Engine *>(self);
    }};

} // namespace

extern "C" __attribute__((visibility("default"))) const mpc_engine *
mpc_ranks_engine() {
  return &kEngine;
}
