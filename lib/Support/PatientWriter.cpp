#include "mpc/Support/PatientWriter.h"

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <poll.h>
#include <string_view>
#include <thread>
#include <unistd.h>

using namespace mpc;

/// An error number, or 0. Past the buffers of stdio: exit() would wait for a
/// thread that holds one.
static int writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t count = write(descriptor, text.data(), text.size());
    if (count > 0) {
      text.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EAGAIN) { // Who shares the file has set O_NONBLOCK.
      pollfd polled = {descriptor, POLLOUT, 0};
      poll(&polled, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

class PatientWriter::Queue {
public:
  void give(int descriptor, std::string text) {
    std::lock_guard lock(mutex);
    bytes += text.size();
    lines.push_back({descriptor, std::move(text)});
    changed.notify_all();
  }

  /// The first of `lines` stays there until it is written.
  void write() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return isOver || !lines.empty(); });
      if (lines.empty())
        return;
      const Lines &next = lines.front(); // Others append alone.
      lock.unlock();
      int error = writeAll(next.descriptor, next.text);
      lock.lock();
      if (error != 0)
        errors.try_emplace(next.descriptor, error);
      bytes -= next.text.size();
      lines.pop_front();
      changed.notify_all();
    }
  }

  struct Lines {
    int descriptor;
    std::string text;
  };

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Lines> lines;
  std::map<int, int> errors;
  uint64_t bytes = 0;
  bool isOver = false;
};

PatientWriter::PatientWriter() : queue(std::make_shared<Queue>()) {
  std::thread([queue = queue] { queue->write(); }).detach();
}

PatientWriter::~PatientWriter() {
  std::lock_guard lock(queue->mutex);
  queue->isOver = true;
  queue->changed.notify_all();
}

void PatientWriter::give(int descriptor, std::string lines) {
  queue->give(descriptor, std::move(lines));
}

uint64_t PatientWriter::waiting() const {
  std::lock_guard lock(queue->mutex);
  return queue->bytes;
}

int PatientWriter::errorOf(int descriptor) const {
  std::lock_guard lock(queue->mutex);
  auto error = queue->errors.find(descriptor);
  return error == queue->errors.end() ? 0 : error->second;
}

bool PatientWriter::waitUntilEmpty(std::chrono::milliseconds most) const {
  std::unique_lock lock(queue->mutex);
  return queue->changed.wait_for(lock, most,
                                 [this] { return queue->lines.empty(); });
}

void PatientWriter::waitUntilEmpty() const {
  std::unique_lock lock(queue->mutex);
  queue->changed.wait(lock, [this] { return queue->lines.empty(); });
}
