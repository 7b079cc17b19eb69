#include "mpc/Ranks/Transport.h"

#include "../Rendezvous.h"
#include "Engine.h"
#include "mpc/Ranks/Limits.h"
#include "mpc/Support/Printable.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::ranks;
using std::chrono::milliseconds;

static int64_t millisecondsTo(Clock::time_point deadline) {
  auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
  return std::max<int64_t>(left.count(), 1);
}

//===-- The plug-in -------------------------------------------------------===//

/// The folder of the file that holds this code, with a slash; "" if unknown.
static std::string ownFolder() {
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<const void *>(&Transport::open), &info) ||
      !info.dli_fname)
    return {};
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

static std::string findPlugin(const std::string &engine) {
  std::string file = "libmpcrt_" + engine + ".so";
  if (const char *folder = std::getenv("MPC_RANKS_PLUGINS"); folder && *folder)
    return std::string(folder) + "/" + file;
  std::string beside = ownFolder() + file;
  return access(beside.c_str(), F_OK) == 0 ? beside : file;
}

static Result<const mpc_engine *> loadEngine(const std::string &engine) {
  if (Status status = Transport::checkEngine(engine); !status.ok())
    return status;
  std::string path = findPlugin(engine);
  auto refuse = [&](const std::string &what) -> Status {
    return {StatusCode::DeviceUnsupported,
            "engine '" + engine + "', plug-in '" + path + "': " + what};
  };
  // What lies under it does not bear being unloaded.
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char *reason = dlerror();
    return refuse(std::string("could not be loaded: ") +
                  (reason ? reason : "unknown reason") +
                  "; install it beside the library, or name its folder by "
                  "MPC_RANKS_PLUGINS");
  }
  using Entry = const mpc_engine *(*)();
  auto entry = reinterpret_cast<Entry>(dlsym(handle, MPC_ENGINE_SYMBOL));
  const mpc_engine *found = entry ? entry() : nullptr;
  if (!found || !found->version)
    return refuse("expected the function '" MPC_ENGINE_SYMBOL
                  "' and what it describes, but found none");
  if (std::string_view(found->version) != MPC_ENGINE_VERSION)
    return refuse("expected version '" MPC_ENGINE_VERSION "', but got '" +
                  std::string(found->version) +
                  "'; install the plug-in that was built with this library");
  return found;
}

//===-- Messages ----------------------------------------------------------===//

namespace {

class EngineTransport final : public Transport {
public:
  EngineTransport(const Launch &launch, const mpc_engine *engine, void *self)
      : launch(launch), engine(engine), self(self) {}
  ~EngineTransport() override { engine->close(self); }

  uint32_t rank() const override { return launch.rank; }
  uint32_t size() const override { return launch.size; }
  Status exchange(std::span<const Outgoing> sends,
                  std::span<const Incoming> receives, uint64_t kind,
                  Clock::time_point deadline) override;
  void abort() override { engine->abort(self); }

private:
  Launch launch;
  const mpc_engine *engine;
  void *self;
};

class OneRank final : public Transport {
public:
  uint32_t rank() const override { return 0; }
  uint32_t size() const override { return 1; }
  Status exchange(std::span<const Outgoing>, std::span<const Incoming>,
                  uint64_t, Clock::time_point) override {
    return {};
  }
  void abort() override {}
};

/// Names of one transport in the store of all.
struct Names {
  Store *store;
  std::string prefix;
  Clock::time_point deadline;
  const std::function<Status()> &findLoss;
  Status failure = {}; ///< The first of the store, of which engines say less.

  static int set(void *self, const char *name, const void *value,
                 uint64_t bytes) {
    auto *names = static_cast<Names *>(self);
    std::string text(static_cast<const char *>(value), bytes);
    return names->note(
        names->store->set(names->prefix + name, text, names->deadline));
  }
  static int get(void *self, const char *name, void *target,
                 void (*take)(void *, const void *, uint64_t)) {
    auto *names = static_cast<Names *>(self);
    Result<std::string> value = names->store->get(
        names->prefix + name, names->deadline, names->findLoss);
    if (value)
      take(target, value->data(), value->size());
    Status status = value.status(); // A name is the number of a rank.
    if (status.code() == StatusCode::CollectiveTimedOut)
      status = {status.code(), std::string("rank ") + name +
                                   " has not said in time where it listens"};
    return names->note(status);
  }
  static int isOver(void *self) {
    auto *names = static_cast<Names *>(self);
    return names->findLoss && !names->findLoss().ok();
  }

private:
  int note(const Status &status) {
    if (failure.ok())
      failure = status;
    return !status.ok();
  }
};

} // namespace

