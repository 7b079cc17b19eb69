// libmpcrt_gloo.so: messages by Gloo's unbound buffers over TCP.
//
// Its collectives are not used: their sums depend on the algorithm, and old
// ones shrink the buffers of the sockets that they share with the others.
#include "../../Support/PipeSignal.h"
#include "GlooSockets.h"
#include "GlooThread.h"
#include "Plugin.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <gloo/transport/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using mpc::PipeSignalBlock;
using mpc_plugin::GlooThread;
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

using Bytes = std::vector<char>;

void setValue(const mpc_engine_store &store, const std::string &name,
              const Bytes &value) {
  if (store.set(store.self, name.c_str(), value.data(), value.size()))
    throw std::runtime_error("the store did not take '" + name + "'");
}

Bytes getValue(const mpc_engine_store &store, const std::string &name) {
  Bytes value;
  auto take = [](void *target, const void *data, uint64_t bytes) {
    auto *begin = static_cast<const char *>(data);
    static_cast<Bytes *>(target)->assign(begin, begin + bytes);
  };
  if (store.get(store.self, name.c_str(), &value, take))
    throw std::runtime_error("the store has no '" + name + "'");
  return value;
}

/// Gloo sends a sockaddr_storage as it lies in memory, of which an address
/// fills the begin alone: what lay there before is nobody's business.
Bytes clean(Bytes address) {
  sockaddr_storage whole;
  if (address.size() < sizeof whole)
    return address;
  std::memcpy(&whole, address.data(), sizeof whole);
  std::size_t used = whole.ss_family == AF_INET    ? sizeof(sockaddr_in)
                     : whole.ss_family == AF_INET6 ? sizeof(sockaddr_in6)
                                                   : sizeof whole;
  std::fill(address.begin() + static_cast<std::ptrdiff_t>(used),
            address.begin() + sizeof whole, 0);
  return address;
}

/// What Gloo sends of an address begins with it.
sockaddr_storage socketOf(const Bytes &address) {
  sockaddr_storage place = {};
  std::memcpy(&place, address.data(), std::min(address.size(), sizeof place));
  return place;
}

/// Calls `end` when the store says that it is over, while one lives.
class Watch {
public:
  template <typename End>
  Watch(const mpc_engine_store &store, End end)
      : thread([this, store, end] {
          std::unique_lock<std::mutex> lock(mutex);
          while (!isDone && !store.is_over(store.self))
            changed.wait_for(lock, milliseconds(20));
          if (!isDone)
            end();
        }) {}
  ~Watch() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      isDone = true;
    }
    changed.notify_all();
    thread.join();
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;
  std::thread thread;
};

class Engine {
public:
  explicit Engine(const mpc_engine_setup &setup)
      : rank(setup.rank), size(setup.size) {
    gloo::transport::tcp::attr place;
    if (setup.interface)
      place.iface = setup.interface;
    else
      place.hostname = setup.host;
    auto device = std::dynamic_pointer_cast<gloo::transport::tcp::Device>(
        gloo::transport::tcp::CreateDevice(place));
    context =
        device->createContext(static_cast<int>(rank), static_cast<int>(size));
    thread = std::make_unique<GlooThread>(std::move(device));
    context->setTimeout(
        milliseconds(std::max<int64_t>(1, setup.timeout_ms / kConnectFactor)));
    connect(setup.store, Clock::now() + milliseconds(std::max<int64_t>(
                                            1, setup.timeout_ms)));
  }

  bool exchange(const mpc_message *sends, uint32_t numSends,
                const mpc_message *receives, uint32_t numReceives,
                uint64_t kind, int64_t timeout, mpc_failure *failure);
  void abort();

private:
  /// To all, whose addresses are known before: a rank that does not come so far
  /// is lost, and nobody waits for a connection that cannot be.
  void connect(const mpc_engine_store &store, Clock::time_point deadline);
  void connectTo(const std::vector<Bytes> &addresses,
                 const mpc_engine_store &store);
  /// Before and after they are connected.
  void keepSockets(Clock::time_point deadline) const {
    if (!thread->run([&] { mpc_plugin::keepFromPrograms(ownEnds, peerEnds); },
                     deadline))
      throw std::runtime_error("timed out before all sockets were there");
  }
  void closeAll();
  BufferPointer make(const mpc_message &message) {
    return context->createUnboundBuffer(
        message.data, static_cast<std::size_t>(message.bytes));
  }
  void prepare(const mpc_message *sends, uint32_t numSends,
               const mpc_message *receives, uint32_t numReceives);
  void begin(uint64_t slot) const;
  bool waitForAll(Clock::time_point deadline);
  std::string describeWait(const char *error, bool isLate) const;

