// The store among threads and processes of this machine: names and values, who
// is refused, who is lost.
#include "mpc/Ranks/Store.h"

#include "StoreRanks.h"
#include <arpa/inet.h>
#include <csignal>
#include <gtest/gtest.h>
#include <iostream>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mpc;
using namespace mpc::ranks;
using namespace mpc::test;
using namespace std::chrono_literals;

TEST(Store, OneRank) {
  Ranks ranks(1);
  ASSERT_TRUE(ranks.status(0).ok()) << ranks.status(0).message();
  EXPECT_TRUE(ranks[0].set("a", "1", soon()).ok());
  EXPECT_EQ(*ranks[0].get("a", soon()), "1");
}

TEST(Store, ValuesAreSeenByAll) {
  Ranks ranks(4);
  for (uint32_t rank = 0; rank < 4; ++rank)
    ASSERT_TRUE(ranks.status(rank).ok()) << ranks.status(rank).message();
  std::string bytes("\0\xff\n with all bytes", 18);
  std::thread late([&] {
    std::this_thread::sleep_for(50ms);
    EXPECT_TRUE(ranks[3].set("of 3", bytes, soon()).ok());
  });
  for (uint32_t rank = 0; rank < 4; ++rank) {
    Result<std::string> value = ranks[rank].get("of 3", soon());
    ASSERT_TRUE(value) << value.status().message();
    EXPECT_EQ(*value, bytes);
  }
  late.join();
  EXPECT_TRUE(ranks[1].set("of 3", "another", soon()).ok());
  EXPECT_EQ(*ranks[2].get("of 3", soon()), bytes) << "the first one stays";
}

TEST(Store, WaitsNoLongerThanAsked) {
  Ranks ranks(2);
  ASSERT_TRUE(ranks.areThere());
  auto begin = Clock::now();
  Result<std::string> value = ranks[1].get("never", begin + 100ms);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.status().code(), StatusCode::CollectiveTimedOut);
  EXPECT_EQ(value.status().message(), "nobody has set 'never' in time");
  EXPECT_LT(Clock::now() - begin, 5s);
}

/// Who waits in turns asks once; what ends that is told.
TEST(Store, WaitsAsLongAsItMay) {
  Ranks ranks(2);
  ASSERT_TRUE(ranks.areThere());
  int turns = 0;
  auto end = [&]() -> Status {
    if (++turns < 2)
      return {};
    return {StatusCode::CollectiveFailed, "enough"};
  };
  Result<std::string> value =
      ranks[1].get("late", Clock::time_point::max(), end);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.status().message(), "enough");
  std::thread late([&] {
    std::this_thread::sleep_for(700ms);
    EXPECT_TRUE(ranks[0].set("late", "1", soon()).ok());
  });
  value =
      ranks[1].get("late", Clock::time_point::max(), [] { return Status(); });
  late.join();
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, "1");
}

/// A value for so many readers has gone after the last of them.
TEST(Store, ForgetsWhatAllHaveRead) {
  Ranks ranks(3);
  ASSERT_TRUE(ranks.areThere());
  std::optional<Result<std::string>> early;
  std::thread waits([&] { early.emplace(ranks[1].get("x y", soon())); });
  std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(ranks[0].set("x y", "1", soon(), 2).ok());
  waits.join();
  ASSERT_TRUE(*early) << early->status().message();
  EXPECT_EQ(**early, "1");
  Result<std::string> last = ranks[2].get("x y", soon());
  ASSERT_TRUE(last) << last.status().message();
  EXPECT_EQ(*last, "1");
  EXPECT_FALSE(ranks[2].get("x y", Clock::now() + 50ms));
  // Who has given up waiting, as the store has heard by now, is no reader.
  std::this_thread::sleep_for(300ms);
  EXPECT_TRUE(ranks[0].set("x y", "2", soon(), 1).ok());
  Result<std::string> second = ranks[1].get("x y", soon());
  ASSERT_TRUE(second) << second.status().message();
  EXPECT_EQ(*second, "2");
}

/// Several ask at a time: each gets what has come to its own question.
TEST(Store, WhoAnswersIsAskedByMany) {
  Ranks ranks(3);
  ASSERT_TRUE(ranks.areThere());
  std::atomic<bool> isOver{false};
  std::thread other([&] {
    while (!isOver)
      EXPECT_TRUE(ranks[1].ask(0ms));
  });
  // Longer than a thread waits for its turn where others work, too.
  for (int i = 0; i < 4; ++i) {
    Result<std::vector<Presence>> found = ranks[0].ask(1s);
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, std::vector<Presence>(3, Presence::Answers));
  }
  isOver = true;
  other.join();
}

