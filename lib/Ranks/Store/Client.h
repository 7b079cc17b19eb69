// A rank's end of the store.
#ifndef MPC_LIB_RANKS_STORE_CLIENT_H
#define MPC_LIB_RANKS_STORE_CLIENT_H

#include "Connection.h"
#include "mpc/Ranks/Store.h"

#include <atomic>
#include <future>
#include <map>
#include <thread>

namespace mpc::ranks {

class Client {
public:
  using OnLoss = std::function<void(const Loss &)>;
  Client(const Launch &launch, OnLoss onLoss)
      : launch(launch), onLoss(std::move(onLoss)),
        work(asio::make_work_guard(context)) {
    // Opens what all waiting needs, before others come to a store of this rank
    // and take the last descriptors.
    static_cast<void>(asio::steady_timer(context));
  }
  /// Leaves.
  ~Client();

  /// Finds the store of this run and waits for all ranks.
  Status join(const std::string &hello, Clock::time_point deadline);
  /// Sends `message` under a number of its own and waits for its answer. Any
  /// thread but that of the client. `turn`, now and then while it waits, may
  /// end that by a failure.
  Result<Message> request(Message message, Clock::time_point deadline,
                          const std::function<Status()> &turn = {});
  /// What has no answer.
  void send(Message message);

private:
  /// What a port answers.
  enum class Door { OfThisRun, OfOthers, Refused, Nowhere };
  Status findStore(const std::string &hello, Clock::time_point deadline);
  Door knock(const tcp::endpoint &end, const std::string &hello,
             Clock::time_point deadline);
  Status awaitAll(Clock::time_point deadline);
  /// Ranks that have not come.
  std::vector<uint32_t> findAbsent();
  /// Runs what the connection is told until `isOver` or the deadline.
  void runUntil(Clock::time_point deadline,
                const std::function<bool()> &isOver);
  void receive(const Message &message);
  void failRequests();
  void loseStore();
  void serve();
  std::string where() const;

  const Launch launch;
  const OnLoss onLoss;
  asio::io_context context;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  // Of the thread, once it runs.
  std::shared_ptr<Connection> connection;
  std::map<uint64_t, std::promise<Result<Message>>> requests;
  Status refusal;
  bool hasMetOthers = false;  ///< Somebody who is not of this run.
  bool hasMetSilence = false; ///< Somebody who did not say what it is.
  bool isKnown = false, isWelcome = false, isLost = false;
  // Of rank 0, whose server goes soon.
  bool hasFirstLeft = false, isFirstLost = false;
  std::atomic<uint64_t> lastNumber = 0;
  std::thread thread;
};

} // namespace mpc::ranks

#endif // MPC_LIB_RANKS_STORE_CLIENT_H
