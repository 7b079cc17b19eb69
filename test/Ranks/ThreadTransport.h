// Ranks that are threads of one process: messages are copied from memory to
// memory, and a test may have a rank go missing.
#ifndef MPC_TEST_RANKS_THREADTRANSPORT_H
#define MPC_TEST_RANKS_THREADTRANSPORT_H

#include "mpc/Ranks/Transport.h"

#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>

namespace mpc::test {

/// Where messages lie until they are taken.
struct Mail {
  /// From, to, exchange, kind.
  using Key = std::tuple<uint32_t, uint32_t, uint64_t, uint64_t>;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<Key, std::vector<std::byte>> messages;
  uint64_t sent = 0, bytes = 0; ///< of all messages
};

class ThreadTransport final : public ranks::Transport {
public:
  ThreadTransport(std::shared_ptr<Mail> mail, uint32_t rank, uint32_t size)
      : mail(std::move(mail)), own(rank), ranks(size) {}

  uint32_t rank() const override { return own; }
  uint32_t size() const override { return ranks; }

  Status exchange(std::span<const ranks::Outgoing> sends,
                  std::span<const ranks::Incoming> receives, uint64_t kind,
                  ranks::Clock::time_point deadline) override {
    std::unique_lock<std::mutex> lock(mail->mutex);
    ++number;
    for (const ranks::Outgoing &each : sends) {
      if (each.data.empty())
        continue;
      mail->messages[{own, each.peer, number, kind}] = {each.data.begin(),
                                                        each.data.end()};
      ++mail->sent;
      mail->bytes += each.data.size();
    }
    mail->changed.notify_all();
    if (beforeTaking) {
      lock.unlock();
      beforeTaking();
      lock.lock();
    }
    for (const ranks::Incoming &each : receives) {
      if (each.data.empty())
        continue;
      Mail::Key key{each.peer, own, number, kind};
      bool isThere = mail->changed.wait_until(lock, deadline, [&] {
        return isAborted || mail->messages.contains(key);
      });
      if (isAborted)
        return {StatusCode::CollectiveFailed, "it was aborted"};
      if (!isThere)
        return {StatusCode::CollectiveTimedOut, "nothing came"};
      std::vector<std::byte> &data = mail->messages[key];
      if (data.size() != each.data.size())
        return {StatusCode::CollectiveFailed, "a message of another size"};
      std::memcpy(each.data.data(), data.data(), data.size());
      mail->messages.erase(key);
    }
    return {};
  }
  void abort() override {
    std::lock_guard<std::mutex> lock(mail->mutex);
    isAborted = true;
    mail->changed.notify_all();
  }

  /// Called when all is sent, and nothing is taken yet.
  std::function<void()> beforeTaking;

private:
  std::shared_ptr<Mail> mail;
  uint32_t own, ranks;
  uint64_t number = 0;
  bool isAborted = false;
};

} // namespace mpc::test

#endif // MPC_TEST_RANKS_THREADTRANSPORT_H