/// Whoever is told of a loss may throw: the thread of the store goes on.
TEST(Store, AThreadThatThrows) {
  uint16_t port = pickPort();
  std::optional<Joined> other;
  std::thread second([&] {
    other.emplace(Store::join(makeLaunch(1, 2, port), kAgreement, soon(),
                              [](const Loss &) {}));
  });
  Joined store =
      Store::join(makeLaunch(0, 2, port), kAgreement, soon(),
                  [](const Loss &) { throw std::runtime_error("of a test"); });
  second.join();
  ASSERT_TRUE(store && *other);
  (**other)->report("it gives up");
  Result<std::string> value = (*store)->get("a", soon());
  ASSERT_FALSE(value);
  EXPECT_EQ(value.status().code(), StatusCode::CollectiveFailed);
  other.reset();
}

/// Somebody who lets nobody in; -1 where the port is not to be had.
static int listenAt(uint16_t port) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // As rank 0 does: the end of a connection of others would keep us, but not
  // it, from the port. One that somebody listens at is taken, too.
  int reuses = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuses, sizeof reuses);
  if (bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof address) ==
          0 &&
      listen(listener, 1) == 0)
    return listener;
  close(listener);
  return -1;
}

TEST(Store, NoPortIsFree) {
  uint16_t port = pickPort();
  std::vector<int> taken;
  for (uint16_t i = 0; i < Store::kPorts; ++i)
    taken.push_back(listenAt(port + i)); // or somebody else has it
  Joined joined = Store::join(makeLaunch(0, 2, port), kAgreement,
                              Clock::now() + 1s, [](const Loss &) {});
  EXPECT_NE(joined.status().message().find("expected a free port for rank 0"),
            std::string::npos)
      << joined.status().message();
  for (int listener : taken)
    close(listener);
}

TEST(Store, TwoRunsOnOneMachine) {
  auto first = Ranks::alike(2);
  auto second = first;
  for (auto &[launch, agreement] : second)
    launch.run = "another";
  Ranks one(first), other(second);
  for (Ranks *ranks : {&one, &other})
    for (uint32_t rank : {0, 1})
      ASSERT_TRUE(ranks->status(rank).ok()) << ranks->status(rank).message();
  EXPECT_TRUE(one[0].set("run", "one", soon()).ok());
  EXPECT_TRUE(other[0].set("run", "other", soon()).ok());
  EXPECT_EQ(*one[1].get("run", soon()), "one");
  EXPECT_EQ(*other[1].get("run", soon()), "other");
}

TEST(Store, RanksThatDoNotAgree) {
  struct Case {
    std::function<void(Launch &, Agreement &)> change;
    std::string message;
  };
  const Case cases[] = {
      {[](Launch &, Agreement &agreement) { agreement.program = "def"; },
       "rank 1 runs program def, rank 0 runs program abc"},
      {[](Launch &, Agreement &agreement) { agreement.library = "0.2.0"; },
       "rank 1 is of mpc 0.2.0, rank 0 is of mpc 0.1.0"},
      {[](Launch &, Agreement &agreement) { agreement.settings = "lr 1"; },
       "rank 1 has settings 'lr 1', rank 0 has settings ''"},
      {[](Launch &launch, Agreement &) { launch.size = 3; },
       "rank 1 says that there are 3 ranks, rank 0 says that there are 2"}};
  for (const Case &each : cases) {
    auto both = Ranks::alike(2);
    each.change(both[1].first, both[1].second);
    Ranks ranks(both);
    for (uint32_t rank : {0, 1}) {
      EXPECT_EQ(ranks.status(rank).code(), StatusCode::InvalidArgument);
      EXPECT_EQ(ranks.status(rank).message(),
                "expected ranks that agree, but " + each.message);
    }
  }
}

TEST(Store, TwoProcessesOfOneRank) {
  auto three = Ranks::alike(3);
  three[2] = three[1];
  Ranks ranks(three);
  for (uint32_t rank = 0; rank < 3; ++rank)
    EXPECT_NE(ranks.status(rank).message().find(
                  "expected ranks that agree, but two processes are rank 1"),
              std::string::npos)
        << ranks.status(rank).message();
}

