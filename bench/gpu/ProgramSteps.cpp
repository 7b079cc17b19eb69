// program-steps: times an entry of programs, "step" if no other is named, as an
// application runs it:
// through the C interface, one batch after the other, reading the loss of the
// step before (on a device that does not wait for the step just started).
//
//   program-steps [serve] [--json] [--seconds S] [--rounds N] [--entry NAME]
//                 [--threads T] [--integers N] [--tune MS] [--tf32]
//                 [--own-attention] [--allow-nondeterministic] PROGRAM.mpcx...
//
// Reported are the seconds of a step over S seconds of running, the time that
// the host spends in the call that runs a step, the times that it waited for
// the device until that was idle, per step, and the last loss. One that is no
// number fails: devices run faster on such, since they take less power.
//
// --integers draws integers, labels and tokens, below N (10).
//
// --tune tries plans of matrix products for MS milliseconds, --tf32 lets f32
// products round their operands, and the others are options of the runtime by
// these names; target "cuda" only.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no GPU.
#include "mpc-c/Runtime.hpp"
#include "mpc/Support/Number.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <sstream>

using namespace mpc::rt;
using Clock = std::chrono::steady_clock;

namespace {
struct Options {
  bool serve = false, json = false;
  double seconds = 0.3;
  int rounds = 10;
  std::string entry = "step";
  uint32_t threads = 0;   ///< 0: of all processors
  uint32_t integers = 10; ///< inputs are below this
  mpc_device_options device = {};
  std::vector<std::string> paths;
};

/// What one sample found, per step.
struct Sample {
  double seconds = 0, hostSeconds = 0, synchronizations = 0;
  std::optional<float> loss; ///< The last that was read.
};

/// A program in training on random batches.
class Trainer {
public:
  static Expected<std::unique_ptr<Trainer>> load(const std::string &path,
                                                 const Options &options);

  Expected<Sample> time(double seconds);
  const std::string &name() const { return title; }

private:
  Trainer(std::string title, Session session, uint32_t entry)
      : title(std::move(title)), session(std::move(session)), entry(entry) {}

  void makeBatches(const Program &program, uint32_t integers);
  Status step();
  Status synchronize() { return session.synchronize(); }

  static constexpr size_t kBatches = 8;
  std::string title;
  Session session;
  uint32_t entry;
  bool hasLoss = false;
  uint64_t steps = 0;
  double estimate = 0; ///< seconds of a step; 0: before the first
  std::vector<std::vector<unsigned char>> data;
  std::vector<mpc_input> batches[kBatches];
};
} // namespace

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Expected<std::unique_ptr<Trainer>> Trainer::load(const std::string &path,
                                                 const Options &options) {
  Expected<Program> program = Program::load(path, {.allowCode = true});
  if (!program)
    return program.status();
  Expected<uint32_t> entry = program->findEntry(options.entry);
  if (!entry)
    return entry.status();
  Expected<Session> session = Session::create(
      *program, {.threads = options.threads, .device = &options.device});
  if (!session)
    return session.status();
  if (Status status = session->init(1); !status)
    return status;
  size_t slash = path.rfind('/'), dot = path.rfind('.');
  size_t first = slash == std::string::npos ? 0 : slash + 1;
  std::unique_ptr<Trainer> trainer(new Trainer(path.substr(first, dot - first),
                                               std::move(*session), *entry));
  trainer->makeBatches(*program, options.integers);
  return trainer;
}

