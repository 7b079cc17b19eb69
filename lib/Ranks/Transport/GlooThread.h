// Calls on the thread of a Gloo device. C++17, as Gloo's headers.
//
// That thread does not wait for the lock of a connection: it tries it again and
// again, as long as something has come for the connection. So a thread that
// sends by one has it spin, and if it lost its processor meanwhile, which it
// does where the first message wakes somebody, for a whole turn of the
// scheduler. Messages that Gloo's own thread begins meet nobody.
#ifndef MPC_LIB_RANKS_TRANSPORT_GLOOTHREAD_H
#define MPC_LIB_RANKS_TRANSPORT_GLOOTHREAD_H

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <gloo/transport/tcp/device.h>
#include <memory>
#include <mutex>

namespace mpc_plugin {

class GlooThread final : public gloo::transport::tcp::Handler {
public:
  using Device = gloo::transport::tcp::Device;

  /// Throws std::runtime_error if there is no descriptor left, and
  /// std::exception if the device cannot watch one more.
  explicit GlooThread(std::shared_ptr<Device> device);
  ~GlooThread() override;
  GlooThread(const GlooThread &) = delete;
  GlooThread &operator=(const GlooThread &) = delete;

  /// Runs `body` there, and throws what it throws. False if that thread had no
  /// time until the deadline: `body` is not run then. One thread at a time.
  bool run(std::function<void()> body,
           std::chrono::steady_clock::time_point deadline);

private:
  void handleEvents(int events) override;

  /// An eventfd, by which it is woken.
  class Descriptor {
  public:
    Descriptor();
    ~Descriptor();
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    operator int() const { return number; }

  private:
    const int number;
  };

  std::shared_ptr<Device> device;
  Descriptor descriptor;
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> waiting;
  bool isDone = false;
  std::exception_ptr error;
};

} // namespace mpc_plugin

#endif // MPC_LIB_RANKS_TRANSPORT_GLOOTHREAD_H
