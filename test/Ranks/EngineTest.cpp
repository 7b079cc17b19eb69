// Groups of processes over each engine, started as it wants them started: right
// values, the same from both, and typed errors in bounded time where a rank is
// killed, stopped, or never comes.
//
// A rank is this program, with the name of what it has to do (EngineCases.cpp).
#include "mpc/Ranks/World.h"

#include "EngineCases.h"
#include "RankProcesses.h"
#include "RankValues.h"
#include "Ranks/Transport/Plugin.h"
#include "TestLaunch.h"
#include <array>
#include <climits>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <netinet/in.h>
#include <set>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mpc;
using namespace mpc::ranks;
using namespace mpc::test;
using namespace std::chrono_literals;

namespace {

int runRank(const std::string &name) {
  Result<Launch> launch = readLaunch();
  if (!launch)
    return 2;
  // mpirun, when the first has failed; the others have something to say yet.
  signal(SIGTERM, SIG_IGN);
  std::string wrong = cases().at(name)(*launch);
  RankProcesses::report(launch->rank, wrong);
  return wrong.empty() && !faults().contains(name) ? 0 : 1;
}

//===-- What comes of it --------------------------------------------------===//

/// What `ranks` ranks say of a case, but for `other`.
void expectWell(const std::string &engine, const std::string &name,
                uint32_t ranks, std::optional<uint32_t> other = {}) {
  RankProcesses processes(engine, ranks, name, pickPort());
  EXPECT_TRUE(processes.wait(60s)) << name << ": it hangs";
  for (uint32_t rank = 0; rank < ranks; ++rank)
    if (rank != other)
      EXPECT_EQ(processes.said(rank), "well") << name << ", rank " << rank;
  EXPECT_EQ(processes.countLeft(), 0u) << name;
}

class Engine : public testing::TestWithParam<const char *> {};

TEST_P(Engine, sumsInTheOrderOfRanks) {
  for (uint32_t size : {1, 2, 3, 4})
    expectWell(GetParam(), "sums", size);
}
TEST_P(Engine, sendsLongMessages) { expectWell(GetParam(), "sendsLong", 2); }
TEST_P(Engine, averagesGradients) { expectWell(GetParam(), "averages", 4); }
TEST_P(Engine, namesARankThatIsKilled) {
  expectWell(GetParam(), "isKilled", 3, 1);
}
TEST_P(Engine, namesARankThatIsStopped) {
  expectWell(GetParam(), "isStopped", 3, 2);
}
TEST_P(Engine, namesARankThatLeavesEarly) {
  expectWell(GetParam(), "leavesEarly", 3, 1);
}
TEST_P(Engine, namesARankThatNeverComes) {
  expectWell(GetParam(), "neverComes", 3, 1);
}
TEST_P(Engine, comparesCollectives) { expectWell(GetParam(), "disagrees", 3); }
TEST_P(Engine, tellsCollectivesApart) {
  expectWell(GetParam(), "disagreesInKind", 3);
  expectWell(GetParam(), "disagreesInBytes", 3);
}
TEST_P(Engine, timesOut) { expectWell(GetParam(), "isLate", 2, 1); }
TEST_P(Engine, hearsWhatOneTells) { expectWell(GetParam(), "hears", 3, 1); }
TEST_P(Engine, findsDrift) { expectWell(GetParam(), "drifts", 3); }
TEST_P(Engine, abortsWhatWaits) { expectWell(GetParam(), "aborts", 2); }

INSTANTIATE_TEST_SUITE_P(, Engine, testing::Values("gloo", "mpi"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

TEST(Mpi, comparesTheBytesOfMessages) { expectWell("mpi", "sendsLess", 2); }
TEST(Mpi, joinsAnApplications) { expectWell("mpi", "haveMpi", 2); }
TEST(Mpi, isNotOfAForkedProcess) {
  expectWell("mpi", "forks", 2);
  expectWell("mpi", "forksWithOwnMpi", 2);
}
TEST(Mpi, wantsThreads) { expectWell("mpi", "haveMpiForOneThread", 2); }
/// Exchanges are counted beyond what an int holds, and a tag is one of MPI's.
TEST(Mpi, hasTagsForAnyNumberOfExchanges) {
  for (int last : {0, 32767, 8388607, INT_MAX})
    for (uint64_t number : {uint64_t(1), uint64_t(1) << 31, UINT64_MAX - 1}) {
      int tag = mpc_plugin::tagOf(number, 7, last);
      EXPECT_GE(tag, 0) << number;
      EXPECT_LE(tag, last) << number;
      if (last == INT_MAX) { // and next to each other they differ
        EXPECT_NE(tag, mpc_plugin::tagOf(number + 1, 7, last)) << number;
        EXPECT_NE(tag, mpc_plugin::tagOf(number, 8, last)) << number;
      }
    }
}

TEST(Mpi, wantsTheRanksThatItCounts) { expectWell("gloo", "areUnknown", 2); }

TEST(Transport, saysWhatEngineIsMissing) {
  std::string before = std::getenv("MPC_RANKS_PLUGINS");
  setenv("MPC_RANKS_PLUGINS", "/nowhere", 1);
  Launch launch = makeLaunch(0, 1, pickPort());
  auto store = Store::join(launch, {"0.1.0", "abc", ""}, Clock::now() + 5s,
                           [](const Loss &) {});
  ASSERT_TRUE(bool(store));
  auto transport =
      Transport::open("gloo", "world", launch, store->get(), Clock::now() + 5s);
  setenv("MPC_RANKS_PLUGINS", before.c_str(), 1);
  ASSERT_FALSE(bool(transport));
  EXPECT_EQ(transport.status().code(), StatusCode::DeviceUnsupported);
  EXPECT_NE(transport.status().message().find(
                "engine 'gloo', plug-in '/nowhere/libmpcrt_gloo.so': could not "
                "be loaded"),
            std::string::npos)
      << transport.status().message();
}

TEST(World, wantsToKnowWhereRank0Is) {
  Launch launch = makeLaunch(0, 2, 0);
  launch.address = "";
  launch.launcher = Launcher::Pmi;
  auto world = World::join(launch, {"0.1.0", "abc", ""}, {"gloo", 5s});
  ASSERT_FALSE(bool(world));
  EXPECT_EQ(world.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(world.status().message(),
            "expected MASTER_ADDR and MASTER_PORT, where rank 0 can be "
            "reached, since PMI does not say it");
}

/// What no clock could add up is refused, as is no time at all.
TEST(World, hasTimeoutsThatClocksHave) {
  Launch launch = makeLaunch(0, 2, pickPort());
  for (auto timeout : {0ms, -1ms, std::chrono::milliseconds(kMostTimeout) + 1ms,
                       std::chrono::milliseconds::max()}) {
    auto world = World::join(launch, {"0.1.0", "abc", ""}, {"gloo", timeout});
    ASSERT_FALSE(bool(world));
    EXPECT_EQ(world.status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(world.status().message(),
              "expected a timeout of 1 ms to 31622400 s, but got " +
                  std::to_string(timeout.count()) + " ms");
  }
  auto beRank = [&](uint32_t rank) {
    auto world = World::join(makeLaunch(rank, 2, launch.port),
                             {"0.1.0", "abc", ""}, {"gloo", kMostTimeout});
    ASSERT_TRUE(bool(world)) << world.status().message();
    EXPECT_EQ(findWrongSum((*world)->group(), 5000), "");
    EXPECT_TRUE((*world)->group().run({.kind = CollectiveKind::Leave}).ok());
    (*world)->leave();
  };
  std::thread other([&] { beRank(1); });
  beRank(0);
  other.join();
}

TEST(World, isThereForOneRank) {
  Launch launch;
  auto world = World::join(launch, {"0.1.0", "abc", ""}, {"smoke", 5s});
  ASSERT_FALSE(bool(world));
  EXPECT_EQ(world.status().message(),
            "expected engine 'gloo' or 'mpi', but got 'smoke'");
  world = World::join(launch, {"0.1.0", "abc", ""}, {"", 5s});
  ASSERT_TRUE(bool(world)) << world.status().message();
  EXPECT_EQ((*world)->engine(), "");
  EXPECT_EQ((*world)->group().size(), 1u);
  EXPECT_EQ(findWrongSum((*world)->group(), 5000), "");
  std::atomic<bool> isOver{false};
  EXPECT_TRUE((*world)->tell("x", "1").ok());
  EXPECT_TRUE((*world)->tell("x", "2").ok()); // The first one stays.
  EXPECT_EQ(*(*world)->hear("x", isOver), "1");
  isOver = true;
  EXPECT_EQ((*world)->hear("y", isOver).status().code(),
            StatusCode::CollectiveFailed);
  (*world)->giveUp("nobody needs it");
  EXPECT_EQ((*world)->group().status().message(), "nobody needs it");
}

/// An application that says its ranks itself, of two threads here: neighbours
/// are found, and worlds of two names are there at a time, again and again.
TEST(World, isOfAnApplication) {
  Launch launch = makeLaunch(0, 2, pickPort());
  launch.launcher = Launcher::Application;
  launch.localRank = launch.localSize = 0;
  auto join = [&](uint32_t rank, const std::string &name) {
    Launch own = launch;
    own.rank = rank;
    WorldOptions options{"gloo", 20s};
    options.name = name;
    auto world = World::join(own, {"0.1.0", "abc", ""}, options);
    EXPECT_TRUE(bool(world)) << world.status().message();
    EXPECT_EQ((*world)->launch().localRank, rank);
    EXPECT_EQ((*world)->launch().localSize, 2u);
    return std::move(*world);
  };
  auto beRank = [&](uint32_t rank) {
    for (int time = 0; time < 2; ++time) {
      auto a = join(rank, "a"), b = join(rank, "b");
      for (World *world : {a.get(), b.get()})
        EXPECT_EQ(findWrongSum(world->group(), 1000), "");
      for (World *world : {a.get(), b.get()}) {
        EXPECT_TRUE(world->group().run({.kind = CollectiveKind::Barrier}).ok());
        world->leave();
      }
    }
  };
  std::thread other([&] { beRank(1); });
  beRank(0);
  other.join();
}

/// Two processes that have both said that they are the same rank meet when they
/// try again with the right numbers.
TEST(World, isJoinedAfterWrongNumbers) {
  Launch launch = makeLaunch(0, 2, pickPort());
  for (uint32_t wrong : {0, 1}) {
    auto beRank = [&](uint32_t rank) {
      WorldOptions options{"gloo", 1s};
      options.name = "after wrong " + std::to_string(wrong);
      Launch own = launch;
      own.rank = own.localRank = wrong;
      EXPECT_FALSE(bool(World::join(own, {"0.1.0", "abc", ""}, options)));
      own.rank = own.localRank = rank;
      options.timeout = 20s;
      auto world = World::join(own, {"0.1.0", "abc", ""}, options);
      if (!world ||
          !(*world)->group().run({.kind = CollectiveKind::Leave}).ok())
        return false;
      (*world)->leave();
      return true;
    };
    pid_t other = fork();
    if (other == 0)
      _exit(beRank(1) ? 0 : 1);
    EXPECT_TRUE(beRank(0)) << wrong;
    int state = -1;
    waitpid(other, &state, 0);
    EXPECT_EQ(state, 0) << wrong;
  }
}

/// Programs that a rank starts have none of its sockets: of one that is killed
/// the others learn at once.
TEST(World, keepsSocketsFromPrograms) {
  Launch launch = makeLaunch(0, 2, pickPort());
  auto join = [&](uint32_t rank) {
    Launch own = launch;
    own.rank = own.localRank = rank;
    WorldOptions options{"gloo", 20s};
    options.name = "sockets";
    return World::join(own, {"0.1.0", "abc", ""}, options);
  };
  auto inherited = [] {
    std::set<std::string> found;
    for (int i = 3; i < 1024; ++i) {
      std::error_code error;
      auto what = std::filesystem::read_symlink(
          "/proc/self/fd/" + std::to_string(i), error);
      if (!error && what.string().starts_with("socket:") &&
          !(fcntl(i, F_GETFD) & FD_CLOEXEC))
        found.insert(what);
    }
    return found;
  };
  std::set<std::string> before = inherited();
  Result<std::unique_ptr<World>> one = Status(StatusCode::IoError, "none");
  std::thread other([&] { one = join(1); });
  auto zero = join(0);
  other.join();
  ASSERT_TRUE(bool(zero) && bool(one));
  EXPECT_EQ(inherited(), before);
}

/// A rank that is lost between the store and the last connection is told of at
/// once, whatever this one waits for: its machine, its address or itself.
TEST(World, isToldOfALossWhileItConnects) {
  using Do = std::function<void(Store &)>;
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof place;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr *>(&place), bytes), 0);
  ASSERT_EQ(listen(listener, 0), 0);
  getsockname(listener, reinterpret_cast<sockaddr *>(&place), &bytes);
  const uint16_t silent = place.sin_port;
  // So many that it has no room for another one: who connects waits.
  std::array<int, 4> crowd;
  for (int &each : crowd) {
    each = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    (void)connect(each, reinterpret_cast<sockaddr *>(&place), bytes);
  }
  const Do cases[] = {
      [](Store &) {},
      [](Store &store) { // Of the same machine, with no address.
        std::string own = *store.get("machine/0", Clock::now() + 5s);
        (void)store.set("machine/1", own, Clock::now() + 5s);
      },
      [&](Store &store) { // An address where nobody says anything.
        std::string own = *store.get("machine/0", Clock::now() + 5s);
        (void)store.set("machine/1", own, Clock::now() + 5s);
        std::string address = *store.get("gloo/world/0", Clock::now() + 5s);
        // Gloo's: a sockaddr_storage, of which nothing else is told.
        for (size_t i = sizeof(sockaddr_in); i < sizeof(sockaddr_storage); ++i)
          EXPECT_EQ(address[i], 0) << i;
        std::memcpy(&address[offsetof(sockaddr_in, sin_port)], &silent, 2);
        (void)store.set("gloo/world/1", address, Clock::now() + 5s);
      }};
  for (const Do &each : cases) {
    Launch launch = makeLaunch(0, 2, pickPort());
    launch.run = "loses" + std::to_string(&each - cases);
    launch.localRank = launch.localSize = 0;
    std::thread other([&] {
      Launch own = launch;
      own.rank = 1;
      own.run += "/world/1";
      auto store = Store::join(own, {"0.1.0", "abc", ""}, Clock::now() + 10s,
                               [](const Loss &) {});
      ASSERT_TRUE(bool(store)) << store.status().message();
      each(**store);
      std::this_thread::sleep_for(300ms);
      (*store)->report("there are no descriptors");
    });
    auto begin = Clock::now();
    auto world = World::join(launch, {"0.1.0", "abc", ""}, {"gloo", 20s});
    other.join();
    ASSERT_FALSE(bool(world));
    EXPECT_NE(world.status().message().find("rank 1: there are no descriptors"),
              std::string::npos)
        << world.status().message();
    EXPECT_EQ(world.status().code(), StatusCode::CollectiveFailed);
    EXPECT_LT(Clock::now() - begin, 8s);
  }
  close(listener);
  for (int each : crowd)
    close(each);
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 3 && std::string(argv[1]) == "--rank")
    return runRank(argv[2]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
