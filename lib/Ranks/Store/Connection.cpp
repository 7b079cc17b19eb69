// A message: its length behind this number, 4 bytes; kind, 1; number, 8; length
// of the name, 4; name; value. Numbers are little-endian.
#include "Connection.h"

#include <fcntl.h>
#include <utility>

using namespace mpc::ranks;
using boost::system::error_code;

namespace {
constexpr size_t kFixedBytes = 1 + 8 + 4;

template <typename T> void append(std::string &text, T number) {
  for (size_t i = 0; i < sizeof(T); ++i)
    text.push_back(static_cast<char>(number >> (8 * i)));
}

template <typename T> T read(const char *bytes) {
  T number = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    number |= static_cast<T>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  return number;
}
} // namespace

void mpc::ranks::keepFromPrograms(int socket) {
  int flags = fcntl(socket, F_GETFD);
  if (flags >= 0)
    (void)fcntl(socket, F_SETFD, flags | FD_CLOEXEC);
}

void Connection::tell(OnMessage message, OnEnd end) {
  onMessage = std::move(message);
  onEnd = std::move(end);
}

void Connection::start(OnMessage message, OnEnd end) {
  tell(std::move(message), std::move(end));
  error_code ignored;
  (void)socket.set_option(tcp::no_delay(true), ignored);
  readLength();
}

void Connection::readLength() {
  body.resize(sizeof length);
  asio::async_read(socket, asio::buffer(body),
                   [self = shared_from_this()](error_code error, size_t) {
                     if (error)
                       return self->end();
                     self->length = read<uint32_t>(self->body.data());
                     if (self->length < kFixedBytes ||
                         self->length > self->most)
                       return self->end();
                     self->readBody();
                   });
}

void Connection::readBody() {
  body.resize(length);
  asio::async_read(socket, asio::buffer(body),
                   [self = shared_from_this()](error_code error, size_t) {
                     Message message;
                     if (error || !self->decode(message))
                       return self->end();
                     // It may close the connection, and itself with that.
                     if (OnMessage handle = self->onMessage)
                       handle(message);
                     if (self->isOpen())
                       self->readLength();
                   });
}

bool Connection::decode(Message &message) const {
  const char *at = body.data();
  auto kind = static_cast<uint8_t>(*at);
  auto nameBytes = read<uint32_t>(at + 9);
  if (kind > static_cast<uint8_t>(Message::kLast) ||
      nameBytes > body.size() - kFixedBytes)
    return false;
  message.kind = static_cast<Message::Kind>(kind);
  message.number = read<uint64_t>(at + 1);
  message.name = body.substr(kFixedBytes, nameBytes);
  message.value = body.substr(kFixedBytes + nameBytes);
  return true;
}

void Connection::send(const Message &message) {
  if (!isOpen() || finishes)
    return;
  std::string text;
  append(text, static_cast<uint32_t>(kFixedBytes + message.name.size() +
                                     message.value.size()));
  append(text, static_cast<uint8_t>(message.kind));
  append(text, message.number);
  append(text, static_cast<uint32_t>(message.name.size()));
  text += message.name + message.value;
  waiting += text.size();
  if (waiting > kMaxWaiting) {
    asio::post(socket.get_executor(),
               [self = shared_from_this()] { self->end(); });
    return;
  }
  outgoing.push_back(std::move(text));
  if (outgoing.size() == 1)
    write();
}

void Connection::write() {
  asio::async_write(socket, asio::buffer(outgoing.front()),
                    [self = shared_from_this()](error_code error, size_t) {
                      if (error)
                        return self->end();
                      self->waiting -= self->outgoing.front().size();
                      self->outgoing.pop_front();
                      if (!self->outgoing.empty())
                        self->write();
                      else if (self->finishes)
                        self->sayFarewell();
                    });
}

void Connection::finish() {
  onMessage = nullptr;
  onEnd = nullptr;
  if (std::exchange(finishes, true) || !isOpen())
    return;
  if (outgoing.empty())
    sayFarewell();
}

void Connection::sayFarewell() {
  error_code ignored;
  (void)socket.shutdown(tcp::socket::shutdown_send, ignored);
  farewell.expires_after(kFarewell);
  farewell.async_wait([self = shared_from_this()](error_code error) {
    if (!error)
      self->close();
  });
}

void Connection::close() {
  onMessage = nullptr;
  onEnd = nullptr;
  farewell.cancel();
  error_code ignored;
  (void)socket.shutdown(tcp::socket::shutdown_both, ignored);
  (void)socket.close(ignored);
}

void Connection::end() {
  // What it calls may close the connection.
  OnEnd ended = std::move(onEnd);
  close();
  if (ended)
    ended();
}