static Status toStatus(const mpc_failure &failure) {
  StatusCode code =
      failure.outcome == MPC_OUTCOME_TIMED_OUT ? StatusCode::CollectiveTimedOut
      : failure.outcome == MPC_OUTCOME_REFUSED ? StatusCode::InvalidArgument
                                               : StatusCode::CollectiveFailed;
  return {code, failure.text};
}

Status EngineTransport::exchange(std::span<const Outgoing> sends,
                                 std::span<const Incoming> receives,
                                 uint64_t kind, Clock::time_point deadline) {
  std::vector<mpc_message> out, in;
  for (const Outgoing &each : sends)
    // What is sent is only read; C has one type for both ways.
    out.push_back({each.peer, const_cast<std::byte *>(each.data.data()),
                   each.data.size()});
  for (const Incoming &each : receives)
    in.push_back({each.peer, each.data.data(), each.data.size()});
  mpc_failure failure = {};
  if (engine->exchange(self, out.data(), static_cast<uint32_t>(out.size()),
                       in.data(), static_cast<uint32_t>(in.size()), kind,
                       millisecondsTo(deadline), &failure))
    return {};
  return toStatus(failure);
}

Status Transport::checkEngine(const std::string &engine) {
  if (engine == "gloo" || engine == "mpi")
    return {};
  return {StatusCode::InvalidArgument,
          "expected engine 'gloo' or 'mpi', but got '" + printable(engine) +
              "'"};
}

std::unique_ptr<Transport> Transport::ofOne() {
  return std::make_unique<OneRank>();
}

Result<Launch> Transport::place(const ForeignRanks &ranks) {
  Result<const mpc_engine *> found = loadEngine("mpi");
  if (!found)
    return found.status();
  mpc_engine_setup setup = {};
  setup.communicator = ranks.handle;
  setup.communicator_bytes = ranks.bytes;
  Launch launch;
  mpc_failure failure = {};
  if (!(*found)->place(&setup, &launch.rank, &launch.size, &failure))
    return Status(StatusCode::InvalidArgument,
                  "engine 'mpi': " + std::string(failure.text));
  launch.launcher = Launcher::Application;
  launch.hasMpi = true;
  launch.localSize = launch.size == 1;
  return launch;
}

Result<bool> Transport::needsStore(const std::string &engine) {
  Result<const mpc_engine *> found = loadEngine(engine);
  if (!found)
    return found.status();
  return (*found)->needs_store != 0;
}

/// Of an engine that says `message`, which may be the system's about a thread.
static std::string noteLimits(const std::string &message) {
  std::string notes = noteFileLimit() + noteMemoryLimit();
  bool lacksThread = message.find(std::strerror(EAGAIN)) != message.npos;
  return notes.empty() && lacksThread ? noteThreadLimit() : notes;
}

Result<std::unique_ptr<Transport>>
Transport::open(const std::string &engine, const std::string &name,
                const Launch &launch, Store *store, Clock::time_point deadline,
                const ForeignRanks &ranks,
                const std::function<Status()> &findLoss) {
  Result<const mpc_engine *> found = loadEngine(engine);
  if (!found)
    return found.status();
  if (!store && (*found)->needs_store)
    return Status(StatusCode::InvalidArgument,
                  "engine '" + engine + "' connects ranks by a store");
  Names names{store, engine + "/" + name + "/", deadline, findLoss};
  std::string host = ownHost(launch);
  const char *interface = std::getenv("MPC_RANKS_INTERFACE");
  bool isNamed = interface && *interface;
  mpc_engine_setup setup = {launch.rank,
                            launch.size,
                            isNamed ? nullptr : host.c_str(),
                            isNamed ? interface : nullptr,
                            millisecondsTo(deadline),
                            {&names, Names::set, Names::get, Names::isOver},
                            ranks.handle,
                            ranks.bytes};
  mpc_failure failure = {};
  void *self = (*found)->open(&setup, &failure);
  if (!self) {
    Status status =
        names.failure.ok() ? toStatus(failure) : std::move(names.failure);
    std::string separator = ": ";
    // The cause of what the engine has seen of a connection.
    if (Status loss = findLoss ? findLoss() : Status(); !loss.ok()) {
      status = std::move(loss);
      separator = "; ";
    }
    return Status(
        status.code(),
        "engine '" + engine + "' did not connect the ranks" + separator +
            status.message() + noteLimits(status.message()) +
            (isNamed ? "; MPC_RANKS_INTERFACE is '" + printable(interface) + "'"
                     : ""));
  }
  return std::unique_ptr<Transport>(new EngineTransport(launch, *found, self));
}
