#include "MetricsFile.h"

#include "../Failure.h"
#include "Columns.h"

#include "mpc/Support/Pipe.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace mpc::train;
using Json = nlohmann::ordered_json;

static Failure writeFailure(const std::string &path) {
  return Failure(Fault::System,
                 "'" + path + "': cannot be written: " + std::strerror(errno));
}

namespace {
/// Closed unless it was taken out.
struct Descriptor {
  int number;
  ~Descriptor() {
    int error = errno; // of what failed before
    if (number >= 0)
      close(number);
    errno = error;
  }
};
} // namespace

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

/// The object on the line [begin, end), or none.
static Json readLine(int descriptor, off_t begin, off_t end) {
  constexpr off_t longest = 1 << 20;
  if (end - begin > longest)
    return nullptr;
  std::string text(static_cast<size_t>(end - begin), '\0');
  if (pread(descriptor, text.data(), text.size(), begin) != end - begin)
    return nullptr;
  Json line = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return line.is_object() ? line : nullptr;
}

/// The step of the line [begin, end), or nothing if it is none of ours.
static std::optional<uint64_t> stepOf(int descriptor, off_t begin, off_t end) {
  Json line = readLine(descriptor, begin, end);
  if (!line.contains("step") || !line["step"].is_number_unsigned())
    return std::nullopt;
  return line["step"].get<uint64_t>();
}

/// Where the lines of steps up to `last` end, from `end` backwards. Counts
/// those after.
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

/// Whether a file of `size` bytes may be the beginning of a first line.
static bool beginsLikeLine(int descriptor, off_t size) {
  constexpr std::string_view begin = "{\"step\":";
  char bytes[begin.size()];
  size_t count = std::min(static_cast<size_t>(size), begin.size());
  return pread(descriptor, bytes, count, 0) == static_cast<ssize_t>(count) &&
         begin.starts_with(std::string_view(bytes, count));
}

/// Where lines of ours end that stay for a run that goes on after step `last`.
/// A file of anything else is not ours to cut.
static off_t findEndOfMetrics(int descriptor, const std::string &path,
                              off_t size, uint64_t last, Cut &cut) {
  off_t end = findEndOfLines(descriptor, size);
  bool isOurs =
      end > 0 ? stepOf(descriptor, findEndOfLines(descriptor, end - 1), end)
                    .has_value()
              : beginsLikeLine(descriptor, size); // killed in line one
  if (!isOurs)
    throw Failure(Fault::Options,
                  "'" + path +
                      "': expected metrics of the run that is resumed, lines "
                      "of JSON with a \"step\", but got another file; name a "
                      "new one");
  cut.halfLine = end != size;
  return findEndOfSteps(descriptor, end, last, cut.lines);
}

/// A file that is replaced has lines of a run before, or of an evaluation: what
/// else it holds nobody meant to lose.
static void requireMetrics(int descriptor, const std::string &path,
                           off_t size) {
  off_t end = findEndOfLines(descriptor, size);
  off_t begin = findEndOfLines(descriptor, end - 1);
  Json line = end > 0 ? readLine(descriptor, begin, end) : Json();
  if (end > 0 ? line.contains("step") || line.contains("eval_loss")
              : beginsLikeLine(descriptor, size))
    return;
  throw Failure(Fault::Options,
                "'" + path +
                    "': expected metrics of a run before, which new ones "
                    "replace, but got another file; name a new one");
}

void mpc::train::checkReplacesMetrics(const std::string &path) {
  if (path.empty() || typeOf(path) != S_IFREG)
    return;
  Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number >= 0) // else writing it tells
    requireMetrics(file.number, path, lseek(file.number, 0, SEEK_END));
}

/// Two names may be one file: a lock on the file itself sees that. File systems
/// without such locks have that of its name (FileLocks).
static void lockFile(int descriptor, const std::string &path) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (fcntl(descriptor, F_OFD_SETLK, &whole) == 0 ||
      (errno != EAGAIN && errno != EACCES))
    return;
  throw Failure(Fault::System,
                "'" + path +
                    "': another run writes metrics to this file, "
                    "by another name; wait for it, or name "
                    "another file");
}

/// Opens `path` after the lines that stay.
static int openBehind(const std::string &path,
                      std::optional<uint64_t> goOnBehind, Cut &cut) {
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
  Descriptor guard{descriptor};
  lockFile(descriptor, path);
  off_t size = lseek(descriptor, 0, SEEK_END);
  off_t end = 0;
  if (goOnBehind)
    end = findEndOfMetrics(descriptor, path, size, *goOnBehind, cut);
  else
    requireMetrics(descriptor, path, size);
  if (end != size && ftruncate(descriptor, end) != 0)
    return -1;
  return std::exchange(guard.number, -1);
}

MetricsFile::MetricsFile(const std::string &path,
                         std::optional<uint64_t> goOnBehind,
                         std::vector<std::string> groups)
    : path(path), goOnBehind(goOnBehind), groups(std::move(groups)) {
  int descriptor = openBehind(path, goOnBehind, cut);
  if (descriptor >= 0)
    file.reset(fdopen(descriptor, "a"));
  if (!file)
    throw writeFailure(path);
  if (struct stat facts;
      fstat(descriptor, &facts) == 0 && S_ISFIFO(facts.st_mode))
    writer = std::make_unique<PatientWriter>();
}

MetricsFile::~MetricsFile() {
  if (writer)
    writer->waitUntilEmpty(); // It has the descriptor.
}

std::vector<std::string> MetricsFile::describeCut() const {
  std::vector<std::string> notes;
  if (cut.lines)
    notes.push_back("'" + path + "': " + std::to_string(cut.lines) +
                    (cut.lines == 1 ? " line" : " lines") + " of steps after " +
                    std::to_string(*goOnBehind) +
                    ", which are done again, left out");
  if (cut.halfLine)
    notes.push_back("'" + path + "': its last line is not whole, left out");
  return notes;
}

void MetricsFile::writeLine(const std::string &line) {
  if (writer)
    lines += line;
  else if (std::fwrite(line.data(), 1, line.size(), file.get()) != line.size())
    throw writeFailure(path);
}

void MetricsFile::flush() {
  if (!writer) {
    if (std::fflush(file.get()) != 0)
      throw writeFailure(path);
    return;
  }
  writer->give(fileno(file.get()), std::exchange(lines, ""));
  if (writer->waiting() > PatientWriter::kMost)
    writer->waitUntilEmpty();
  requireReader();
}

void MetricsFile::finish() {
  flush();
  if (!writer)
    return;
  writer->waitUntilEmpty();
  requireReader();
}

void MetricsFile::requireReader() {
  errno = writer->errorOf(fileno(file.get()));
  if (errno != 0)
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
  writeLine(formatLine(evaluation));
}

std::string mpc::train::formatLine(const EvaluationMetrics &evaluation) {
  return asLine(makeLine(evaluation));
}
