#include "Server.h"
#include "mpc/Support/Number.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::ranks;
using boost::system::error_code;
using Kind = Message::Kind;

namespace {
constexpr std::chrono::milliseconds kPause{100};
// So long a connection may stay without being a rank's.
constexpr std::chrono::milliseconds kHello{5000};
// Connections that may be that beside those of ranks which are to come.
constexpr size_t kSpareStrangers = 64;
// Of one rank: bytes of names and values, and questions at a time. Ranks of
// ours need a thousandth of it.
constexpr uint64_t kMostBytes = 64 << 20;
constexpr uint64_t kBeside = 128; ///< Of each, for the tables themselves.
constexpr uint32_t kMostQuestions = 64;

Status disagreement(const std::string &difference) {
  return {StatusCode::InvalidArgument,
          "expected ranks that agree, but " + difference};
}

} // namespace

Result<std::unique_ptr<Server>> Server::start(const Launch &launch,
                                              const Agreement &agreement) {
  std::unique_ptr<Server> server(new Server(launch, agreement));
  if (Status status = server->listen(); !status.ok())
    return status;
  server->accept();
  server->thread = std::thread([body = server.get()] { body->serve(); });
  return server;
}

/// What a handler throws (there is no memory, say) has left somebody without
/// an answer. Nobody may wait for that: all learn that the store has gone.
void Server::serve() {
  for (;;)
    try {
      context.run();
      return;
    } catch (...) {
      abandon();
    }
}

void Server::abandon() {
  error_code ignored;
  (void)acceptor.close(ignored);
  for (const auto &connection : std::exchange(strangers, {}))
    connection->close();
  for (Member &member : members)
    if (member.connection) {
      member.isGone = true;
      member.connection->close();
    }
}

/// Whether only processes of this machine can mean it. The name of a machine is
/// often an address of the loopback on that machine alone.
static bool isLocal(const std::string &address) {
  error_code error;
  asio::ip::address parsed = asio::ip::make_address(address, error);
  return error ? address == "localhost" : parsed.is_loopback();
}

Server::~Server() {
  if (!thread.joinable()) // It has not begun.
    return;
  // The last words of this rank are still on their way, and others' to it.
  asio::post(context,
             [this] { stopWhenAlone(Clock::now() + Store::kFarewell); });
  thread.join();
}

void Server::stopWhenAlone(Clock::time_point latest) {
  bool isAlone = std::ranges::none_of(members, [](const Member &member) {
    return member.connection && member.connection->isOpen();
  });
  if (isAlone || Clock::now() >= latest)
    return context.stop();
  auto timer = std::make_shared<asio::steady_timer>(
      context, std::chrono::milliseconds(2));
  timer->async_wait(
      [this, timer, latest](error_code) { stopWhenAlone(latest); });
}

/// All addresses of the family that others reach this machine by.
static asio::ip::address anyLike(const std::string &address,
                                 asio::io_context &context) {
  error_code error;
  tcp::resolver resolver(context);
  bool hasV4 = false, hasV6 = false;
  for (const auto &entry : resolver.resolve(address, "", error))
    (entry.endpoint().address().is_v6() ? hasV6 : hasV4) = true;
  if (hasV6 && !hasV4)
    return asio::ip::address_v6::any();
  return asio::ip::address_v4::any();
}

/// Where to listen: all that can be reached from others, if there are others.
static asio::ip::address listenAddress(const std::string &address,
                                       asio::io_context &context) {
  asio::ip::address any = anyLike(address, context);
  if (!isLocal(address))
    return any;
  if (any.is_v6())
    return asio::ip::address_v6::loopback();
  return asio::ip::address_v4::loopback();
}

Status Server::listen() {
  asio::ip::address address = listenAddress(launch.address, context);
  uint32_t last = std::min<uint32_t>(launch.port + Store::kPorts - 1, 65535);
  for (uint32_t port = launch.port; port <= last; ++port) {
    auto number = static_cast<uint16_t>(port);
    error_code error;
    tcp::endpoint end(address, number);
    (void)acceptor.open(end.protocol(), error);
    if (!error)
      keepFromPrograms(acceptor.native_handle());
    if (!error)
      (void)acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error)
      (void)acceptor.bind(end, error);
    if (!error)
      (void)acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error)
      return {};
    error_code ignored;
    (void)acceptor.close(ignored);
    if (error != asio::error::address_in_use)
      return {StatusCode::IoError, "rank 0 cannot listen at port " +
                                       std::to_string(port) + ": " +
                                       error.message()};
  }
  return {StatusCode::IoError, "expected a free port for rank 0 from " +
                                   std::to_string(launch.port) + " to " +
                                   std::to_string(last) +
                                   ", but all are in use; MASTER_PORT, or "
                                   "the application, says where they begin"};
}

