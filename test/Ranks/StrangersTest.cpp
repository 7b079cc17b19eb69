// Who comes to the store and is no rank, or none yet, and words that are too
// long for it.
#include "Ranks/Store/Server.h"
#include "StoreRanks.h"
#include <arpa/inet.h>
#include <ctime>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::test;

/// What is too long for a message is refused at once, or cut.
TEST(Store, LongWords) {
  std::string words(2 << 20, 'w');
  auto begin = Clock::now();
  Joined joined =
      Store::join(makeLaunch(1, 2, pickPort()), {"0.1.0", "abc", words}, soon(),
                  [](const Loss &) {});
  EXPECT_EQ(joined.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(joined.status().message(),
            "expected settings, and a name of the run, of at most 65536 bytes, "
            "but got 2097152");
  EXPECT_LT(Clock::now() - begin, 5s);
  Ranks ranks(2);
  ASSERT_TRUE(ranks.areThere());
  EXPECT_EQ(ranks[0].set("w", words, soon()).code(),
            StatusCode::InvalidArgument);
  ranks[1].report(words);
  EXPECT_EQ(ranks.losses[0].wait(1)[1], std::string(16 << 10, 'w') + "...");
}

namespace {
/// A connection that says nothing.
int makeSocket() { return socket(AF_INET, SOCK_STREAM, 0); }
bool connectTo(uint16_t port, int descriptor) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return connect(descriptor, reinterpret_cast<sockaddr *>(&address),
                 sizeof address) == 0;
}
/// Listens at a port, and says nothing to who comes.
int listenSilently(uint16_t port) {
  int descriptor = makeSocket();
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  EXPECT_EQ(
      bind(descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address),
      0);
  EXPECT_EQ(listen(descriptor, 50), 0);
  return descriptor;
}
/// So that this process cannot open another file, while it lives.
class NoDescriptors {
public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before);
    rlimit none = before;
    int next = dup(STDERR_FILENO); // the lowest that is free
    close(next);
    none.rlim_cur = static_cast<rlim_t>(next);
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before); }

private:
  rlimit before{};
};
} // namespace

/// Others who have most ports, and say nothing, take little of the time.
TEST(Store, SilentListeners) {
  auto each = Ranks::alike(2);
  std::vector<int> others;
  for (uint16_t i = 0; i + 2 < Store::kPorts; ++i)
    others.push_back(listenSilently(each[0].first.port + i));
  Ranks ranks(each, 12s);
  EXPECT_TRUE(ranks.areThere());
  for (int other : others)
    close(other);
}

/// Who knocks when there are none waits, and rank 0 has other things to do.
TEST(Store, NoDescriptorsLeft) {
  uint16_t port = pickPort();
  std::optional<Joined> first;
  std::thread zero([&] {
    first.emplace(Store::join(makeLaunch(0, 2, port), kAgreement, soon(),
                              [](const Loss &) {}));
  });
  int early = makeSocket(), late = makeSocket();
  while (!connectTo(port, early))
    std::this_thread::sleep_for(5ms);
  std::this_thread::sleep_for(200ms); // Rank 0 has found itself.
  {
    NoDescriptors none;
    EXPECT_TRUE(connectTo(port, late));
    std::clock_t begin = std::clock();
    std::this_thread::sleep_for(500ms);
    double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, 0.1) << "of the processor";
  }
  Joined second = Store::join(makeLaunch(1, 2, port), kAgreement, soon(),
                              [](const Loss &) {});
  zero.join();
  EXPECT_TRUE(second) << second.status().message();
  EXPECT_TRUE(*first) << first->status().message();
  close(early);
  close(late);
  second = Status(StatusCode::Internal, "left"); // before rank 0
}

namespace {
/// As a client sends it.
std::string encode(char kind, const std::string &value) {
  std::string text;
  for (int i = 0; i < 4; ++i)
    text.push_back(static_cast<char>((13 + value.size()) >> (8 * i)));
  text.push_back(kind);
  text.append(8 + 4, '\0'); // no number, no name
  return text + value;
}
/// Whether the other end hangs up within `limit`.
bool isHungUp(int descriptor, std::chrono::milliseconds limit) {
  pollfd polled = {descriptor, POLLIN, 0};
  char bytes[256];
  for (auto end = Clock::now() + limit; Clock::now() < end;)
    if (poll(&polled, 1, 100) > 0 &&
        recv(descriptor, bytes, sizeof bytes, 0) <= 0)
      return true;
  return false;
}
} // namespace

