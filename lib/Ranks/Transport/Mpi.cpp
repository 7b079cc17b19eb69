// libmpcrt_mpi.so: messages by MPI's point to point, on a communicator of each
// engine.
//
// Collectives of MPI are not used: their sums depend on the algorithm, and they
// cannot be given up. Sends are synchronous ones (MPI_Issend): when they are
// done, the peer has the message, and this rank need not call MPI for it again,
// however long it computes then.
//
// A message that nobody takes cannot be given up for certain. Where the
// application has begun MPI its own calls would move it on when an exchange has
// failed: so there messages lie in memory of the engine, which stays then.
#include "../../Support/PipeSignal.h"
#include "MpiProcess.h"

#include <exception>
#include <memory>
#include <vector>

using namespace mpc_plugin;
using mpc::PipeSignalBlock;
using std::chrono::milliseconds;

namespace {

// A count is an int, and a piece that is under way cannot be given up.
constexpr uint64_t kPiece = uint64_t(64) << 20;
// MPI has at least tags up to this one.
constexpr int kLastTag = 32767;
// After a failure: for messages whose bytes are on their way.
constexpr milliseconds kSettle{200};

class Engine {
public:
  explicit Engine(const mpc_engine_setup &setup)
      : rank(static_cast<int>(setup.rank)), size(static_cast<int>(setup.size)) {
    process.add();
  }
  ~Engine();

  bool open(const mpc_engine_setup &setup, Clock::time_point deadline,
            mpc_failure *failure);
  bool exchange(const mpc_message *sends, uint32_t numSends,
                const mpc_message *receives, uint32_t numReceives,
                uint64_t kind, int64_t timeout, mpc_failure *failure);
  void abort() {
    isAborted = true;
    process.breakOff();
  }
  /// Whether MPI may still write to what is this engine's.
  bool isUnderWay() const;

private:
  /// A message, or a part of a long one.
  struct Piece {
    uint32_t peer;
    bool isIncoming;
    int bytes;
  };

  bool compareRanks(MPI_Comm base, mpc_failure *failure) const;
  void makeRoom(std::size_t count);
  bool copy(std::vector<mpc_message> &sends,
            std::vector<mpc_message> &receives);
  bool exchangeAll(const std::vector<mpc_message> &sends,
                   const std::vector<mpc_message> &receives, uint64_t kind,
                   Clock::time_point deadline, mpc_failure *failure);
  int begin(const mpc_message &message, bool isIncoming, int tag);
  bool beginAll(const std::vector<mpc_message> &sends,
                const std::vector<mpc_message> &receives, uint64_t kind,
                mpc_failure *failure);
  int test();
  bool take(int result, mpc_failure *failure);
  bool takeOne(int index, MPI_Status &status, mpc_failure *failure);
  bool waitForAll(Clock::time_point deadline, mpc_failure *failure);
  bool mayCall(mpc_failure *failure) const;
  bool mayWait(Clock::time_point deadline, mpc_failure *failure) const;
  std::string describeOpen() const;
  void settle();