void Server::accept() {
  acceptor.async_accept([this](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted)
      return;
    if (error)
      return acceptLater();
    keepFromPrograms(socket.native_handle());
    if (strangers.size() >= members.size() + kSpareStrangers)
      return accept(); // It goes, and may come again.
    auto connection =
        std::make_shared<Connection>(std::move(socket), Connection::kMaxHello);
    strangers.insert(connection);
    std::weak_ptr<Connection> weak = connection;
    connection->start(
        [this, weak](const Message &message) { greet(weak.lock(), message); },
        [this, weak] { strangers.erase(weak.lock()); });
    hangUpLater(connection);
    accept();
  });
}

/// Who says nothing has a descriptor for nothing.
void Server::hangUpLater(const std::shared_ptr<Connection> &connection) {
  auto timer = std::make_shared<asio::steady_timer>(context, kHello);
  timer->async_wait(
      [this, timer, weak = std::weak_ptr(connection)](error_code) {
        if (auto stranger = weak.lock(); stranger && strangers.erase(stranger))
          stranger->close();
      });
}

/// Where there are no descriptors left, or no memory, the one who knocks stays
/// at the door: to ask again at once would be all that this thread does.
void Server::acceptLater() {
  pause.expires_after(kPause);
  pause.async_wait([this](error_code error) {
    if (!error)
      accept();
  });
}

void Server::greet(const std::shared_ptr<Connection> &connection,
                   const Message &message) {
  std::optional<Hello> hello =
      message.kind == Kind::Hello ? decodeHello(message.value) : std::nullopt;
  // Of another run, or no rank at all: it looks for its store elsewhere.
  if (!hello || hello->run != launch.run) {
    strangers.erase(connection);
    return connection->close();
  }
  std::string difference = findDifference(*hello, launch.size, agreement);
  if (!refusal.ok() || !difference.empty())
    return turnAway(connection,
                    refusal.ok() ? disagreement(difference) : refusal);
  // It may have given up long ago, and have come again meanwhile: only what it
  // says now makes it a rank.
  std::weak_ptr<Connection> weak = connection;
  connection->tell([this, weak, rank = hello->rank](
                       const Message &here) { admit(weak.lock(), rank, here); },
                   [this, weak] { strangers.erase(weak.lock()); });
  connection->send({Kind::Wait, 0, "", ""});
}

void Server::admit(const std::shared_ptr<Connection> &connection, uint32_t rank,
                   const Message &here) {
  if (here.kind != Kind::Here) {
    strangers.erase(connection);
    return connection->close();
  }
  if (!refusal.ok())
    return turnAway(connection, refusal);
  if (members[rank].connection)
    return turnAway(connection, disagreement("two processes are rank " +
                                             std::to_string(rank)));
  strangers.erase(connection);
  members[rank].connection = connection;
  connection->setMost(Connection::kMaxBytes);
  connection->tell([this, rank](const Message &each) { answer(rank, each); },
                   [this, rank] { lose(rank, "its connection broke"); });
  welcome();
}

/// And with it all who are there, unless they have begun: one too many is no
/// matter to them then.
void Server::turnAway(const std::shared_ptr<Connection> &connection,
                      const Status &why) {
  strangers.erase(connection);
  connection->send(makeRefusal(why));
  connection->finish();
  if (hasBegun)
    return;
  refusal = why;
  refuse();
}

/// Nobody begins before all are here.
void Server::welcome() {
  for (const Member &member : members)
    if (!member.connection || member.isGone)
      return;
  hasBegun = true;
  for (uint32_t rank = 0; rank < members.size(); ++rank)
    send(rank, {Kind::Welcome, 0, "", ""});
}

Message Server::makeRefusal(const Status &why) {
  return {Kind::Refusal, static_cast<uint64_t>(why.code()), "", why.message()};
}

void Server::refuse() {
  for (Member &member : members)
    if (member.connection && !member.isGone) {
      member.isGone = true;
      member.connection->send(makeRefusal(refusal));
      member.connection->finish();
    }
}

void Server::answer(uint32_t rank, const Message &message) {
  switch (message.kind) {
  case Kind::Set:
  case Kind::SetFor:
    return set(rank, message);
  case Kind::Get:
    return get(rank, message);
  case Kind::Cancel:
    return cancel(rank, message.number);
  case Kind::Report:
    return lose(rank, message.value, message.number);
  case Kind::Ask:
    return ask(rank, message);
  case Kind::Pong:
    if (auto question = asked.find(message.number); question != asked.end())
      question->second[rank] = true;
    return;
  case Kind::Leave:
    return leave(rank);
  default:
    return lose(rank, "it sent what is no request");
  }
}

