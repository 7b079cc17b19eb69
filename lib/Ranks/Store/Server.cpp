#include "Server.h"
#include "mpc/Support/Number.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::ranks;
using boost::system::error_code;
using Kind = Message::Kind;
using nlohmann::json;

std::string ranks::encodeHello(const Launch &launch,
                               const Agreement &agreement) {
  return json{{"mpc", "ranks 3"},
              {"run", launch.run},
              {"rank", launch.rank},
              {"size", launch.size},
              {"library", agreement.library},
              {"program", agreement.program},
              {"settings", agreement.settings}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

namespace {
constexpr std::chrono::milliseconds kPause{100};

std::optional<Hello> decodeHello(const std::string &text) {
  json fields = json::parse(text, nullptr, /*allow_exceptions=*/false);
  auto has = [&](const char *name, bool (*is)(const json &)) {
    return fields.contains(name) && is(fields[name]);
  };
  auto isText = [](const json &field) { return field.is_string(); };
  auto isNumber = [](const json &field) {
    return field.is_number_unsigned() &&
           field.get<uint64_t>() <= std::numeric_limits<uint32_t>::max();
  };
  if (!fields.is_object())
    return std::nullopt;
  for (const char *name : {"mpc", "run", "library", "program", "settings"})
    if (!has(name, isText))
      return std::nullopt;
  if (!has("rank", isNumber) || !has("size", isNumber) ||
      fields["mpc"] != "ranks 3")
    return std::nullopt;
  return Hello{fields["run"],
               fields["rank"],
               fields["size"],
               {fields["library"], fields["program"], fields["settings"]}};
}

/// In what `hello` differs from rank 0; empty: in nothing.
std::string findDifference(const Hello &hello, uint32_t size,
                           const Agreement &ours) {
  auto differ = [&](const std::string &does, const std::string &theirs,
                    const std::string &own) {
    return "rank " + std::to_string(hello.rank) + " " + does + " " + theirs +
           ", rank 0 " + does + " " + own;
  };
  if (hello.size != size)
    return differ("says that there are", std::to_string(hello.size) + " ranks",
                  std::to_string(size));
  if (hello.rank >= size)
    return "there is a rank " + std::to_string(hello.rank) + " of " +
           std::to_string(size);
  if (hello.agreement.library != ours.library)
    return differ("is of mpc", hello.agreement.library, ours.library);
  if (hello.agreement.program != ours.program)
    return differ("runs program", hello.agreement.program, ours.program);
  if (hello.agreement.settings != ours.settings)
    return differ("has settings", "'" + hello.agreement.settings + "'",
                  "'" + ours.settings + "'");
  return "";
}
} // namespace

Result<std::unique_ptr<Server>> Server::start(const Launch &launch,
                                              const Agreement &agreement) {
  std::unique_ptr<Server> server(new Server(launch, agreement));
  if (Status status = server->listen(); !status.ok())
    return status;
  server->accept();
  server->thread = std::thread([body = server.get()] { body->context.run(); });
  return server;
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
    auto connection = std::make_shared<Connection>(std::move(socket));
    strangers.insert(connection);
    std::weak_ptr<Connection> weak = connection;
    connection->start(
        [this, weak](const Message &message) { greet(weak.lock(), message); },
        [this, weak] { strangers.erase(weak.lock()); });
    accept();
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
  strangers.erase(connection);
  std::optional<Hello> hello =
      message.kind == Kind::Hello ? decodeHello(message.value) : std::nullopt;
  // Of another run, or no rank at all: it looks for its store elsewhere.
  if (!hello || hello->run != launch.run)
    return connection->close();
  Status found = refusal.ok() ? check(*hello) : refusal;
  if (!found.ok()) {
    connection->send(makeRefusal(found));
    connection->finish();
    if (hasBegun) // All ranks are there: one too many is no matter to them.
      return;
    refusal = found;
    return refuse();
  }
  uint32_t rank = hello->rank;
  members[rank].connection = connection;
  connection->send({Kind::Wait, 0, "", ""});
  connection->tell([this, rank](const Message &each) { answer(rank, each); },
                   [this, rank] { lose(rank, "its connection broke"); });
  welcome();
}

Status Server::check(const Hello &hello) const {
  std::string difference = findDifference(hello, launch.size, agreement);
  if (difference.empty() && members[hello.rank].connection)
    difference = "two processes are rank " + std::to_string(hello.rank);
  if (difference.empty())
    return {};
  return {StatusCode::InvalidArgument,
          "expected ranks that agree, but " + difference};
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
    return set(rank, message);
  case Kind::Get:
    if (auto known = values.find(message.name); known != values.end())
      return send(rank, {Kind::Value, message.number, "", known->second});
    waiting.emplace(message.name, std::pair(rank, message.number));
    return;
  case Kind::Report:
    return lose(rank, message.value);
  case Kind::Ask:
    return ask(rank, message);
  case Kind::Pong:
    members[rank].answers = true;
    return;
  case Kind::Leave:
    return leave(rank);
  default:
    return lose(rank, "it sent what is no request");
  }
}

void Server::set(uint32_t rank, const Message &message) {
  auto [known, isNew] = values.emplace(message.name, message.value);
  send(rank, {Kind::Done, message.number, "", ""});
  if (!isNew)
    return;
  auto [first, last] = waiting.equal_range(message.name);
  for (auto request = first; request != last; ++request)
    send(request->second.first,
         {Kind::Value, request->second.second, "", known->second});
  waiting.erase(first, last);
}

void Server::ask(uint32_t rank, const Message &message) {
  for (uint32_t other = 0; other < members.size(); ++other) {
    members[other].answers = false;
    send(other, {Kind::Ping, 0, "", ""});
  }
  auto timer = std::make_shared<asio::steady_timer>(
      context, std::chrono::milliseconds(
                   parseNumber<uint32_t>(message.value).value_or(0)));
  timer->async_wait([this, timer, rank, id = message.number](error_code error) {
    if (error)
      return;
    std::string found;
    for (const Member &member : members)
      found.push_back(static_cast<char>(!member.connection ? Presence::Absent
                                        : member.isGone    ? Presence::Gone
                                        : member.answers   ? Presence::Answers
                                                           : Presence::Silent));
    send(rank, {Kind::Present, id, "", found});
  });
}

void Server::lose(uint32_t rank, const std::string &reason) {
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
    send(other, {Kind::Lost, rank, "", reason});
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