/// When all are there one too many is refused, and no matter to them.
TEST(Store, AThirdProcessOfTwoRanks) {
  auto two = Ranks::alike(2);
  Ranks ranks(two);
  ASSERT_TRUE(ranks.status(0).ok() && ranks.status(1).ok());
  Joined third = Store::join(two[1].first, kAgreement, soon(),
                             [](const Loss &) { ADD_FAILURE(); });
  ASSERT_FALSE(third);
  EXPECT_EQ(third.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(third.status().message(),
            "expected ranks that agree, but two processes are rank 1");
  EXPECT_TRUE(ranks[1].set("a", "1", soon()).ok());
  EXPECT_EQ(*ranks[0].get("a", soon()), "1");
  EXPECT_TRUE(ranks.losses[0].afterAWhile().empty());
}

TEST(Store, AnAddressOfIPv6) {
  auto two = Ranks::alike(2);
  int probe = socket(AF_INET6, SOCK_STREAM, 0);
  sockaddr_in6 address = {};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  bool hasIt = probe >= 0 && bind(probe, reinterpret_cast<sockaddr *>(&address),
                                  sizeof address) == 0;
  close(probe);
  if (!hasIt)
    GTEST_SKIP() << "this machine has no IPv6";
  for (auto &[launch, agreement] : two)
    launch.address = "::1";
  Ranks ranks(two);
  for (uint32_t rank : {0, 1})
    ASSERT_TRUE(ranks.status(rank).ok()) << ranks.status(rank).message();
  EXPECT_TRUE(ranks[1].set("a", "1", soon()).ok());
  EXPECT_EQ(*ranks[0].get("a", soon()), "1");
}

TEST(Store, WhoDidNotCome) {
  auto four = Ranks::alike(4);
  four.erase(four.begin() + 2);
  Ranks ranks(four, 500ms);
  for (uint32_t i = 0; i < 3; ++i)
    EXPECT_NE(ranks.status(i).message().find(
                  "expected 4 ranks, but rank 2 did not come"),
              std::string::npos)
        << ranks.status(i).message();
}

TEST(Store, NoRank0) {
  auto two = Ranks::alike(2);
  two.erase(two.begin());
  Ranks ranks(two, 300ms);
  EXPECT_EQ(ranks.status(0).code(), StatusCode::CollectiveTimedOut);
  EXPECT_EQ(ranks.status(0).message(),
            "expected rank 0 to listen at localhost, ports " +
                std::to_string(two[0].first.port) + " to " +
                std::to_string(two[0].first.port + Store::kPorts - 1) +
                ", but nobody answers there");
}

/// As a rank 0 that has no descriptor for who knocks.
TEST(Store, WhoAnswersSaysNothing) {
  auto two = Ranks::alike(2);
  two.erase(two.begin());
  int listener = listenAt(two[0].first.port);
  ASSERT_GE(listener, 0) << "the port is taken";
  Ranks ranks(two, 2s);
  EXPECT_NE(
      ranks.status(0).message().find("but who answers there says nothing"),
      std::string::npos)
      << ranks.status(0).message();
  close(listener);
}

/// Joins as rank 0 with so many files that its store comes up, but has not one
/// for each rank. Nothing is thrown out of it: the caller is a test's child.
static int joinWithFewFiles(const Launch &launch) noexcept {
  constexpr int kInherited = 3, kFew = 10;
  for (int file = kInherited; file < 1024; ++file)
    close(file);
  rlimit few = {kInherited + kFew, kInherited + kFew};
  setrlimit(RLIMIT_NOFILE, &few);
  Joined joined =
      Store::join(launch, kAgreement, Clock::now() + 2s, [](const Loss &) {});
  // Who comes first gets the last of them: rank 0 itself, or another.
  std::string message = joined.status().message();
  if (message.find("; 'ulimit -n' allows 13 ") != std::string::npos)
    return 0;
  std::cerr << message << "\n";
  return 1;
}

TEST(Store, RankZeroLacksFiles) {
  auto launches = Ranks::alike(12);
  pid_t child = fork();
  if (child == 0)
    _exit(joinWithFewFiles(launches[0].first));
  launches.erase(launches.begin());
  Ranks others(launches, 3s);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Store, LeavingIsNoLoss) {
  Ranks ranks(3);
  ASSERT_TRUE(ranks.areThere());
  ranks.leave(1);
  ranks.leave(0);
  Result<std::string> value = ranks[2].get("a", soon());
  ASSERT_FALSE(value);
  EXPECT_EQ(value.status().message(), "rank 0, which had the store, has gone");
  EXPECT_TRUE(ranks.losses[2].afterAWhile().empty());
}

TEST(Store, AReportReachesAll) {
  Ranks ranks(3);
  ASSERT_TRUE(ranks.areThere());
  constexpr uint64_t kMany = (uint64_t(1) << 40) + 7;
  ranks[1].report("out of memory", kMany);
  const std::map<uint32_t, std::string> expected = {{1, "out of memory"}};
  for (uint32_t rank : {0, 2}) {
    EXPECT_EQ(ranks.losses[rank].wait(1), expected);
    EXPECT_EQ(ranks.losses[rank].finished[1], kMany);
  }
}

namespace {
/// A process that is a rank until it is killed.
pid_t startRank(uint32_t rank, uint32_t size, uint16_t port) {
  pid_t child = fork();
  if (child != 0)
    return child;
  Joined store = Store::join(makeLaunch(rank, size, port), kAgreement, soon(),
                             [](const Loss &) {});
  if (store)
    pause();
  _exit(1);
}
} // namespace

TEST(Store, AKilledProcessIsALoss) {
  uint16_t port = pickPort();
  pid_t killed = startRank(1, 3, port), other = startRank(2, 3, port);
  Losses losses;
  Joined store = Store::join(makeLaunch(0, 3, port), kAgreement, soon(),
                             [&](const Loss &loss) { losses.add(loss); });
  ASSERT_TRUE(store) << store.status().message();
  kill(killed, SIGKILL);
  EXPECT_EQ(losses.wait(1),
            (std::map<uint32_t, std::string>{{1, "its connection broke"}}));
  Result<std::vector<Presence>> found = (*store)->ask(200ms);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::vector<Presence>{Presence::Answers, Presence::Gone,
                                           Presence::Answers}));
  kill(other, SIGKILL);
  waitpid(killed, nullptr, 0);
  waitpid(other, nullptr, 0);
}

