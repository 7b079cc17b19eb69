#include "GlooThread.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

using namespace mpc_plugin;

GlooThread::Descriptor::Descriptor()
    : number(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (number < 0)
    throw std::runtime_error(std::string("eventfd: ") + std::strerror(errno));
}

GlooThread::Descriptor::~Descriptor() { close(number); }

GlooThread::GlooThread(std::shared_ptr<Device> device)
    : device(std::move(device)) {
  this->device->registerDescriptor(descriptor, EPOLLIN, this);
}

GlooThread::~GlooThread() {
  device->unregisterDescriptor(descriptor, this); // waits until it is not here
}

bool GlooThread::run(std::function<void()> body,
                     std::chrono::steady_clock::time_point deadline) {
  std::unique_lock<std::mutex> lock(mutex);
  waiting = std::move(body);
  isDone = false;
  error = nullptr;
  const uint64_t one = 1;
  if (write(descriptor, &one, sizeof one) != sizeof one)
    throw std::runtime_error(std::string("eventfd: ") + std::strerror(errno));
  changed.wait_until(lock, deadline, [&] { return isDone; });
  waiting = nullptr;
  if (error)
    std::rethrow_exception(std::exchange(error, nullptr));
  return isDone;
}

void GlooThread::handleEvents(int) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t count = 0;
  if (read(descriptor, &count, sizeof count) < 0 || !waiting)
    return; // It was given up.
  try {
    waiting();
  } catch (...) {
    error = std::current_exception();
  }
  isDone = true;
  changed.notify_one();
}
