// mpc-run profile: runs steps of a model and observes all of its values.
#include "Commands.h"
#include "Failure.h"
#include "Interrupt.h"
#include "RangeProfile.h"
#include "Save/Checkpoint.h"
#include "Save/OutputFiles.h"
#include "StepBatches.h"

#include "mpc/Program/Names.h"

#include <cstdio>

using namespace mpc;
using namespace mpc::run;

namespace {

struct ProfileOptions {
  InputOptions input;
  DeviceChoice device;
  std::optional<uint64_t> steps, seed;
  std::string weights, resume, output, compiler;

  static Options command();
  void declare(Options &options);
  void checkFiles(const std::string &model) const;
  NamePairs written() const {
    return {{"-o", output}, {"--plans", device.plans}};
  }
};

Options ProfileOptions::command() {
  return {"mpc-run", "profile",
          "write in which range the values of a model lie", "MODEL.mpcx"};
}

void ProfileOptions::declare(Options &options) {
  options.setDetails("Trains for some steps, or runs a model that has none, "
                     "and writes in which range each value lies: what "
                     "mpc-compile --precision-profile reads.");
  input.declareFiles(options);
  options.beginGroup("Profile");
  options.addText("-o", "FILE", "the profile to write, JSON", output)
      .required();
  options.addCount("--steps", "N", "how many batches (16)", steps).atLeast(1);
  options.addCount("--seed", "S", "of initial values and shuffling (0)", seed);
  options.addText("--weights", "FILE", "begin with these parameters", weights)
      .excludes("--resume");
  options.addText("--resume", "FILE", "begin with the state of this --save",
                  resume);
  options.addText("--compiler", "FILE",
                  "the mpc-compile to use; found beside mpc-run or on the PATH",
                  compiler);
  device.declare(options);
}

void ProfileOptions::checkFiles(const std::string &model) const {
  NamePairs read = {
      {"MODEL.mpcx", model}, {"--weights", weights}, {"--resume", resume}};
  for (const auto &[name, path] : input.files)
    read.push_back({"--input", path});
  checkNamedOnce("profile", "--input", input.files);
  checkDistinctFiles("profile", read, written());
  checkWritable(written());
}

/// A model that is run step by step, each step observed before it happens.
class Profiling {
public:
  Profiling(const ProfileOptions &options, const std::string &path)
      : options(options), program(path), entry(findEntry(program)),
        accumulate(program.findEntry(program::kAccumulateEntry)),
        dataset(loadDataset(entry, options.input.files, options.input)),
        batches(dataset, accumulate ? program.microBatches() : 1),
        session(program, options.device) {}

  void run() {
    watchInterrupts(); // who ends this ends the compiler, too
    probe.emplace(compileProbe(program, Compiler(options.compiler)),
                  options.device.threads);
    prepareState();
    outputs.open(options.written());
    for (uint64_t i = 0; i < numSteps(); ++i)
      step(i);
    write();
  }

private:
  static const EntryFacts &findEntry(const Program &program) {
    for (const EntryFacts &entry : program.entries())
      if (entry.name == program::kStepEntry)
        return entry;
    return program.entry(program::kForwardEntry);
  }

  void prepareState() {
    session.init(options.seed.value_or(0));
    if (!options.weights.empty())
      loadWeights(options.weights, program, session,
                  {options.input.convert, options.input.allowNonFinite});
    if (!options.resume.empty())
      resumeCheckpoint(options.resume, session);
  }

  uint64_t numSteps() const { return options.steps.value_or(16); }

  void step(uint64_t number) {
    if (wasInterrupted())
      throw Failure(Exit::Interrupted, "interrupted after " +
                                           std::to_string(number) + " of " +
                                           std::to_string(numSteps()) +
                                           " steps; no profile is written");
    Position position = {options.seed.value_or(0), number,
                         batches.stepsPerEpoch(), /*isShuffled=*/true};
    if (const StateFacts *scale = program.findState(MPC_LOSS_SCALE))
      profile.lossScale = session.scalarState(*scale);
    std::span<const data::Batch> given = batches.fill(position);
    for (size_t i = 0; i < given.size(); ++i) {
      profile.add(probe->run(program, session, {}, given[i]));
      session.run(i + 1 == given.size() ? entry : *accumulate, given[i]);
    }
  }

  void write() {
    // The name of a stranger's model may be in any encoding.
    std::string text =
        profile.toJson(program.info().model, numSteps())
            .dump(1, ' ', false,
                  nlohmann::ordered_json::error_handler_t::replace) +
        "\n";
    std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
    requireWritten(data::writeFile(outputs.take(options.output), parts));
    constexpr size_t numWorst = 10;
    std::printf("%zu values over %llu steps; the worst of them:\n%s",
                probe->facts().size(),
                static_cast<unsigned long long>(numSteps()),
                profile.describeWorst(numWorst).c_str());
  }

  const ProfileOptions &options;
  Program program;
  const EntryFacts &entry;
  const EntryFacts *accumulate; ///< For all micro-batches but the last.
  data::Dataset dataset;
  StepBatches batches;
  Session session;
  std::optional<Probe> probe;
  OutputFiles outputs;
  RangeProfile profile;
};

} // namespace

cli::CommandInfo mpc::run::describeProfile() {
  return describe<ProfileOptions>();
}

Exit mpc::run::runProfile(const Arguments &arguments) {
  ProfileOptions options;
  std::optional<std::string> model = readInto(options, arguments);
  if (!model)
    return Exit::Ok;
  options.checkFiles(*model);
  Profiling(options, *model).run();
  return Exit::Ok;
}
