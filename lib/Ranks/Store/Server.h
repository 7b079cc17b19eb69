// The store of rank 0: serves all ranks, itself too, on a thread of its own.
#ifndef MPC_LIB_RANKS_STORE_SERVER_H
#define MPC_LIB_RANKS_STORE_SERVER_H

#include "Connection.h"
#include "Hello.h"

#include <map>
#include <set>
#include <thread>

namespace mpc::ranks {

class Server {
public:
  /// Listens and serves until it is destroyed. IoError: no port is free.
  static Result<std::unique_ptr<Server>> start(const Launch &launch,
                                               const Agreement &agreement);
  /// Waits until all ranks have left, or for `kFarewell`.
  ~Server();

private:
  struct Member {
    std::shared_ptr<Connection> connection; ///< null: not joined
    bool isGone = false;
    uint64_t bytes = 0;     ///< Of what it has set, and asks for.
    uint32_t questions = 0; ///< Who answers, which it waits for.
  };
  struct Value {
    std::string text;
    uint32_t readers; ///< That are still to come; 0: nobody counts them.
    uint32_t rank;    ///< That has set it.
  };
  using Strangers = std::set<std::shared_ptr<Connection>>;
  Server(const Launch &launch, const Agreement &agreement)
      : acceptor(context), pause(context), launch(launch), agreement(agreement),
        members(launch.size) {}

  Status listen();
  void accept();
  void acceptLater();
  void hangUpLater(const std::shared_ptr<Connection> &connection);
  void greet(const std::shared_ptr<Connection> &connection,
             const Message &hello);
  void admit(const std::shared_ptr<Connection> &connection, uint32_t rank,
             const Message &here);
  void turnAway(const std::shared_ptr<Connection> &connection,
                const Status &why);
  void welcome();
  static Message makeRefusal(const Status &why);
  void refuse();
  void answer(uint32_t rank, const Message &message);
  void set(uint32_t rank, const Message &message);
  void get(uint32_t rank, const Message &message);
  void cancel(uint32_t rank, uint64_t number);
  void ask(uint32_t rank, const Message &message);
  void lose(uint32_t rank, const std::string &reason, uint64_t finished = 0);
  void expel(uint32_t rank, const std::string &reason);
  bool charge(uint32_t rank, uint64_t bytes);
  void leave(uint32_t rank);
  void send(uint32_t rank, const Message &message);
  void stopWhenAlone(Clock::time_point latest);
  void serve();
  void abandon();

  asio::io_context context; ///< First: sockets refer to it to their end.
  tcp::acceptor acceptor;
  asio::steady_timer pause; ///< Of accepting.
  const Launch launch;
  const Agreement agreement;
  std::vector<Member> members;
  Status refusal;        ///< Why this run cannot be.
  bool hasBegun = false; ///< All have come.
  std::map<std::string, Value> values;
  /// Requests of ranks for names that nobody has set.
  std::multimap<std::string, std::pair<uint32_t, uint64_t>> waiting;
  Strangers strangers; ///< Who are no ranks yet, for `kHello` at most.
  /// Questions who answers, by their number: which ranks have.
  std::map<uint64_t, std::vector<bool>> asked;
  uint64_t lastAsked = 0;

  std::thread thread;
};

} // namespace mpc::ranks

#endif // MPC_LIB_RANKS_STORE_SERVER_H
