#include "EngineCases.h"

#include "RankProcesses.h"
#include "RankValues.h"
#include "mpc/Ranks/Drift.h"
#include "mpc/Ranks/World.h"
#include <csignal>
#include <dlfcn.h>
#include <thread>

using namespace mpc;
using namespace mpc::ranks;
using namespace mpc::test;
using namespace std::chrono_literals;

std::string test::findWrongSum(Group &group, uint64_t count) {
  std::vector<float> x = makeValues(group.rank(), count);
  Status status =
      group.run({.count = count, .source = x.data(), .result = x.data()});
  if (!status.ok())
    return status.message();
  for (uint64_t i = 0; i < count; ++i)
    if (x[i] != sumOf(group.size(), i))
      return "element " + std::to_string(i) + " of " + std::to_string(count) +
             " is wrong";
  return "";
}

namespace {

/// Times in which ranks come together, too: with a sanitizer, and others
/// beside, to begin MPI takes seconds.
#ifdef MPC_SANITIZED
constexpr int kSlower = 4;
#else
constexpr int kSlower = 1;
#endif

/// A member of a world; `body` as a case.
std::string join(const Launch &launch, std::chrono::milliseconds timeout,
                 const std::function<std::string(World &)> &body) {
  auto world = World::join(launch, {"0.1.0", "abc", ""}, {"", timeout});
  if (!world)
    return world.status().message();
  std::string wrong = body(**world);
  RankProcesses::report(launch.rank, wrong); // To leave takes a while.
  if (wrong.empty() &&
      (*world)->group().run({.kind = CollectiveKind::Barrier}).ok())
    (*world)->leave();
  return wrong;
}

std::string sums(const Launch &launch) {
  return join(launch, 20s, [](World &world) {
    for (uint64_t count : {0, 1, 1000, 4096, 4097, 1000003})
      for (int repeat = 0; repeat < 3; ++repeat)
        if (std::string wrong = findWrongSum(world.group(), count);
            !wrong.empty())
          return wrong;
    return std::string();
  });
}

/// Longer than a piece of a message, and no multiple of it.
std::string sendsLong(const Launch &launch) {
  return join(launch, 60s, [](World &world) {
    std::vector<uint32_t> x((uint64_t(144) << 18) + 1);
    for (size_t i = 0; i < x.size() && world.group().rank() == 1; ++i)
      x[i] = static_cast<uint32_t>(i * 2654435761);
    Status status = world.group().run({.kind = CollectiveKind::Broadcast,
                                       .type = DType::F32,
                                       .count = x.size(),
                                       .source = x.data(),
                                       .result = x.data(),
                                       .root = 1});
    for (size_t i = 0; i < x.size() && status.ok(); ++i)
      if (x[i] != static_cast<uint32_t>(i * 2654435761))
        return "element " + std::to_string(i) + " is wrong";
    return status.message();
  });
}

/// The gradients of the data flow in Accelerate's guide on how ranks train.
std::string averages(const Launch &launch) {
  const float gradients[4][3] = {{1.0f, 2.0f, 3.0f},
                                 {1.1f, 2.1f, 3.1f},
                                 {0.9f, 1.9f, 2.9f},
                                 {1.0f, 2.0f, 3.0f}};
  return join(launch, 20s, [&](World &world) {
    float x[3];
    Status status = world.group().run({.reduction = Reduction::Average,
                                       .count = 3,
                                       .source = gradients[launch.rank],
                                       .result = x});
    if (status.ok() && (x[0] != 1.0f || x[1] != 2.0f || x[2] != 3.0f))
      return std::string("they are not 1, 2 and 3");
    return status.message();
  });
}

/// All-reduces until one fails; what is wrong about how it does.
std::string sumUntilItFails(World &world,
                            std::initializer_list<const char *> words) {
  std::vector<float> x(300000, 1);
  Status status;
  while (status.ok())
    status = world.group().run(
        {.count = x.size(), .source = x.data(), .result = x.data()});
  for (const char *word : words)
    if (status.message().find(word) == std::string::npos)
      return "expected '" + std::string(word) + "' in '" + status.message() +
             "'";
  return "";
}

/// A rank is sent a signal when all have joined, and a little later.
void signalSoon(World &world, uint32_t rank, int number) {
  Status all = world.group().run({.kind = CollectiveKind::Barrier});
  if (all.ok() && world.group().rank() == rank)
    std::thread([number] {
      std::this_thread::sleep_for(300ms);
      kill(getpid(), number);
    }).detach();
}

std::string isKilled(const Launch &launch) {
  return join(launch, 20s, [&](World &world) {
    signalSoon(world, 1, SIGKILL);
    return sumUntilItFails(world,
                           {"all-reduce of 300000 x f32", "rank 1: its conne"});
  });
}

std::string isStopped(const Launch &launch) {
  return join(launch, kSlower * 1500ms, [&](World &world) {
    signalSoon(world, 2, SIGSTOP);
    return sumUntilItFails(world, {"all-reduce of 300000 x f32", "rank 2"});
  });
}

std::string leavesEarly(const Launch &launch) {
  return join(launch, 20s, [&](World &world) {
    // Else it may be lost while others still connect, which is another case.
    static_cast<void>(world.group().run({.kind = CollectiveKind::Barrier}));
    if (launch.rank == 1)
      return std::string("rank 1 has enough");
    return sumUntilItFails(world, {"rank 1: it ended early"});
  });
}

/// Of what waits for others.
std::string aborts(const Launch &launch) {
  return join(launch, 20s, [&](World &world) {
    if (launch.rank == 1) {
      std::this_thread::sleep_for(1s);
      return sumUntilItFails(world, {"rank 0: "});
    }
    Clock::time_point begin = Clock::now();
    Group::Ticket ticket =
        world.group().start({.kind = CollectiveKind::Barrier});
    std::this_thread::sleep_for(200ms);
    world.giveUp("nobody needs it");
    Status status = world.group().wait(ticket);
    if (Clock::now() - begin > 5s)
      return std::string("it took too long");
    return status.message() == "nobody needs it" ? ""
                                                 : "not: " + status.message();
  });
}

std::string neverComes(const Launch &launch) {
  if (launch.rank == 1)
    kill(getpid(), SIGSTOP);
  std::string wrong =
      join(launch, kSlower * 1500ms, [](World &) { return ""; });
  for (const char *word : {"rank 1 did not come", "one has not come"})
    if (wrong.find(word) != std::string::npos)
      return "";
  return wrong.empty() ? "they did not miss rank 1" : wrong;
}

/// Neither engine is given bytes of another collective than it expects.
std::string disagrees(const Launch &launch) {
  return join(launch, kSlower * 5s, [&](World &world) {
    float x[64] = {};
    Status status = world.group().run({.kind = CollectiveKind::AllGather,
                                       .count = launch.rank == 1 ? 4u : 8u,
                                       .source = x,
                                       .result = x + 32});
    bool isTold =
        launch.rank == 1
            ? status.message().find("begins all-gather of 4 x f32, number 1, "
                                    "and rank 0 all-gather of 8 x f32, "
                                    "number 1") != std::string::npos
            : status.message().find("begins all-gather of 8 x f32, number 1, "
                                    "and rank 1 all-gather of 4 x f32, "
                                    "number 1") != std::string::npos;
    return isTold ? "" : "not: " + status.message();
  });
}

/// Nor when nobody says any more in front of a long one what it is: of as many
/// bytes, and of others.
std::string disagreesLate(const Launch &launch, uint64_t count) {
  return join(launch, kSlower * 2s, [&](World &world) -> std::string {
    std::vector<float> x(400), y(1200, -1);
    for (int i = 0; i < 256; ++i)
      if (!world.group().run({.kind = CollectiveKind::Barrier}).ok())
        return "a barrier fails";
    bool isOther = launch.rank == 1;
    Status status =
        world.group().run({.kind = isOther ? CollectiveKind::AllGather
                                           : CollectiveKind::AllReduce,
                           .count = isOther ? count : 300,
                           .source = x.data(),
                           .result = y.data()});
    bool isTold = status.code() == StatusCode::CollectiveTimedOut ||
                  status.message().find("timed out") != std::string::npos;
    return isTold ? "" : "not: " + status.message();
  });
}

/// A rank that is late is no failure of another kind.
std::string isLate(const Launch &launch) {
  return join(launch, kSlower * 700ms, [&](World &world) -> std::string {
    if (launch.rank == 1) {
      std::this_thread::sleep_for(kSlower * 1500ms);
      return "rank 1 was late";
    }
    Status status = world.group().run({.kind = CollectiveKind::Barrier});
    if (status.code() != StatusCode::CollectiveTimedOut)
      return "not a timeout: " + status.message();
    if (status.message().find("timed out waiting for rank 1 to ") ==
        std::string::npos)
      return "not: " + status.message();
    return status.message().find("rank 1: rank 1 was late") ==
                       std::string::npos &&
                   status.message().find("rank 1: it ended early") ==
                       std::string::npos &&
                   status.message().find("all ranks answer") ==
                       std::string::npos
               ? "not: " + status.message()
               : "";
  });
}

/// What one waits to hear, for longer than the timeout, while all answer; and
/// from one that is gone.
std::string hears(const Launch &launch) {
  return join(launch, kSlower * 600ms, [&](World &world) -> std::string {
    std::atomic<bool> isOver{false};
    if (launch.rank == 1) {
      std::this_thread::sleep_for(kSlower * 2s);
      if (!world.tell("late", "news", 2).ok())
        return "it cannot tell";
      std::this_thread::sleep_for(300ms);
      world.giveUp("it has nothing else to tell");
      // mpirun ends the others soon after this one has ended.
      std::this_thread::sleep_for(kSlower * 500ms);
      return "it gave up";
    }
    Result<std::string> late = world.hear("late", isOver);
    if (!late || *late != "news")
      return "not: " + late.status().message();
    Result<std::string> never = world.hear("never", isOver);
    return never.status().message() == "rank 1: it has nothing else to tell" &&
                   world.lost() == never.status().message()
               ? ""
               : "not: " + never.status().message();
  });
}

/// All come to the same end, and none is thought to be lost for it.
std::string drifts(const Launch &launch) {
  return join(launch, 20s, [&](World &world) -> std::string {
    for (uint64_t states : {2, 100}) {
      std::vector<uint64_t> hashes(states, 7);
      std::vector<std::string> names(states, "other");
      names[1] = "w";
      auto none = findDrift(world.group(), hashes, names);
      if (!none || !none->empty())
        return "they have not drifted: " + none.status().message();
      hashes[1] += launch.rank == 2;
      auto found = findDrift(world.group(), hashes, names);
      if (!found || *found != "rank 2 has another 'w' than the rest")
        return "not: " + (found ? *found : found.status().message());
    }
    return "";
  });
}

/// MPI itself tells, were the bytes of a message others.
std::string sendsLess(const Launch &launch) {
  auto transport =
      Transport::open("mpi", "bare", launch, nullptr, Clock::now() + 10s);
  if (!transport)
    return transport.status().message();
  std::byte bytes[64] = {};
  uint32_t peer = 1 - launch.rank;
  Outgoing sent = {peer, std::span(bytes, launch.rank == 0 ? 32 : 16)};
  Incoming received = {peer, std::span(bytes + 32, 32)};
  Status status = (*transport)
                      ->exchange(std::span(&sent, 1), std::span(&received, 1),
                                 /*kind=*/0, Clock::now() + 5s);
  bool isTold = status.message().find("rank 1 sent 16 bytes, where 32 were "
                                      "expected") != std::string::npos;
  return launch.rank == 1 || isTold ? "" : "not: " + status.message();
}

/// torchrun's, whom MPI does not know.
std::string areUnknown(const Launch &launch) {
  auto world = World::join(launch, {"0.1.0", "abc", ""}, {"mpi", 20s});
  if (world)
    return "they have joined";
  bool isTold = world.status().message().find("counts this as rank 0 of 1") !=
                std::string::npos;
  return isTold ? "" : "not: " + world.status().message();
}

/// An application that begins and ends MPI itself, as `level`; `body` between.
std::string withOwnMpi(int level, const std::function<std::string()> &body) {
  void *library = dlopen("libmpi.so", RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return dlerror();
  auto begin = reinterpret_cast<int (*)(int *, char ***, int, int *)>(
      dlsym(library, "MPI_Init_thread"));
  auto end = reinterpret_cast<int (*)()>(dlsym(library, "MPI_Finalize"));
  int found = 0;
  if (begin(nullptr, nullptr, level, &found) != 0 || found != level)
    return "MPI does not begin";
  std::string wrong = body();
  return end() == 0 ? wrong : "MPI does not end";
}

constexpr int kMultiple = 3; // MPI_THREAD_MULTIPLE, of all MPIs

std::string haveMpi(const Launch &launch) {
  return withOwnMpi(kMultiple, [&] { return sums(launch); });
}

std::string haveMpiForOneThread(const Launch &launch) {
  return withOwnMpi(0, [&]() -> std::string {
    auto world = World::join(launch, {"0.1.0", "abc", ""}, {"", 20s});
    if (world)
      return "they have joined";
    bool isTold = world.status().message().find("MPI_THREAD_MULTIPLE") !=
                  std::string::npos;
    return isTold ? "" : "not: " + world.status().message();
  });
}

/// A process that was forked from a rank may not use MPI, and is told so before
/// it does; the rank's group goes on.
std::string forks(const Launch &launch) {
  return join(launch, 20s, [&](World &world) -> std::string {
    std::string wrong = findWrongSum(world.group(), 1000);
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      WorldOptions options{"mpi", 20s};
      options.name = "child";
      auto own = World::join(launch, {"0.1.0", "abc", ""}, options);
      bool isTold = own.status().code() == StatusCode::InvalidArgument &&
                    own.status().message().find(
                        "expected the process that has MPI, " +
                        std::to_string(getppid())) != std::string::npos;
      _exit(isTold ? 0 : 1);
    }
    int state = -1;
    if (child < 0 || waitpid(child, &state, 0) != child || state != 0)
      return "the child was not refused";
    for (int i = 0; i < 100 && wrong.empty(); ++i)
      wrong = findWrongSum(world.group(), 5000);
    return wrong;
  });
}

const EngineCases kCases = {
    {"forks", forks},
    {"forksWithOwnMpi",
     [](const Launch &launch) {
       return withOwnMpi(kMultiple, [&] { return forks(launch); });
     }},
    {"haveMpi", haveMpi},
    {"haveMpiForOneThread", haveMpiForOneThread},
    {"sums", sums},
    {"sendsLong", sendsLong},
    {"averages", averages},
    {"areUnknown", areUnknown},
    {"isKilled", isKilled},
    {"isStopped", isStopped},
    {"aborts", aborts},
    {"leavesEarly", leavesEarly},
    {"sendsLess", sendsLess},
    {"neverComes", neverComes},
    {"disagrees", disagrees},
    {"isLate", isLate},
    {"hears", hears},
    {"drifts", drifts},
    {"disagreesInKind",
     [](const Launch &launch) { return disagreesLate(launch, 300); }},
    {"disagreesInBytes",
     [](const Launch &launch) { return disagreesLate(launch, 400); }}};
// Their ranks end as such that have failed, whereupon mpirun ends those that
// stand still.
const std::set<std::string> kFaults = {
    "isKilled",         "isStopped",  "aborts",    "leavesEarly",
    "sendsLess",        "neverComes", "disagrees", "disagreesInKind",
    "disagreesInBytes", "isLate",     "hears"};

} // namespace

const EngineCases &test::cases() { return kCases; }
const std::set<std::string> &test::faults() { return kFaults; }
