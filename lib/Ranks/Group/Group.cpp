#include "mpc/Ranks/Group.h"

#include "Exchanges.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

using namespace mpc;
using namespace mpc::ranks;

static std::string_view nameOf(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return "all-reduce";
  case CollectiveKind::ReduceScatter:
    return "reduce-scatter";
  case CollectiveKind::AllGather:
    return "all-gather";
  case CollectiveKind::Broadcast:
    return "broadcast";
  case CollectiveKind::Leave:
    return "leave";
  case CollectiveKind::Barrier:
    break;
  }
  return "barrier";
}

std::string Collective::text() const {
  std::string text(nameOf(kind));
  uint64_t elements = count;
  for (const Piece &piece : pieces)
    elements += piece.count;
  if (!isBarrier(kind))
    text += " of " + std::to_string(elements) + " x " +
            std::string(getInfo(type).name);
  return name.empty() ? text : text + ", " + name;
}

class Group::Body {
public:
  Body(std::unique_ptr<Transport> own, const GroupOptions &options)
      : transport(std::move(own)), options(options), exchanges(*transport),
        thread([this] { work(); }) {}
  ~Body();

  Ticket start(Collective collective);
  bool isDone(Ticket ticket) const;
  Status wait(Ticket ticket);
  void abort(const std::string &reason);
  Ticket close(const std::string &reason, std::chrono::milliseconds patience);
  Ticket finished() const;
  void lose(Ticket count);
  Status status() const {
    std::lock_guard<std::mutex> lock(mutex);
    return failure;
  }

  const std::unique_ptr<Transport> transport;

private:
  void fail(Status status);
  void work();
  struct Queued {
    Collective collective;
    Clock::time_point started;
  };

  Status execute(const Queued &next, Ticket ticket);
  Status explain(const Collective &collective, const Status &status,
                 Clock::time_point begin);

  const GroupOptions options;
  Exchanges exchanges;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Queued> queue;     ///< the first is under way
  Ticket started = 0, done = 0; ///< how many
  Status failure;               ///< the first
  Ticket failed = 0;            ///< the first that it concerns
  Ticket last = UINT64_MAX;     ///< that may go well, as far as is known
  bool isUnderWay = false;      ///< the first of the queue, at the engine
  bool isSettled = false;       ///< `failed` stays where it is
  bool isClosing = false;
  std::thread thread; ///< the last to be made
};

Group::Body::~Body() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isClosing = true;
    if (!queue.empty())
      transport->abort();
  }
  changed.notify_all();
  thread.join();
}

Group::Ticket Group::Body::start(Collective collective) {
  std::lock_guard<std::mutex> lock(mutex);
  queue.push_back({std::move(collective), Clock::now()});
  changed.notify_all();
  return ++started;
}

bool Group::Body::isDone(Ticket ticket) const {
  std::lock_guard<std::mutex> lock(mutex);
  return ticket <= done;
}

Status Group::Body::wait(Ticket ticket) {
  std::unique_lock<std::mutex> lock(mutex);
  // Not before the group lets go of its memory, whatever has failed.
  changed.wait(lock, [&] { return ticket <= done; });
  return failure.ok() || ticket < failed ? Status() : failure;
}

void Group::Body::abort(const std::string &reason) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    fail({StatusCode::CollectiveFailed, reason});
  }
  transport->abort();
}

Group::Ticket Group::Body::close(const std::string &reason,
                                 std::chrono::milliseconds patience) {
  abort(reason);
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait_for(lock, patience, [&] { return !isUnderWay; });
  isSettled = true;
  return failed - 1;
}

Group::Ticket Group::Body::finished() const {
  std::lock_guard<std::mutex> lock(mutex);
  return failure.ok() ? done : std::min(done, failed - 1);
}

void Group::Body::lose(Ticket count) {
  std::lock_guard<std::mutex> lock(mutex);
  last = std::min(last, count);
  if (done >= last)
    transport->abort();
}

/// Of what is under way and all later; under the lock.
void Group::Body::fail(Status status) {
  if (!failure.ok())
    return;
  failure = std::move(status);
  failed = done + 1;
}

//===-- The thread --------------------------------------------------------===//

Status Group::Body::explain(const Collective &collective, const Status &status,
                            Clock::time_point begin) {
  auto seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::string text =
      collective.text() + ", on rank " + std::to_string(transport->rank()) +
      " of " + std::to_string(transport->size()) + ", after " +
      std::to_string(seconds).substr(0, 5) + " s: " + status.message();
  if (options.explain)
    if (std::string cause = options.explain(status); !cause.empty())
      text += "; " + cause;
  return {status.code(), text};
}

Status Group::Body::execute(const Queued &next, Ticket ticket) {
  const Collective &collective = next.collective;
  Clock::time_point begin = Clock::now();
  Status status = check(collective, transport->rank(), transport->size());
  try {
    if (status.ok())
      status = exchanges.run(collective, begin + options.timeout);
    if (status.ok() && options.observe)
      options.observe(ticket, {next.started, begin, Clock::now()});
  } catch (const std::bad_alloc &) {
    status = {StatusCode::OutOfMemory, "no memory for what ranks send"};
  } catch (const std::exception &error) {
    status = {StatusCode::Internal, error.what()};
  } catch (...) {
    status = {StatusCode::Internal, "unknown exception"};
  }
  if (status.ok())
    return status;
  transport->abort();
  try {
    return explain(collective, status, begin);
  } catch (...) { // no memory for that: what happened is known
    return status;
  }
}

void Group::Body::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return isClosing || !queue.empty(); });
    if (queue.empty())
      return;
    if (isClosing)
      fail({StatusCode::CollectiveFailed, "the group was closed"});
    if (failure.ok()) {
      const Queued &next = queue.front(); // stays where it is
      Ticket ticket = done + 1;
      isUnderWay = true;
      lock.unlock();
      Status status;
      try {
        status = execute(next, ticket);
      } catch (...) { // not even for a message; this one needs none
        status = {StatusCode::OutOfMemory, "no memory"};
      }
      lock.lock();
      isUnderWay = false;
      if (!status.ok())
        fail(std::move(status));
      else if (failed == ticket &&
               !isSettled) // It was aborted when all had come.
        ++failed;
    }
    queue.pop_front();
    if (++done == last)
      transport->abort();
    changed.notify_all();
  }
}

//===-- The group ---------------------------------------------------------===//

Group::Group(std::unique_ptr<Transport> transport, const GroupOptions &options)
    : body(std::make_unique<Body>(std::move(transport), options)) {}
Group::~Group() = default;

uint32_t Group::rank() const { return body->transport->rank(); }
uint32_t Group::size() const { return body->transport->size(); }
Group::Ticket Group::start(Collective collective) {
  return body->start(std::move(collective));
}
bool Group::isDone(Ticket ticket) const { return body->isDone(ticket); }
Status Group::wait(Ticket ticket) { return body->wait(ticket); }
void Group::abort(const std::string &reason) { body->abort(reason); }
Group::Ticket Group::close(const std::string &reason,
                           std::chrono::milliseconds patience) {
  return body->close(reason, patience);
}
Group::Ticket Group::finished() const { return body->finished(); }
void Group::lose(Ticket finished) { body->lose(finished); }
Status Group::status() const { return body->status(); }
