#include "mpc/Ranks/World.h"

#include "Rendezvous.h"
#include "mpc/Ranks/Limits.h"

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
// How often who waits for a value looks whether somebody is lost.
static constexpr std::chrono::milliseconds kTurn{500};

class World::Body {
public:
  ~Body();

  Status connect(const Agreement &agreement, const WorldOptions &options);
  Status tell(const std::string &name, const std::string &value);
  Result<std::string> hear(const std::string &name,
                           const std::atomic<bool> &isOver);
  void giveUp(const std::string &reason);

private:
  Status meet(const Agreement &agreement, Clock::time_point deadline);
  Result<std::unique_ptr<Transport>> open(const Agreement &agreement,
                                          const WorldOptions &options,
                                          Clock::time_point deadline);
  Result<std::string> lookUp(const std::string &name);
  void noteLoss(const Loss &lost);
  std::string findSilent();
  std::string describeCause(const Status &failure);

  std::mutex mutex;
  std::condition_variable changed;
  std::string loss; ///< The first that the store told, or why we gave up.
  Transport *transport = nullptr;          ///< The group's, while that lives.
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

/// The run, and which world of it: the n-th of that name of each rank.
static std::string nameWorld(const Launch &launch, const std::string &name) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, uint32_t>, uint64_t> counts;
  std::lock_guard<std::mutex> lock(mutex);
  std::string world = launch.run + "/" + name;
  return world + "/" + std::to_string(++counts[{world, launch.rank}]);
}

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
  if (*needsStore) {
    Status status = meet(agreement, deadline);
    if (status.ok())
      status = findNeighbours(launch, nullptr, store.get(), deadline);
    if (!status.ok())
      return status;
  }
  auto opened = Transport::open(engine, options.name, launch, store.get(),
                                deadline, options.ranks);
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
  launch.run = nameWorld(launch, options.name);
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
  {
    std::lock_guard<std::mutex> lock(mutex);
    transport = opened->get();
    if (!loss.empty())
      transport->abort();
  }
  group = std::make_unique<Group>(std::move(*opened),
                                  GroupOptions{timeout,
                                               [this](const Status &failure) {
                                                 return describeCause(failure);
                                               },
                                               options.observe});
  return {};
}

World::Body::~Body() {
  Status failure = group ? group->status() : Status();
  giveUp(failure.ok() ? "it ended early" : failure.message());
  std::lock_guard<std::mutex> lock(mutex);
  transport = nullptr;
}

//===-- Failures ----------------------------------------------------------===//

/// Of an engine that does not see what becomes of a rank (MPI), too.
void World::Body::noteLoss(const Loss &lost) {
  std::lock_guard<std::mutex> lock(mutex);
  if (loss.empty()) {
    loss = "rank " + std::to_string(lost.rank) + ": " + lost.reason;
    tellLauncher(lost.rank);
  }
  if (transport)
    transport->abort();
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
  if (failure.code() == StatusCode::CollectiveTimedOut)
    if (std::string silent = findSilent(); !silent.empty())
      return silent;
  {
    std::unique_lock<std::mutex> lock(mutex);
    if (changed.wait_for(lock, kNews, [&] { return !loss.empty(); }))
      return loss;
  }
  return findSilent();
}

void World::Body::giveUp(const std::string &reason) {
  if (hasLeft.exchange(true))
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (loss.empty())
      loss = reason;
    changed.notify_all();
  }
  if (store)
    store->report(reason);
  if (group)
    group->abort(reason);
}

//===-- What one tells the others -----------------------------------------===//

/// One rank alone tells itself.
Status World::Body::tell(const std::string &name, const std::string &value) {
  if (store)
    return store->set(name, value, Clock::now() + timeout);
  std::lock_guard<std::mutex> lock(mutex);
  told.emplace(name, value); // The first one stays.
  changed.notify_all();
  return {};
}

/// Within a turn.
Result<std::string> World::Body::lookUp(const std::string &name) {
  if (store)
    return store->get(name, Clock::now() + kTurn);
  std::unique_lock<std::mutex> lock(mutex);
  if (changed.wait_for(lock, kTurn, [&] { return told.contains(name); }))
    return told[name];
  return Status(StatusCode::CollectiveTimedOut,
                "nobody has set '" + name + "'");
}

Result<std::string> World::Body::hear(const std::string &name,
                                      const std::atomic<bool> &isOver) {
  auto asked = Clock::now();
  for (;;) {
    auto now = Clock::now();
    Result<std::string> value = lookUp(name);
    if (value || value.status().code() != StatusCode::CollectiveTimedOut)
      return value;
    std::string failure;
    if (std::lock_guard<std::mutex> lock(mutex); !loss.empty())
      failure = loss;
    else if (isOver)
      failure = "the run has ended before that";
    if (failure.empty() && now - asked > timeout) {
      failure = findSilent();
      asked = now;
    }
    if (!failure.empty())
      return Status(StatusCode::CollectiveFailed, failure);
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
  try {
    if (Status status = body->connect(agreement, options); !status.ok())
      return status;
  } catch (const std::bad_alloc &) {
    return Status(StatusCode::OutOfMemory,
                  "no memory to join the ranks" + noteMemoryLimit(true));
  } catch (const std::system_error &error) {
    return describeThread(error);
  } catch (const std::exception &error) { // of Asio, which opens files
    return Status(StatusCode::IoError, error.what() + noteFileLimit());
  }
  return std::unique_ptr<World>(new World(std::move(body)));
}

Group &World::group() { return *body->group; }
const Launch &World::launch() const { return body->launch; }
const std::string &World::engine() const { return body->engine; }
Status World::tell(const std::string &name, const std::string &value) {
  return body->tell(name, value);
}
Result<std::string> World::hear(const std::string &name,
                                const std::atomic<bool> &isOver) {
  return body->hear(name, isOver);
}
void World::leave() { body->hasLeft = true; }
void World::giveUp(const std::string &reason) { body->giveUp(reason); }
