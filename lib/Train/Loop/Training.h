// The loop of training: from what was read to what is written at the end.
#ifndef MPC_LIB_TRAIN_LOOP_TRAINING_H
#define MPC_LIB_TRAIN_LOOP_TRAINING_H

#include "mpc/Train/Train.h"

#include "../Diagnosis/OverflowExplanation.h"
#include "../Diagnosis/SkipDiagnosis.h"
#include "../Failure.h"
#include "../Forward/Evaluator.h"
#include "../Metrics/MetricsFile.h"
#include "../Ranks/Consensus.h"
#include "../Ranks/SessionReduces.h"
#include "../Save/Saver.h"
#include "../StepBatches.h"
#include "../Stop.h"
#include "RecordTimes.h"
#include "StepOutputs.h"
#include "Tally.h"

namespace mpc::train {

class Training {
  using Clock = std::chrono::steady_clock;

public:
  /// `tellsTimes`: rank 0 was asked to tell when records ran.
  Training(const TrainOptions &options, const ranks::Launch &launch,
           bool tellsTimes, Observer &observer);
  TrainResult run();
  /// Tells other ranks that this one does not go on.
  void giveUp(const std::string &reason) {
    if (group)
      group->giveUp(reason);
  }

private:
  template <typename Body> auto orGiveUp(Body body);
  void openEvaluations();
  std::optional<CheckpointFiles> findResumed();
  void loadGivenWeights();
  void prepareState();
  void warnOfWeights();
  void checkResumed(const Position &resumed) const;
  void checkResumedShares(const Position &resumed) const;
  void awaitAll(const std::string &what);
  void compareOptions();
  uint64_t checkEvery() const;
  void step();
  void runStep(uint64_t number, std::span<const data::Batch> given,
               uint64_t retry, Clock::time_point begin);
  /// Notes the step that is still to be noted, which ran `age` steps ago.
  /// Returns whether it was skipped.
  bool noteLast(uint32_t age);
  /// The same of `run`, if there is one; reads what it has left.
  bool noteRun(const std::optional<StepMetrics> &run, uint32_t age);
  void note(const StepMetrics &metrics);
  /// Tells a warning, if there is one.
  void warn(const std::string &warning);
  void explain(const StepMetrics &step);
  std::string replayLast();
  std::optional<uint64_t> readCounter(std::string_view name) const;
  /// Whether the results of a step are needed before the next one may begin. Of
  /// ranks: they agree on them in the same place of their collectives, whatever
  /// rank 0 has to write in between.
  bool readsAtOnce() const {
    return options.retry.value_or(0) > 0 || watch || group;
  }
  bool isStopped() const { return !diagnosis->stopReason().empty(); }
  /// Of ranks: whether all have agreed to end, since they step together.
  bool wasInterrupted() const {
    return group ? wishes.end : isSet(options.stop);
  }
  RankMembership join();
  Compiler makeCompiler() const { return {options.compiler, options.stop}; }
  void openMetrics(const std::string &path, std::optional<MetricsFile> &file);
  /// Does what may fail, and notes why: the first failure ends training, but
  /// not before all was tried that is left to do. Returns whether it is done.
  template <typename Action> bool attempt(Action action);
  void noteTrouble(const Failure &failure);
  /// The same for lines of metrics; after one that failed there are no more.
  template <typename Write> void tryMetrics(Write write);
  void train();
  /// Of ranks: whether they still have the same states.
  void checkAlike();
  void evaluate(uint64_t epoch);
  void saveNow();
  void tellResumed();
  /// Where another model has saved what is resumed.
  std::string describeOtherModel() const;
  void finish();
  void giveUpInTrouble();
  void tellTimes();
  void tellEnd();
  void writeSummary();

  Tally tally; ///< In front: it times all that follows.
  const TrainOptions &options;
  const ranks::Launch launch;
  const bool tellsTimes;
  Observer &observer;
  rt::Program program;
  rt::Entry entry;
  std::optional<rt::Entry> accumulate; ///< For all micro-batches but the last.
  data::Dataset dataset;
  StepBatches batches;
  std::optional<data::Dataset> testSet;
  BucketTimes bucketTimes; ///< In front of the group, whose thread notes them.
  std::unique_ptr<RankGroup> group;      ///< None if this is the only rank.
  std::optional<SessionReduces> reduces; ///< Of the group.
  /// Of the group, after the last step: whether a rank was interrupted, and
  /// whether it is time to save.
  Wishes wishes;
  rt::Session session;
  StepOutputs outputs;
  std::optional<Evaluator> evaluator;
  OutputFiles files;
  std::optional<MetricsFile> metrics;
  std::optional<MetricsFile> rankMetrics; ///< Before means are made.
  std::optional<RecordTimes> times;       ///< With --timings or --timeline.
  std::optional<SkipDiagnosis> diagnosis;
  std::optional<OverflowWatch> watch; ///< With --on-overflow=explain.
  /// What the last step ran on, to replay it.
  std::span<const data::Batch> lastBatches;
  std::optional<double> lastScale;
  bool hasSkippedBadLoss = false; ///< Which is told once.
  /// Why the state is none to save, a step that has failed half way, say; or
  /// "".
  std::string broken;
  uint64_t alikeStep = 0;     ///< When the states of ranks were compared last.
  bool isStoppedLate = false; ///< By a step before the last one.
  Position position;
  std::string resumed; ///< The file, or the folder of a step.
  Saver saver{options.saving, session, position, observer};
  /// The last step, of which the results have not been read yet: they are read
  /// one step late, so that a device has the next one to do meanwhile.
  std::optional<StepMetrics> last;
  std::optional<uint64_t> skipped;      ///< Runs of a step so far.
  uint64_t firstStep = 0, lastStep = 0; ///< Of this run, the first left out.
  std::optional<Failure> trouble;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_LOOP_TRAINING_H
