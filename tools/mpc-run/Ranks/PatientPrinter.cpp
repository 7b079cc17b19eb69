#include "PatientPrinter.h"

#include "../Failure.h"

#include "mpc/Ranks/Limits.h"

#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace mpc;
using namespace mpc::run;
using std::chrono::milliseconds;

static constexpr milliseconds kHurry{2000}, kTurn{20};

static std::shared_ptr<PatientWriter> makeWriter() {
  try {
    return std::make_shared<PatientWriter>();
  } catch (const std::system_error &error) {
    throw Failure(Exit::Failed,
                  "a thread could not be started: " + error.code().message() +
                      ranks::noteThreadLimit());
  }
}

static bool isOneFile(int first, int second) {
  struct stat one = {}, other = {};
  return fstat(first, &one) == 0 && fstat(second, &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

PatientPrinter::PatientPrinter(const std::atomic<bool> &isHurried)
    : isHurried(isHurried), output(makeWriter()),
      errors(isOneFile(STDOUT_FILENO, STDERR_FILENO) ? output : makeWriter()) {}

void PatientPrinter::give(bool isError, std::string lines) {
  if (isError)
    errors->give(STDERR_FILENO, std::move(lines));
  else
    output->give(STDOUT_FILENO, std::move(lines));
}

bool PatientPrinter::hasRoom() const {
  return output->waiting() + errors->waiting() < PatientWriter::kMost;
}

bool PatientPrinter::finish() {
  milliseconds waited{0};
  for (const PatientWriter *writer : {output.get(), errors.get()})
    while (waited < kHurry && !writer->waitUntilEmpty(kTurn))
      if (isHurried)
        waited += kTurn;
  return output->errorOf(STDOUT_FILENO) == 0;
}