/// Floats on [0, 1); integers, such as labels, from 0 to below `integers`.
void Trainer::makeBatches(const Program &program, uint32_t integers) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  auto inputs = program.inputs(entry);
  data.reserve(kBatches * inputs.size());
  for (auto &batch : batches)
    for (const mpc_tensor_info &input : inputs) {
      data.emplace_back(input.bytes);
      unsigned char *at = data.back().data();
      if (input.type == MPC_F32)
        std::generate_n(reinterpret_cast<float *>(at), input.bytes / 4,
                        [&] { return uniform(random); });
      else if (input.type == MPC_I32)
        std::generate_n(reinterpret_cast<int32_t *>(at), input.bytes / 4,
                        [&] { return int32_t(random() % integers); });
      else if (input.type == MPC_F16 || input.type == MPC_BF16) {
        // 0.5 with a random significand: numbers on [0.5, 1).
        bool isHalf = input.type == MPC_F16;
        std::generate_n(reinterpret_cast<uint16_t *>(at), input.bytes / 2, [&] {
          return uint16_t(isHalf ? 0x3800 | (random() & 0x3ff)
                                 : 0x3f00 | (random() & 0x7f));
        });
      }
      batch.push_back({at, input.bytes});
    }
  for (const mpc_tensor_info &output : program.outputs(entry))
    hasLoss |= std::string("loss") == output.name;
}

Status Trainer::step() {
  const auto &batch = batches[steps++ % kBatches];
  return session.run(entry, batch.data(), uint32_t(batch.size()));
}

Expected<Sample> Trainer::time(double seconds) {
  if (estimate == 0) {
    Clock::time_point begin = Clock::now();
    for (auto run : {&Trainer::step, &Trainer::synchronize})
      if (Status status = (this->*run)(); !status)
        return status;
    estimate = secondsSince(begin);
  }
  auto count = uint64_t(std::max(10.0, seconds / estimate));
  if (Status status = synchronize(); !status)
    return status;
  uint64_t before = session.waitCounts().synchronizations;
  double hostSeconds = 0;
  std::optional<float> last;
  Clock::time_point begin = Clock::now();
  for (uint64_t i = 0; i < count; ++i) {
    Clock::time_point call = Clock::now();
    if (Status status = step(); !status)
      return status;
    hostSeconds += secondsSince(call);
    if (!hasLoss || steps < 2)
      continue;
    Expected<float> loss = session.scalarResult<float>("loss", 1);
    if (!loss)
      return loss.status();
    last = *loss;
  }
  uint64_t waits = session.waitCounts().synchronizations - before;
  if (Status status = synchronize(); !status)
    return status;
  double total = secondsSince(begin);
  estimate = total / double(count);
  if (last && !std::isfinite(*last))
    return Status(MPC_INTERNAL, title + ": the loss is no number after " +
                                    std::to_string(steps) +
                                    " steps, so this is no training to time");
  return Sample{estimate, hostSeconds / double(count),
                double(waits) / double(count), last};
}

//===-- The program -------------------------------------------------------===//

using Trainers = std::vector<std::unique_ptr<Trainer>>;

static std::string toJson(const Sample &sample, const std::string &name) {
  std::ostringstream text;
  text.precision(9);
  text << "{";
  if (!name.empty())
    text << "\"name\": \"" << name << "\", ";
  text << "\"seconds\": " << sample.seconds
       << ", \"host seconds\": " << sample.hostSeconds
       << ", \"synchronizations\": " << sample.synchronizations;
  if (sample.loss)
    text << ", \"loss\": " << *sample.loss;
  text << "}";
  return text.str();
}

static Sample median(std::vector<Sample> samples) {
  std::sort(
      samples.begin(), samples.end(),
      [](const Sample &a, const Sample &b) { return a.seconds < b.seconds; });
  return samples[samples.size() / 2];
}

static Status timeInTurns(const Trainers &trainers, const Options &options) {
  std::vector<std::vector<Sample>> samples(trainers.size());
  for (int round = -1; round < options.rounds; ++round)
    for (size_t i = 0; i < trainers.size(); ++i) {
      Expected<Sample> sample = trainers[i]->time(options.seconds);
      if (!sample)
        return sample.status();
      if (round >= 0)
        samples[i].push_back(*sample);
    }
  for (size_t i = 0; i < trainers.size(); ++i) {
    Sample middle = median(samples[i]);
    if (options.json)
      std::printf("%s\n", toJson(middle, trainers[i]->name()).c_str());
    else
      std::printf("%-24s %10.2f us per step, %8.2f us of the host, %g "
                  "synchronizations\n",
                  trainers[i]->name().c_str(), middle.seconds * 1e6,
                  middle.hostSeconds * 1e6, middle.synchronizations);
  }
  return {};
}