TEST(Store, AStoppedProcessDoesNotAnswer) {
  uint16_t port = pickPort();
  pid_t stopped = startRank(1, 2, port);
  Joined store = Store::join(makeLaunch(0, 2, port), kAgreement, soon(),
                             [](const Loss &) {});
  ASSERT_TRUE(store) << store.status().message();
  kill(stopped, SIGSTOP);
  waitpid(stopped, nullptr, WUNTRACED);
  Result<std::vector<Presence>> found = (*store)->ask(200ms);
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)[1], Presence::Silent);
  kill(stopped, SIGKILL);
  waitpid(stopped, nullptr, 0);
}

/// Rank 0 says how far it came, and its process ends behind that: it is told
/// once, with what it had said.
TEST(Store, LossOfRank0BehindItsReport) {
  uint16_t port = pickPort();
  pid_t first = fork();
  if (first == 0) {
    Joined store = Store::join(makeLaunch(0, 2, port), kAgreement, soon(),
                               [](const Loss &) {});
    if (store)
      (*store)->report("its disk is full", 7);
    pause();
    _exit(1);
  }
  Losses losses;
  Joined store = Store::join(makeLaunch(1, 2, port), kAgreement, soon(),
                             [&](const Loss &loss) { losses.add(loss); });
  ASSERT_TRUE(store) << store.status().message();
  const std::map<uint32_t, std::string> expected = {{0, "its disk is full"}};
  EXPECT_EQ(losses.wait(1), expected);
  kill(first, SIGKILL);
  waitpid(first, nullptr, 0);
  Result<std::string> value = (*store)->get("a", soon());
  ASSERT_FALSE(value);
  EXPECT_EQ(value.status().message(), "rank 0, which had the store, has gone");
  EXPECT_EQ(losses.afterAWhile(), expected);
  EXPECT_EQ(losses.finished[0], 7u);
}

/// The store goes with rank 0.
TEST(Store, LossOfRank0) {
  uint16_t port = pickPort();
  pid_t first = startRank(0, 2, port);
  Losses losses;
  Joined store = Store::join(makeLaunch(1, 2, port), kAgreement, soon(),
                             [&](const Loss &loss) { losses.add(loss); });
  ASSERT_TRUE(store) << store.status().message();
  kill(first, SIGKILL);
  waitpid(first, nullptr, 0);
  EXPECT_EQ(losses.wait(1),
            (std::map<uint32_t, std::string>{{0, "its connection broke"}}));
  Result<std::string> value = (*store)->get("a", soon());
  ASSERT_FALSE(value);
  EXPECT_EQ(value.status().message(), "rank 0, which had the store, has gone");
}
