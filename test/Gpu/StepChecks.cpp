#include "StepChecks.h"

#include "Samples.h"
#include "States.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace mpc::rt;
using namespace mpc::test;

namespace {

constexpr uint64_t kSeed = 7;
constexpr double kParameterSlack = 20;

/// Why a check did not come to its end.
struct Stopped {
  CheckResult result;
  std::string what;
};

template <typename T> T require(Expected<T> value) {
  if (!value)
    throw Stopped{Failed, value.message()};
  return std::move(*value);
}
void require(const Status &status) {
  if (!status)
    throw Stopped{Failed, status.message()};
}

/// How a program is run; the words before a check set them.
struct RunOptions {
  bool stream = false; ///< record by record, without graphs
  bool allowNondeterministic = false, ownAttention = false;
};

/// That nothing is there to run on is no failure of the program; everything
/// later is.
Session create(const Program &program, const RunOptions &run) {
  mpc_device_options device = {};
  device.struct_size = sizeof device;
  device.nvtx = run.stream; // Ranges are of records that are enqueued.
  device.allow_nondeterministic = run.allowNondeterministic;
  device.own_attention = run.ownAttention;
  SessionOptions options;
  options.device = &device;
  Expected<Session> session = Session::create(program, options);
  if (!session && session.code() == MPC_DEVICE_UNSUPPORTED)
    throw Stopped{NotRun, session.message()};
  return require(std::move(session));
}

struct Run {
  explicit Run(const std::string &path, const RunOptions &options = {})
      : program(require(Program::load(path, {true}))),
        session(create(program, options)),
        step(require(program.findEntry("step"))) {
    require(session.init(kSeed));
  }
  void take(const std::vector<mpc_input> &inputs) {
    require(
        session.run(step, inputs.data(), static_cast<uint32_t>(inputs.size())));
  }
  std::vector<StateBytes> states() const {
    return require(readStates(program, session));
  }

  Program program;
  Session session;
  uint32_t step;
};

Samples loadSamples(const Program &program,
                    const std::vector<std::string> &files) {
  auto samples = Samples::load(program, files);
  if (!samples)
    throw Stopped{Failed, samples.status().message()};
  return std::move(*samples);
}

struct Distances {
  double loss = 0, moments = 0, parameters = 0, statistics = 0, others = 0;
};

double lossOf(const Session &session) {
  mpc_tensor loss = require(session.output("loss"));
  mpc_state_info info = {};
  info.type = loss.type;
  const auto *bytes = static_cast<const unsigned char *>(loss.data);
  return StateBytes{info, {bytes, bytes + loss.bytes}}.toDoubles().front();
}

/// How far apart the steps that two sessions took from `before` are.
void addDistances(Distances &worst, const std::vector<StateBytes> &before,
                  const std::vector<StateBytes> &found,
                  const std::vector<StateBytes> &expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    std::vector<double> a = found[i].toDoubles(), b = expected[i].toDoubles();
    mpc_role role = expected[i].info.role;
    if (role == MPC_PARAMETER) {
      std::vector<double> start = before[i].toDoubles();
      for (size_t k = 0; k < start.size(); ++k) {
        a[k] -= start[k];
        b[k] -= start[k];
      }
    }
    if (expected[i].info.init == MPC_INIT_DERIVED)
      continue; // Follows from the parameter.
    double &kind = role == MPC_PARAMETER           ? worst.parameters
                   : role == MPC_MOMENT            ? worst.moments
                   : role == MPC_RUNNING_STATISTIC ? worst.statistics
                                                   : worst.others;
    kind = std::max(kind, relativeDistance(a, b));
  }
}

bool compare(const std::string &reference, const std::string &path, int steps,
             double bound, const std::vector<std::string> &files,
             const RunOptions &options) {
  Run expected(reference), found(path, options);
  Samples samples = loadSamples(expected.program, files);
  Distances worst;
  for (int step = 0; step < steps; ++step) {
    std::vector<StateBytes> before = expected.states();
    require(writeStates(found.session, before));
    const auto &inputs = samples.batch(static_cast<uint64_t>(step));
    expected.take(inputs);
    found.take(inputs);
    double loss = lossOf(expected.session);
    worst.loss =
        std::max(worst.loss, relativeDistance({lossOf(found.session)}, {loss}));
    addDistances(worst, before, found.states(), expected.states());
  }
  bool holds = worst.loss <= bound && worst.moments <= bound &&
               worst.statistics <= bound &&
               worst.parameters <= kParameterSlack * bound && worst.others == 0;
  std::printf("{\"check\": \"compare\", \"program\": \"%s\", \"steps\": %d, "
              "\"bound\": %g, \"loss\": %.3g, \"moments\": %.3g, "
              "\"parameters\": %.3g, \"statistics\": %.3g, \"others\": %.3g, "
              "\"holds\": %s}\n",
              path.c_str(), steps, bound, worst.loss, worst.moments,
              worst.parameters, worst.statistics, worst.others,
              holds ? "true" : "false");
  return holds;
}

