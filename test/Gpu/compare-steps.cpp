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
//          once. Goes on behind a check that fails.
//
// Prints one line of JSON per check. Exit codes: 0 holds, 1 does not or ended
// with an error, 2 wrong usage, 3 no device to run on (no plug-in, driver,
// device or library); of `all`: 1 if any is 1, else 3 if any is 3.
#include "StepChecks.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

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
static CheckResult report(const Words &words) {
  std::string why;
  CheckResult result = runCheck(words, why);
  std::fflush(stdout);
  if (why.empty())
    return result;
  std::string text;
  for (const std::string &word : words)
    text += " " + word;
  std::fprintf(stderr, "compare-steps%s: %s\n", text.c_str(), why.c_str());
  return result;
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

int main(int argc, char **argv) {
  Words given(argv + 1, argv + argc);
  std::vector<Words> checks;
  if (given.size() == 2 && given[0] == "all") {
    checks = readChecks(given[1]);
    if (checks.empty()) {
      std::fprintf(stderr, "compare-steps: expected checks in '%s'\n", argv[2]);
      return Failed;
    }
  } else if (!given.empty()) {
    checks.push_back(given);
  }
  // CUDA reads it at its first call.
  for (const Words &words : checks)
    if (words[0] == "each")
      setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  int counts[NotRun + 1] = {};
  for (const Words &words : checks)
    ++counts[report(words)];
  if (checks.empty() || counts[WrongUsage])
    return usage();
  return counts[Failed] ? Failed : counts[NotRun] ? NotRun : Holds;
}
