// Checks a program, by itself or against another of the same model, step by
// step.
//
//   compare-steps compare REFERENCE.mpcx PROGRAM.mpcx steps bound name=file...
//   compare-steps skip PROGRAM.mpcx name=file...
//   compare-steps repeat PROGRAM.mpcx steps name=file...
//   compare-steps stream PROGRAM.mpcx steps name=file...
//   compare-steps each PROGRAM.mpcx name=file...
//   compare-steps all FILE
//
// Before the check may stand --allow-nondeterministic and --own-attention, the
// options of a device by these names, for PROGRAM.
//
// compare  Before each step the program takes over the states of the
//          reference, so that differences do not add up; then both take the
//          step. Distances of losses and moments must be below `bound` (2-norm,
//          relative). A parameter moves by Adam's normalised gradient, where
//          the sign of a gradient near zero is noise: its bound is 20 times
//          wider, relative to the step it takes.
// skip     With a loss scale that overflows, a step must leave the bytes of all
//          parameters, copies and moments as they are.
// repeat   Two fresh sessions must have the same bytes after `steps` steps.
// stream   A session with CUDA graphs and one that enqueues record by record
//          must have the same bytes after `steps` steps.
// each     One step, record by record, each waited for (CUDA_LAUNCH_BLOCKING is
//          set): the first that fails on the device is named.
// all      The checks of FILE, one a line, in one process, which starts CUDA
//          once. Goes on after a check that fails; one that ended with an
//          error may have left a device that is good for nothing, so what is
//          left runs in a new process.
//
// Prints one line of JSON per check. Exit codes: 0 holds, 1 does not or ended
// with an error, 2 wrong usage, 3 no device to run on (no plug-in, driver,
// device or library); of `all`: 1 if any is 1, else 3 if any is 3.
#include "StepChecks.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace mpc::test;

static int usage() {
  std::fprintf(stderr,
               "compare-steps compare REFERENCE.mpcx PROGRAM.mpcx steps bound "
               "name=file...\ncompare-steps skip PROGRAM.mpcx name=file...\n"
               "compare-steps repeat PROGRAM.mpcx steps name=file...\n"
               "compare-steps stream PROGRAM.mpcx steps name=file...\n"
               "compare-steps each PROGRAM.mpcx name=file...\n"
               "compare-steps all FILE\n");
  return WrongUsage;
}

using Words = std::vector<std::string>;

/// One check, with its reason on stderr if it did not come to its end.
static CheckResult report(const Words &words, bool &ended) {
  std::string why;
  CheckResult result = runCheck(words, why);
  std::fflush(stdout);
  ended = why.empty();
  if (ended)
    return result;
  std::string text;
  for (const std::string &word : words)
    text += " " + word;
  std::fprintf(stderr, "compare-steps%s: %s\n", text.c_str(), why.c_str());
  return result;
}

/// The worse of two for those who look at the exit code.
static CheckResult worseOf(CheckResult a, CheckResult b) {
  for (CheckResult bad : {WrongUsage, Failed, NotRun})
    if (a == bad || b == bad)
      return bad;
  return Holds;
}

/// The lines of a file, in words; nothing if it cannot be read.
static std::vector<Words> readChecks(const std::string &path) {
  std::ifstream file(path);
  std::vector<Words> checks;
  for (std::string line; std::getline(file, line);) {
    std::istringstream stream(line);
    Words words;
    for (std::string word; stream >> word;)
      words.push_back(word);
    if (!words.empty())
      checks.push_back(std::move(words));
  }
  return checks;
}

/// Checks from `first` on, in this process until one ends with an error.
static CheckResult runFrom(const std::vector<Words> &checks, size_t first,
                           CheckResult worst, const char *file) {
  for (size_t i = first; i < checks.size(); ++i) {
    bool ended = false;
    worst = worseOf(worst, report(checks[i], ended));
    if (ended || worst != Failed || i + 1 == checks.size())
      continue;
    std::string next = std::to_string(i + 1), code = std::to_string(worst);
    execl("/proc/self/exe", "compare-steps", "all", file, next.c_str(),
          code.c_str(), nullptr);
    // Without a new process, in this one.
  }
  return worst;
}

int main(int argc, char **argv) {
  Words given(argv + 1, argv + argc);
  if (given.empty())
    return usage();
  bool isList = given[0] == "all" && (given.size() == 2 || given.size() == 4);
  std::vector<Words> checks =
      isList ? readChecks(given[1]) : std::vector<Words>{given};
  if (checks.empty()) {
    std::fprintf(stderr, "compare-steps: expected checks in '%s'\n", argv[2]);
    return Failed;
  }
  // CUDA reads it at its first call.
  for (const Words &words : checks)
    if (words[0] == "each")
      setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  // Where a process before this one has stopped, and what it had found.
  size_t first = given.size() == 4 && isList ? std::stoul(given[2]) : 0;
  auto worst = first ? static_cast<CheckResult>(std::stoi(given[3])) : Holds;
  CheckResult result = isList ? runFrom(checks, first, worst, argv[2])
                              : runFrom(checks, 0, Holds, nullptr);
  return result == WrongUsage ? usage() : result;
}
