#include "mpc/Train/Profile.h"

#include "../Failure.h"
#include "../Inputs.h"
#include "../Save/Checkpoint.h"
#include "../Save/OutputFiles.h"
#include "../StepBatches.h"
#include "../Stop.h"
#include "RangeProfile.h"

#include "mpc/Program/Names.h"

using namespace mpc;
using namespace mpc::train;

static NamePairs writtenFiles(const ProfileOptions &options) {
  return {{"-o", options.output}, {"--plans", options.device.plans}};
}

static void checkOptions(const ProfileOptions &options) {
  if (options.output.empty())
    throw badOptions("profile: expected '-o FILE', the profile to write");
  if (options.steps == uint64_t(0))
    throw badOptions("profile: '--steps': expected 1 or more, but got 0");
  if (!options.weights.empty() && !options.resume.empty())
    throw badOptions("profile: '--weights' and '--resume' exclude each other");
}

static void checkFiles(const ProfileOptions &options) {
  NamePairs read = {{"MODEL.mpcx", options.program.path},
                    {"--weights", options.weights},
                    {"--resume", options.resume}};
  for (const auto &[name, path] : options.data.files)
    read.push_back({"--input", path});
  checkNamedOnce("profile", "--input", options.data.files);
  checkDistinctFiles("profile", read, writtenFiles(options));
  checkWritable(writtenFiles(options));
}

namespace {

/// A model that is run step by step, each step observed before it happens.
class Profiling {
public:
  explicit Profiling(const ProfileOptions &options)
      : options(options), program(loadProgram(options.program)),
        entry(findTrained(program)),
        accumulate(findEntry(program, program::kAccumulateEntry)),
        dataset(loadDataset(entry, options.data.files, options.data)),
        batches(dataset, accumulate ? countMicroBatches(program) : 1),
        session(openSession(program, options.device)) {
    batches.augment(options.data.augmentations);
  }

  Profile run(Observer &observer) {
    observer.onGuarded(); // who ends this ends the compiler, too
    Compiler compiler(options.compiler, options.stop);
    probe.emplace(compileProbe(program, options.program, compiler),
                  options.device.threads);
    prepareState(observer);
    outputs.open(writtenFiles(options));
    for (uint64_t i = 0; i < numSteps(); ++i)
      step(i);
    return write();
  }

private:
  static rt::Entry findTrained(const rt::Program &program) {
    if (auto step = findEntry(program, program::kStepEntry))
      return *step;
    return requireEntry(program, program::kForwardEntry);
  }

  void prepareState(Observer &observer) {
    require(session.init(options.seed.value_or(0)));
    if (!options.weights.empty())
      loadWeights(options.weights, program, session,
                  {options.data.convert, options.data.allowNonFinite});
    if (!options.resume.empty())
      resumeCheckpoint(findCheckpoint(options.resume,
                                      [&](const std::string &line) {
                                        observer.onWarning(line);
                                      }),
                       program, session);
  }

  uint64_t numSteps() const { return options.steps.value_or(16); }

  void step(uint64_t number) {
    if (isSet(options.stop))
      throw Failure(Fault::Interrupted, "interrupted after " +
                                            std::to_string(number) + " of " +
                                            std::to_string(numSteps()) +
                                            " steps; no profile is written");
    Position position = {options.seed.value_or(0), number,
                         batches.stepsPerEpoch(), /*isShuffled=*/true};
    if (auto scale = program.findState(MPC_LOSS_SCALE))
      ranges.lossScale = scalarState(session, *scale);
    std::span<const data::Batch> given = batches.fill(position);
    for (size_t i = 0; i < given.size(); ++i) {
      ranges.add(probe->run(program, session, {}, given[i]));
      runBatch(session, i + 1 == given.size() ? entry : *accumulate, given[i]);
    }
  }

  Profile write() {
    // The name of a stranger's model may be in any encoding.
    std::string text =
        ranges.toJson(program.info().model, numSteps())
            .dump(1, ' ', false,
                  nlohmann::ordered_json::error_handler_t::replace) +
        "\n";
    std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
    requireWritten(data::writeFile(outputs.take(options.output), parts));
    constexpr size_t numWorst = 10;
    return {probe->facts().size(), numSteps(), ranges.describeWorst(numWorst)};
  }

  const ProfileOptions &options;
  rt::Program program;
  rt::Entry entry;
  std::optional<rt::Entry> accumulate; ///< For all micro-batches but the last.
  data::Dataset dataset;
  StepBatches batches;
  rt::Session session;
  std::optional<Probe> probe;
  OutputFiles outputs;
  RangeProfile ranges;
};

} // namespace

Expected<Profile> mpc::train::profile(const ProfileOptions &options,
                                      Observer &observer) {
  return guard([&] {
    checkOptions(options);
    checkFiles(options);
    return Profiling(options).run(observer);
  });
}
