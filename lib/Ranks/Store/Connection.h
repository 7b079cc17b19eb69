// Messages over a TCP connection, for both ends of the store. All of it runs on
// the thread of one io_context.
#ifndef MPC_LIB_RANKS_STORE_CONNECTION_H
#define MPC_LIB_RANKS_STORE_CONNECTION_H

#include <boost/asio.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace mpc::ranks {

namespace asio = boost::asio;
using asio::ip::tcp;

struct Message {
  enum class Kind : uint8_t {
    Hello,   ///< value: who the client is
    Wait,    ///< to a client of this run: others are to come
    Here,    ///< to Wait: the client is still there, and a rank from now on
    Welcome, ///< all have come
    Refusal, ///< number: a status code; value: why this run cannot be
    Set,     ///< name and value
    SetFor,  ///< the same for so many readers: their number, " ", the name
    Done,    ///< to Set and SetFor
    Get,     ///< name; answered when it is set
    Cancel,  ///< number: of a Get that nobody waits for any more
    Value,   ///< to Get
    Report,  ///< number: what it has finished; value: why this rank gives up
    Lost,    ///< number: the rank; name: what it had finished; value: why
    Ask,     ///< value: milliseconds to wait for answers
    Present, ///< to Ask; value: a Presence per rank
    Ping,    ///< to clients; number: of the question
    Pong,    ///< the same number
    Leave,   ///< the end of the connection is no loss; to others: of rank 0
  };
  static constexpr auto kLast = Kind::Leave;
  Kind kind{};
  uint64_t number = 0; ///< if nothing else: of the request that is answered
  std::string name, value;
};

/// Programs that this process starts do not inherit the socket: others would
/// not see its end with the process.
void keepFromPrograms(int socket);

class Connection : public std::enable_shared_from_this<Connection> {
public:
  /// Of `message`, or of the end of the connection: nothing comes after that.
  using OnMessage = std::function<void(const Message &)>;
  using OnEnd = std::function<void()>;
  /// Longer ones are not of this protocol: who sends one is hung up on.
  static constexpr uint32_t kMaxBytes = 1 << 20;
  /// The same of one that is nobody yet; who a rank is fits, with settings of
  /// 64 KiB, of which JSON writes six bytes for one.
  static constexpr uint32_t kMaxHello = kMaxBytes / 2;
  /// What may wait for an end that does not read it.
  static constexpr uint64_t kMaxWaiting = 64 << 20;

  /// How long the other end may take to close.
  static constexpr std::chrono::milliseconds kFarewell{1000};

  explicit Connection(tcp::socket given, uint32_t most = kMaxBytes)
      : socket(std::move(given)), farewell(socket.get_executor()), most(most) {}

  /// Begins to read.
  void start(OnMessage message, OnEnd end);
  /// Who is told from now on.
  void tell(OnMessage message, OnEnd end);
  /// Of messages, from the next one on.
  void setMost(uint32_t bytes) { most = bytes; }
  void send(const Message &message);
  /// Nothing is told any more. Sends what there is, then waits a while for the
  /// other end to close: closed with messages unread, a socket would take back
  /// what it has sent.
  void finish();
  /// At once.
  void close();
  bool isOpen() const { return socket.is_open(); }

private:
  void readLength();
  void readBody();
  void write();
  void end();
  void sayFarewell();
  bool decode(Message &message) const;

  tcp::socket socket;
  asio::steady_timer farewell;
  OnMessage onMessage;
  OnEnd onEnd;
  uint32_t length = 0, most;
  uint64_t waiting = 0; ///< Bytes of `outgoing`.
  std::string body;
  std::deque<std::string> outgoing;
  bool finishes = false;
};

} // namespace mpc::ranks

#endif // MPC_LIB_RANKS_STORE_CONNECTION_H
