#include "Metrics.h"

#include "../Failure.h"
#include "Columns.h"

#include "mpc/Support/Pipe.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpc::run;
using Json = nlohmann::ordered_json;

static Failure writeFailure(const std::string &path) {
  return Failure(Exit::Failed,
                 "'" + path + "': cannot be written: " + std::strerror(errno));
}

/// Where the last whole line of a file ends: a run that was killed may have
/// left the next one half written.
static off_t findEndOfLines(int descriptor, off_t size) {
  char bytes[4096];
  while (size > 0) {
    auto count = static_cast<size_t>(std::min<off_t>(size, sizeof(bytes)));
    off_t begin = size - static_cast<off_t>(count);
    if (pread(descriptor, bytes, count, begin) != static_cast<ssize_t>(count))
      return size; // as it is
    for (size_t i = count; i > 0; --i)
      if (bytes[i - 1] == '\n')
        return begin + static_cast<off_t>(i);
    size = begin;
  }
  return 0;
}

/// The step of the line [begin, end), or nothing if it is none of ours.
static std::optional<uint64_t> stepOf(int descriptor, off_t begin, off_t end) {
  constexpr off_t longest = 1 << 20;
  if (end - begin > longest)
    return std::nullopt;
  std::string text(static_cast<size_t>(end - begin), '\0');
  if (pread(descriptor, text.data(), text.size(), begin) != end - begin)
    return std::nullopt;
  Json line = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!line.is_object() || !line.contains("step") ||
      !line["step"].is_number_unsigned())
    return std::nullopt;
  return line["step"].get<uint64_t>();
}

/// Where the lines of steps up to `last` end, from `end` backwards. Counts
/// those behind.
static off_t findEndOfSteps(int descriptor, off_t end, uint64_t last,
                            uint64_t &numBehind) {
  while (end > 0) {
    off_t begin = findEndOfLines(descriptor, end - 1);
    if (stepOf(descriptor, begin, end).value_or(0) <= last)
      break;
    end = begin;
    ++numBehind;
  }
  return end;
}

/// The type of file that `path` is, or would be.
static mode_t typeOf(const std::string &path) {
  struct stat facts;
  return stat(path.c_str(), &facts) == 0 ? facts.st_mode & S_IFMT : S_IFREG;
}

/// Opens `path` behind the lines that stay. Counts those that are cut.
static int openBehind(const std::string &path,
                      std::optional<uint64_t> goOnBehind, uint64_t &cut) {
  constexpr int flags = O_APPEND | O_CLOEXEC;
  mode_t type = typeOf(path);
  if (type == S_IFIFO) {
    mpc::Result<int> pipe = mpc::openPipeForWriting(path, "'" + path + "'");
    requireWritten(pipe.status());
    return *pipe;
  }
  if (type != S_IFREG) // a device
    return open(path.c_str(), O_WRONLY | flags);
  int descriptor = open(path.c_str(), O_RDWR | O_CREAT | flags, 0666);
  if (descriptor < 0)
    return descriptor;
  off_t size = lseek(descriptor, 0, SEEK_END);
  off_t end = 0;
  if (goOnBehind)
    end = findEndOfSteps(descriptor, findEndOfLines(descriptor, size),
                         *goOnBehind, cut);
  if (end != size && ftruncate(descriptor, end) != 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

MetricsFile::MetricsFile(const std::string &path,
                         std::optional<uint64_t> goOnBehind,
                         std::vector<std::string> groups)
    : path(path), groups(std::move(groups)) {
  int descriptor = openBehind(path, goOnBehind, cut);
  if (descriptor >= 0)
    file.reset(fdopen(descriptor, "a"));
  if (!file)
    throw writeFailure(path);
}

void MetricsFile::writeLine(const std::string &line) {
  if (std::fwrite(line.data(), 1, line.size(), file.get()) != line.size())
    throw writeFailure(path);
}

void MetricsFile::flush() {
  if (std::fflush(file.get()) != 0)
    throw writeFailure(path);
}

/// The name of an output may be in any encoding, in the program of a stranger.
static std::string asLine(const Json &line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void MetricsFile::write(const StepMetrics &step) {
  writeLine(asLine(makeLine(step, groups)));
}

void MetricsFile::write(const EvaluationMetrics &evaluation) {
  writeLine(asLine(makeLine(evaluation)));
}
