#include "mpc/Ranks/World.h"

#include "Rendezvous.h"
#include "mpc/Ranks/Limits.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <new>
#include <system_error>

using namespace mpc;
using namespace mpc::ranks;

// News of who was lost come over a connection of their own: so long they may be
// behind the failure that they explain.
static constexpr std::chrono::milliseconds kNews{2000};
// A process that is not stopped answers in less.
static constexpr std::chrono::milliseconds kPatience{500};
// A rank that has timed out closes its connections and asks who is silent,
// waits for news, and asks again, before it says so itself: so much later than
// a rank that has seen the connection break has asked, too.
static constexpr std::chrono::milliseconds kLateNews = 3 * kPatience;
// How often one rank alone looks whether it still has to wait for itself.
static constexpr std::chrono::milliseconds kTurn{500};

class World::Body {
public:
  ~Body();

  Status connect(const Agreement &agreement, const WorldOptions &options);
  Status tell(const std::string &name, const std::string &value,
              uint32_t readers);
  Result<std::string> hear(const std::string &name,
                           const std::atomic<bool> &isOver,
                           const std::function<void()> &onLate);
  void giveUp(const std::string &reason);
  std::string lost() {
    std::lock_guard<std::mutex> lock(mutex);
    return loss;
  }

private:
  Status meet(const Agreement &agreement, Clock::time_point deadline);
  Result<std::unique_ptr<Transport>> open(const Agreement &agreement,
                                          const WorldOptions &options,
                                          Clock::time_point deadline);
  Status mayHear(const std::atomic<bool> &isOver, Clock::time_point &asked,
                 const std::function<void()> &onLate);
  void noteLoss(const Loss &lost);
  std::string findSilent();
  std::string describeCause(const Status &failure);

  std::mutex mutex;
  std::condition_variable changed;
  std::string loss; ///< The first that the store told, or why we gave up.
  Group *reached = nullptr; ///< The group, while news may reach it.
  std::map<std::string, std::string> told; ///< Where there is no store.

public: // Behind what the store's thread uses.
  std::atomic<bool> hasLeft{false};
  Launch launch;
  std::string engine;
  std::chrono::milliseconds timeout{0};
  std::unique_ptr<Store> store;
  std::unique_ptr<Group> group; ///< Behind the store, which it asks.
};

//===-- Joining -----------------------------------------------------------===//

namespace {
/// Which world of a run and a name one is: the n-th that this process tries to
/// join. All processes try as often, but for what fails before any other is
/// looked for. Ranks that are threads of one process count for themselves, as
/// long as none of them has come to the end of a try; a process whose number
/// was another one in the try before has the count of that all the same.
class Tries {
public:
  uint64_t begin(const std::string &world, uint32_t rank) {
    std::lock_guard<std::mutex> lock(mutex);
    uint64_t &count = counts[{world, rank}];
    return count = std::max(count, ended[world]) + 1;
  }
  void end(const std::string &world, uint64_t number) {
    std::lock_guard<std::mutex> lock(mutex);
    uint64_t &last = ended[world];
    last = std::max(last, number);
  }
  static Tries &get() {
    static Tries tries;
    return tries;
  }

private:
  std::mutex mutex;
  std::map<std::pair<std::string, uint32_t>, uint64_t> counts;
  std::map<std::string, uint64_t> ended;
};

/// One of them, which has ended when this is gone.
struct Try {
  Try(const Launch &launch, const std::string &name)
      : world(launch.run + "/" + name),
        number(Tries::get().begin(world, launch.rank)) {}
  ~Try() { Tries::get().end(world, number); }
  Try(const Try &) = delete;
  Try &operator=(const Try &) = delete;

  const std::string world;
  const uint64_t number;
};
} // namespace

Status World::Body::meet(const Agreement &agreement,
                         Clock::time_point deadline) {
  bool isSaid = launch.launcher == Launcher::Application;
  if (launch.address.empty() || !launch.port)
    return {StatusCode::InvalidArgument,
            std::string(isSaid ? "expected an address and a port"
                               : "expected MASTER_ADDR and MASTER_PORT") +
                ", where rank 0 can be reached, since " +
                std::string(getName(launch.launcher)) + " does not say it"};
  auto joined = Store::join(launch, agreement, deadline,
                            [this](const Loss &lost) { noteLoss(lost); });
  if (joined)
    store = std::move(*joined);
  return joined.status();
}

