#include "Client.h"
#include "mpc/Ranks/Limits.h"
#include "mpc/Support/Number.h"

using namespace mpc;
using namespace mpc::ranks;
using boost::system::error_code;
using namespace std::chrono_literals;
using Kind = Message::Kind;

/// How long a port may take to answer, in the last rounds. What answers later
/// is none of ours.
static constexpr auto kPatience = 2s;
/// The same in the first round of all ports; each one doubles it. Others' that
/// say nothing take little of the time then, and a rank 0 that is slow gets it.
static constexpr std::chrono::milliseconds kFirstPatience = 100ms;
/// How often who waits for an answer looks around.
static constexpr auto kTurn = 100ms;

std::string Client::where() const {
  return launch.address + ", ports " + std::to_string(launch.port) + " to " +
         std::to_string(
             std::min<uint32_t>(launch.port + Store::kPorts - 1, 65535));
}

void Client::runUntil(Clock::time_point deadline,
                      const std::function<bool()> &isOver) {
  while (!isOver() && Clock::now() < deadline)
    context.run_one_until(deadline);
}

Client::Door Client::knock(const tcp::endpoint &end, const std::string &hello,
                           Clock::time_point deadline) {
  tcp::socket socket(context);
  std::optional<error_code> answer;
  error_code unopened;
  (void)socket.open(end.protocol(), unopened);
  if (unopened)
    return unopened == asio::error::no_descriptors ? Door::Nowhere
                                                   : Door::OfOthers;
  keepFromPrograms(socket.native_handle());
  socket.async_connect(end, [&](error_code error) { answer = error; });
  runUntil(deadline, [&] { return answer.has_value(); });
  if (!answer) {
    // The handler refers to what is here.
    error_code ignored;
    (void)socket.close(ignored);
    while (!answer)
      context.run_one();
  }
  if (*answer)
    return Door::OfOthers;
  bool hasEnded = false;
  isKnown = false;
  connection = std::make_shared<Connection>(std::move(socket));
  connection->start([this](const Message &message) { receive(message); },
                    [&] { hasEnded = true; });
  connection->send({Kind::Hello, 0, "", hello});
  runUntil(deadline, [&] { return isKnown || hasEnded || !refusal.ok(); });
  if (isKnown && !hasEnded && refusal.ok()) {
    connection->tell([this](const Message &message) { receive(message); },
                     [this] { loseStore(); });
    connection->send({Kind::Here, 0, "", ""});
    return Door::OfThisRun;
  }
  connection->close();
  if (!refusal.ok())
    return Door::Refused;
  (hasEnded ? hasMetOthers : hasMetSilence) = true;
  return Door::OfOthers;
}

Status Client::findStore(const std::string &hello, Clock::time_point deadline) {
  std::string why;
  for (auto patience = kFirstPatience;;
       patience =
           std::min<std::chrono::milliseconds>(2 * patience, kPatience)) {
    error_code error;
    tcp::resolver resolver(context);
    auto ends = resolver.resolve(launch.address, "", error);
    why = error ? error.message() : "nobody answers there";
    for (uint32_t i = 0; i < Store::kPorts && launch.port + i <= 65535; ++i)
      for (const auto &entry : ends) {
        tcp::endpoint end(entry.endpoint().address(),
                          static_cast<uint16_t>(launch.port + i));
        Door door =
            knock(end, hello, std::min(deadline, Clock::now() + patience));
        if (door == Door::Nowhere)
          return {StatusCode::IoError,
                  "no socket could be opened: " +
                      error_code(asio::error::no_descriptors).message() +
                      noteFileLimit()};
        if (door == Door::Refused)
          return refusal;
        if (door == Door::OfThisRun)
          return {};
      }
    std::this_thread::sleep_for(20ms);
    if (Clock::now() >= deadline)
      break;
  }
  if (hasMetOthers)
    why = "none of those who answer there is of this run, and of a group of "
          "this name";
  else if (hasMetSilence)
    why = "who answers there says nothing: a rank 0 that lacks open files or a "
          "processor, or no rank";
  std::string note = noteFileLimit();
  if (launch.rank == 0 && note.empty())
    note = ", though this is rank 0: is that an address of this machine?";
  why += note;
  return {StatusCode::CollectiveTimedOut,
          "expected rank 0 to listen at " + where() + ", but " + why};
}

Status Client::awaitAll(Clock::time_point deadline) {
  runUntil(deadline, [&] { return isWelcome || isLost || !refusal.ok(); });
  if (!refusal.ok())
    return refusal;
  if (isWelcome)
    return {};
  if (isLost)
    return {StatusCode::CollectiveFailed,
            "rank 0 was lost before all had come"};
  std::vector<uint32_t> absent = findAbsent();
  if (!refusal.ok()) // Another one gave up meanwhile, and knew who.
    return refusal;
  std::string why = "expected " + std::to_string(launch.size) + " ranks, but " +
                    (absent.empty() ? "not all have come"
                                    : listRanks(absent) + " did not come");
  if (launch.rank == 0) // which lets them in
    why += noteFileLimit();
  connection->send({Kind::Report, 0, "", "it gave up: " + why});
  return {StatusCode::CollectiveTimedOut, why};
}