  MpiProcess &process = MpiProcess::get();
  const int rank, size; ///< as the launcher says
  MPI_Comm ranks = MPI_COMM_NULL;
  uint64_t number = 0; ///< of the exchange
  int lastTag = kLastTag;
  /// Of copies of messages.
  std::unique_ptr<char[]> room;
  uint64_t roomBytes = 0;
  std::vector<MPI_Request> requests; ///< of the pieces; null: done
  std::vector<Piece> pieces;
  std::size_t numOpen = 0;
  // What is done since the last look.
  int numDone = 0;
  std::vector<int> done;
  std::vector<MPI_Status> statuses;
  std::atomic<bool> isAborted{false};
};

//===-- Opening -----------------------------------------------------------===//

/// The ranks that the application hands over, or all; false and `failure`. MPI
/// has begun.
bool findBase(const mpc_engine_setup &setup, MPI_Comm &base,
              mpc_failure *failure) {
  base = MPI_COMM_WORLD;
  if (!setup.communicator)
    return true;
  auto refuse = [&](const std::string &text) {
    tell(failure, MPC_OUTCOME_FAILED, text);
    return false;
  };
  if (setup.communicator_bytes != sizeof base)
    return refuse("expected an MPI_Comm of " + nameLibrary() + ", of " +
                  std::to_string(sizeof base) + " bytes, but got one of " +
                  std::to_string(setup.communicator_bytes));
  std::memcpy(&base, setup.communicator, sizeof base);
  if (base == MPI_COMM_NULL)
    return refuse("expected a communicator, but got MPI_COMM_NULL");
  int joinsTwo = 0;
  MPI_Comm_test_inter(base, &joinsTwo);
  if (joinsTwo)
    return refuse("expected a communicator of one group of ranks, but got one "
                  "between two groups");
  return true;
}

bool Engine::compareRanks(MPI_Comm base, mpc_failure *failure) const {
  int counted = 0, all = 0;
  MPI_Comm_rank(base, &counted);
  MPI_Comm_size(base, &all);
  if (counted == rank && all == size)
    return true;
  tell(failure, MPC_OUTCOME_FAILED,
       nameLibrary() + " counts this as rank " + std::to_string(counted) +
           " of " + std::to_string(all) +
           "; start the ranks by its mpirun, or have engine gloo");
  return false;
}

bool Engine::open(const mpc_engine_setup &setup, Clock::time_point deadline,
                  mpc_failure *failure) {
  if (!process.begin(deadline, failure))
    return false;
  {
    std::lock_guard<std::mutex> lock(process.calls);
    MPI_Comm base = MPI_COMM_NULL;
    if (!findBase(setup, base, failure) || !compareRanks(base, failure))
      return false;
    makeRoom(1);
    requests.push_back(MPI_REQUEST_NULL);
    pieces.push_back({0, false, 0});
    numOpen = 1;
    int error = MPI_Comm_idup(base, &ranks, requests.data());
    if (error != MPI_SUCCESS) {
      tell(failure, MPC_OUTCOME_FAILED, textOf(error));
      return false;
    }
  }
  if (waitForAll(deadline, failure)) {
    std::lock_guard<std::mutex> lock(process.calls);
    MPI_Comm_set_errhandler(ranks, MPI_ERRORS_RETURN);
    int *found = nullptr, isThere = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &found, &isThere);
    if (isThere && found)
      lastTag = std::max(*found, kLastTag);
    return true;
  }
  process.breakOff();
  if (failure->outcome == MPC_OUTCOME_TIMED_OUT)
    tell(failure, MPC_OUTCOME_TIMED_OUT, "not all ranks have come in time");
  return false;
}

Engine::~Engine() {
  process.remove();
  std::lock_guard<std::mutex> lock(process.calls);
  if (ranks != MPI_COMM_NULL && !process.isBroken() && !process.hasEnded())
    MPI_Comm_free(&ranks);
}

//===-- Messages ----------------------------------------------------------===//

bool Engine::mayCall(mpc_failure *failure) const {
  if (isAborted)
    tell(failure, MPC_OUTCOME_ABORTED, "it was aborted");
  else if (process.isBroken())
    tell(failure, MPC_OUTCOME_FAILED, "MPI has failed in this process before");
  else if (process.isOrphan())
    tell(failure, MPC_OUTCOME_FAILED, "what launched this rank has gone");
  else if (process.hasEnded())
    tell(failure, MPC_OUTCOME_FAILED, "the application has ended MPI");
  else
    return true;
  return false;
}

/// Of all pieces of a message; an error code of MPI.
int Engine::begin(const mpc_message &message, bool isIncoming, int tag) {
  auto *data = static_cast<char *>(message.data);
  for (uint64_t first = 0; first < message.bytes; first += kPiece) {
    int bytes = static_cast<int>(std::min(kPiece, message.bytes - first));
    int peer = static_cast<int>(message.peer);
    MPI_Request request = MPI_REQUEST_NULL;
    int error = isIncoming ? MPI_Irecv(data + first, bytes, MPI_BYTE, peer, tag,
                                       ranks, &request)
                           : MPI_Issend(data + first, bytes, MPI_BYTE, peer,
                                        tag, ranks, &request);
    if (error != MPI_SUCCESS)
      return error;
    requests.push_back(request);
    pieces.push_back({message.peer, isIncoming, bytes});
    ++numOpen;
  }
  return MPI_SUCCESS;
}

bool Engine::beginAll(const std::vector<mpc_message> &sends,
                      const std::vector<mpc_message> &receives, uint64_t kind,
                      mpc_failure *failure) {
  std::lock_guard<std::mutex> lock(process.calls);
  if (!mayCall(failure))
    return false;
  uint64_t count = 0;
  for (const auto *messages : {&receives, &sends})
    for (const mpc_message &each : *messages)
      count += (each.bytes + kPiece - 1) / kPiece;
  makeRoom(count);
  int tag = tagOf(++number, kind, lastTag);
  int error = MPI_SUCCESS;
  for (size_t i = 0; i < receives.size() && error == MPI_SUCCESS; ++i)
    error = begin(receives[i], /*isIncoming=*/true, tag);
  for (size_t i = 0; i < sends.size() && error == MPI_SUCCESS; ++i)
    error = begin(sends[i], /*isIncoming=*/false, tag);
  if (error != MPI_SUCCESS)
    tell(failure, MPC_OUTCOME_FAILED, textOf(error));
  return error == MPI_SUCCESS;
}