/// By the store, or the other way round.
Result<std::unique_ptr<Transport>>
World::Body::open(const Agreement &agreement, const WorldOptions &options,
                  Clock::time_point deadline) {
  Result<bool> needsStore = Transport::needsStore(engine);
  if (!needsStore)
    return needsStore.status();
  Try attempt(launch, options.name);
  launch.run = attempt.world + "/" + std::to_string(attempt.number);
  auto findLoss = [this] {
    std::string failure = lost();
    return failure.empty() ? Status()
                           : Status(StatusCode::CollectiveFailed, failure);
  };
  if (*needsStore) {
    Status status = meet(agreement, deadline);
    if (status.ok())
      status = findNeighbours(launch, nullptr, store.get(), deadline, findLoss);
    if (!status.ok())
      return status;
  }
  auto opened = Transport::open(engine, options.name, launch, store.get(),
                                deadline, options.ranks, findLoss);
  if (!opened || *needsStore)
    return opened;
  Status status =
      findNeighbours(launch, opened->get(), /*store=*/nullptr, deadline);
  if (status.ok())
    status = shareStore(launch, **opened, deadline);
  if (status.ok())
    status = meet(agreement, deadline);
  if (status.ok())
    return opened;
  (*opened)->abort();
  return status;
}

Status World::Body::connect(const Agreement &agreement,
                            const WorldOptions &options) {
  engine = options.engine.empty() ? launch.engine() : options.engine;
  if (Status status = Transport::checkEngine(engine); !status.ok())
    return status;
  if (options.ranks.handle && engine != "mpi")
    return {StatusCode::InvalidArgument,
            "expected engine 'mpi' for a communicator of MPI, but got '" +
                engine + "'"};
  timeout = options.timeout;
  if (timeout <= timeout.zero() || timeout > kMostTimeout)
    return {StatusCode::InvalidArgument,
            "expected a timeout of 1 ms to " +
                std::to_string(kMostTimeout.count()) + " s, but got " +
                std::to_string(timeout.count()) + " ms"};
  bool isAlone = launch.size == 1;
  if (isAlone) {
    engine.clear();
    launch.localRank = 0;
    launch.localSize = 1;
  }
  auto opened = isAlone ? Transport::ofOne()
                        : open(agreement, options, Clock::now() + timeout);
  if (!opened)
    return opened.status();
  group = std::make_unique<Group>(std::move(*opened),
                                  GroupOptions{timeout,
                                               [this](const Status &failure) {
                                                 return describeCause(failure);
                                               },
                                               options.observe});
  // From here on it lives as long as the store's thread may tell it.
  std::lock_guard<std::mutex> lock(mutex);
  reached = group.get();
  if (!loss.empty())
    reached->lose(0);
  return {};
}

World::Body::~Body() {
  Status failure = group ? group->status() : Status();
  giveUp(failure.ok() ? "it ended early" : failure.message());
  std::lock_guard<std::mutex> lock(mutex);
  reached = nullptr;
}

//===-- Failures ----------------------------------------------------------===//

/// Of an engine that does not see what becomes of a rank (MPI), too. News may
/// be faster than messages: what that rank has finished waits for these.
void World::Body::noteLoss(const Loss &lost) {
  std::lock_guard<std::mutex> lock(mutex);
  if (loss.empty()) {
    loss = "rank " + std::to_string(lost.rank) + ": " + lost.reason;
    tellLauncher(lost.rank);
  }
  if (reached)
    reached->lose(lost.finished);
  changed.notify_all();
}

/// "rank 2 does not answer", of one that is stopped; or "".
std::string World::Body::findSilent() {
  if (!store)
    return "";
  auto present = store->ask(kPatience);
  if (!present && present.status().code() == StatusCode::CollectiveTimedOut)
    return "rank 0, which has the store, does not answer";
  for (uint32_t rank = 0; present && rank < present->size(); ++rank)
    if ((*present)[rank] == Presence::Silent)
      return "rank " + std::to_string(rank) + " does not answer";
  return "";
}

/// The engine knows a connection; the store the rank behind it. Of a rank that
/// is stopped, the first to find out closes its connections to all.
std::string World::Body::describeCause(const Status &failure) {
  bool isLate = failure.code() == StatusCode::CollectiveTimedOut;
  if (isLate)
    if (std::string silent = findSilent(); !silent.empty())
      return silent;
  auto hasNews = [this](std::chrono::milliseconds time) {
    std::unique_lock<std::mutex> lock(mutex);
    return changed.wait_for(lock, time, [&] { return !loss.empty(); });
  };
  if (hasNews(kNews))
    return lost();
  std::string silent = findSilent();
  if (silent.empty() && !isLate && hasNews(kLateNews))
    return lost();
  if (silent.empty() && store && isLate)
    return "all ranks answer, so one is late, or has begun with another "
           "collective";
  return silent;
}