/// Answers lines 'list' and 'run NAME SECONDS'.
static std::string answer(const std::string &line, const Trainers &trainers) {
  if (line == "list") {
    std::string names;
    for (auto &each : trainers)
      names += (names.empty() ? "\"" : ", \"") + each->name() + "\"";
    return "{\"names\": [" + names + "]}";
  }
  size_t first = line.find(' '), last = line.rfind(' ');
  double seconds = 0;
  if (line.rfind("run ", 0) != 0 || last <= first ||
      !mpc::parseNumber(std::string_view(line).substr(last + 1), seconds))
    return "{\"error\": \"expected 'list' or 'run NAME SECONDS'\"}";
  std::string name = line.substr(first + 1, last - first - 1);
  for (auto &each : trainers) {
    if (each->name() != name)
      continue;
    Expected<Sample> sample = each->time(seconds);
    return sample ? toJson(*sample, "")
                  : "{\"error\": \"" + sample.message() + "\"}";
  }
  return "{\"error\": \"there is no program '" + name + "'\"}";
}

static bool readNumber(const std::string &word, const char *text,
                       Options &options) {
  if (word == "--seconds")
    return mpc::parseNumber(text, options.seconds);
  if (word == "--rounds")
    return mpc::parseNumber(text, options.rounds);
  if (word == "--threads")
    return mpc::parseNumber(text, options.threads);
  if (word == "--integers")
    return mpc::parseNumber(text, options.integers) && options.integers > 0;
  if (word == "--entry")
    options.entry = text;
  return word == "--entry" ||
         (word == "--tune" && mpc::parseNumber(text, options.device.tuning_ms));
}

static bool parse(int argc, char **argv, Options &options) {
  options.device.struct_size = sizeof options.device;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    bool hasValue = i + 1 < argc;
    if (word == "serve" && i == 1)
      options.serve = true;
    else if (word == "--json")
      options.json = true;
    else if (hasValue && readNumber(word, argv[i + 1], options))
      ++i;
    else if (word == "--tf32")
      options.device.allow_tf32 = 1;
    else if (word == "--own-attention")
      options.device.own_attention = 1;
    else if (word == "--allow-nondeterministic")
      options.device.allow_nondeterministic = 1;
    else if (word.starts_with("--"))
      return false;
    else
      options.paths.push_back(word);
  }
  return !options.paths.empty() && options.seconds > 0 && options.rounds > 0;
}

int main(int argc, char **argv) {
  enum ExitCode { Done = 0, Failed = 1, Usage = 2, NoGpu = 3 };
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs("usage: program-steps [serve] [--json] [--seconds S] "
               "[--rounds N] [--entry NAME] [--threads T] [--integers N] "
               "[--tune MS] [--tf32] [--own-attention] "
               "[--allow-nondeterministic] PROGRAM.mpcx...\n",
               stderr);
    return Usage;
  }
  auto fail = [](const Status &status) {
    std::fprintf(stderr, "program-steps: %s\n", status.message().c_str());
    return status.code() == MPC_DEVICE_UNSUPPORTED ? NoGpu : Failed;
  };
  Trainers trainers;
  for (const std::string &path : options.paths) {
    Expected<std::unique_ptr<Trainer>> trainer = Trainer::load(path, options);
    if (!trainer)
      return fail(trainer.status());
    trainers.push_back(std::move(*trainer));
  }
  if (!options.serve) {
    Status status = timeInTurns(trainers, options);
    return status ? Done : fail(status);
  }
  for (std::string line; std::getline(std::cin, line);)
    std::cout << answer(line, trainers) << '\n' << std::flush;
  return Done;
}