bool skip(const std::string &path, const std::vector<std::string> &files,
          const RunOptions &options) {
  Run run(path, options);
  Samples samples = loadSamples(run.program, files);
  run.take(samples.batch(0));
  require(run.session.setState<float>("scaler.scale", {3e38f}));
  require(run.session.refresh());
  std::vector<StateBytes> before = run.states();
  run.take(samples.batch(1));
  std::vector<StateBytes> after = run.states();
  auto overflowed = require(run.session.output("found_inf"));
  bool holds = *static_cast<const unsigned char *>(overflowed.data) == 1;
  int changed = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    mpc_role role = before[i].info.role;
    bool mayChange =
        role == MPC_LOSS_SCALE || role == MPC_SCALER || role == MPC_COUNTER;
    changed += !mayChange && before[i].bytes != after[i].bytes;
  }
  holds = holds && changed == 0;
  std::printf("{\"check\": \"skip\", \"program\": \"%s\", \"found_inf\": %d, "
              "\"changed\": %d, \"holds\": %s}\n",
              path.c_str(),
              *static_cast<const unsigned char *>(overflowed.data), changed,
              holds ? "true" : "false");
  return holds;
}

uint64_t hashAfter(const std::string &path, int steps,
                   const std::vector<std::string> &files,
                   const RunOptions &options) {
  Run run(path, options);
  Samples samples = loadSamples(run.program, files);
  for (int step = 0; step < steps; ++step)
    run.take(samples.batch(static_cast<uint64_t>(step)));
  return hashStates(run.states());
}

bool repeat(const std::string &path, int steps,
            const std::vector<std::string> &files, const RunOptions &options) {
  uint64_t first = hashAfter(path, steps, files, options);
  uint64_t second = hashAfter(path, steps, files, options);
  std::printf("{\"check\": \"repeat\", \"program\": \"%s\", \"steps\": %d, "
              "\"hash\": \"%016llx\", \"holds\": %s}\n",
              path.c_str(), steps, static_cast<unsigned long long>(first),
              first == second ? "true" : "false");
  return first == second;
}

/// A session with a graph and one without must have the same bytes.
bool stream(const std::string &path, int steps,
            const std::vector<std::string> &files, RunOptions options) {
  uint64_t graph = hashAfter(path, steps, files, options);
  options.stream = true;
  uint64_t records = hashAfter(path, steps, files, options);
  std::printf("{\"check\": \"stream\", \"program\": \"%s\", \"steps\": %d, "
              "\"holds\": %s}\n",
              path.c_str(), steps, graph == records ? "true" : "false");
  return graph == records;
}

/// Where launches wait for their kernels (CUDA_LAUNCH_BLOCKING), a failure
/// names the record.
bool each(const std::string &path, const std::vector<std::string> &files,
          RunOptions options) {
  options.stream = true;
  Run run(path, options);
  Samples samples = loadSamples(run.program, files);
  run.take(samples.batch(0));
  require(run.session.synchronize());
  std::printf("{\"check\": \"each\", \"program\": \"%s\", \"holds\": true}\n",
              path.c_str());
  return true;
}

/// The words after the options.
std::vector<std::string> takeOptions(const std::vector<std::string> &words,
                                     RunOptions &options) {
  size_t count = 0;
  for (; count < words.size() && words[count].starts_with("--"); ++count)
    if (words[count] == "--allow-nondeterministic")
      options.allowNondeterministic = true;
    else if (words[count] == "--own-attention")
      options.ownAttention = true;
    else
      throw Stopped{WrongUsage, "there is no option '" + words[count] + "'"};
  return {words.begin() + static_cast<ptrdiff_t>(count), words.end()};
}

bool run(const std::vector<std::string> &all) {
  RunOptions options;
  std::vector<std::string> words = takeOptions(all, options);
  auto from = [&](size_t first) {
    return std::vector<std::string>(
        words.begin() + static_cast<ptrdiff_t>(first), words.end());
  };
  size_t count = words.size();
  std::string name = count ? words[0] : "";
  if (count > 5 && name == "compare")
    return compare(words[1], words[2], std::atoi(words[3].c_str()),
                   std::atof(words[4].c_str()), from(5), options);
  if (count > 2 && name == "skip")
    return skip(words[1], from(2), options);
  if (count > 3 && name == "repeat")
    return repeat(words[1], std::atoi(words[2].c_str()), from(3), options);
  if (count > 3 && name == "stream")
    return stream(words[1], std::atoi(words[2].c_str()), from(3), options);
  if (count > 2 && name == "each")
    return each(words[1], from(2), options);
  throw Stopped{WrongUsage, "expected a check and what it takes"};
}

} // namespace

CheckResult mpc::test::runCheck(const std::vector<std::string> &words,
                                std::string &why) {
  try {
    return run(words) ? Holds : Failed;
  } catch (const Stopped &reason) {
    why = reason.what;
    return reason.result;
  }
}