  const uint32_t rank, size;
  std::shared_ptr<gloo::transport::Context> context;
  std::unique_ptr<GlooThread> thread; ///< The context's.
  /// Of each pair, where it listens, and where the other end does.
  std::vector<sockaddr_storage> ownEnds, peerEnds;
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

void Engine::connect(const mpc_engine_store &store,
                     Clock::time_point deadline) {
  Bytes own;
  for (uint32_t peer = 0; peer < size; ++peer)
    if (peer != rank) {
      Bytes address =
          clean(context->createPair(static_cast<int>(peer))->address().bytes());
      own.insert(own.end(), address.begin(), address.end());
      ownEnds.push_back(socketOf(address));
    }
  keepSockets(deadline);
  setValue(store, std::to_string(rank), own);
  std::size_t each = own.size() / (size - 1);
  std::vector<Bytes> addresses(size);
  for (uint32_t peer = 0; peer < size; ++peer)
    if (peer != rank) {
      Bytes all = getValue(store, std::to_string(peer));
      if (all.size() != own.size())
        throw std::runtime_error("rank " + std::to_string(peer) +
                                 " has addresses of another kind");
      auto place = static_cast<std::ptrdiff_t>(
          each * (rank > peer ? rank - 1 : rank)); // It has none of itself.
      addresses[peer].assign(all.begin() + place,
                             all.begin() + place +
                                 static_cast<std::ptrdiff_t>(each));
      peerEnds.push_back(socketOf(addresses[peer]));
    }
  connectTo(addresses, store);
  keepSockets(deadline);
}

void Engine::connectTo(const std::vector<Bytes> &addresses,
                       const mpc_engine_store &store) {
  Watch watch(store, [this] { closeAll(); });
  for (uint32_t peer = 0; peer < size; ++peer)
    if (peer != rank)
      context->getPair(static_cast<int>(peer))->connect(addresses[peer]);
  if (store.is_over(store.self))
    throw std::runtime_error("a rank was lost meanwhile");
}

void Engine::closeAll() {
  for (uint32_t peer = 0; peer < size; ++peer)
    if (peer != rank)
      context->getPair(static_cast<int>(peer))->close();
}

void Engine::prepare(const mpc_message *sends, uint32_t numSends,
                     const mpc_message *receives, uint32_t numReceives) {
  std::lock_guard<std::mutex> lock(mutex);
  for (uint32_t i = 0; i < numReceives; ++i)
    if (receives[i].bytes)
      receiving.push_back({make(receives[i]), receives[i].peer});
  for (uint32_t i = 0; i < numSends; ++i)
    if (sends[i].bytes)
      sending.push_back({make(sends[i]), sends[i].peer});
}

/// On Gloo's thread. Sends first: a peer that came earlier gets all at once,
/// and sends when this rank has sent. One direction at a time is faster between
/// two ranks of one machine.
void Engine::begin(uint64_t slot) const {
  for (const Buffer &buffer : sending)
    buffer.pointer->send(static_cast<int>(buffer.peer), slot);
  for (const Buffer &buffer : receiving)
    buffer.pointer->recv(static_cast<int>(buffer.peer), slot);
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
    prepare(sends, numSends, receives, numReceives);
    uint64_t slot = mix(++number, kind);
    if (!thread->run([this, slot] { begin(slot); }, deadline))
      throw std::runtime_error("timed out before a message was begun");
    done = waitForAll(deadline);
    if (!done)
      tell(failure, MPC_OUTCOME_ABORTED, "it was aborted");
  } catch (const std::exception &error) {
    bool isLate = Clock::now() >= deadline;
    tell(failure, isLate ? MPC_OUTCOME_TIMED_OUT : MPC_OUTCOME_FAILED,
         describeWait(error.what(), isLate));
  }
  // Gloo's thread may be at a buffer: it is done with all of a connection once
  // that is closed. Nothing is exchanged after a failure.
  if (!done)
    closeAll();
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