/// For `count` pieces. What is thrown is thrown here, with none under way.
void Engine::makeRoom(std::size_t count) {
  requests.clear();
  pieces.clear();
  numOpen = 0;
  requests.reserve(count);
  pieces.reserve(count);
  done.resize(count);
  statuses.resize(count);
}

int Engine::test() {
  numDone = 0;
  return MPI_Testsome(static_cast<int>(requests.size()), requests.data(),
                      &numDone, done.data(), statuses.data());
}

bool Engine::takeOne(int index, MPI_Status &status, mpc_failure *failure) {
  const Piece &piece = pieces[static_cast<std::size_t>(index)];
  int bytes = 0;
  if (piece.isIncoming)
    MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (!piece.isIncoming || bytes == piece.bytes)
    return true;
  tell(failure, MPC_OUTCOME_FAILED,
       "rank " + std::to_string(piece.peer) + " sent " + std::to_string(bytes) +
           " bytes, where " + std::to_string(piece.bytes) + " were expected");
  return false;
}

/// What `test` has found.
bool Engine::take(int result, mpc_failure *failure) {
  if (result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) {
    tell(failure, MPC_OUTCOME_FAILED, textOf(result));
    return false;
  }
  if (numDone == MPI_UNDEFINED)
    return true;
  for (int i = 0; i < numDone; ++i) {
    auto each = static_cast<std::size_t>(i);
    --numOpen;
    int error = result == MPI_SUCCESS ? MPI_SUCCESS : statuses[each].MPI_ERROR;
    if (error != MPI_SUCCESS) {
      tell(failure, MPC_OUTCOME_FAILED,
           textOf(error) + ", with rank " +
               std::to_string(
                   pieces[static_cast<std::size_t>(done[each])].peer));
      return false;
    }
    if (!takeOne(done[each], statuses[each], failure))
      return false;
  }
  return true;
}

/// The first that is not done: "rank 2 to send a message".
std::string Engine::describeOpen() const {
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i] != MPI_REQUEST_NULL)
      return "rank " + std::to_string(pieces[i].peer) +
             (pieces[i].isIncoming ? " to send a message"
                                   : " to take a message");
  return "nothing";
}

bool Engine::mayWait(Clock::time_point deadline, mpc_failure *failure) const {
  if (!mayCall(failure))
    return false;
  if (Clock::now() < deadline)
    return true;
  tell(failure, MPC_OUTCOME_TIMED_OUT,
       "timed out waiting for " + describeOpen());
  return false;
}

bool Engine::waitForAll(Clock::time_point deadline, mpc_failure *failure) {
  Pause pause;
  while (numOpen) {
    std::size_t before = numOpen;
    {
      std::lock_guard<std::mutex> lock(process.calls);
      if (!process.isBroken() && !take(test(), failure))
        return false;
    }
    if (!numOpen)
      break;
    if (!mayWait(deadline, failure))
      return false;
    pause.take(numOpen < before);
  }
  return true;
}

/// Gives up what nobody has begun to send, and waits for the rest: a little.
void Engine::settle() {
  process.breakOff();
  std::lock_guard<std::mutex> lock(process.calls);
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (pieces[i].isIncoming && requests[i] != MPI_REQUEST_NULL)
      MPI_Cancel(&requests[i]);
  Clock::time_point end = Clock::now() + kSettle;
  Pause pause;
  while (isUnderWay() && Clock::now() < end) {
    test();
    pause.take(numDone > 0);
  }
}

bool Engine::isUnderWay() const {
  return std::any_of(requests.begin(), requests.end(),
                     [](MPI_Request each) { return each != MPI_REQUEST_NULL; });
}

bool Engine::exchangeAll(const std::vector<mpc_message> &sends,
                         const std::vector<mpc_message> &receives,
                         uint64_t kind, Clock::time_point deadline,
                         mpc_failure *failure) {
  bool wasBroken = process.isBroken();
  if (beginAll(sends, receives, kind, failure) && waitForAll(deadline, failure))
    return true;
  if (!wasBroken)
    settle();
  return false;
}