std::vector<uint32_t> Client::findAbsent() {
  std::promise<Result<Message>> promise;
  auto answer = promise.get_future();
  auto isThere = [&] {
    return answer.wait_for(0s) == std::future_status::ready;
  };
  requests.emplace(0, std::move(promise));
  connection->send({Kind::Ask, 0, "", "0"});
  runUntil(Clock::now() + kPatience,
           [&] { return isThere() || !refusal.ok(); });
  bool hasAnswer = isThere();
  requests.clear(); // What becomes of a promise that nobody keeps is thrown.
  std::vector<uint32_t> absent;
  if (!hasAnswer)
    return absent;
  if (Result<Message> message = answer.get(); message)
    for (uint32_t rank = 0; rank < message->value.size(); ++rank)
      if (message->value[rank] == static_cast<char>(Presence::Absent))
        absent.push_back(rank);
  return absent;
}

Status Client::join(const std::string &hello, Clock::time_point deadline) {
  Status status = findStore(hello, deadline);
  if (status.ok())
    status = awaitAll(deadline);
  if (status.ok())
    thread = std::thread([this] { serve(); });
  return status;
}

/// After what a handler throws, or who is told of a loss (there is no memory,
/// say), this rank has no store: who waits for it, or comes later, is told.
void Client::serve() {
  for (;;)
    try {
      context.run();
      return;
    } catch (...) {
      connection->close();
      try {
        loseStore();
      } catch (...) { // again; requests time out then
      }
    }
}

Client::~Client() {
  if (!connection)
    return;
  auto leave = [this] {
    work.reset();
    connection->send({Kind::Leave, 0, "", ""});
    connection->finish();
  };
  if (thread.joinable()) {
    asio::post(context, leave);
    thread.join();
    return;
  }
  try {
    leave();
    runUntil(Clock::now() + kPatience, [&] { return !connection->isOpen(); });
  } catch (...) { // Nobody is left to be told; the connection breaks.
  }
}

void Client::receive(const Message &message) {
  switch (message.kind) {
  case Kind::Wait:
    isKnown = true;
    return;
  case Kind::Welcome:
    isWelcome = true;
    return;
  case Kind::Refusal:
    refusal = {static_cast<StatusCode>(message.number), message.value};
    return;
  case Kind::Ping:
    return connection->send({Kind::Pong, message.number, "", ""});
  case Kind::Lost:
    onLoss({static_cast<uint32_t>(message.number), message.value,
            parseNumber<uint64_t>(message.name).value_or(0)});
    isFirstLost |= message.number == 0;
    return;
  case Kind::Leave:
    hasFirstLeft = true;
    return;
  default:
    break;
  }
  if (auto request = requests.find(message.number); request != requests.end()) {
    request->second.set_value(message);
    requests.erase(request);
  }
}

void Client::failRequests() {
  for (auto &[number, promise] : requests)
    promise.set_value(Status(StatusCode::CollectiveFailed,
                             "rank 0, which had the store, has gone"));
  requests.clear();
}

void Client::loseStore() {
  isLost = true;
  failRequests();
  // Not again of one that has said how far it came.
  if (isWelcome && !hasFirstLeft && !isFirstLost)
    onLoss({0, "its connection broke"});
}

Result<Message> Client::request(Message message, Clock::time_point deadline,
                                const std::function<Status()> &turn) {
  bool isGet = message.kind == Kind::Get;
  uint64_t number = message.number = ++lastNumber;
  std::promise<Result<Message>> promise;
  std::future<Result<Message>> answer = promise.get_future();
  asio::post(context, [this, message = std::move(message),
                       promise = std::move(promise)]() mutable {
    requests.emplace(message.number, std::move(promise));
    if (isLost)
      return failRequests();
    connection->send(message);
  });
  Status status;
  while (status.ok()) {
    auto next = turn ? std::min(deadline, Clock::now() + kTurn) : deadline;
    if (answer.wait_until(next) == std::future_status::ready)
      return answer.get();
    if (Clock::now() >= deadline)
      status = {StatusCode::CollectiveTimedOut,
                "no answer of the store in time"};
    else if (turn)
      status = turn();
  }
  asio::post(context, [this, number, isGet] {
    requests.erase(number);
    if (isGet)
      connection->send({Kind::Cancel, number, "", ""});
  });
  return status;
}

void Client::send(Message message) {
  asio::post(context, [this, message = std::move(message)] {
    connection->send(message);
  });
}
