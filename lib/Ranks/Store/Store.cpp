#include "mpc/Ranks/Store.h"
#include "Client.h"
#include "Server.h"

using namespace mpc;
using namespace mpc::ranks;
using Kind = Message::Kind;

std::string ranks::listRanks(const std::vector<uint32_t> &ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (i == 0                 ? ""
             : i + 1 < ranks.size() ? ", "
                                    : " and ") +
            std::to_string(ranks[i]);
  return text;
}

class Store::Body {
public:
  Body(const Launch &launch, std::function<void(const Loss &)> onLoss)
      : client(launch, std::move(onLoss)) {}
  std::unique_ptr<Server> server; ///< of rank 0; goes last
  Client client;
};

/// What fits into a message, twice, where JSON writes six bytes for one.
static constexpr size_t kMostSettings = 64 << 10, kMostReason = 16 << 10;
/// What is set, with its name.
static constexpr size_t kMostValue = Connection::kMaxBytes - 1024;

static Status checkLengths(const Launch &launch, const Agreement &agreement) {
  for (const std::string *each : {&launch.run, &agreement.library,
                                  &agreement.program, &agreement.settings})
    if (each->size() > kMostSettings)
      return {StatusCode::InvalidArgument,
              "expected settings, and a name of the run, of at most " +
                  std::to_string(kMostSettings) + " bytes, but got " +
                  std::to_string(each->size())};
  return {};
}

Store::Store(std::unique_ptr<Body> body) : body(std::move(body)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>>
Store::join(const Launch &launch, const Agreement &agreement,
            Clock::time_point deadline,
            std::function<void(const Loss &)> onLoss) {
  if (Status status = checkLengths(launch, agreement); !status.ok())
    return status;
  auto body = std::make_unique<Body>(launch, std::move(onLoss));
  if (launch.rank == 0) {
    Result<std::unique_ptr<Server>> server = Server::start(launch, agreement);
    if (!server)
      return server.status();
    body->server = std::move(*server);
  }
  if (Status status =
          body->client.join(encodeHello(launch, agreement), deadline);
      !status.ok())
    return status;
  return std::unique_ptr<Store>(new Store(std::move(body)));
}

Status Store::set(const std::string &name, const std::string &value,
                  Clock::time_point deadline, uint32_t readers) {
  if (name.size() + value.size() > kMostValue)
    return {StatusCode::InvalidArgument,
            "expected a name and a value of at most " +
                std::to_string(kMostValue) + " bytes together, but got " +
                std::to_string(name.size() + value.size())};
  Message message = {Kind::Set, 0, name, value};
  if (readers)
    message = {Kind::SetFor, 0, std::to_string(readers) + " " + name, value};
  return body->client.request(std::move(message), deadline).status();
}

Result<std::string> Store::get(const std::string &name,
                               Clock::time_point deadline,
                               const std::function<Status()> &turn) {
  Result<Message> answer =
      body->client.request({Kind::Get, 0, name, ""}, deadline, turn);
  if (!answer)
    return answer.status().code() == StatusCode::CollectiveTimedOut
               ? Status(StatusCode::CollectiveTimedOut,
                        "nobody has set '" + name + "' in time")
               : answer.status();
  return answer->value;
}

void Store::report(const std::string &reason, uint64_t finished) {
  bool isLong = reason.size() > kMostReason;
  body->client.send({Kind::Report, finished, "",
                     isLong ? reason.substr(0, kMostReason) + "..." : reason});
}

Result<std::vector<Presence>> Store::ask(std::chrono::milliseconds patience) {
  Result<Message> answer =
      body->client.request({Kind::Ask, 0, "", std::to_string(patience.count())},
                           Clock::now() + patience + std::chrono::seconds(2));
  if (!answer)
    return answer.status();
  std::vector<Presence> found;
  for (char each : answer->value)
    found.push_back(static_cast<Presence>(each));
  return found;
}
