#include "PatientPrinter.h"

#include "../Failure.h"

#include "mpc/Ranks/Limits.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <poll.h>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace mpc::run;
using std::chrono::milliseconds;

static constexpr milliseconds kHurry{2000}, kTurn{20};

// Bytes that wait: some hundred thousand lines.
static constexpr uint64_t kMost = uint64_t(64) << 20;

/// False where the file takes no more. Past the buffers of stdio: exit() would
/// wait for a thread that holds one.
static bool writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t count = write(descriptor, text.data(), text.size());
    if (count > 0) {
      text.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EAGAIN) { // Who shares the file has set O_NONBLOCK.
      pollfd polled = {descriptor, POLLOUT, 0};
      poll(&polled, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

/// What waits for one file, and the thread that prints it, which may outlive
/// the printer.
class PatientPrinter::Stream {
public:
  static std::shared_ptr<Stream> start() {
    auto stream = std::make_shared<Stream>();
    try {
      std::thread([stream] { stream->run(); }).detach();
    } catch (const std::system_error &error) {
      throw Failure(Exit::Failed,
                    std::string("a thread could not be started: ") +
                        error.code().message() + ranks::noteThreadLimit());
    }
    return stream;
  }

  void give(int descriptor, std::string lines) {
    std::lock_guard lock(mutex);
    bytes += lines.size();
    waiting.push_back({descriptor, std::move(lines)});
    changed.notify_all();
  }
  uint64_t size() const {
    std::lock_guard lock(mutex);
    return bytes;
  }
  bool isBroken() const {
    std::lock_guard lock(mutex);
    return broken;
  }
  bool waitUntilEmpty(milliseconds most) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, most, [this] { return waiting.empty(); });
  }
  void end() {
    std::lock_guard lock(mutex);
    isOver = true;
    changed.notify_all();
  }

private:
  struct Lines {
    int descriptor;
    std::string text;
  };

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return isOver || !waiting.empty(); });
      if (waiting.empty())
        return;
      const Lines &next = waiting.front(); // Others append alone.
      lock.unlock();
      bool isWritten = writeAll(next.descriptor, next.text);
      lock.lock();
      broken |= !isWritten && next.descriptor == STDOUT_FILENO;
      bytes -= next.text.size();
      waiting.pop_front();
      changed.notify_all();
    }
  }

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Lines> waiting; ///< The first is being printed.
  uint64_t bytes = 0;
  bool isOver = false;
  bool broken = false; ///< Standard output.
};

static bool isOneFile(int first, int second) {
  struct stat one = {}, other = {};
  return fstat(first, &one) == 0 && fstat(second, &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

PatientPrinter::PatientPrinter(const std::atomic<bool> &isHurried)
    : isHurried(isHurried), output(Stream::start()),
      errors(isOneFile(STDOUT_FILENO, STDERR_FILENO) ? output
                                                     : Stream::start()) {}

PatientPrinter::~PatientPrinter() {
  finish();
  output->end();
  errors->end();
}

void PatientPrinter::give(bool isError, std::string lines) {
  (isError ? errors : output)
      ->give(isError ? STDERR_FILENO : STDOUT_FILENO, std::move(lines));
}

bool PatientPrinter::hasRoom() const {
  return output->size() + errors->size() < kMost;
}

bool PatientPrinter::finish() {
  milliseconds waited{0};
  for (Stream *stream : {output.get(), errors.get()})
    while (waited < kHurry && !stream->waitUntilEmpty(kTurn))
      if (isHurried)
        waited += kTurn;
  return !output->isBroken();
}