void Server::set(uint32_t rank, const Message &message) {
  std::string name = message.name;
  uint32_t readers = 0;
  if (message.kind == Kind::SetFor) {
    size_t space = std::min(name.find(' '), name.size() - 1);
    readers = parseNumber<uint32_t>(name.substr(0, space)).value_or(0);
    name.erase(0, space + 1);
  }
  bool isNew = !values.contains(name);
  if (isNew && !charge(rank, name.size() + message.value.size()))
    return;
  values.try_emplace(name, Value{message.value, readers, rank});
  send(rank, {Kind::Done, message.number, "", ""});
  if (!isNew)
    return;
  auto [first, last] = waiting.equal_range(name);
  std::vector<std::pair<uint32_t, uint64_t>> requests;
  for (auto request = first; request != last; ++request) {
    requests.push_back(request->second);
    members[request->second.first].bytes -= name.size() + kBeside;
  }
  waiting.erase(first, last);
  for (const auto &[reader, number] : requests)
    get(reader, {Kind::Get, number, name, ""});
}

/// What its last reader has read is forgotten.
void Server::get(uint32_t rank, const Message &message) {
  auto known = values.find(message.name);
  if (known == values.end()) {
    if (!charge(rank, message.name.size()))
      return;
    waiting.emplace(message.name, std::pair(rank, message.number));
    return;
  }
  send(rank, {Kind::Value, message.number, "", known->second.text});
  if (known->second.readers && --known->second.readers == 0) {
    members[known->second.rank].bytes -=
        known->first.size() + known->second.text.size() + kBeside;
    values.erase(known);
  }
}

void Server::cancel(uint32_t rank, uint64_t number) {
  std::erase_if(waiting, [&](const auto &request) {
    bool isMeant = request.second == std::pair(rank, number);
    if (isMeant)
      members[rank].bytes -= request.first.size() + kBeside;
    return isMeant;
  });
}

void Server::ask(uint32_t rank, const Message &message) {
  if (++members[rank].questions > kMostQuestions)
    return expel(rank, "it asks too much of the store");
  // Several may ask at a time: each counts the answers to its own question.
  uint64_t question = ++lastAsked;
  asked[question].resize(members.size());
  for (uint32_t other = 0; other < members.size(); ++other)
    send(other, {Kind::Ping, question, "", ""});
  auto timer = std::make_shared<asio::steady_timer>(
      context, std::chrono::milliseconds(
                   parseNumber<uint32_t>(message.value).value_or(0)));
  timer->async_wait(
      [this, timer, rank, question, id = message.number](error_code error) {
        if (error)
          return;
        std::string found;
        for (uint32_t other = 0; other < members.size(); ++other)
          found.push_back(
              static_cast<char>(!members[other].connection ? Presence::Absent
                                : members[other].isGone    ? Presence::Gone
                                : asked[question][other]   ? Presence::Answers
                                                           : Presence::Silent));
        asked.erase(question);
        --members[rank].questions;
        send(rank, {Kind::Present, id, "", found});
      });
}

void Server::lose(uint32_t rank, const std::string &reason, uint64_t finished) {
  Member &member = members[rank];
  if (member.isGone)
    return;
  member.isGone = true;
  if (!hasBegun) {
    refusal = {StatusCode::CollectiveFailed,
               "rank " + std::to_string(rank) +
                   " was lost before all had come: " + reason};
    return refuse();
  }
  for (uint32_t other = 0; other < members.size(); ++other)
    send(other, {Kind::Lost, rank, std::to_string(finished), reason});
}

/// It is no rank of ours that goes on like this.
void Server::expel(uint32_t rank, const std::string &reason) {
  lose(rank, reason);
  members[rank].connection->close();
}

/// Counts what is kept for a rank, with what that takes beside; false if that
/// was too much.
bool Server::charge(uint32_t rank, uint64_t bytes) {
  members[rank].bytes += bytes + kBeside;
  if (members[rank].bytes <= kMostBytes)
    return true;
  expel(rank, "it keeps too much in the store");
  return false;
}

void Server::leave(uint32_t rank) {
  members[rank].isGone = true;
  members[rank].connection->finish();
  if (rank == 0)
    for (uint32_t other = 1; other < members.size(); ++other)
      send(other, {Kind::Leave, 0, "", ""});
}

void Server::send(uint32_t rank, const Message &message) {
  const Member &member = members[rank];
  if (member.connection && !member.isGone)
    member.connection->send(message);
}
