#include "mpc/Ranks/World.h"

#include "Rendezvous.h"

#include <condition_variable>
#include <mutex>
#include <utility>

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

  Status connect(Launch launch, const Agreement &agreement,
                 const WorldOptions &options);
  Result<std::string> hear(const std::string &name,
                           const std::atomic<bool> &isOver);
  void giveUp(const std::string &reason);

private:
  Status meet(const Launch &launch, const Agreement &agreement,
              Clock::time_point deadline);
  void noteLoss(const Loss &lost);
  std::string findSilent();
  std::string describeCause(const Status &failure);

  std::mutex mutex;
  std::condition_variable changed;
  std::string loss; ///< The first that the store told, or why we gave up.
  Transport *transport = nullptr; ///< The group's, while that lives.

public: // Behind what the store's thread uses.
  bool hasLeft = false;
  std::chrono::milliseconds timeout{0};
  std::unique_ptr<Store> store;
  std::unique_ptr<Group> group; ///< Behind the store, which it asks.
};

//===-- Joining -----------------------------------------------------------===//

Status World::Body::meet(const Launch &launch, const Agreement &agreement,
                         Clock::time_point deadline) {
  if (launch.address.empty() || !launch.port)
    return {StatusCode::InvalidArgument,
            "expected MASTER_ADDR and MASTER_PORT, where rank 0 can be "
            "reached, since " +
                std::string(getName(launch.launcher)) + " does not say it"};
  auto joined = Store::join(launch, agreement, deadline,
                            [this](const Loss &lost) { noteLoss(lost); });
  if (joined)
    store = std::move(*joined);
  return joined.status();
}

Status World::Body::connect(Launch launch, const Agreement &agreement,
                            const WorldOptions &options) {
  std::string engine =
      options.engine.empty() ? launch.engine() : options.engine;
  timeout = options.timeout;
  auto deadline = Clock::now() + timeout;
  Result<bool> needsStore = Transport::needsStore(engine);
  if (!needsStore)
    return needsStore.status();
  if (*needsStore)
    if (Status status = meet(launch, agreement, deadline); !status.ok())
      return status;
  auto opened = Transport::open(engine, "world", launch, store.get(), deadline);
  if (!opened)
    return opened.status();
  if (!*needsStore) {
    Status status = shareStore(launch, **opened, deadline);
    if (status.ok())
      status = meet(launch, agreement, deadline);
    if (!status.ok()) {
      (*opened)->abort();
      return status;
    }
  }
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
  giveUp("it ended early");
  std::lock_guard<std::mutex> lock(mutex);
  transport = nullptr;
}

//===-- Failures ----------------------------------------------------------===//

/// Of an engine that does not see what becomes of a rank (MPI), too.
void World::Body::noteLoss(const Loss &lost) {
  std::lock_guard<std::mutex> lock(mutex);
  if (loss.empty())
    loss = "rank " + std::to_string(lost.rank) + ": " + lost.reason;
  if (transport)
    transport->abort();
  changed.notify_all();
}

/// "rank 2 does not answer", of one that is stopped; or "".
std::string World::Body::findSilent() {
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
  if (std::exchange(hasLeft, true))
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

Result<std::string> World::Body::hear(const std::string &name,
                                      const std::atomic<bool> &isOver) {
  auto asked = Clock::now();
  for (;;) {
    auto now = Clock::now();
    Result<std::string> value = store->get(name, now + kTurn);
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

//===-- The world ---------------------------------------------------------===//

World::World(std::unique_ptr<Body> body) : body(std::move(body)) {}
World::~World() = default;

Result<std::unique_ptr<World>> World::join(const Launch &launch,
                                           const Agreement &agreement,
                                           const WorldOptions &options) {
  auto body = std::make_unique<Body>();
  if (Status status = body->connect(launch, agreement, options); !status.ok())
    return status;
  return std::unique_ptr<World>(new World(std::move(body)));
}

Group &World::group() { return *body->group; }
Status World::tell(const std::string &name, const std::string &value) {
  return body->store->set(name, value, Clock::now() + body->timeout);
}
Result<std::string> World::hear(const std::string &name,
                                const std::atomic<bool> &isOver) {
  return body->hear(name, isOver);
}
void World::leave() { body->hasLeft = true; }
void World::giveUp(const std::string &reason) { body->giveUp(reason); }