/// Gives all messages places in the engine's room, and those that are sent what
/// they hold.
bool Engine::copy(std::vector<mpc_message> &sends,
                  std::vector<mpc_message> &receives) {
  uint64_t bytes = 0;
  for (const auto *messages : {&sends, &receives})
    for (const mpc_message &each : *messages)
      bytes += each.bytes;
  if (bytes > roomBytes) {
    room.reset(new (std::nothrow) char[bytes]);
    roomBytes = room ? bytes : 0;
    if (!room)
      return false;
  }
  char *place = room.get();
  for (auto *messages : {&sends, &receives})
    for (mpc_message &each : *messages) {
      if (each.bytes && messages == &sends)
        std::memcpy(place, each.data, each.bytes);
      each.data = place;
      place += each.bytes;
    }
  return true;
}

bool Engine::exchange(const mpc_message *sends, uint32_t numSends,
                      const mpc_message *receives, uint32_t numReceives,
                      uint64_t kind, int64_t timeout, mpc_failure *failure) {
  Clock::time_point deadline = Clock::now() + milliseconds(timeout);
  std::vector<mpc_message> out(sends, sends + numSends);
  std::vector<mpc_message> in(receives, receives + numReceives);
  if (process.isOwn())
    return exchangeAll(out, in, kind, deadline, failure);
  if (!copy(out, in)) {
    tell(failure, MPC_OUTCOME_FAILED, "no memory for a copy of messages");
    return false;
  }
  if (!exchangeAll(out, in, kind, deadline, failure))
    return false;
  for (uint32_t i = 0; i < numReceives; ++i)
    if (in[i].bytes)
      std::memcpy(receives[i].data, in[i].data, in[i].bytes);
  return true;
}

/// Ends an engine, unless MPI may still write to it, or read there: it stays.
void retire(std::unique_ptr<Engine> engine) {
  static auto *left = new std::vector<std::unique_ptr<Engine>>;
  static auto *mutex = new std::mutex;
  if (!engine->isUnderWay())
    return;
  std::lock_guard<std::mutex> lock(*mutex);
  left->push_back(std::move(engine));
}

int findPlace(const mpc_engine_setup *setup, uint32_t *rank, uint32_t *size,
              mpc_failure *failure) {
  try {
    MpiProcess &process = MpiProcess::get();
    MPI_Comm base = MPI_COMM_NULL;
    if (process.isForked(failure) || !process.join(failure))
      return 0;
    std::lock_guard<std::mutex> lock(process.calls);
    if (!findBase(*setup, base, failure))
      return 0;
    int own = 0, all = 0;
    MPI_Comm_rank(base, &own);
    MPI_Comm_size(base, &all);
    *rank = static_cast<uint32_t>(own);
    *size = static_cast<uint32_t>(all);
    return 1;
  } catch (const std::exception &error) {
    tell(failure, MPC_OUTCOME_FAILED, error.what());
    return 0;
  }
}

void *openEngine(const mpc_engine_setup *setup, mpc_failure *failure) {
  PipeSignalBlock block;
  Clock::time_point deadline = Clock::now() + milliseconds(setup->timeout_ms);
  try {
    if (MpiProcess::get().isForked(failure))
      return nullptr;
    auto engine = std::make_unique<Engine>(*setup);
    if (engine->open(*setup, deadline, failure))
      return engine.release();
    retire(std::move(engine));
    return nullptr;
  } catch (const std::exception &error) {
    tell(failure, MPC_OUTCOME_FAILED, error.what());
    return nullptr;
  }
}

int exchangeMessages(void *self, const mpc_message *sends, uint32_t numSends,
                     const mpc_message *receives, uint32_t numReceives,
                     uint64_t kind, int64_t timeout, mpc_failure *failure) {
  PipeSignalBlock block;
  try {
    return static_cast<Engine *>(self)->exchange(
        sends, numSends, receives, numReceives, kind, timeout, failure);
  } catch (const std::exception &error) {
    tell(failure, MPC_OUTCOME_FAILED, error.what());
    return 0;
  }
}

const mpc_engine kEngine = {
    MPC_ENGINE_VERSION,
    /*needs_store=*/0,
    findPlace,
    openEngine,
    exchangeMessages,
    [](void *self) { static_cast<Engine *>(self)->abort(); },
    [](void *self) {
      PipeSignalBlock block;
      retire(std::unique_ptr<Engine>(static_cast<Engine *>(self)));
    }};

} // namespace

extern "C" __attribute__((visibility("default"))) const mpc_engine *
mpc_ranks_engine() {
  return &kEngine;
}