void World::Body::giveUp(const std::string &given) {
  if (hasLeft.exchange(true))
    return;
  const std::string reason =
      given.empty() ? "it gave up, and does not say why" : given;
  try {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (loss.empty())
        loss = reason;
      changed.notify_all();
    }
    // Stopped before it is counted: what ended well here behind the count
    // might fail on the others.
    Group::Ticket finished = group ? group->close(reason, kPatience) : 0;
    if (store)
      store->report(reason, finished);
  } catch (...) { // no memory: the connection breaks with this process
  }
}

//===-- What one tells the others -----------------------------------------===//

/// One rank alone tells itself.
Status World::Body::tell(const std::string &name, const std::string &value,
                         uint32_t readers) {
  // A store that was told of the end of this rank answers it no more.
  if (std::string failure = lost(); !failure.empty())
    return {StatusCode::CollectiveFailed, failure};
  if (store)
    return store->set(name, value, Clock::now() + timeout, readers);
  std::lock_guard<std::mutex> lock(mutex);
  told.emplace(name, value); // The first one stays.
  changed.notify_all();
  return {};
}

/// Why not, if anything is wrong. Who answers is asked now and then: `asked`.
Status World::Body::mayHear(const std::atomic<bool> &isOver,
                            Clock::time_point &asked,
                            const std::function<void()> &onLate) {
  std::string failure = lost();
  if (failure.empty() && isOver)
    failure = "the run has ended before that";
  if (auto now = Clock::now(); failure.empty() && now - asked > timeout) {
    failure = findSilent();
    asked = now;
    if (failure.empty() && onLate)
      onLate();
  }
  return failure.empty() ? Status()
                         : Status(StatusCode::CollectiveFailed, failure);
}

Result<std::string> World::Body::hear(const std::string &name,
                                      const std::atomic<bool> &isOver,
                                      const std::function<void()> &onLate) {
  auto asked = Clock::now();
  if (store)
    return store->get(name, Clock::time_point::max(),
                      [&] { return mayHear(isOver, asked, onLate); });
  for (;;) {
    std::unique_lock<std::mutex> lock(mutex);
    if (changed.wait_for(lock, kTurn, [&] { return told.contains(name); }))
      return told[name];
    lock.unlock();
    if (Status status = mayHear(isOver, asked, onLate); !status.ok())
      return status;
  }
}

static Status describeThread(const std::system_error &error) {
  return {StatusCode::IoError,
          "no thread could be started: " + std::string(error.what()) +
              noteThreadLimit()};
}

//===-- The world ---------------------------------------------------------===//

World::World(std::unique_ptr<Body> body) : body(std::move(body)) {}
World::~World() = default;

Result<std::unique_ptr<World>> World::join(const Launch &launch,
                                           const Agreement &agreement,
                                           const WorldOptions &options) {
  auto body = std::make_unique<Body>();
  body->launch = launch;
  Status status;
  try {
    status = body->connect(agreement, options);
  } catch (const std::bad_alloc &) {
    status = {StatusCode::OutOfMemory,
              "no memory to join the ranks" + noteMemoryLimit(true)};
  } catch (const std::system_error &error) {
    status = describeThread(error);
  } catch (const std::exception &error) { // of Asio, which opens files
    status = {StatusCode::IoError, error.what() + noteFileLimit()};
  }
  if (status.ok())
    return std::unique_ptr<World>(new World(std::move(body)));
  body->giveUp(status.message());
  return status;
}

Group &World::group() { return *body->group; }
const Launch &World::launch() const { return body->launch; }
const std::string &World::engine() const { return body->engine; }
Status World::tell(const std::string &name, const std::string &value,
                   uint32_t readers) {
  return body->tell(name, value, readers);
}
Result<std::string> World::hear(const std::string &name,
                                const std::atomic<bool> &isOver,
                                const std::function<void()> &onLate) {
  return body->hear(name, isOver, onLate);
}
std::string World::lost() const { return body->lost(); }
void World::leave() { body->hasLeft = true; }
void World::giveUp(const std::string &reason) { body->giveUp(reason); }