/// A rank whose first try to join was given up while rank 0 was busy: what it
/// has said then is still there, and no rank.
TEST(Store, AHelloThatWasGivenUp) {
  auto two = Ranks::alike(2);
  std::string hello = encode(0, encodeHello(two[1].first, kAgreement));
  std::optional<Joined> first, second;
  std::thread zero([&] {
    first.emplace(
        Store::join(two[0].first, kAgreement, soon(), [](const Loss &) {}));
  });
  int early = makeSocket(), late = makeSocket();
  while (!connectTo(two[0].first.port, early))
    std::this_thread::sleep_for(5ms);
  EXPECT_EQ(send(early, hello.data(), hello.size(), 0), ssize_t(hello.size()));
  close(early);
  std::this_thread::sleep_for(100ms);
  // One that stays, and comes first, is none either.
  EXPECT_TRUE(connectTo(two[0].first.port, late));
  EXPECT_EQ(send(late, hello.data(), hello.size(), 0), ssize_t(hello.size()));
  second.emplace(
      Store::join(two[1].first, kAgreement, soon(), [](const Loss &) {}));
  zero.join();
  close(late);
  EXPECT_TRUE(*first) << first->status().message();
  EXPECT_TRUE(*second) << second->status().message();
  second.reset();
}

/// Strangers are hung up on: at once, or when they say nothing for a while.
TEST(Store, Strangers) {
  uint16_t port = pickPort();
  Joined store = Store::join(makeLaunch(0, 1, port), kAgreement, soon(),
                             [](const Loss &) {});
  ASSERT_TRUE(store) << store.status().message();
  const std::string cases[] = {"GET / HTTP/1.1\r\n\r\n",
                               std::string(1 << 16, '\0'),
                               std::string("\xff\xff\xff\xff", 4),
                               encode(0, "{"),
                               encode(0, R"({"mpc": 1, "run": []})"),
                               encode(0, std::string(1000, '[')),
                               encode(127, "x"),
                               encode(2, "")}; // Here, in front of a Hello
  for (const std::string &text : cases) {
    int stranger = makeSocket();
    ASSERT_TRUE(connectTo(port, stranger));
    send(stranger, text.data(), text.size(), MSG_NOSIGNAL);
    EXPECT_TRUE(isHungUp(stranger, 3s)) << text.substr(0, 40);
    close(stranger);
  }
  int silent = makeSocket();
  ASSERT_TRUE(connectTo(port, silent));
  EXPECT_TRUE((*store)->set("a", "1", soon()).ok());
  EXPECT_TRUE(isHungUp(silent, 15s));
  close(silent);
  EXPECT_EQ(*(*store)->get("a", soon()), "1");
}

/// What one that floods the store can take of its memory is bounded.
TEST(Store, ARankThatKeepsTooMuch) {
  Ranks ranks(3);
  ASSERT_TRUE(ranks.areThere());
  std::string value(1 << 19, 'v');
  int taken = 0;
  while (taken < 1000 &&
         ranks[1].set("v" + std::to_string(taken), value, soon()).ok())
    ++taken;
  EXPECT_GT(taken, 100);
  EXPECT_LT(taken, 128); // 64 MiB
  EXPECT_EQ(ranks.losses[0].wait(1)[1], "it keeps too much in the store");
  // What is read by all who are to read it is not kept.
  for (int i = 0; i < 200; ++i) {
    std::string name = "w" + std::to_string(i);
    ASSERT_TRUE(ranks[2].set(name, value, soon(), /*readers=*/1).ok()) << i;
    ASSERT_TRUE(ranks[0].get(name, soon())) << i;
  }
  EXPECT_EQ(ranks.losses[0].wait(1).size(), 1u);
}

/// Of those who are nobody yet, too.
TEST(Store, ManyStrangers) {
  uint16_t port = pickPort();
  Joined store = Store::join(makeLaunch(0, 1, port), kAgreement, soon(),
                             [](const Loss &) {});
  ASSERT_TRUE(store) << store.status().message();
  std::vector<int> strangers(80);
  for (int &each : strangers) {
    each = makeSocket();
    ASSERT_TRUE(connectTo(port, each));
  }
  std::this_thread::sleep_for(500ms);
  auto hungUp = std::ranges::count_if(strangers, [](int each) {
    char byte;
    return recv(each, &byte, 1, MSG_DONTWAIT) == 0;
  });
  EXPECT_EQ(hungUp, 15);
  for (int each : strangers)
    close(each);
  EXPECT_TRUE((*store)->set("a", "1", soon()).ok());
}
